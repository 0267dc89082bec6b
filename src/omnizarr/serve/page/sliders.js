/** Where the axes that are not shown are cut: a slider, a number, the coordinate, and a button that plays. */

import { iconButton, make } from "./dom.js";
import { icon } from "./dom.js";

const BETWEEN_FRAMES = 400;

/** Sliders for some axes of an array; `moved(axis, index)` is called when one is set. */
export class Sliders {
  constructor(dimensions, moved) {
    this.dimensions = dimensions;
    this.moved = moved;
    this.rows = new Map();
    this.playing = null;
    this.element = make("div", { class: "sliders" });
  }

  /** Shows sliders for all axes but those that are shown, at their places. */
  update(shown, at) {
    const wanted = this.dimensions.map((_, axis) => axis).filter((axis) => !shown.includes(axis) && Number(this.dimensions[axis].size) > 1);
    const same = wanted.length === this.rows.size && wanted.every((axis) => this.rows.has(axis));
    if (!same) {
      this.stop();
      this.rows = new Map(wanted.map((axis) => [axis, this.makeRow(axis)]));
      this.element.replaceChildren(...[...this.rows.values()].map((row) => row.element));
      this.element.hidden = !wanted.length;
    }
    for (const [axis, row] of this.rows) this.place(row, at[axis] ?? 0);
  }

  /** Says the coordinates at which axes are cut, as the picture has them. */
  label(places) {
    for (const { axis, index, coordinate, units } of places) {
      const row = this.rows.get(axis);
      if (!row || Number(row.number.value) !== index) continue;
      row.output.textContent = coordinate === null ? "" : `${coordinate}${units ? ` ${units}` : ""}`;
    }
  }

  makeRow(axis) {
    const { name, size } = this.dimensions[axis];
    const last = Number(size) - 1;
    const set = (value) => this.set(axis, value);
    const slider = make("input", { type: "range", min: 0, max: last, step: 1, "aria-label": name, oninput: () => set(slider.value) });
    const number = make("input", { type: "number", min: 0, max: last, step: 1, "aria-label": `Index of ${name}`, onchange: () => set(number.value) });
    const output = make("output", { class: "coordinate" });
    const play = iconButton("play", `Play ${name}`, () => (this.playing === axis ? this.stop() : this.play(axis)), { "aria-pressed": "false" });
    const element = make(
      "div", { class: "slider", data: { axis } },
      make("span", { class: "name" }, name), slider, number, make("span", { class: "of" }, `of ${size}`), play, output,
    );
    return { element, slider, number, output, play, name };
  }

  place(row, index) {
    if (Number(row.number.value) !== index || row.number.value === "") row.output.textContent = "";
    row.slider.value = row.number.value = index;
  }

  set(axis, value) {
    const last = Number(this.dimensions[axis].size) - 1;
    const index = Math.min(last, Math.max(0, Math.round(Number(value)) || 0));
    this.place(this.rows.get(axis), index);
    return this.moved(axis, index);
  }

  async play(axis) {
    this.stop();
    this.playing = axis;
    this.showPlaying(axis, true);
    const size = Number(this.dimensions[axis].size);
    const pause = matchMedia("(prefers-reduced-motion: reduce)").matches ? 4 * BETWEEN_FRAMES : BETWEEN_FRAMES;
    const run = (this.run = {});
    while (this.run === run && this.rows.has(axis)) {
      const next = (Number(this.rows.get(axis).number.value) + 1) % size;
      const [drawn] = await Promise.all([this.set(axis, next), new Promise((resolve) => setTimeout(resolve, pause))]);
      if (drawn === false && this.run === run) this.stop();
    }
  }

  /** Plays no longer. */
  stop() {
    this.run = null;
    if (this.playing !== null) this.showPlaying(this.playing, false);
    this.playing = null;
  }

  showPlaying(axis, isOn) {
    const row = this.rows.get(axis);
    if (!row) return;
    row.play.replaceChildren(icon(isOn ? "pause" : "play"));
    row.play.setAttribute("aria-pressed", String(isOn));
    row.play.title = `${isOn ? "Stop" : "Play"} ${row.name}`;
    row.play.setAttribute("aria-label", row.play.title);
  }
}
