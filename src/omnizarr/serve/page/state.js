/** What is shown, as the part of the address behind `#`, so that a link opens the same again. */

const PLAIN = { root: "root", path: "path", view: "view", field: "field", map: "map" };

/** The choices of which each view starts. */
export const DEFAULTS = Object.freeze({
  root: null, path: "", view: null, field: null, axes: null, at: Object.freeze({}), window: Object.freeze({}),
  map: "dusk", range: "auto", limits: null, log: false, stored: false,
});

/** Reads the part of an address behind `#`; what makes no sense is left out. */
export function readHash(hash) {
  const asked = new URLSearchParams(hash.replace(/^#/, "").replaceAll("+", "%2B"));
  const state = { ...DEFAULTS };
  for (const [name, key] of Object.entries(PLAIN)) if (asked.has(key)) state[name] = asked.get(key);
  const axes = numbers(asked.get("axes"), ",");
  if (axes.length) state.axes = axes;
  state.at = Object.fromEntries(parts(asked.get("at"), 2));
  state.window = Object.fromEntries(
    parts(asked.get("window"), 3).filter(([, start, stop]) => start < stop).map(([axis, start, stop]) => [axis, [start, stop]]),
  );
  Object.assign(state, readRange(asked.get("range")));
  state.log = asked.has("log");
  state.stored = asked.has("stored");
  return state;
}

function readRange(text) {
  if (text === "full") return { range: "full", limits: null };
  const limits = (text ?? "").split(",").map(Number);
  const fits = text && limits.length === 2 && limits.every(Number.isFinite) && limits[0] !== limits[1];
  return fits ? { range: "fixed", limits } : { range: "auto", limits: null };
}

function numbers(text, separator) {
  const found = (text ?? "").split(separator).filter((part) => /^\d+$/.test(part)).map(Number);
  return found.every(Number.isSafeInteger) ? found : [];
}

function parts(text, length) {
  return (text ?? "").split(",").map((part) => numbers(part, ":")).filter((part) => part.length === length);
}

/** Writes what is shown as the part of an address behind `#`; defaults are left out. */
export function writeHash(state) {
  const said = [];
  const say = (name, value) => said.push(`${name}=${encodeURIComponent(value).replace(/%(2F|3A|2C)/g, decodeURIComponent)}`);
  for (const [name, key] of Object.entries(PLAIN)) {
    if (state[name] !== null && (state[name] !== DEFAULTS[name] || name === "path")) say(key, state[name]);
  }
  if (state.axes) say("axes", state.axes.join(","));
  const at = atText(state.at);
  if (at) say("at", at);
  const window = windowText(state.window);
  if (window) say("window", window);
  if (state.range === "full") say("range", "full");
  if (state.range === "fixed") say("range", state.limits.join(","));
  if (state.log) said.push("log=1");
  if (state.stored) said.push("stored=1");
  return `#${said.join("&")}`;
}

/** Spells the indices of the axes that are not shown as `axis:index,…`; the first one of each is left out. */
export function atText(at) {
  return Object.entries(at).filter(([, index]) => index).map(([axis, index]) => `${axis}:${index}`).join(",");
}

/** Spells windows as `axis:start:stop,…`. */
export function windowText(window) {
  return Object.entries(window).map(([axis, [start, stop]]) => `${axis}:${start}:${stop}`).join(",");
}
