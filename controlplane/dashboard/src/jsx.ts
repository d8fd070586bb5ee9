/* jsx.ts - the two functions that elements are written with; build.mjs puts them where there are any. */
export { Fragment, h } from "preact";
