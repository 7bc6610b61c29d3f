// SPDX-License-Identifier: Apache-2.0
// A graph of states or an automaton: drawn where its places are known, else as a table. And comparisons.

const SHOWN = 4, MOST_TABLE = 1000;

const edge_text = e => e.labels.slice(0, SHOWN).join(", ") + (e.labels.length > SHOWN ? `, +${e.labels.length - SHOWN}` : "");
const cut_text = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;

// Bézier curves through all points, and an arrow at the end.
function curve(points) {
  let d = `M${points[0]} ${points[1]}`;
  for (let i = 2; i + 5 < points.length; i += 6) d += `C${points.slice(i, i + 6).join(" ")}`;
  return d;
}

function drawn_graph(g) {
  const p = g.places, touching = new Map(), parts = [];
  const touch = (n, e) => { if (!touching.has(n)) touching.set(n, []); touching.get(n).push(e); };
  const edges = g.edges.map((e, i) => {
    const at = p.edges[i], text = edge_text(e), kind = e.to === null ? "refused" : e.visible ? "visible" : "internal";
    const node = svg("g", { class: "arc " + kind, "data-from": e.from, "data-to": e.to === null ? "" : e.to }, svg("title", {}, `${e.from} → ${e.to === null ? "refused" : e.to}: ${e.labels.join(", ")}`),
      svg("path", { d: curve(at.points), "marker-end": `url(#arc-${kind})` }), svg("text", { class: "middle", x: at.label[0], y: at.label[1] + 4 }, cut_text(text, 48)));
    touch(e.from, node);
    if (e.to !== null) touch(e.to, node);
    return node;
  });
  const pick = i => {
    const on = !parts[i].classList.contains("picked");
    parts.concat(edges).forEach(x => x.classList.remove("picked", "faded"));
    if (!on) return;
    edges.forEach(x => x.classList.add("faded"));
    parts[i].classList.add("picked");
    (touching.get(i) || []).forEach(x => { x.classList.remove("faded"); x.classList.add("picked"); });
  };
  g.nodes.forEach((n, i) => {
    const [x, y, w, high] = p.nodes[i], lines = String(n.label).split("\n");
    parts.push(svg("g", { class: "vertex" + (n.initial ? " initial" : "") + (n.cut ? " cut" : ""), tabindex: "0", "data-node": i, on: { click: () => pick(i), keydown: e => { if (e.key === "Enter") pick(i); } } },
      svg("title", {}, n.label), svg("rect", { x: x - w / 2, y: y - high / 2, width: w, height: high, rx: 7 }), n.initial ? svg("rect", { class: "inner", x: x - w / 2 + 3, y: y - high / 2 + 3, width: w - 6, height: high - 6, rx: 5 }) : null,
      lines.map((line, k) => svg("text", { x: x - w / 2 + 8, y: y + (k - (lines.length - 1) / 2) * 15 + 4 }, line))));
  });
  const kinds = ["visible", "internal", "refused"].map(k => svg("marker", { id: "arc-" + k, viewBox: "0 0 10 10", refX: 1, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto" }, svg("path", { d: "M0 0L10 5L0 10z", class: "arc-tip " + k })));
  const drawing = svg("svg", { class: "automaton", viewBox: `-6 -6 ${p.width + 12} ${p.height + 12}`, width: p.width + 12, height: p.height + 12, role: "img", "aria-label": plural(g.nodes.length, "state") }, svg("defs", {}, kinds), edges, parts);
  return zoomed(drawing, p.width + 12, p.height + 12, p.nodes[Math.max(0, g.nodes.findIndex(n => n.initial))]);
}

const ZOOMS = [0.2, 0.3, 0.4, 0.55, 0.75, 1, 1.4, 2];

// A drawing in a box: as a whole if it can be read then, else at its true size with the initial state in view; buttons
// make it larger and smaller.
function zoomed(drawing, wide, high, start) {
  const area = h("div", { class: "scroll graph-area", tabindex: "0" }, drawing), text = h("output", { class: "where" });
  let scale = 1;
  const set = (to, at) => {
    const x = at ? at[0] : (area.scrollLeft + area.clientWidth / 2) / scale, y = at ? at[1] : (area.scrollTop + area.clientHeight / 2) / scale;
    scale = to;
    drawing.setAttribute("width", Math.round(wide * scale));
    drawing.setAttribute("height", Math.round(high * scale));
    text.textContent = Math.round(scale * 100) + " %";
    area.scrollLeft = x * scale - area.clientWidth / 2;
    area.scrollTop = y * scale - area.clientHeight / 2;
  };
  const room = () => Math.min((area.clientWidth - 22) / wide, 700 / high);
  const fit = () => set(Math.max(0.05, Math.min(1, room())));
  const begin = () => { if (room() >= 0.6) fit(); else set(1, start); };
  const button = (sign, name, go) => h("button", { type: "button", title: name, "aria-label": name, on: { click: go } }, sign);
  const bar = h("div", { class: "zoom" }, button("−", "smaller", () => set(ZOOMS.filter(z => z < scale - 0.01).pop() || scale)), button("+", "larger", () => set(ZOOMS.find(z => z > scale + 0.01) || scale)), button("whole", "the whole drawing", fit), button("1:1", "its true size", () => set(1, start)), text);
  return { node: h("div", {}, bar, area), begin };
}

function graph_table(g) {
  const rows = g.edges.slice(0, MOST_TABLE).map(e => h("tr", { class: e.to === null ? "never" : null }, h("td", { class: "num" }, e.from), h("td", {}, code(e.labels.join(", "))), h("td", { class: "num" }, e.to === null ? "refused" : e.to)));
  const more = g.edges.length + g.left_out - rows.length;
  return h("div", {}, h("table", { class: "list steps-table" }, h("thead", {}, h("tr", {}, h("th", { class: "num" }, "from"), h("th", {}, "by"), h("th", { class: "num" }, "to"))), h("tbody", {}, rows)), more > 0 ? h("p", { class: "caption" }, `and ${plural(more, "more step")}`) : null);
}

function graph_section() {
  const g = D.graph;
  if (!g) return { node: null, begin() {} };
  const facts = D.command === "minimize" ? `The minimal automaton of ${D.system} has ${plural(D.minimal_states, "state")} and ${plural(D.minimal_transitions, "step")} over ${plural(D.letters, "letter")}` + (D.scope ? ` for ${D.scope}.` : ".")
    : `${plural(g.nodes.length, "state")}, ${plural(D.transitions || g.edges.length, "step")}` + (D.complete === false ? ", cut off where borders are dashed." : ".");
  const kids = [h("p", {}, facts)];
  const drawn = g.places ? drawn_graph(g) : null;
  if (drawn) kids.push(drawn.node, h("p", { class: "caption" }, "The initial state has a double border. Choose a state to see its steps alone."), h("details", { class: "plain" }, h("summary", {}, "As a table"), graph_table(g)));
  else kids.push(h("p", { class: "caption" }, g.nodes.length > 300 ? "Too large to be drawn." : "Drawn where Graphviz (the command dot) is installed."), graph_table(g));
  return { node: section("graph", D.command === "minimize" ? "The automaton" : "The graph of states", kids), begin: () => drawn && drawn.begin() };
}

// ---- comparisons

const METHODS = { product: "the product of both", antichains: "antichains of sets of states", simulation: "a simulation, step by step" };

function comparison_section() {
  const list = (D.comparisons || []).filter(c => c.method !== "none");
  if (!list.length) return null;
  const by_name = name => (D.properties || []).find(p => p.name === name) || {};
  return section("comparison", "The comparison", h("div", { class: "scroll" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["", "", "by", "states, first", "states, second", "pairs", "time"].map((t, i) => h("th", { scope: "col", class: i > 2 ? "num" : null }, t)))),
    h("tbody", {}, list.map(c => h("tr", {}, h("th", { scope: "row" }, c.name), h("td", {}, by_name(c.name).verdict ? pill(by_name(c.name).verdict) : ""), h("td", {}, METHODS[c.method] || c.method), h("td", { class: "num" }, count(c.left_states)), h("td", { class: "num" }, count(c.right_states)), h("td", { class: "num" }, count(c.pairs)), h("td", { class: "num" }, seconds(c.seconds))))))),
    (D.properties || []).filter(p => p.trace).map(p => h("p", { class: "sentence" }, "A shortest word of the first that the second does not have: ", h("strong", { class: "separating" }, code(p.trace.word)))));
}

// ---- the model as it was understood

function text_section() {
  if (D.command !== "show" || !D.text) return null;
  const list = h("ol", { class: "code" });
  lines(D.text, "pv").forEach(line => list.append(h("li", {}, line)));
  const systems = (D.systems || []).map(s => h("tr", {}, h("th", { scope: "row" }, s.name), h("td", {}, s.functions.map((f, i) => [i ? ", " : "", code(f)])), h("td", {}, s.actions.map((a, i) => [i ? ", " : "", code(a.name), a.visible ? "" : " (internal)"]))));
  return section("text", "The model as it was understood", systems.length ? h("div", { class: "scroll" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["system", "state", "actions"].map(t => h("th", { scope: "col" }, t)))), h("tbody", {}, systems))) : null, list);
}
