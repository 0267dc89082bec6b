/** Elements of the page: made, filled and named. Text is only ever set as text. */

const SVG = "http://www.w3.org/2000/svg";

const ICONS = {
  group: "M3 6.5A1.5 1.5 0 0 1 4.5 5h4l2 2.5h9A1.5 1.5 0 0 1 21 9v8.5a1.5 1.5 0 0 1-1.5 1.5h-15A1.5 1.5 0 0 1 3 17.5z",
  array: "M4 4h16v16H4zM4 9.3h16M4 14.7h16M9.3 4v16M14.7 4v16",
  root: "M5 6c0-1.6 3.1-3 7-3s7 1.4 7 3-3.1 3-7 3-7-1.4-7-3zm0 0v12c0 1.6 3.1 3 7 3s7-1.4 7-3V6M5 12c0 1.6 3.1 3 7 3s7-1.4 7-3",
  broken: "M12 3.5 21.5 20h-19zM12 10v5M12 17.300v.400",
  link: "M10 14a4 4 0 0 0 6 .400l3-3a4.100 4.100 0 0 0-5.800-5.800l-1.500 1.500M14 10a4 4 0 0 0-6-.400l-3 3a4.100 4.100 0 0 0 5.800 5.800l1.500-1.500",
  caret: "M9 5l7 7-7 7",
  play: "M7 4.500v15l12-7.500z",
  pause: "M7 5v14M17 5v14",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2.500v2M12 19.500v2M2.5 12h2M19.5 12h2M5.3 5.300l1.4 1.400M17.3 17.300l1.4 1.400M5.3 18.700l1.4-1.400M17.3 6.700l1.4-1.4",
  moon: "M20 14.500A8.5 8.5 0 0 1 9.5 4 8.5 8.5 0 1 0 20 14.500z",
  auto: "M12 3.500a8.5 8.5 0 1 0 0 17zM12 3.500a8.5 8.5 0 0 1 0 17",
  menu: "M4 6.500h16M4 12h16M4 17.500h16",
  swap: "M7 4v15m0 0-3.5-3.500M7 19l3.5-3.500M17 20V5m0 0-3.5 3.500M17 5l3.5 3.5",
  plus: "M12 5v14M5 12h14",
  minus: "M5 12h14",
  whole: "M4 9V4h5M15 4h5v5M20 15v5h-5M9 20H4v-5",
};

/**
 * Makes an element. Properties that start with "on" are listeners, `data` is the data set, those the element
 * has are set, all others are attributes; null and undefined are left out.
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) set(element, name, value);
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

function set(element, name, value) {
  if (value === null || value === undefined) return;
  if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
  else if (name === "data") Object.assign(element.dataset, value);
  else if (name === "class") element.className = value;
  else if (name in element && name !== "list" && !name.includes("-")) element[name] = value;
  else element.setAttribute(name, value);
}

/** Makes one of the page's icons; it is decoration, the control has a name of its own. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon icon-${name}`);
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(SVG, "path");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}

/** Makes a button that shows an icon, and says its name to those who do not see it. */
export function iconButton(name, label, onclick, properties = {}) {
  return make("button", { type: "button", class: "icon-button", title: label, "aria-label": label, onclick, ...properties }, icon(name));
}

/** Makes a labelled choice; `options` are pairs of value and text. */
export function choice(label, options, value, onchange) {
  const select = make("select", { onchange: () => onchange(select.value) });
  fillChoice(select, options, value);
  return { element: make("label", { class: "field" }, make("span", {}, label), select), select };
}

/** Gives a choice its options, and chooses one. */
export function fillChoice(select, options, value) {
  select.replaceChildren(...options.map(([key, text]) => make("option", { value: key }, text)));
  select.value = value;
}

/** Returns a number in the reader's way of grouping digits; texts are integers too long for a number. */
export function grouped(count) {
  const digits = String(count);
  return /^\d{5,}$/.test(digits) ? digits.replace(/\B(?=(\d{3})+$)/g, "\u202f") : digits;
}

/** Returns bytes with a binary unit. */
export function bytesText(count) {
  let number = Number(count);
  for (const unit of ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB"]) {
    if (number < 1024 || unit === "PiB") return `${unit === "bytes" ? number : number.toFixed(1)} ${unit}`;
    number /= 1024;
  }
  return `${number}`;
}

/** Returns the value of a custom property of the style sheet. */
export function styleOf(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
