/**
 * The hierarchy as a tree that is asked for as it is opened.
 *
 * https://www.w3.org/WAI/ARIA/apg/patterns/treeview/
 */

import { askJson, overtaking } from "./api.js";
import { icon, make } from "./dom.js";

const PAGE = 200;
const TYPING = 600;
const CHILDREN = ":scope > [role=treeitem]:not([data-next])";

/** A tree of roots and nodes; `chosen(root, path)` is called when one is chosen. */
export class Tree {
  constructor(chosen) {
    this.chosen = chosen;
    this.typed = { text: "", when: 0 };
    this.find = overtaking();
    this.roots = [];
    this.element = make("ul", {
      role: "tree", class: "tree", "aria-label": "Nodes", onkeydown: (event) => this.key(event), onclick: (event) => this.clicked(event),
      onfocusin: (event) => this.rove(event.target.closest("[role=treeitem]")),
    });
    this.watcher = new IntersectionObserver((seen) => seen.filter((one) => one.isIntersecting).forEach((one) => this.more(one.target)));
  }

  /** Shows the roots. */
  start(roots) {
    this.roots = roots;
    this.showRoots();
  }

  showRoots() {
    const items = this.roots.map((root, place) =>
      this.item({ root: root.name, path: "", name: root.name, kind: root.kind ?? "group", icon: "root", title: root.url, problem: root.problem }, 1, place + 1, this.roots.length),
    );
    this.element.replaceChildren(...items);
    this.rove(items[0]);
    this.isFound = false;
  }

  /** Opens the tree down to a node, and marks it. */
  async reveal(root, path) {
    this.current = { root, path };
    if (this.isFound) return this.mark();
    const parts = path ? path.split("/") : [];
    let item = this.itemOf(root, "");
    for (let depth = 0; item && depth < parts.length; depth += 1) {
      await this.open(item);
      const wanted = parts.slice(0, depth + 1).join("/");
      while (!this.itemOf(root, wanted) && (await this.moreOf(item, parts[depth]))) continue;
      item = this.itemOf(root, wanted);
    }
    if (this.current.root !== root || this.current.path !== path) return undefined;
    if (item && !parts.length && item.getAttribute("aria-expanded") === "false") await this.open(item);
    return this.mark();
  }

  mark() {
    for (const item of this.element.querySelectorAll("[aria-selected=true]")) item.setAttribute("aria-selected", "false");
    const item = this.itemOf(this.current.root, this.current.path);
    if (!item) return;
    item.setAttribute("aria-selected", "true");
    if (!this.element.contains(document.activeElement)) this.rove(item);
    item.firstChild.scrollIntoView({ block: "nearest" });
  }

  itemOf(root, path) {
    return this.element.querySelector(`[role=treeitem][data-root="${CSS.escape(root ?? "")}"][data-path="${CSS.escape(path)}"]`);
  }

  item(node, level, place, size) {
    const canOpen = node.kind === "group" && !node.flat;
    const shape = node.shape ? node.shape.join(" × ") : "";
    const row = make(
      "div", { class: "row", title: node.problem ?? node.title ?? node.name },
      make("span", { class: "twist" }, canOpen ? icon("caret") : null), icon(node.problem ? "broken" : node.icon ?? node.kind),
      make("span", { class: "label" }, node.name),
      node.dtype ? make("span", { class: "type" }, shape ? `${shape} ` : "", make("span", {}, node.dtype)) : null,
    );
    const item = make(
      "li", {
        role: "treeitem", tabIndex: -1, data: { root: node.root, path: node.path, name: node.name.toLowerCase() }, "aria-level": level,
        "aria-posinset": place, "aria-setsize": size ?? -1, "aria-selected": "false", "aria-expanded": canOpen ? "false" : null,
        "aria-label": [node.name, node.problem ? "broken" : node.kind, shape, node.dtype].filter(Boolean).join(", "),
      }, row,
    );
    row.style.setProperty("--level", String(level));
    return item;
  }

  async open(item) {
    if (item.getAttribute("aria-expanded") !== "false") return item.opening;
    item.setAttribute("aria-expanded", "true");
    if (item.lastChild.getAttribute("role") === "group") return undefined;
    const list = make("ul", { role: "group" });
    item.append(list);
    item.opening = this.fill(item, list, null);
    return item.opening;
  }

  close(item) {
    item.setAttribute("aria-expanded", "false");
  }

  /** Asks for a page of children; what the list has of others stays. */
  async fill(item, list, after) {
    const { root, path } = item.dataset;
    const level = Number(item.getAttribute("aria-level")) + 1;
    const waiting = this.note(list, level, "Reading …");
    try {
      const { members, next } = await askJson("members", { root, path, after, limit: PAGE });
      waiting.remove();
      const before = list.querySelectorAll(CHILDREN).length;
      list.append(...members.map((member, i) => this.item({ ...member, root, path: path ? `${path}/${member.name}` : member.name }, level, before + i + 1, null)));
      if (next) this.addMore(item, list, level, next);
      else this.counted(list);
      if (!members.length && !before) this.note(list, level, "Nothing within.");
      if (this.current) this.mark();
    } catch (error) {
      waiting.remove();
      this.note(list, level, error.message).classList.add("bad");
    }
  }

  note(list, level, text) {
    const row = make("div", { class: "row note" }, text);
    row.style.setProperty("--level", String(level));
    const item = make("li", { role: "none" }, row);
    list.append(item);
    return item;
  }

  counted(list) {
    const items = list.querySelectorAll(CHILDREN);
    items.forEach((one) => one.setAttribute("aria-setsize", items.length));
  }

  addMore(item, list, level, next) {
    const more = this.item({ root: item.dataset.root, path: `${item.dataset.path}//more`, name: "Show more …", kind: "more", flat: true, icon: "plus" }, level, 0, null);
    more.dataset.next = next;
    more.setAttribute("aria-label", "Show more");
    list.append(more);
    this.watcher.observe(more);
  }

  async more(more) {
    if (!more.isConnected || more.dataset.busy) return;
    more.dataset.busy = "1";
    this.watcher.unobserve(more);
    const list = more.parentElement;
    const hadFocus = more === document.activeElement;
    const before = more.previousElementSibling;
    await this.fill(list.parentElement, list, more.dataset.next);
    more.remove();
    if (hadFocus) this.focus(before.nextElementSibling ?? before);
  }

  /** Asks for the next page of an open group, unless the name that is looked for has to be there already. */
  async moreOf(item, name) {
    const more = item.querySelector(":scope > [role=group] > [data-next]");
    if (!more || name <= more.dataset.next) return false;
    if (more.dataset.busy) await new Promise((resolve) => setTimeout(resolve, 30));
    else await this.more(more);
    return true;
  }

  /** Shows the nodes whose names hold a text, or the tree where there is none; returns what to say of it. */
  async filter(text) {
    if (!text) {
      this.find(() => Promise.resolve());
      if (this.isFound) {
        this.showRoots();
        if (this.current) await this.reveal(this.current.root, this.current.path);
      }
      return "";
    }
    const answers = await this.find((signal) => Promise.all(this.roots.map((root) => askJson("find", { root: root.name, text, limit: PAGE }, signal))));
    if (!answers) return null;
    this.isFound = true;
    const found = answers.flatMap(({ found: nodes }, i) => nodes.map((node) => ({ ...node, root: this.roots[i].name })));
    this.element.replaceChildren(...found.map((node, i) => this.item({ ...node, name: this.roots.length > 1 ? `${node.root}/${node.path}` : node.path, flat: true }, 1, i + 1, found.length)));
    this.rove(this.element.firstElementChild);
    if (this.current) this.mark();
    const isAll = answers.every((answer) => answer.complete);
    return `${found.length} found${isAll ? "" : ", and there may be more: not all was looked at"}`;
  }

  // Keys and clicks

  items() {
    const all = this.element.querySelectorAll("[role=treeitem]");
    return [...all].filter((item) => !item.parentElement.closest("[aria-expanded=false]"));
  }

  rove(item) {
    if (!item) return;
    this.element.querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    item.tabIndex = 0;
  }

  focus(item) {
    if (!item) return;
    this.rove(item);
    item.focus({ preventScroll: true });
    item.firstChild.scrollIntoView({ block: "nearest" });
  }

  clicked(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item) return;
    if (event.target.closest(".twist") && item.hasAttribute("aria-expanded")) this.toggle(item);
    else this.activate(item);
    this.focus(item);
  }

  toggle(item) {
    if (item.getAttribute("aria-expanded") === "true") this.close(item);
    else this.open(item);
  }

  activate(item) {
    if (item.dataset.next) this.more(item);
    else this.chosen(item.dataset.root, item.dataset.path);
  }

  key(event) {
    const item = event.target.closest("[role=treeitem]");
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.act(event.key, item)) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  act(key, item) {
    const items = this.items();
    const at = items.indexOf(item);
    const expanded = item.getAttribute("aria-expanded");
    if (key === "ArrowDown") this.focus(items[at + 1]);
    else if (key === "ArrowUp") this.focus(items[at - 1]);
    else if (key === "Home") this.focus(items[0]);
    else if (key === "End") this.focus(items[items.length - 1]);
    else if (key === "ArrowRight") expanded === "false" ? this.open(item) : expanded && this.focus(item.querySelector("[role=treeitem]"));
    else if (key === "ArrowLeft") expanded === "true" ? this.close(item) : this.focus(item.parentElement.closest("[role=treeitem]"));
    else if (key === "Enter" || key === " ") this.activate(item);
    else if (key === "*") [...item.parentElement.children].forEach((one) => one.hasAttribute("aria-expanded") && this.open(one));
    else if (key.length === 1 && key !== "/") this.type(key, items, at);
    else return false;
    return true;
  }

  /** Goes to the next node whose name starts with what was typed. */
  type(key, items, at) {
    const now = performance.now();
    const isOn = now - this.typed.when < TYPING;
    this.typed = { text: (isOn ? this.typed.text : "") + key.toLowerCase(), when: now };
    const first = at + (this.typed.text.length === 1 ? 1 : 0);
    const order = [...items.slice(first), ...items.slice(0, first)];
    this.focus(order.find((item) => item.dataset.name.startsWith(this.typed.text)));
  }
}
