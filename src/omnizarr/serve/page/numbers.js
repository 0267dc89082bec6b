/** Numbers: as text, as ticks of an axis, and the range of many. */

const SAMPLE = 200000;

/** Returns a value as exactly as its type has it: shortest digits that read back the same. */
export function exactText(value, dtype) {
  if (typeof value !== "number") return String(value);
  if (dtype !== "float32" || !Number.isFinite(value)) return numberText(value);
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return numberText(short);
  }
  return numberText(Number(value.toPrecision(9)));
}

/** Returns the value at a place of a picture as text: a date of times, and else a number as `exactText` has it. */
export function valueText({ header, values, mask }, i) {
  if (mask?.[i]) return "missing";
  return header.dates?.[i] || exactText(values[i], header.source);
}

/** Returns the units of the value at a place, as what stands behind it; a date has none. */
export function unitsText({ header, mask }, i) {
  return header.units && !mask?.[i] && !header.dates?.[i] ? ` ${header.units}` : "";
}

function numberText(value) {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return Object.is(value, -0) ? "-0" : String(value);
}

/** Returns a number of few digits, for ticks and limits. */
export function shortText(value, digits = 6) {
  if (!Number.isFinite(value)) return numberText(value);
  return numberText(Number(value.toPrecision(digits)));
}

/** Returns round numbers from `low` to `high`, about as many as asked for; parts of a circle for degrees. */
export function linearTicks(low, high, count, isCircular = false) {
  if (!(high > low)) return [low];
  const rough = (high - low) / Math.max(1, count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const steps = isCircular && rough > 5 ? [10, 15, 30, 45, 60, 90, 180] : [1, 2, 2.5, 5, 10].map((factor) => factor * power);
  const step = steps.find((one) => one >= rough * 0.999);
  if (!(step > 0) || !Number.isFinite(step)) return [low, high];
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9 && ticks.length < 100; i += 1) {
    ticks.push(Number((i * step).toPrecision(12)));
  }
  return ticks;
}

/** Returns powers of ten from `low` to `high`; where there are fewer than two of them, round numbers. */
export function logTicks(low, high, count) {
  const first = Math.ceil(Math.log10(low) - 1e-9);
  const last = Math.floor(Math.log10(high) + 1e-9);
  if (last - first < 1) return linearTicks(low, high, count);
  const skip = Math.ceil((last - first + 1) / count);
  const ticks = [];
  for (let power = first; power <= last; power += skip) ticks.push(Number(`1e${power}`));
  return ticks;
}

/** Whether there is a number to colour: not masked, not NaN. */
export function isShown(values, mask, index) {
  return !(mask && mask[index]) && !Number.isNaN(Number(values[index]));
}

/**
 * Returns the range of values from which colours or heights are taken, as [low, high].
 * `auto` leaves out 2 % at either end; a logarithm needs numbers above zero; a diverging map has 0 in its middle.
 */
export function rangeOf(values, mask, { mode, log, diverging, limits }) {
  if (mode === "fixed" && limits) return log && limits[0] <= 0 ? [limits[1] / 1e6, limits[1]] : limits;
  const sorted = mode === "auto" ? sample(values, mask, log) : [];
  const [low, high] = sorted.length ? [quantile(sorted, 0.02), quantile(sorted, 0.98)] : extremes(values, mask, log);
  if (low > high) return log ? [1, 10] : [0, 1];
  if (diverging && !log && low < 0 && high > 0) return [-Math.max(-low, high), Math.max(-low, high)];
  if (low < high) return [low, high];
  if (mode === "auto") return rangeOf(values, mask, { mode: "full", log, diverging, limits });
  return log ? [low / 2, low * 2] : [low - (Math.abs(low) / 2 || 1), low + (Math.abs(low) / 2 || 1)];
}

function sample(values, mask, log) {
  const stride = Math.max(1, Math.ceil(values.length / SAMPLE));
  const kept = new Float64Array(Math.ceil(values.length / stride));
  let count = 0;
  for (let i = 0; i < values.length; i += stride) {
    const value = Number(values[i]);
    if (!(mask && mask[i]) && Number.isFinite(value) && !(log && value <= 0)) kept[count++] = value;
  }
  return kept.subarray(0, count).sort();
}

function extremes(values, mask, log) {
  let low = Infinity;
  let high = -Infinity;
  for (let i = 0; i < values.length; i += 1) {
    const value = Number(values[i]);
    if ((mask && mask[i]) || !Number.isFinite(value) || (log && value <= 0)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function quantile(sorted, share) {
  return sorted[Math.round(share * (sorted.length - 1))];
}

/** Returns a function from a value to its share of a range, 0 to 1 within it; NaN where a logarithm has none. */
export function shareOf([low, high], log) {
  if (!log) return (value) => (value - low) / (high - low);
  const [first, last] = [Math.log10(low), Math.log10(high)];
  return (value) => (value > 0 ? (Math.log10(value) - first) / (last - first) : NaN);
}
