// SPDX-License-Identifier: Apache-2.0
// A state as tables: one for the functions of each kind of argument, relations of two arguments as matrices, the system
// and its specification apart, and what a step changed marked, with what was there before.

// How a value is written: elements of sorts by their names.
function value_text(f, v) {
  if (v === null || v === undefined) return "–";
  if (f.kind === "sort" && f.elements) return f.elements[v - 1] || String(v);
  return String(v);
}

// Cells as the model's language writes them, and the function of each: "cache[client_1].mode".
function cell_names(functions) {
  const names = new Map();
  for (const f of functions) for (const c of f.cells) {
    let i = 0;
    names.set(c.cell, { f, name: f.name.includes("[]") ? f.name.replace(/\[\]/g, () => `[${c.args[i++]}]`) : c.cell });
  }
  return names;
}

const is_spelled = functions => functions.some(f => f.name.includes("[]"));

function value_node(f, v) {
  if (f.kind === "bool" && v === true) return h("span", { class: "true", title: "true" }, "●", h("span", { class: "unseen" }, "true"));
  if (f.kind === "bool" && v === false) return h("span", { class: "false", title: "false" }, "·", h("span", { class: "unseen" }, "false"));
  return v === undefined ? h("span", { class: "unseen" }, "anything") : h("span", { class: v === null ? "none" : null }, value_text(f, v));
}

// One cell; `before` is the state to compare with, or null.
function cell_node(f, cell, state, before) {
  const now = state[cell], was = before ? before[cell] : now;
  const is_changed = before && was !== now;
  return h("td", { class: "v" + (is_changed ? " changed" : ""), "data-cell": cell },
    is_changed && f.kind !== "bool" ? h("del", {}, value_text(f, was)) : null, is_changed && f.kind !== "bool" ? " " : null, value_node(f, now));
}

const element = (sort, text) => /^\d/.test(text) && sort ? h("abbr", { title: sort + " " + text }, text) : text;

function scalars_table(functions, state, before) {
  return h("table", { class: "cells" }, functions.map(f =>
    h("tr", {}, h("th", { scope: "row" }, f.name), cell_node(f, f.cells[0].cell, state, before))));
}

// Functions of one argument: a row for each function, a column for each element.
function rows_table(functions, state, before) {
  const sort = functions[0].arguments[0];
  const head = h("tr", {}, h("th", { class: "corner" }, sort), functions[0].cells.map(c => h("th", { scope: "col" }, element(sort, c.args[0]))));
  return h("table", { class: "cells" }, h("thead", {}, head), functions.map(f =>
    h("tr", {}, h("th", { scope: "row" }, f.name), f.cells.map(c => cell_node(f, c.cell, state, before)))));
}

// A function of more arguments: the last one across, the others down.
function matrix(f, state, before) {
  const rows = new Map(), columns = [...new Set(f.cells.map(c => c.args[c.args.length - 1]))];
  for (const c of f.cells) {
    const row = c.args.slice(0, -1).join(", ");
    if (!rows.has(row)) rows.set(row, new Map());
    rows.get(row).set(c.args[c.args.length - 1], c.cell);
  }
  const last = f.arguments[f.arguments.length - 1], first = f.arguments.slice(0, -1).join(", ");
  const head = h("tr", {}, h("th", { class: "corner", title: first + " down, " + last + " across" }, f.name, h("span", { class: "axes" }, first + " ╲ " + last)),
    columns.map(c => h("th", { scope: "col" }, element(last, c))));
  return h("table", { class: "cells matrix" }, h("thead", {}, head), [...rows].map(([row, cells]) =>
    h("tr", {}, h("th", { scope: "row" }, element(first, row)),
      columns.map(c => cells.has(c) ? cell_node(f, cells.get(c), state, before) : h("td")))));
}

// A relation of one sort that is, in this state, a total order: as a chain. Null: it is none.
function chain(f, state) {
  if (f.kind !== "bool" || f.is_partial || f.arguments.length !== 2 || f.arguments[0] !== f.arguments[1]) return null;
  const names = [...new Set(f.cells.map(c => c.args[0]))];
  const at = new Map(f.cells.map(c => [c.args.join("\n"), state[c.cell]]));
  const is = (a, b) => at.get(a + "\n" + b) === true;
  if (names.length < 2) return null;
  for (const a of names) for (const b of names) {
    if (a !== b && is(a, b) === is(b, a)) return null;
    for (const c of names) if (a !== b && b !== c && a !== c && is(a, b) && is(b, c) && !is(a, c)) return null;
  }
  const strict = !names.some(a => is(a, a));
  if (!strict && !names.every(a => is(a, a))) return null;
  const sorted = [...names].sort((a, b) => is(a, b) ? -1 : 1);
  return h("p", { class: "chain" }, h("b", {}, f.name), " ", code(sorted.join(strict ? " < " : " ≤ ")));
}

const MOST_COLUMNS = 40;

function functions_tables(functions, state, before) {
  const out = h("div", { class: "tables" }), plain = functions.filter(f => f.cells.length);
  const scalars = plain.filter(f => !f.arguments.length);
  if (scalars.length) out.append(scalars_table(scalars, state, before));
  const sorts = new Map();
  for (const f of plain.filter(f => f.arguments.length === 1)) {
    const key = f.cells.length > MOST_COLUMNS ? f.name : f.arguments[0] + "/" + f.cells.length;
    if (!sorts.has(key)) sorts.set(key, []);
    sorts.get(key).push(f);
  }
  for (const list of sorts.values()) out.append(rows_table(list, state, before));
  for (const f of plain.filter(f => f.arguments.length > 1)) {
    out.append(h("div", { class: "relation" }, matrix(f, state, before), chain(f, state)));
  }
  return out;
}

// The whole state: the system first, then each specification.
function state_view(functions, state, before) {
  const parts = [];
  for (const f of functions) {
    const key = (f.specification ? "1" : "0") + f.part;
    const part = parts.find(p => p.key === key) || parts[parts.push({ key, name: f.part, spec: f.specification, list: [] }) - 1];
    part.list.push(f);
  }
  const has_spec = parts.some(p => p.spec);
  return h("div", { class: "state" }, parts.map(p => h("div", { class: p.spec ? "part spec" : "part" },
    has_spec || parts.length > 1 ? h("h4", {}, p.name, h("small", {}, p.spec ? "specification" : "system")) : null,
    functions_tables(p.list, state, before))));
}
