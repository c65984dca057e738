import { render } from "preact";
import "uplot/dist/uPlot.min.css";
import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import "./style/controls.css";
import "./style/views.css";
import "./style/map.css";
import "./style/large.css";
import { App } from "./app";
import { start } from "./store";
import { chooseTheme, chosenTheme } from "./theme";

chooseTheme(chosenTheme());
start();
render(<App />, document.getElementById("page")!);
