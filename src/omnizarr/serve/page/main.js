/** The page: what the address says is shown, what is chosen is written to the address. */

import { askJson, overtaking } from "./api.js";
import { makeAttributes, makeDocuments, makeFacts, makeHead, makeMembers } from "./details.js";
import { icon, make } from "./dom.js";
import { PicturePanel } from "./picture.js";
import { DEFAULTS, readHash, writeHash } from "./state.js";
import { setUpTheme } from "./theme.js";
import { Tree } from "./tree.js";

const FILTER_DELAY = 250;

const part = (id) => document.getElementById(id);
const shown = { state: readHash(location.hash), roots: [], node: null, panel: null, hash: location.hash };
const loadNode = overtaking();
const tree = new Tree((root, path) => choose(root, path));

function announce(text) {
  part("live").textContent = text;
}

/** Changes what is shown; `replace` is for changes that are no step in the history. */
function change(parts, replace = false) {
  shown.state = { ...shown.state, ...parts };
  const hash = writeHash(shown.state);
  shown.hash = hash;
  if (replace) history.replaceState(null, "", hash);
  else if (hash !== location.hash) history.pushState(null, "", hash);
  return shown.panel?.update(shown.state);
}

function linkTo(root, path) {
  return writeHash({ ...DEFAULTS, map: shown.state.map, root, path });
}

function choose(root, path) {
  const hash = linkTo(root, path);
  if (hash !== location.hash) history.pushState(null, "", hash);
  narrow(false);
  return follow();
}

/** Shows what the address says. */
async function follow() {
  const state = readHash(location.hash);
  const root = shown.roots.find(({ name }) => name === state.root) ?? (state.root === null ? shown.roots[0] : null);
  shown.state = { ...state, root: root?.name ?? state.root };
  shown.hash = location.hash;
  if (!root) return fail(`There is no root ${state.root} here.`);
  const isSame = shown.node && shown.node.root === root.name && shown.node.path === shown.state.path;
  if (isSame) return shown.panel?.update(shown.state);
  tree.reveal(root.name, shown.state.path);
  crumbs(root.name, shown.state.path);
  return showNode(root.name, shown.state.path);
}

async function showNode(root, path) {
  try {
    const node = await loadNode((signal) => askJson("node", { root, path }, signal));
    if (node) present({ ...node, root });
  } catch (error) {
    shown.node = null;
    fail(error.message);
  }
}

function present(node) {
  const hadFocus = part("view").contains(document.activeElement);
  shown.panel?.close();
  shown.panel = null;
  shown.node = node;
  document.title = `${node.path || node.root} – omnizarr`;
  const parts = [makeHead(node)];
  if (node.kind === "array" && node.shows !== "nothing") {
    shown.panel = new PicturePanel(node.root, node, change, announce);
    parts.push(shown.panel.element);
  }
  if (node.kind === "array" && node.shows === "nothing") parts.push(make("p", { class: "notice" }, "There are no values: an axis has no elements."));
  const sides = [makeFacts(node), makeAttributes(node)];
  if (node.kind === "group") parts.push(...makeMembers(node, linkTo));
  part("view").replaceChildren(...parts, make("div", { class: "pairs" }, sides), makeDocuments(node) ?? "");
  part("view").scrollTop = 0;
  if (hadFocus) part("title").focus({ preventScroll: true });
  announce(`${node.kind} ${node.path || node.root}`);
  shown.panel?.update(shown.state);
}

function fail(message) {
  shown.panel?.close();
  shown.panel = null;
  shown.node = null;
  part("view").replaceChildren(
    make("div", { class: "failure", role: "alert" }, make("p", {}, make("strong", {}, "This cannot be shown. "), message),
      make("button", { type: "button", onclick: () => start() }, "Try again")),
  );
}

function crumbs(root, path) {
  const parts = path ? path.split("/") : [];
  const links = [[root, ""], ...parts.map((name, i) => [name, parts.slice(0, i + 1).join("/")])];
  part("crumbs").replaceChildren(
    make("ol", {}, links.map(([name, place], i) =>
      make("li", {}, make("a", { href: linkTo(root, place), "aria-current": i === links.length - 1 ? "page" : null }, name)))),
  );
}

/** Opens or closes the hierarchy where the page is too narrow for both. */
function narrow(isOpen) {
  document.body.classList.toggle("with-tree", isOpen);
  part("toggle-tree").setAttribute("aria-expanded", String(isOpen));
}

function setUpFilter() {
  let timer = null;
  const filter = async () => {
    try {
      const said = await tree.filter(part("filter").value.trim());
      if (said !== null) part("found").textContent = said;
    } catch (error) {
      part("found").textContent = error.message;
    }
  };
  part("filter").addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(filter, FILTER_DELAY);
  });
  part("filter").addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    tree.focus(tree.items()[0]);
  });
}

async function start() {
  try {
    shown.roots = (await askJson("roots", {})).roots;
  } catch (error) {
    return fail(error.message);
  }
  if (!shown.roots.length) return fail("Nothing is served.");
  tree.start(shown.roots);
  return follow();
}

function setUp() {
  // A token that opened the page is a cookie by now, and should not stay where it is seen and copied.
  if (new URLSearchParams(location.search).has("token")) history.replaceState(null, "", location.pathname + location.hash);
  part("tree").append(tree.element);
  part("toggle-tree").append(icon("menu"));
  part("toggle-tree").addEventListener("click", () => narrow(!document.body.classList.contains("with-tree")));
  part("skip").addEventListener("click", () => part("view").focus());
  setUpTheme(part("theme"), () => shown.panel?.redraw());
  setUpFilter();
  addEventListener("hashchange", () => location.hash !== shown.hash && follow());
  addEventListener("popstate", () => location.hash !== shown.hash && follow());
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      narrow(true);
      part("filter").focus();
    }
  });
  start();
}

setUp();
