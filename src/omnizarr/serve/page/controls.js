/** The choices above a picture: what is drawn, along which axes, in which colours. */

import { choice, fillChoice, iconButton, make } from "./dom.js";
import { MAPS } from "./colours.js";

const VIEWS = { heat: "Heat map", line: "Line", table: "Table" };

/** Controls of a picture; `change(part)` is called with the parts of the state that are to change. */
export class Controls {
  constructor(node, change, zoom) {
    this.node = node;
    this.change = change;
    const axes = node.dimensions.map(({ name, size }, axis) => [String(axis), `${name} (${size})`]);
    this.views = make("div", { class: "segments", role: "group", "aria-label": "Kind of picture" });
    this.rows = choice("Rows", axes, "0", (value) => this.setAxis(0, Number(value)));
    this.columns = choice("Columns", axes, "0", (value) => this.setAxis(1, Number(value)));
    this.along = choice("Along", axes, "0", (value) => this.setAxis(0, Number(value)));
    this.swap = iconButton("swap", "Swap rows and columns", () => this.change({ axes: [...this.state.axes].reverse() }));
    this.field = choice("Field", (node.fields ?? []).map((name) => [name, name]), node.fields?.[0] ?? "", (field) => change({ field }));
    this.map = choice("Colours", Object.entries(MAPS), "dusk", (map) => change({ map }));
    this.log = toggle("Logarithmic", (log) => change({ log }));
    this.stored = toggle("As stored", (stored) => change({ stored }), "Draw the first row at the top and the first column at the left, whichever way coordinates run");
    this.zoom = make(
      "div", { class: "segments", role: "group", "aria-label": "Zoom" },
      iconButton("minus", "Zoom out (−)", () => zoom(2)), iconButton("plus", "Zoom in (+)", () => zoom(0.5)),
      iconButton("whole", "Show the whole (0)", () => zoom(null)),
    );
    this.element = make(
      "div", { class: "controls" }, this.views, this.field.element, this.along.element,
      make("div", { class: "pair" }, this.rows.element, this.swap, this.columns.element),
      this.map.element, this.log.element, this.stored.element, this.zoom,
    );
  }

  /** Shows the choices that there are for a state. */
  update(state, kinds) {
    this.state = state;
    this.views.replaceChildren(...kinds.map((kind) => this.viewButton(kind, state.view)));
    this.views.hidden = kinds.length < 2;
    const two = state.axes.length === 2;
    const drawn = state.view === "heat" || state.view === "line";
    show(this.rows.element.parentElement, two && this.node.dimensions.length > 1);
    show(this.along.element, state.axes.length === 1 && this.node.dimensions.length > 1);
    show(this.field.element, Boolean(this.node.fields?.length));
    show(this.map.element, state.view === "heat");
    for (const control of [this.log.element, this.zoom]) show(control, drawn);
    show(this.stored.element, drawn);
    if (two) [this.rows.select.value, this.columns.select.value] = state.axes.map(String);
    else if (state.axes.length) this.along.select.value = String(state.axes[0]);
    if (state.field) this.field.select.value = state.field;
    this.map.select.value = state.map;
    this.log.input.checked = state.log;
    this.stored.input.checked = state.stored;
  }

  viewButton(kind, chosen) {
    return make("button", { type: "button", "aria-pressed": String(kind === chosen), data: { view: kind }, onclick: () => this.change({ view: kind }) }, VIEWS[kind]);
  }

  setAxis(place, axis) {
    const axes = [...this.state.axes];
    if (axes.length === 2 && axes[1 - place] === axis) axes.reverse();
    else axes[place] = axis;
    this.change({ axes });
  }
}

/** The bar of colours with the range that it stands for; `change(part)` as in `Controls`. */
export class RangeBar {
  constructor(change) {
    this.change = change;
    const modes = [["auto", "2–98 %"], ["full", "Least to greatest"], ["fixed", "As typed"]];
    this.mode = choice("Range", modes, "auto", (range) => change(range === "fixed" ? { range, limits: this.limits } : { range, limits: null }));
    this.low = this.limit("Lower end of the range");
    this.high = this.limit("Upper end of the range");
    this.canvas = make("canvas", { class: "colours", role: "img" });
    this.units = make("span", { class: "units" });
    this.bar = make("div", { class: "bar-box" }, this.canvas);
    this.element = make("div", { class: "range" }, this.low, this.bar, this.high, this.units, this.mode.element);
  }

  limit(label) {
    return make("input", { type: "text", inputMode: "decimal", class: "limit", "aria-label": label, autocomplete: "off", onchange: () => this.typed() });
  }

  typed() {
    const limits = [this.low, this.high].map((input) => Number(input.value.replace("−", "-").trim() || NaN));
    const isFine = limits.every(Number.isFinite) && limits[0] < limits[1];
    for (const input of [this.low, this.high]) input.setAttribute("aria-invalid", String(!isFine));
    if (isFine) this.change({ range: "fixed", limits });
  }

  /** Shows a range, and the units of the values. */
  update(limits, mode, units, text) {
    this.limits = limits;
    fillChoice(this.mode.select, [...this.mode.select.options].map((option) => [option.value, option.textContent]), mode);
    for (const [input, value] of [[this.low, limits[0]], [this.high, limits[1]]]) {
      if (document.activeElement !== input || mode !== "fixed") input.value = text(value);
      input.removeAttribute("aria-invalid");
    }
    this.units.textContent = units ?? "";
  }
}

function toggle(label, onchange, title) {
  const input = make("input", { type: "checkbox", onchange: () => onchange(input.checked) });
  return { element: make("label", { class: "check", title }, input, make("span", {}, label)), input };
}

function show(element, isShown) {
  element.hidden = !isShown;
}
