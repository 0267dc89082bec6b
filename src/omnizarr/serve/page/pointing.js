/** Pointing at cells of a drawing: by pointer, by keys, by dragging a rectangle. */

import { make } from "./dom.js";
import { crossHair, sized } from "./canvas.js";

const STEPS = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };
const LEAST_DRAG = 6;

/**
 * A layer over a drawing that says which cell is meant.
 *
 * `listener` has `pointed(cell, byKeyboard)`, `dragged(from, to)`, `zoomed(factor, cell)`, `panned(rows, columns)`
 * and `reset()`; a cell is [row, column] in places on the screen, which count from the left and the top.
 */
export class Pointing {
  constructor(listener, label) {
    this.listener = listener;
    this.place = null;
    this.box = null;
    this.counts = [1, 1];
    this.start = null;
    this.canvas = make("canvas", {
      class: "over", tabIndex: 0, role: "application", "aria-label": label, "aria-describedby": "picture-keys",
      onpointermove: (event) => this.moved(event),
      onpointerdown: (event) => this.pressed(event),
      onpointerup: (event) => this.released(event),
      onpointercancel: () => this.stopped(),
      onpointerleave: () => this.start ?? this.left(),
      ondblclick: () => this.listener.reset(),
      onkeydown: (event) => this.typed(event),
      onfocus: () => this.focused(),
      onblur: () => this.left(),
    });
    this.canvas.addEventListener("wheel", (event) => this.wheeled(event), { passive: false });
  }

  /** Lays the layer over a drawing of `counts` rows and columns in a box. */
  fit(width, height, box, counts) {
    this.box = box;
    this.counts = counts;
    this.context = sized(this.canvas, width, height);
    if (this.place) this.place = this.within(this.place);
    this.draw();
  }

  /** Points at a cell again, if there was one, since what is there may be another value. */
  repeat() {
    if (this.place) this.listener.pointed(this.place, false);
  }

  within([row, column]) {
    const [rows, columns] = this.counts;
    return [Math.min(rows - 1, Math.max(0, row)), Math.min(columns - 1, Math.max(0, column))];
  }

  placeOf(event) {
    const { left, top, width, height } = this.box;
    const x = (event.offsetX - left) / width;
    const y = (event.offsetY - top) / height;
    return { place: this.within([Math.floor(y * this.counts[0]), Math.floor(x * this.counts[1])]), inside: x >= 0 && x < 1 && y >= 0 && y < 1 };
  }

  moved(event) {
    const { place, inside } = this.placeOf(event);
    if (!inside && !this.start) return this.left();
    this.place = place;
    if (this.start) this.end = { x: event.offsetX, y: event.offsetY, place };
    this.draw();
    return this.listener.pointed(place, false);
  }

  pressed(event) {
    const { place, inside } = this.placeOf(event);
    if (!inside || event.button !== 0) return;
    this.place = place;
    if (event.pointerType !== "touch") {
      this.start = { x: event.offsetX, y: event.offsetY, place };
      this.end = this.start;
      this.canvas.setPointerCapture(event.pointerId);
    }
    this.draw();
    this.listener.pointed(place, false);
  }

  released() {
    const { start, end } = this;
    this.stopped();
    if (start && Math.hypot(end.x - start.x, end.y - start.y) >= LEAST_DRAG) this.listener.dragged(start.place, end.place);
  }

  stopped() {
    this.start = this.end = null;
    if (this.context) this.draw();
  }

  left() {
    if (document.activeElement === this.canvas && this.place && this.byKeys) return;
    this.place = null;
    this.byKeys = false;
    if (this.context) this.draw();
    this.listener.pointed(null, false);
  }

  focused() {
    if (!this.canvas.matches(":focus-visible") || this.place) return;
    this.byKeys = true;
    this.place = this.within(this.counts.map((count) => count >> 1));
    this.draw();
    this.listener.pointed(this.place, true);
  }

  wheeled(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const { place, inside } = this.placeOf(event);
    if (inside && event.deltaY) this.listener.zoomed(event.deltaY < 0 ? 0.5 : 2, place);
  }

  typed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const done = this.act(event);
    if (!done) return;
    event.preventDefault();
    this.byKeys = true;
  }

  act(event) {
    const place = this.place ?? this.within(this.counts.map((count) => count >> 1));
    if (event.key in STEPS) {
      const [down, right] = STEPS[event.key];
      if (event.shiftKey) this.listener.panned(down, right);
      else this.go([place[0] + down, place[1] + right]);
    } else if (event.key === "Home") this.go([place[0], 0]);
    else if (event.key === "End") this.go([place[0], this.counts[1] - 1]);
    else if (event.key === "PageUp") this.go([place[0] - 10, place[1]]);
    else if (event.key === "PageDown") this.go([place[0] + 10, place[1]]);
    else if (event.key === "+" || event.key === "=") this.listener.zoomed(0.5, place);
    else if (event.key === "-") this.listener.zoomed(2, place);
    else if (event.key === "0") this.listener.reset();
    else if (event.key === "Escape" && this.start) this.stopped();
    else return false;
    return true;
  }

  go(place) {
    this.place = this.within(place);
    this.draw();
    this.listener.pointed(this.place, true);
  }

  draw() {
    const { context, box, canvas } = this;
    context.clearRect(0, 0, canvas.width, canvas.height);
    if (this.start) return this.drawDrag();
    if (!this.place) return undefined;
    const x = box.left + ((this.place[1] + 0.5) / this.counts[1]) * box.width;
    const y = this.counts[0] === 1 ? null : box.top + ((this.place[0] + 0.5) / this.counts[0]) * box.height;
    return crossHair(context, box, x, y);
  }

  drawDrag() {
    const { context, start, end } = this;
    const [x, y] = [Math.min(start.x, end.x), Math.min(start.y, end.y)];
    const size = [Math.abs(end.x - start.x), Math.abs(end.y - start.y)];
    context.fillStyle = "rgba(255,255,255,.25)";
    context.fillRect(x, y, ...size);
    for (const [style, width] of [["rgba(0,0,0,.7)", 3], ["#fff", 1]]) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.strokeRect(x, y, ...size);
    }
  }
}
