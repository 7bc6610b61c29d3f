// SPDX-License-Identifier: Apache-2.0
// What all parts of the page use: elements made from texts (never from markup), names made visible, numbers.

const SVG = "http://www.w3.org/2000/svg";

// Signs that would hide or turn a name around are written as their codes.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;
const visible = text => String(text).replace(HIDDEN, c => "‹U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0") + "›");

function fill(node, attributes, kids) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, f] of Object.entries(value)) node.addEventListener(event, f);
    else node.setAttribute(name, value === true ? "" : visible(value));
  }
  for (const kid of kids.flat(Infinity)) {
    if (kid === null || kid === undefined || kid === false) continue;
    node.append(kid instanceof Node ? kid : visible(kid));
  }
  return node;
}

const h = (tag, attributes, ...kids) => fill(document.createElement(tag), attributes, kids);
const svg = (tag, attributes, ...kids) => fill(document.createElementNS(SVG, tag), attributes, kids);

const count = n => Number(n).toLocaleString("en-US");
const plural = (n, one, many) => count(n) + " " + (Number(n) === 1 ? one : many || one + "s");
const seconds = s => s < 1 ? (s * 1000).toFixed(s < 0.01 ? 1 : 0) + " ms" : s < 100 ? s.toFixed(2) + " s" : count(Math.round(s)) + " s";

function bytes(n) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let k = 0;
  for (; n >= 1024 && k < units.length - 1; k++) n /= 1024;
  return (k ? n.toFixed(1) : n) + " " + units[k];
}

// A heading with what belongs under it.
const section = (id, title, ...kids) => h("section", { id, "aria-labelledby": id + "-title" }, h("h2", { id: id + "-title" }, title), ...kids);

const pill = verdict => h("span", { class: "pill " + verdict }, verdict);

// "rs(1,2)" with the name and what is in parentheses told apart by weight.
const code = (text, more) => h("code", { class: more }, text);

// A text in which `quoted` pieces are code.
const prose = text => String(text).split("`").map((part, i) => i % 2 ? code(part) : part);

// Settings in the address: #trace=2&step=5.
const address = () => new URLSearchParams(location.hash.slice(1));
function note(name, value) {
  const all = address();
  if (value === null) all.delete(name); else all.set(name, value);
  try { history.replaceState(null, "", "#" + all); } catch (e) { /* a page inside another has no address of its own */ }
}
