/** Which view of an array there is, and which window of it: arithmetic without a page. */

const LEAST_WINDOW = 4;

/** Returns the kinds of picture that an array has. */
export function kindsOf(node) {
  if (!node.dimensions.length || node.shows === "nothing") return [];
  if (node.shows === "text") return ["table"];
  return node.dimensions.length > 1 ? ["heat", "line", "table"] : ["line", "table"];
}

/** Returns a state whose view, axes, places and window fit an array; what does not fit is as at the start. */
export function settled(state, node) {
  const sizes = node.dimensions.map(({ size }) => Number(size));
  const kinds = kindsOf(node);
  const usual = usualAxes(sizes);
  let { view } = state;
  if (!kinds.includes(view)) view = kinds.length && usual.length === 1 && kinds.includes("line") ? "line" : kinds[0] ?? null;
  const axes = settledAxes(state.axes, usual, sizes, view);
  const at = Object.fromEntries(Object.entries(state.at).filter(([axis, index]) => index < (sizes[axis] ?? 0)));
  const window = Object.fromEntries(Object.entries(state.window).filter(([axis, [, stop]]) => axes.includes(Number(axis)) && stop <= sizes[axis]));
  const field = node.fields?.includes(state.field) ? state.field : node.fields?.[0] ?? null;
  return { ...state, view, axes, at, field, window: view === "table" ? blocked(window, axes, sizes) : window };
}

/** Returns the axes that one wants to see first: the last two that are longer than 1. */
function usualAxes(sizes) {
  const long = sizes.map((size, axis) => [size, axis]).filter(([size]) => size > 1).map(([, axis]) => axis);
  if (long.length >= 2) return long.slice(-2);
  return long.length ? long : sizes.map((_, axis) => axis).slice(-2);
}

function settledAxes(asked, usual, sizes, view) {
  const known = [...new Set(asked ?? [])].filter((axis) => axis < sizes.length);
  if (view === "line") return known.length ? [known.length === 1 ? known[0] : known[1]] : usual.slice(-1);
  if (view === "heat") {
    if (known.length >= 2) return known.slice(0, 2);
    const last = known[0] ?? usual[usual.length - 1];
    const other = usual.find((axis) => axis !== last) ?? sizes.map((_, axis) => axis).filter((axis) => axis !== last).pop();
    return [other, last];
  }
  if (view !== "table") return [];
  return known.length ? known.slice(0, 2) : sizes.length === 1 ? [0] : usual.length === 2 ? usual : sizes.map((_, axis) => axis).slice(-2);
}

/** Returns a window that is one block of a table at most. */
function blocked(window, axes, sizes) {
  const blocks = [100, 20];
  return Object.fromEntries(axes.map((axis, place) => {
    const start = window[axis]?.[0] ?? 0;
    return [axis, [start, Math.min(sizes[axis], start + blocks[place])]];
  }).filter(([axis, [start, stop]]) => start < stop && (start > 0 || stop < sizes[axis])));
}

/** Returns a window without the axes of which it has all. */
export function wholeOf(window, node) {
  return Object.fromEntries(Object.entries(window).filter(([axis, [start, stop]]) => start > 0 || stop < Number(node.dimensions[axis].size)));
}

/** Returns a window that is smaller or larger by a factor, with what is at a place of the screen kept there. */
export function zoomed(window, scales, factor, place) {
  const next = { ...window };
  scales.forEach((scale, number) => {
    const { axis } = scale;
    const size = Number(axis.size);
    const [start, stop] = shownOf(axis);
    const length = Math.min(size, Math.max(Math.min(LEAST_WINDOW, size), Math.round((stop - start) * factor)));
    const cell = place === null ? (scale.count - 1) / 2 : scale.cell(place[scales.length === 1 ? 1 : number]);
    const share = (cell + 0.5) / scale.count;
    const first = Math.round(start + share * (stop - start) - share * length);
    next[axis.number] = moved(first, length, size);
  });
  return next;
}

/** Returns a window moved by half of its length, by directions of the screen. */
export function panned(window, scales, down, right) {
  const next = { ...window };
  scales.forEach((scale, number) => {
    const direction = (scales.length === 1 || number === 1 ? right : down) * (scale.flipped ? -1 : 1);
    if (!direction) return;
    const [start, stop] = shownOf(scale.axis);
    const length = stop - start;
    next[scale.axis.number] = moved(start + direction * Math.max(1, Math.round(length / 2)), length, Number(scale.axis.size));
  });
  return next;
}

function shownOf(axis) {
  return [axis.start, Math.min(Number(axis.size), axis.start + axis.step * axis.count)];
}

function moved(first, length, size) {
  const start = Math.min(size - length, Math.max(0, first));
  return [start, start + length];
}
