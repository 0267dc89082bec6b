/** A heat map: one rectangle of colour for each value. */

import { coloursOf, placeOf } from "./colours.js";
import { drawBottom, drawLeft, frame, hatch, leftMargin, sized } from "./canvas.js";
import { shareOf } from "./numbers.js";

const MARGIN = { right: 16, top: 10, bottom: 44 };
const LARGEST_CELL = 90;

/** Returns where the rectangles are within a canvas, and the size of that, for the room that there is. */
export function layOut(room, rows, columns) {
  const texts = rows.ticks(10).map(({ text }) => text);
  const margin = { ...MARGIN, left: leftMargin(texts, Math.min(160, room.width / 4)) };
  const space = room.width - margin.left - margin.right;
  const [tall, wide] = [rows.count * rows.axis.step, columns.count * columns.axis.step];
  let width = Math.min(space, columns.count * LARGEST_CELL);
  let height = Math.min(room.height, rows.count * LARGEST_CELL);
  if (tall <= 4 * wide && wide <= 4 * tall) {
    const scale = Math.min(width / wide, height / tall);
    [width, height] = [wide * scale, tall * scale];
  } else {
    height = Math.min(height, Math.max(160, width * 0.6));
  }
  const box = { left: margin.left, top: margin.top, width: Math.max(40, Math.round(width)), height: Math.max(24, Math.round(height)) };
  return { box, width: box.left + box.width + margin.right, height: box.top + box.height + margin.bottom };
}

/** Returns an image of one pixel a value, rows and columns as they are on the screen; clear where none is. */
export function paint(values, mask, rows, columns, { map, range, log }) {
  const colours = coloursOf(map);
  const share = shareOf(range, log);
  const image = new ImageData(columns.count, rows.count);
  const pixels = image.data;
  let at = 0;
  for (let y = 0; y < rows.count; y += 1) {
    const row = rows.cell(y) * columns.count;
    for (let x = 0; x < columns.count; x += 1, at += 4) {
      const i = row + columns.cell(x);
      const part = mask && mask[i] ? NaN : share(Number(values[i]));
      if (Number.isNaN(part)) continue;
      const place = 3 * placeOf(part);
      pixels[at] = colours[place];
      pixels[at + 1] = colours[place + 1];
      pixels[at + 2] = colours[place + 2];
      pixels[at + 3] = 255;
    }
  }
  return image;
}

/** Draws a heat map with its axes on a canvas; returns the box of the rectangles. */
export function drawHeat(canvas, room, picture, rows, columns, look) {
  const { box, width, height } = layOut(room, rows, columns);
  const context = sized(canvas, width, height);
  hatch(context, box);
  const image = paint(picture.values, picture.mask, rows, columns, look);
  const small = new OffscreenCanvas(image.width, image.height);
  small.getContext("2d").putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, box.left, box.top, box.width, box.height);
  frame(context, box);
  drawBottom(context, box, columns);
  drawLeft(context, box, rows);
  return { box, width, height };
}

/** Draws the colours of a map from left to right. */
export function drawColours(canvas, width, map) {
  const colours = coloursOf(map);
  const image = new ImageData(256, 1);
  for (let i = 0; i < 256; i += 1) image.data.set([...colours.subarray(3 * i, 3 * i + 3), 255], 4 * i);
  const small = new OffscreenCanvas(256, 1);
  small.getContext("2d").putImageData(image, 0, 0);
  const context = sized(canvas, width, 16);
  context.imageSmoothingEnabled = false;
  context.drawImage(small, 0, 0, width, 16);
}
