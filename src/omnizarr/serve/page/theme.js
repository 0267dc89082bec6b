/** Light, dark, or as the system has it. */

import { icon } from "./dom.js";

const KEY = "omnizarr-theme";
const NEXT = { auto: "dark", dark: "light", light: "auto" };
const ICON = { auto: "auto", dark: "moon", light: "sun" };
const SAID = { auto: "as the system has them", dark: "dark", light: "light" };

/** Applies the choice that was kept, and lets a button change it; `changed` is called where colours do. */
export function setUpTheme(button, changed) {
  let theme = kept();
  const show = () => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.replaceChildren(icon(ICON[theme]));
    button.title = `Colours: ${SAID[theme]}`;
    button.setAttribute("aria-label", `${button.title}. Change.`);
  };
  show();
  button.addEventListener("click", () => {
    theme = NEXT[theme];
    keep(theme);
    show();
    changed();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

function kept() {
  try {
    const found = localStorage.getItem(KEY);
    return found in NEXT ? found : "auto";
  } catch {
    return "auto"; // storage may be forbidden
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // the choice holds until the page is left
  }
}
