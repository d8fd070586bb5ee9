/* main.tsx - the page begins here.  What looks the same everywhere comes first, so that a view may say more. */
import "./design.css";
import "./base.css";
import "./parts/form.css";
import "./parts/table.css";
import { render } from "preact";
import { App } from "./app/App";

const root = document.getElementById("app");
if (root) render(<App />, root);
