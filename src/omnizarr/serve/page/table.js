/** Values as a table: a block of rows and columns, and steps to the next one. */

import { make } from "./dom.js";
import { coordinateText } from "./axes.js";
import { exactText, shortText } from "./numbers.js";

/** Rows and columns of a block. */
export const BLOCK = Object.freeze([100, 20]);

/** Makes the table of a picture of one axis or two; `label` is what the values are. */
export function makeTable(picture, label) {
  const { header, values, mask } = picture;
  const rows = header.axes[0];
  const columns = header.axes[1] ?? null;
  const kind = header.dtype === "text" ? "text" : "number";
  const cell = (i) => {
    if (mask && mask[i]) return make("td", { class: "missing", title: "missing" }, "–");
    const exact = exactText(values[i], header.source);
    if (header.dates?.[i]) return make("td", { class: kind, title: exact }, header.dates[i]);
    const text = typeof values[i] === "number" ? shortText(values[i], 9) : exact;
    return make("td", { class: kind, title: text === exact ? null : exact }, text);
  };
  const corner = columns ? `${rows.name} \\ ${columns.name}` : rows.name;
  const heads = columns ? range(columns.count).map((column) => headOf(columns, column, "col")) : [make("th", { scope: "col" }, label)];
  const body = range(rows.count).map((row) =>
    make("tr", {}, headOf(rows, row, "row"), range(columns?.count ?? 1).map((column) => cell(row * (columns?.count ?? 1) + column))),
  );
  return make(
    "div", { class: "scroll-x", tabIndex: 0, role: "region", "aria-label": `Values of ${label}` },
    make("table", { class: `values of-${kind}` }, make("thead", {}, make("tr", {}, make("th", { scope: "col" }, corner), heads)), make("tbody", {}, body)),
  );
}

function range(count) {
  return Array.from({ length: count }, (_, i) => i);
}

function headOf(axis, cell, scope) {
  const index = String(axis.start + axis.step * cell);
  const coordinate = coordinateText(axis, cell, true);
  if (coordinate === null) return make("th", { scope }, index);
  return make("th", { scope, title: `index ${index}` }, coordinate, make("span", { class: "index" }, ` [${index}]`));
}
