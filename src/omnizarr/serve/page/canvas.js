/** What all drawings share: canvases as sharp as the screen, axes, and the hatch of what is missing. */

import { styleOf } from "./dom.js";

const FONT = "12px system-ui, sans-serif";

/** Gives a canvas a size in CSS pixels, and returns its context, which is measured in them. */
export function sized(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.font = FONT;
  return context;
}

/** Fills a box with the hatch that stands for missing values. */
export function hatch(context, { left, top, width, height }) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.fillStyle = styleOf("--hatch-ground");
  context.fillRect(left, top, width, height);
  context.strokeStyle = styleOf("--hatch-line");
  context.lineWidth = 1.5;
  context.beginPath();
  for (let x = -height; x < width; x += 8) {
    context.moveTo(left + x, top + height);
    context.lineTo(left + x + height, top);
  }
  context.stroke();
  context.restore();
}

/** Returns the room that labels of some texts need at the left of a box, with that of the axis' name. */
export function leftMargin(texts, most) {
  const context = new OffscreenCanvas(1, 1).getContext("2d");
  context.font = FONT;
  const widest = Math.max(0, ...texts.map((text) => context.measureText(text).width));
  return Math.round(Math.min(most, Math.max(46, widest + 36)));
}

/** Draws ticks and a label below a box. */
export function drawBottom(context, box, scale) {
  const ticks = scale.ticks(Math.max(2, Math.floor(box.width / 90)));
  const y = box.top + box.height;
  context.textAlign = "center";
  context.textBaseline = "top";
  let free = -Infinity;
  for (const { share, text } of ordered(ticks)) {
    const x = box.left + share * box.width;
    const half = context.measureText(text).width / 2;
    stroke(context, x, y, x, y + 5);
    if (x - half < free + 8) continue;
    context.fillStyle = styleOf("--muted");
    context.fillText(text, x, y + 8);
    free = x + half;
  }
  context.fillStyle = styleOf("--ink");
  context.fillText(fitted(context, scale.label, box.width + box.left), box.left + box.width / 2, y + 25);
}

/** Draws ticks and a label at the left of a box. */
export function drawLeft(context, box, scale) {
  const ticks = scale.ticks(Math.max(2, Math.floor(box.height / 40)));
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (const { share, text } of ticks) {
    const y = box.top + share * box.height;
    stroke(context, box.left - 5, y, box.left, y);
    context.fillStyle = styleOf("--muted");
    context.fillText(fitted(context, text, box.left - 26), box.left - 8, y);
  }
  context.save();
  context.translate(12, box.top + box.height / 2);
  context.rotate(-Math.PI / 2);
  context.textAlign = "center";
  context.fillStyle = styleOf("--ink");
  context.fillText(fitted(context, scale.label, box.height), 0, 0);
  context.restore();
}

/** Draws the frame of a box. */
export function frame(context, { left, top, width, height }) {
  context.strokeStyle = styleOf("--axis");
  context.lineWidth = 1;
  context.strokeRect(left - 0.5, top - 0.5, width + 1, height + 1);
}

function ordered(ticks) {
  return [...ticks].sort((one, other) => one.share - other.share);
}

function stroke(context, x, y, toX, toY) {
  context.strokeStyle = styleOf("--axis");
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(Math.round(x) + 0.5, Math.round(y) + 0.5);
  context.lineTo(Math.round(toX) + 0.5, Math.round(toY) + 0.5);
  context.stroke();
}

/** Returns a text, cut to a width. */
export function fitted(context, text, width) {
  if (context.measureText(text).width <= width) return text;
  let length = text.length;
  while (length > 1 && context.measureText(`${text.slice(0, length)}…`).width > width) length -= 1;
  return `${text.slice(0, length)}…`;
}

/** Draws two lines that cross, dark within light so that they are seen on any colour. */
export function crossHair(context, box, x, y) {
  for (const [style, width] of [["rgba(0,0,0,.65)", 3], ["#fff", 1]]) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.beginPath();
    if (y !== null) {
      context.moveTo(box.left, y);
      context.lineTo(box.left + box.width, y);
    }
    context.moveTo(x, box.top);
    context.lineTo(x, box.top + box.height);
    context.stroke();
  }
}
