// SPDX-License-Identifier: Apache-2.0
// Why a specification refuses a step: its own words, and the order in which the transactions would have to come.

const MOST_NODES = 14;

// Nodes on an ellipse, those of the cycle first, so that it goes round.
function place_nodes(order, shown) {
  const n = shown.length, wide = 320, high = n === 2 ? 0 : Math.max(180, 50 * n);
  return shown.map((t, i) => {
    const angle = n === 2 ? Math.PI * (1 - i) : -Math.PI / 2 + 2 * Math.PI * i / n;
    return { t, x: 360 + (n === 2 ? 200 : wide - 80) * Math.cos(angle), y: (n === 2 ? 58 : 60 + high / 2) + high / 2 * Math.sin(angle) };
  });
}

// From the border of one node to that of the other, bent to its left.
function edge_path(a, b, bend) {
  const dx = b.x - a.x, dy = b.y - a.y, d = Math.hypot(dx, dy) || 1;
  const mx = (a.x + b.x) / 2 + bend * dy / d, my = (a.y + b.y) / 2 - bend * dx / d;
  const cut = (p, q) => {
    const ex = q.x - p.x, ey = q.y - p.y, wide = 64, high = 29;
    const k = Math.min(Math.abs(wide / (ex || 1e-9)), Math.abs(high / (ey || 1e-9)));
    return { x: p.x + ex * k, y: p.y + ey * k };
  };
  const from = cut(a, { x: mx, y: my }), to = cut(b, { x: mx, y: my });
  return { d: `M${from.x} ${from.y}Q${mx} ${my} ${to.x} ${to.y}`, x: (from.x + 2 * mx + to.x) / 4, y: (from.y + 2 * my + to.y) / 4 };
}

// Beside its edge, away from the middle of the ring.
function edge_label(path, places, text, kind) {
  if (places.length === 2) return svg("text", { x: path.x, y: path.y + (path.y < 58 ? -14 : 14), class: "kind " + kind }, text);
  const dx = path.x - 360, dy = path.y - (Math.min(...places.map(p => p.y)) + Math.max(...places.map(p => p.y))) / 2, d = Math.hypot(dx, dy) || 1;
  const side = dx / d > 0.35 ? " to-right" : dx / d < -0.35 ? " to-left" : "";
  return svg("text", { x: path.x + 14 * dx / d, y: path.y + 16 * dy / d, class: "kind " + kind + side }, text);
}

function transaction_node(p, trace, last) {
  const refused = last >= 0 && p.t.last === last && trace.steps[last].refused;
  const end = refused ? "refused" : p.t.end;
  return svg("g", { class: "transaction " + end, transform: `translate(${p.x} ${p.y})` },
    svg("rect", { x: -62, y: -27, width: 124, height: 54, rx: 10 }),
    svg("text", { y: -4, class: "name" }, p.t.name),
    svg("text", { y: 15, class: "end" }, (refused ? trace.steps[last].rule + " refused" : end)));
}

function order_graph(trace, go) {
  const order = trace.order, on_cycle = new Set(order.cycle);
  const in_cycle = order.cycle.map(e => order.edges[e].from);
  const others = order.transactions.map((_, i) => i).filter(i => !in_cycle.includes(i) && order.edges.some(e => e.from === i || e.to === i));
  const shown = in_cycle.concat(in_cycle.length + others.length <= MOST_NODES ? others : []);
  const places = place_nodes(order, shown.map(i => order.transactions[i]));
  const at = new Map(shown.map((t, i) => [t, places[i]]));
  const bottom = Math.max(...places.map(p => p.y)) + (shown.length === 2 ? 58 : 66);
  const drawing = svg("svg", { viewBox: shown.length === 2 ? `84 0 552 ${bottom}` : `-90 0 900 ${bottom}`, role: "img", class: shown.length === 2 ? "order pair" : "order", "aria-label": order.sentence },
    svg("defs", {}, ["on", "off"].map(k => svg("marker", { id: "tip-" + k, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 8, markerHeight: 8, orient: "auto-start-reverse" },
      svg("path", { d: "M0 0L10 5L0 10z", class: "tip " + k })))));
  const labels = [];
  order.edges.forEach((e, i) => {
    if (!at.has(e.from) || !at.has(e.to)) return;
    const is_on = on_cycle.has(i), path = edge_path(at.get(e.from), at.get(e.to), 42);
    const text = is_on ? "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"[order.cycle.indexOf(i)] || "" : "";
    drawing.append(svg("g", { class: "edge " + (is_on ? "on" : "off") }, svg("title", {}, e.text),
      svg("path", { d: path.d, "marker-end": `url(#tip-${is_on ? "on" : "off"})` })));
    labels.push(edge_label(path, places, text + (text ? " " : "") + e.kind, is_on ? "on" : "off"));
  });
  places.forEach(p => drawing.append(transaction_node(p, trace, trace.steps.length - 1)));
  labels.forEach(l => drawing.append(l));
  return h("figure", { class: "graph" }, drawing,
    h("ol", { class: "edges" }, order.cycle.map(e => h("li", {}, order.edges[e].text, " ",
      order.edges[e].steps.map((s, i) => [i ? " " : "", h("button", { class: "to", type: "button", on: { click: () => go(s + 1) } }, "step " + (s + 1))])))));
}

// Everything about why a trace is wrong.
function why_view(entry, go) {
  const t = entry.trace, last = t.steps[t.steps.length - 1];
  const order = t.order && (last.refused || D.command === "compare") ? t.order : null;
  const box = h("div", { class: "why" });
  if (entry.reason) box.append(h("p", { class: "reason" }, prose(entry.reason)));
  if (order) {
    const cut = order.sentence.lastIndexOf(": ");
    box.append(h("p", { class: "sentence" }, order.sentence.slice(0, cut), ". No order of the transactions is left: ",
      h("strong", {}, order.sentence.slice(cut + 2)), "."));
    box.append(order_graph(t, go));
  }
  if (last && last.refused_at) box.append(h("details", { class: "plain" }, h("summary", {}, "What the specification asks for"), excerpt(last.refused_at, 5)));
  return box.childNodes.length ? box : null;
}
