/** The picture of an array: asked for, drawn, looked at. */

import { askPicture, overtaking } from "./api.js";
import { Scale } from "./axes.js";
import { isDiverging } from "./colours.js";
import { Controls, RangeBar } from "./controls.js";
import { make } from "./dom.js";
import { drawColours, drawHeat } from "./heat.js";
import { drawLine } from "./line.js";
import { isShown, rangeOf, shortText, unitsText, valueText } from "./numbers.js";
import { Pointing } from "./pointing.js";
import { Sliders } from "./sliders.js";
import { atText, windowText } from "./state.js";
import { BLOCK, makeTable } from "./table.js";
import { kindsOf, panned, settled, wholeOf, zoomed } from "./views.js";

const KEYS = "Arrow keys move the cross-hair; shift and an arrow move the window; + and − zoom, 0 shows the whole.";
// Points of a line; more than pixels, so that what is steep is not lost.
const LONGEST_LINE = 2048;
const DRAG = " Drag a rectangle to zoom in, or turn the wheel with ctrl.";

/** The part of the page that shows the values of an array. */
export class PicturePanel {
  /** `change(part, replace)` changes what the address says; `announce(text)` is for those who listen. */
  constructor(root, node, change, announce) {
    this.root = root;
    this.node = node;
    this.change = change;
    this.announce = announce;
    this.load = overtaking();
    this.asked = null;
    this.picture = null;
    this.build();
    this.observer = new ResizeObserver(() => this.resized());
    this.observer.observe(this.room);
  }

  build() {
    this.controls = new Controls(this.node, (part) => this.changeView(part), (factor) => this.zoom(factor, null));
    this.sliders = new Sliders(this.node.dimensions, (axis, index) => this.move(axis, index));
    this.range = new RangeBar((part) => this.change(part, true));
    this.status = make("p", { class: "status", role: "status" });
    this.failure = make("div", { class: "failure", role: "alert", hidden: true });
    this.canvas = make("canvas", { class: "drawn", role: "img" });
    this.pointing = new Pointing(this, `Picture of ${this.node.name}. ${KEYS}`);
    this.stack = make("div", { class: "stack", hidden: true }, this.canvas, this.pointing.canvas);
    this.table = make("div", { class: "table", hidden: true });
    this.single = make("p", { class: "single", hidden: true });
    this.readout = make("p", { class: "readout", hidden: true });
    this.keys = make("p", { class: "hint keys", id: "picture-keys" }, KEYS + DRAG);
    this.room = make("div", { class: "room" }, this.stack, this.table, this.single);
    this.progress = make("div", { class: "progress", hidden: true, role: "progressbar", "aria-label": "Reading" });
    this.element = make(
      "section", { class: "card picture", "aria-labelledby": "picture-title" },
      make("h2", { id: "picture-title" }, "Values"), this.controls.element, this.sliders.element, this.progress,
      this.failure, this.room, this.readout, this.range.element, this.status, this.keys,
    );
  }

  /** Shows a state: asks for what is not there yet, draws again where only the look is another. */
  update(state) {
    this.state = settled(state, this.node);
    this.controls.update(this.state, kindsOf(this.node));
    this.sliders.update(this.state.axes, this.state.at);
    const parameters = this.parameters();
    const asked = JSON.stringify(parameters);
    if (asked === this.asked) {
      if (this.picture) this.draw();
      return Promise.resolve(true);
    }
    this.asked = asked;
    return this.ask(parameters);
  }

  parameters() {
    const { view, axes, at, window, field } = this.state;
    return {
      root: this.root, path: this.node.path, axes: axes.length ? axes.join(",") : "none", field,
      at: atText(Object.fromEntries(Object.entries(at).filter(([axis]) => !axes.includes(Number(axis))))) || null,
      window: windowText(window) || null, most: view === "table" ? BLOCK.slice(0, axes.length || 1).join(",") : this.points(),
    };
  }

  /** Returns how many points are worth asking for: as many as the room has pixels, in steps of 64. */
  points() {
    if (this.state.axes.length === 1) return LONGEST_LINE;
    const width = this.room.clientWidth || 640;
    return Math.min(1024, Math.max(256, Math.ceil((width * Math.min(2, devicePixelRatio)) / 64) * 64));
  }

  async ask(parameters) {
    const waiting = setTimeout(() => (this.progress.hidden = false), 150);
    try {
      const picture = await this.load((signal) => askPicture(parameters, signal));
      if (!picture) return undefined;
      this.picture = picture;
      this.failure.hidden = true;
      this.sliders.label(picture.header.at);
      this.draw();
      this.finished(waiting);
      return true;
    } catch (error) {
      this.failed(error);
      this.finished(waiting);
      return false;
    }
  }

  finished(waiting) {
    clearTimeout(waiting);
    this.progress.hidden = true;
    this.element.dataset.drawn = String(Number(this.element.dataset.drawn ?? 0) + 1);
  }

  failed(error) {
    this.picture = null;
    this.hideAll();
    const again = make("button", { type: "button", onclick: () => this.ask(this.parameters()) }, "Try again");
    this.failure.replaceChildren(make("p", {}, make("strong", {}, "This cannot be shown. "), error.message), again);
    this.failure.hidden = false;
  }

  hideAll() {
    for (const part of [this.stack, this.table, this.single, this.readout, this.range.element, this.keys]) part.hidden = true;
    this.status.textContent = "";
  }

  draw() {
    this.hideAll();
    const { header } = this.picture;
    const { view } = this.state;
    const isText = header.dtype === "text";
    if (!header.axes.length) this.drawSingle();
    else if (header.count === 0) this.status.textContent = "There are no values: an axis has no elements.";
    else if (view === "table" || isText) this.drawTable();
    else this.drawPicture();
    this.say();
  }

  drawSingle() {
    this.single.textContent = valueText(this.picture, 0) + unitsText(this.picture, 0);
    this.single.hidden = false;
  }

  drawTable() {
    this.table.replaceChildren(this.blocks(), makeTable(this.picture, this.state.field ?? this.node.name));
    this.table.hidden = false;
  }

  /** Makes the steps to the blocks before and after, along each axis that has more than one. */
  blocks() {
    const steps = this.picture.header.axes.map((axis, place) => {
      const size = Number(axis.size);
      const block = BLOCK[place];
      if (size <= block) return null;
      const go = (start) => this.change({ window: { ...this.state.window, [axis.number]: [start, Math.min(size, start + block)] } }, true);
      const button = (text, start, isOff) => make("button", { type: "button", disabled: isOff, "aria-label": `${text === "‹" ? "Before" : "After"} along ${axis.name}`, onclick: () => go(start) }, text);
      const stop = axis.start + axis.count;
      return make(
        "span", { class: "blocks" }, button("‹", Math.max(0, axis.start - block), axis.start === 0),
        `${axis.name} ${axis.start}–${stop - 1} of ${size}`, button("›", stop, stop >= size),
      );
    });
    return make("p", { class: "steps" }, steps);
  }

  drawPicture() {
    const { header, values, mask } = this.picture;
    const { log, map, stored, range: mode, limits } = this.state;
    const isLine = header.axes.length === 1;
    const found = rangeOf(values, mask, { mode: isLine && mode === "auto" ? "full" : mode, log, diverging: !isLine && isDiverging(map), limits });
    const range = isLine && mode !== "fixed" && !log ? padded(found) : found;
    const { width } = this.room.getBoundingClientRect();
    const room = { width: Math.max(200, Math.floor(width)), height: Math.max(220, Math.min(620, Math.round(innerHeight * 0.62))) };
    this.stack.hidden = this.keys.hidden = this.readout.hidden = this.range.element.hidden = false;
    this.scales = isLine
      ? [new Scale(header.axes[0], { asStored: stored })]
      : [new Scale(header.axes[0], { vertical: true, asStored: stored }), new Scale(header.axes[1], { asStored: stored })];
    const look = { map, range, log };
    const done = isLine
      ? drawLine(this.canvas, room, this.picture, this.scales[0], { ...look, label: this.valueLabel() })
      : drawHeat(this.canvas, room, this.picture, ...this.scales, look);
    Object.assign(this.canvas.dataset, { left: done.box.left, top: done.box.top, width: done.box.width, height: done.box.height });
    this.canvas.setAttribute("aria-label", `${this.valueLabel()} by ${this.scales.map((scale) => scale.axis.name).join(" and ")}`);
    this.pointing.fit(done.width, done.height, done.box, isLine ? [1, this.scales[0].count] : this.scales.map((scale) => scale.count));
    this.drawRange(range, isLine);
    this.pointing.repeat();
    if (!this.pointing.place) this.pointed(null, false);
  }

  drawRange(range, isLine) {
    const { map, range: mode, log } = this.state;
    this.range.update(range, isLine && mode === "auto" ? "full" : mode, this.picture.header.units, (value) => shortText(value));
    this.range.bar.hidden = isLine;
    if (isLine) return;
    drawColours(this.range.canvas, Math.max(80, this.range.bar.clientWidth), map);
    this.range.canvas.setAttribute("aria-label", `Colours from ${shortText(range[0])} to ${shortText(range[1])}${log ? ", logarithmic" : ""}`);
  }

  valueLabel() {
    const { header } = this.picture;
    const name = (header.long_name ?? this.node.name ?? "value").replaceAll("_", " ");
    const said = header.fields ? `${name}.${this.state.field ?? header.fields[0]}` : name;
    return header.units ? `${said} (${header.units})` : said;
  }

  /** Says what has to be said about the picture: how it is thinned, cut, turned. */
  say() {
    const { header } = this.picture;
    const said = [header.note, header.narrowed];
    for (const axis of header.axes) {
      if (axis.step > 1) said.push(`Every ${ordinal(axis.step)} index of ${axis.name} is read; zoom in for more.`);
    }
    if (!this.stack.hidden) said.push(...this.saidOfDrawing());
    this.status.replaceChildren(...said.filter(Boolean).map((text) => make("span", {}, sentence(text))));
  }

  saidOfDrawing() {
    const { values, mask, header } = this.picture;
    const said = this.scales.filter((scale) => scale.growing && scale.vertical).map((scale) => `${scale.axis.name} grows ${scale.growing}.`);
    said.push(...this.scales.filter((scale) => !scale.isEven).map((scale) => `Coordinates of ${scale.axis.name} are uneven; all cells are drawn alike.`));
    let missing = 0;
    let without = 0;
    for (let i = 0; i < header.count; i += 1) {
      if (!isShown(values, mask, i)) missing += 1;
      else if (this.state.log && Number(values[i]) <= 0) without += 1;
    }
    if (missing) said.push(`${missing} of ${header.count} values shown are missing${header.axes.length === 2 ? " (hatched)" : ""}.`);
    if (without) said.push(`${without} values are not above zero, and have no logarithm.`);
    return said;
  }

  /** Says what is at a place on the screen. */
  pointed(place, byKeyboard) {
    if (!place) {
      this.readout.replaceChildren(make("span", { class: "hint" }, "Point at the picture for values."));
      delete this.readout.dataset.value;
      return;
    }
    const cells = this.scales.length === 1 ? [this.scales[0].cell(place[1])] : [this.scales[0].cell(place[0]), this.scales[1].cell(place[1])];
    const i = cells.length === 1 ? cells[0] : cells[0] * this.scales[1].count + cells[1];
    const value = valueText(this.picture, i);
    const units = unitsText(this.picture, i);
    const where = this.scales.map((scale, axis) => scale.textAt(cells[axis])).join(", ");
    this.readout.dataset.value = value;
    this.readout.replaceChildren(make("strong", {}, value + units), " ", make("span", {}, where));
    if (byKeyboard) this.announce(`${value}${units}; ${where}`);
  }

  dragged(from, to) {
    const window = { ...this.state.window };
    this.scales.forEach((scale, axis) => {
      const ends = [from, to].map((place) => scale.cell(place[this.scales.length === 1 ? 1 : axis])).sort((one, other) => one - other);
      const size = Number(scale.axis.size);
      window[scale.axis.number] = [scale.index(ends[0]), Math.min(size, scale.index(ends[1] + 1))];
    });
    this.change({ window: wholeOf(window, this.node) });
  }

  /** Zooms by a factor around a place on the screen, or around the middle; null shows the whole. */
  zoom(factor, place) {
    if (!this.picture || !this.scales) return;
    if (factor === null) this.reset();
    else this.change({ window: wholeOf(zoomed(this.state.window, this.scales, factor, place), this.node) });
  }

  zoomed(factor, place) {
    this.zoom(factor, place);
  }

  panned(down, right) {
    this.change({ window: wholeOf(panned(this.state.window, this.scales, down, right), this.node) }, true);
  }

  reset() {
    this.change({ window: {} });
  }

  move(axis, index) {
    return this.change({ at: { ...this.state.at, [axis]: index } }, true);
  }

  changeView(part) {
    const next = settled({ ...this.state, ...part }, this.node);
    const kept = Object.entries(this.state.window).filter(([axis]) => next.axes.includes(Number(axis)) && next.view !== "table" && this.state.view !== "table");
    this.change({ ...part, axes: next.axes, view: next.view, window: Object.fromEntries(kept) });
  }

  resized() {
    const width = Math.round(this.room.clientWidth);
    if (width === this.drawnWidth || !this.picture) return;
    this.drawnWidth = width;
    if (!this.stack.hidden) this.drawPicture();
  }

  /** Draws again, since the colours of the page are others. */
  redraw() {
    if (this.picture && !this.stack.hidden) this.drawPicture();
  }

  /** Asks for nothing any more. */
  close() {
    this.observer.disconnect();
    this.sliders.stop();
    this.load(() => Promise.resolve());
  }
}

/** Returns a range with some room at both ends. */
function padded([low, high]) {
  const room = 0.04 * (high - low);
  return [low - room, high + room];
}

function sentence(text) {
  return text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}

function ordinal(number) {
  const last = number % 100;
  const ending = last > 10 && last < 14 ? "th" : ["th", "st", "nd", "rd"][number % 10] ?? "th";
  return `${number}${ending}`;
}
