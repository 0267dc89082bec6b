/** A line plot: the values along one axis, with gaps where there are none. */

import { drawBottom, fitted, frame, leftMargin, sized } from "./canvas.js";
import { styleOf } from "./dom.js";
import { isShown, linearTicks, logTicks, shareOf, shortText } from "./numbers.js";

const MARGIN = { right: 18, top: 12, bottom: 44 };
const DOTS = 120;

/** Draws the values along an axis; returns the box of the plot. */
export function drawLine(canvas, room, picture, scale, { range, log, label }) {
  const width = room.width;
  const height = Math.min(360, room.height) + MARGIN.top + MARGIN.bottom;
  const inner = height - MARGIN.top - MARGIN.bottom;
  const ticks = (log ? logTicks : linearTicks)(...range, Math.max(2, Math.floor(inner / 50)));
  const left = leftMargin(ticks.map((value) => shortText(value, 8)), 160);
  const box = { left, top: MARGIN.top, width: width - left - MARGIN.right, height: inner };
  const context = sized(canvas, width, height);
  const share = shareOf(range, log);
  const place = (value) => box.top + (1 - share(value)) * box.height;
  drawGrid(context, box, ticks, place);
  drawLabel(context, box, label);
  context.save();
  context.beginPath();
  context.rect(box.left, box.top - 4, box.width, box.height + 8);
  context.clip();
  drawValues(context, box, picture, scale, place);
  context.restore();
  frame(context, box);
  drawBottom(context, box, scale);
  return { box, width, height };
}

function drawGrid(context, box, ticks, place) {
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const value of ticks) {
    const y = Math.round(place(value)) + 0.5;
    context.strokeStyle = styleOf("--grid");
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(box.left, y);
    context.lineTo(box.left + box.width, y);
    context.stroke();
    context.fillStyle = styleOf("--muted");
    context.fillText(shortText(value, 8), box.left - 8, y);
  }
}

function drawLabel(context, box, label) {
  context.save();
  context.translate(12, box.top + box.height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillStyle = styleOf("--ink");
  context.fillText(fitted(context, label, box.height), 0, 0);
  context.restore();
}

function drawValues(context, box, { values, mask }, scale, place) {
  const x = (cell) => box.left + scale.share(cell) * box.width;
  const isThere = (cell) => cell >= 0 && cell < scale.count && isShown(values, mask, cell) && Number.isFinite(place(Number(values[cell])));
  context.strokeStyle = context.fillStyle = styleOf("--accent");
  context.lineWidth = 2;
  context.lineJoin = "round";
  context.beginPath();
  for (let cell = 0; cell < scale.count; cell += 1) {
    if (!isThere(cell)) continue;
    const y = place(Number(values[cell]));
    if (isThere(cell - 1)) context.lineTo(x(cell), y);
    else context.moveTo(x(cell), y);
  }
  context.stroke();
  for (let cell = 0; cell < scale.count; cell += 1) {
    const alone = !isThere(cell - 1) && !isThere(cell + 1);
    if (!isThere(cell) || !(alone || scale.count <= DOTS)) continue;
    context.beginPath();
    context.arc(x(cell), place(Number(values[cell])), 2.5, 0, 2 * Math.PI);
    context.fill();
  }
}
