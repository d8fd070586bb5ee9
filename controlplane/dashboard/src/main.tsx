/* main.tsx - the page begins here.  The styles that all views share come first, so that a view's own rules win. */
import "./design.css";
import "./base.css";
import "./parts/form.css";
import "./parts/table.css";
import { render } from "preact";
import { App } from "./app/App";

const root = document.getElementById("app");
if (root) render(<App />, root);
