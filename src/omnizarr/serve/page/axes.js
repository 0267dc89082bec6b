/** One axis of a picture: which way it runs, its ticks, and what is at each cell. */

import { exactText, linearTicks, shortText } from "./numbers.js";

// Where larger numbers are further down.
const DOWNWARD = /\b(depth|pressure|altitude below)\b/i;
const DEGREES = /^degrees?(_|$)/i;
const PRESSURE = /^\s*(h?pa|m?bars?|milli?bars?|dbars?|decibars?|hectopascals?|pascals?)\s*$/i;

/** Where the cells of an axis are, as shares of its length from the left or the top. */
export class Scale {
  /**
   * Coordinates grow to the right and upwards (depths and pressures downwards), whichever way they are stored;
   * without numbers as coordinates, or where `asStored` is set, the first cell is at the left or the top.
   */
  constructor(axis, { vertical = false, asStored = false } = {}) {
    this.axis = axis;
    this.count = axis.count;
    this.vertical = vertical;
    this.direction = directionOf(axis.coordinates);
    this.downward = vertical && isDownward(axis);
    const backwards = vertical && !this.downward ? this.direction > 0 : this.direction < 0;
    this.flipped = !asStored && backwards;
  }

  /** Returns the number of the cell at a place on the screen, counted in cells. */
  cell(place) {
    return this.flipped ? this.count - 1 - place : place;
  }

  /** Returns the index in the array of a cell. */
  index(cell) {
    return this.axis.start + this.axis.step * cell;
  }

  /** Returns the share of the axis at which the middle of a cell is; cells may be fractions. */
  share(cell) {
    const share = (cell + 0.5) / this.count;
    return this.flipped ? 1 - share : share;
  }

  /** Returns the cell at a share of the axis. */
  cellAt(share) {
    return this.cell(Math.min(this.count - 1, Math.max(0, Math.floor(share * this.count))));
  }

  /** Returns the name, with the units. */
  get label() {
    const { name, long_name: long, units } = this.axis;
    const said = long && long !== name && long.replaceAll("_", " ") !== name ? `${name}: ${long.replaceAll("_", " ")}` : name;
    return units && this.axis.coordinates ? `${said} (${units})` : said;
  }

  /** Returns what is at a cell: its coordinate where there is one, and its index. */
  textAt(cell) {
    const coordinate = coordinateText(this.axis, cell);
    const index = this.index(cell);
    if (coordinate === null) return `${this.axis.name} ${index}`;
    const units = this.axis.units ? ` ${this.axis.units}` : "";
    return `${this.axis.name} ${coordinate}${units} (index ${index})`;
  }

  /** Returns the direction in which coordinates grow on the screen, in words, or null where there are none. */
  get growing() {
    if (!this.direction) return null;
    const forward = this.direction > 0 !== this.flipped;
    return this.vertical ? (forward ? "downward" : "upward") : forward ? "to the right" : "to the left";
  }

  /** Whether coordinates have equal distances, within a twentieth of one; where they are no numbers, they have. */
  get isEven() {
    const { coordinates } = this.axis;
    if (!this.direction || this.count < 3) return true;
    const step = (coordinates[this.count - 1] - coordinates[0]) / (this.count - 1);
    return coordinates.every((value, i) => Math.abs(value - coordinates[0] - i * step) <= Math.abs(step) * 0.05 + 1e-9);
  }

  /** Returns the ticks: shares of the axis, and texts. */
  ticks(most) {
    if (this.direction && this.count > 1) return this.coordinateTicks(most);
    if (this.axis.coordinates) return this.cellTicks(most);
    const { start, step } = this.axis;
    const last = start + step * (this.count - 1);
    return linearTicks(start, last, Math.min(most, this.count))
      .filter((index) => Number.isInteger(index))
      .map((index) => ({ share: this.share((index - start) / step), text: String(index) }));
  }

  coordinateTicks(most) {
    const { coordinates } = this.axis;
    const ends = [coordinates[0], coordinates[this.count - 1]];
    const values = linearTicks(Math.min(...ends), Math.max(...ends), most, DEGREES.test(this.axis.units ?? ""));
    const ticks = values.map((value) => ({ share: this.share(cellOf(coordinates, value, this.direction)), text: shortText(value, 8) }));
    return ticks.length > 1 ? ticks : this.cellTicks(most);
  }

  cellTicks(most) {
    const skip = Math.max(1, Math.ceil(this.count / Math.max(1, most)));
    const ticks = [];
    for (let cell = 0; cell < this.count; cell += skip) {
      ticks.push({ share: this.share(cell), text: clipped(coordinateText(this.axis, cell, true) ?? "") });
    }
    return ticks;
  }
}

/** Returns the coordinate of a cell as text; null where there is none. */
export function coordinateText(axis, cell, short = false) {
  const value = axis.coordinates?.[cell];
  if (value === undefined || value === null) return null;
  if (typeof value === "string") return value;
  return short ? shortText(value, 8) : exactText(value);
}

function clipped(text) {
  return text.length > 19 ? `${text.slice(0, 18)}…` : text;
}

function isDownward({ name, long_name: long, units }) {
  return DOWNWARD.test(name.replaceAll("_", " ")) || DOWNWARD.test((long ?? "").replaceAll("_", " ")) || PRESSURE.test(units ?? "");
}

/** Returns 1 where all coordinates are numbers that grow, -1 where they fall, and 0 otherwise. */
function directionOf(coordinates) {
  if (!coordinates || coordinates.length < 2 || !coordinates.every(Number.isFinite)) return 0;
  const sign = Math.sign(coordinates[1] - coordinates[0]);
  for (let i = 1; i < coordinates.length; i += 1) if (Math.sign(coordinates[i] - coordinates[i - 1]) !== sign) return 0;
  return sign;
}

/** Returns the cell at which a coordinate is, as a fraction between its neighbours. */
function cellOf(coordinates, value, direction) {
  let low = 0;
  let high = coordinates.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((coordinates[middle] - value) * direction <= 0) low = middle;
    else high = middle;
  }
  return low + (value - coordinates[low]) / (coordinates[high] - coordinates[low]);
}
