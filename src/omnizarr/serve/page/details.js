/** What a node is: facts, dimensions, attributes, members, documents. */

import { askJson } from "./api.js";
import { bytesText, grouped, icon, make } from "./dom.js";

const PAGE = 200;
const LONG = 1200;

/** Makes the heading of a node. */
export function makeHead(node) {
  const shape = node.kind === "array" ? node.shape.map(grouped).join(" × ") || "one value" : "";
  return make(
    "header", { class: "head" },
    make("h1", { tabIndex: -1, id: "title" }, icon(node.kind), make("span", {}, node.path ? node.path.split("/").pop() : node.root)),
    node.long_name ? make("p", { class: "long-name" }, node.long_name) : null,
    make("p", { class: "tags" }, [node.kind, shape, node.dtype, node.units, node.dialect].filter(Boolean).map((text) => make("span", { class: "tag" }, text))),
  );
}

/** Makes the table of facts about a node. */
export function makeFacts(node) {
  const facts = node.kind === "array" ? arrayFacts(node) : groupFacts(node);
  const rows = facts.filter(([, value]) => value !== null && value !== undefined && value !== "").map(([name, value]) => [make("dt", {}, name), make("dd", {}, value)]);
  return section("facts", "Facts", make("dl", { class: "facts" }, rows.flat()));
}

function arrayFacts(node) {
  return [
    ["Path", `/${node.path}`],
    ["Shape", node.shape.length ? node.shape.map(grouped).join(" × ") : "() – one value"],
    ["Dimensions", node.dimensions.some(({ named }) => named) ? node.dimensions.map(dimensionText).join(", ") : null],
    ["Data type", node.data_type === node.dtype ? node.dtype : `${node.data_type} (${node.dtype})`],
    ["Byte order", ["none", "little"].includes(node.byte_order) ? null : node.byte_order],
    ["Fields", node.fields?.join(", ")],
    ["Chunks", chunksText(node.chunks)],
    ["Shards", node.shards && chunksText(node.shards)],
    ["Codecs", make("ul", { class: "codecs" }, node.codecs.map((codec) => make("li", {}, codec)))],
    ["Fill value", node.fill_value],
    ["In memory", node.nbytes === null ? null : bytesText(node.nbytes)],
    ["Stored as", storedText(node)],
    ["Format", node.format],
    ["Dialect", node.dialect],
    ["Place", node.place],
  ];
}

function storedText({ nchunks, shards }) {
  const unit = shards ? "shard" : "chunk";
  return nchunks === 1 ? `one ${unit}` : `up to ${grouped(nchunks)} ${unit}s`;
}

function dimensionText({ name, size, named, coordinates }) {
  return `${named ? name : "–"} ${grouped(size)}${coordinates ? " (with coordinates)" : ""}`;
}

function chunksText(chunks) {
  if (!chunks.length) return "one value";
  return chunks.map((length) => (Array.isArray(length) ? `(${length.join(", ")})` : grouped(length))).join(" × ");
}

function groupFacts(node) {
  return [
    ["Path", `/${node.path}`], ["Format", node.format], ["Dialect", node.dialect],
    ["Consolidated", node.consolidated ? "yes: all nodes below are known without asking for each" : "no"], ["Place", node.place],
  ];
}

/** Makes the table of attributes; whatever they hold is shown as text. */
export function makeAttributes(node) {
  if (!node.attributes.length) return section("attributes", "Attributes", make("p", { class: "hint" }, "There are none."));
  const rows = node.attributes.map(({ name, value, kind, note }) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, valueOf(value, kind), note ? make("p", { class: "hint" }, note) : null)),
  );
  const more = node.attributes_left_out ? make("p", { class: "hint" }, `${node.attributes_left_out} more are not shown.`) : null;
  return section("attributes", `Attributes (${grouped(node.attributes.length + node.attributes_left_out)})`, make("table", { class: "attributes" }, make("tbody", {}, rows)), more);
}

function valueOf(value, kind) {
  if (kind === "text" && value.length > LONG) {
    return make("details", {}, make("summary", {}, `${value.slice(0, 200)}… `, make("span", { class: "hint" }, `${grouped(value.length)} characters`)), make("pre", {}, value));
  }
  if (kind === "text") return make("span", { class: "text" }, value === "" ? "“”" : value);
  const isDeep = value !== null && typeof value === "object";
  const line = isDeep ? JSON.stringify(value) : String(value);
  if (!isDeep || line.length < 90) return make("code", {}, isDeep ? JSON.stringify(value, null, 1).replace(/\n\s*/g, " ") : line);
  const size = Array.isArray(value) ? `${value.length} items` : `${Object.keys(value).length} names`;
  return make("details", {}, make("summary", {}, make("code", {}, `${line.slice(0, 60).replaceAll(",", ", ")}… `), make("span", { class: "hint" }, size)), make("pre", {}, JSON.stringify(value, null, 2)));
}

/** Makes the documents of a node as they are stored. */
export function makeDocuments(node) {
  if (!node.documents.length) return null;
  const parts = node.documents.map(({ key, text }) => [make("h3", {}, key), make("pre", {}, text)]);
  return make("details", { class: "card documents" }, make("summary", {}, "Documents"), parts.flat());
}

/** Makes the members of a group, page by page, with the dimensions that they have. */
export function makeMembers(node, link) {
  const body = make("tbody");
  const head = make("tr", {}, ["Name", "Shape", "Dimensions", "Type", "What"].map((text) => make("th", { scope: "col" }, text)));
  const table = make("div", { class: "scroll-x" }, make("table", { class: "members" }, make("thead", {}, head), body));
  const status = make("p", { class: "hint", role: "status" });
  const dimensions = make("p", { class: "tags" });
  const sizes = new Map();
  const more = make("button", { type: "button", hidden: true, onclick: () => load(more.dataset.next) }, "Show more");
  const load = async (after) => {
    more.disabled = true;
    try {
      const { members, next } = await askJson("members", { root: node.root, path: node.path, after, limit: PAGE });
      body.append(...members.map((member) => memberRow(node, member, link)));
      if (after === null) body.append(...node.links.map((one) => linkRow(node, one, link)));
      for (const member of members) noteSizes(sizes, member);
      dimensions.replaceChildren(...[...sizes].map(([name, found]) => make("span", { class: "tag" }, `${name} ${[...found].map(grouped).join(" or ")}`)));
      dimensionsSection.hidden = !sizes.size;
      table.hidden = !body.rows.length;
      status.textContent = body.rows.length ? `${grouped(body.rows.length)}${next ? " shown, and there are more" : body.rows.length === 1 ? " member" : " members"}.` : "There is nothing in this group.";
      more.hidden = !next;
      more.dataset.next = next ?? "";
    } catch (error) {
      status.textContent = error.message;
    }
    more.disabled = false;
  };
  const dimensionsSection = section("dimensions", "Dimensions", dimensions);
  dimensionsSection.hidden = true;
  load(null);
  return [dimensionsSection, section("members", "Members", table, status, more)];
}

function noteSizes(sizes, { shape, dimensions }) {
  dimensions?.forEach((name, axis) => {
    if (name !== null) sizes.set(name, (sizes.get(name) ?? new Set()).add(String(shape[axis])));
  });
}

function memberRow(node, member, link) {
  const path = node.path ? `${node.path}/${member.name}` : member.name;
  const name = make("a", { href: link(node.root, path) }, icon(member.problem ? "broken" : member.kind), member.name);
  const cells = [
    member.shape ? member.shape.map(grouped).join(" × ") : "", (member.dimensions ?? []).map((one) => one ?? "–").join(", "),
    member.dtype ?? "", member.problem ?? [member.long_name, member.units && `(${member.units})`].filter(Boolean).join(" "),
  ];
  return make("tr", { class: member.problem ? "bad" : null }, make("th", { scope: "row" }, name), cells.map((text) => make("td", {}, text)));
}

function linkRow(node, { name, path, to }, link) {
  const title = path === null ? make("span", {}, icon("link"), name) : make("a", { href: link(node.root, path) }, icon("link"), name);
  return make("tr", {}, make("th", { scope: "row" }, title), ["", "", "", `link to ${to}`].map((text) => make("td", {}, text)));
}

function section(name, title, ...children) {
  return make("section", { class: `card ${name}`, "aria-labelledby": `${name}-title` }, make("h2", { id: `${name}-title` }, title), children);
}
