/**
 * Colour maps, computed: lines through OKLCH whose lightness is even, so that equal steps look equal.
 * What a screen cannot show keeps its lightness and hue, and loses chroma.
 *
 * https://www.w3.org/TR/css-color-4/#ok-lab
 */

const SIZE = 256;
const SMOOTH = 32;

/** Of each map its name, and what it is good for. */
export const MAPS = Object.freeze({
  dusk: "Dusk",
  ember: "Ember",
  tide: "Tide (diverging)",
  grey: "Grey",
});

/** Whether a map has a middle, which stands for zero. */
export const isDiverging = (name) => name === "tide";

/** Lightness, chroma and hue along each map, for t from 0 to 1. */
const PATHS = {
  dusk: (t) => [0.2 + 0.74 * t, 0.09 + 0.07 * t, 295 - 187 * t],
  ember: (t) => [0.14 + 0.82 * t, 0.03 + 0.2 * Math.sin(Math.PI * Math.min(1, 0.12 + 0.83 * t)), 352 + 103 * t],
  tide: (t) => {
    const far = Math.abs(2 * t - 1);
    return [0.97 - 0.56 * far, 0.17 * far ** 0.85, t < 0.5 ? 252 : 32];
  },
  grey: (t) => [0.14 + 0.84 * t, 0, 0],
};

const made = new Map();

/** Returns a map's 256 colours as red, green and blue bytes, one after the other. */
export function coloursOf(name) {
  const known = name in PATHS ? name : "dusk";
  if (!made.has(known)) {
    made.set(known, tabulated(PATHS[known]));
  }
  return made.get(known);
}

/** Returns the place of a share from 0 to 1 in a map; what is beyond is the nearest end. */
export function placeOf(share) {
  return Math.min(SIZE - 1, Math.max(0, Math.floor(share * SIZE)));
}

function tabulated(path) {
  const points = Array.from({ length: SIZE }, (_, i) => path(i / (SIZE - 1)));
  const most = points.map(([lightness, chroma, hue]) => within(lightness, chroma, hue));
  const colours = new Uint8Array(3 * SIZE);
  points.forEach(([lightness, , hue], i) => {
    const chroma = Math.min(most[i], smoothed(most, i));
    colours.set(linear(lightness, chroma, hue).map((part) => Math.round(255 * encoded(Math.min(1, Math.max(0, part))))), 3 * i);
  });
  return colours;
}

/** Returns the mean of the neighbours, so that chroma has no corners where a screen's limits have. */
function smoothed(values, at) {
  const reach = Math.min(SMOOTH, at, values.length - 1 - at);
  let sum = 0;
  for (let i = at - reach; i <= at + reach; i += 1) sum += values[i];
  return sum / (2 * reach + 1);
}

/** Returns the chroma, or the largest one that a screen can show. */
function within(lightness, chroma, hue) {
  if (fits(linear(lightness, chroma, hue))) return chroma;
  let [low, high] = [0, chroma];
  for (let i = 0; i < 20; i += 1) {
    const middle = (low + high) / 2;
    if (fits(linear(lightness, middle, hue))) low = middle;
    else high = middle;
  }
  return low;
}

function fits(parts) {
  return parts.every((part) => part >= -1e-6 && part <= 1 + 1e-6);
}

function linear(lightness, chroma, hue) {
  const angle = (hue * Math.PI) / 180;
  const a = chroma * Math.cos(angle);
  const b = chroma * Math.sin(angle);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function encoded(part) {
  return part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055;
}
