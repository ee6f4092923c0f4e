import "@fontsource-variable/inter/wght.css";
import "./style/base.css";
import "./style/form.css";
import "./style/plan.css";
import "./style/chart.css";
import "./style/training.css";
import { render } from "preact";
import { App } from "./app";
import { registerColours } from "./explore/paint_matrix";
import { applyTheme, storedTheme } from "./theme";

registerColours();
applyTheme(storedTheme());
const page = document.getElementById("page");
if (page) render(<App />, page);
