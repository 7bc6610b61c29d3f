// SPDX-License-Identifier: Apache-2.0
// A recorded history: which levels it has, and of one that it has not the few transactions that show it, over time, with
// the cycle in which each would have to come before the next.

const LEVELS = { opaque: "opacity", strict: "strict serializability", session: "serializability that keeps sessions", serializable: "serializability", strong_si: "strong snapshot isolation", session_si: "snapshot isolation that keeps sessions",
  si: "snapshot isolation", causal: "causal consistency", read_atomic: "atomic reads", read_committed: "reads of committed values" };

const levels_asked = () => (D.levels || []).filter(l => l && typeof l === "object");

function levels_section(choose) {
  const list = levels_asked();
  if (!list.length) return null;
  const rows = list.map((l, i) => h("tr", {}, h("th", { scope: "row" }, l.drawn ? h("button", { type: "button", class: "link", "data-level": i, on: { click: () => choose(i) } }, l.level) : l.level), h("td", {}, LEVELS[l.level] || ""), h("td", {}, pill(l.verdict)),
    h("td", { class: "wide" }, l.as ? `as ${l.as} is` : l.anomaly || l.reason || ""), h("td", { class: "num" }, l.seconds !== undefined ? seconds(l.seconds) : "")));
  const facts = `${plural(D.events, "event")} of ${plural(D.sessions, "session")}, ${plural(D.transactions, "transaction")}` + (D.times ? "." : "; no times are known.");
  return section("levels", "Levels of consistency", h("p", {}, facts), h("div", { class: "scroll" }, h("table", { class: "list" }, h("tbody", {}, rows))));
}

// ---- over time

const sign = o => ({ read: "r", write: "w", append: "a" }[o.kind] || o.kind) + " " + o.key + "=" + o.value;

const OP_TEXT = 22, OP_SIGN = 6.7;
const op_width = o => Math.min(OP_TEXT, sign(o).length) * OP_SIGN + 10;

// What stands above and below the line take turns, so a text has room until the next but one; the last two of a
// transaction have to fit before its end. Moves moments apart until all have it.
function widen(txs, sorted, place) {
  const index = new Map(sorted.map((m, i) => [m, i])), needs = sorted.map(() => []);
  for (const t of txs.filter(t => t.name)) t.operations.forEach((o, i) => {
    const next = i + 2 < t.operations.length ? t.operations[i + 2].call : t.ends;
    if (next !== null && index.get(next) > index.get(o.call)) needs[index.get(next)].push([index.get(o.call), op_width(o)]);
  });
  for (let i = 1, moved = 0; i < place.length; i++) {
    place[i] += moved;
    for (const [from, room] of needs[i]) { const short = place[from] + room - place[i]; if (short > 0) { place[i] += short; moved += short; } }
  }
  return place;
}

// Places for moments: one after the other, or at true distances.
function moment_scale(txs, is_true, room) {
  const all = new Set();
  for (const t of txs) for (const m of [t.begins, t.commits, t.ends, ...t.operations.flatMap(o => [o.call, o.answer])]) if (m !== null) all.add(m);
  const sorted = [...all].sort((a, b) => a - b), first = sorted[0] || 0, last = sorted[sorted.length - 1] || 1;
  if (is_true) { const k = Math.max(900, sorted.length * 14) / Math.max(1, last - first); return { at: m => 16 + (m - first) * k, end: 16 + (last - first) * k }; }
  const places = widen(txs, sorted, sorted.map((_, i) => 16 + i * room)), place = new Map(sorted.map((m, i) => [m, places[i]]));
  return { at: m => place.get(m), end: places[places.length - 1] || 16 };
}

// Without times: each session from left to right.
function rank_times(txs) {
  const next = new Map();
  return txs.map(t => {
    let at = next.get(t.session) || 0;
    const take = () => at++;
    const copy = Object.assign({}, t, { begins: take(), operations: t.operations.map(o => { const m = take(); return Object.assign({}, o, { call: m, answer: m }); }), commits: null, ends: take() });
    next.set(t.session, at + 1);
    return copy;
  });
}

function history_drawing(given, has_times, is_true) {
  const txs = has_times ? given : rank_times(given), sessions = [...new Set(txs.map(t => t.session))], LINE = 64;
  const scale = moment_scale(txs, is_true && has_times, 26), high = sessions.length * LINE + 30;
  const drawing = svg("svg", { class: "sessions", viewBox: `0 0 ${scale.end + 60} ${high}`, width: scale.end + 60, height: high, role: "img", "aria-label": "transactions over time" });
  sessions.forEach((s, i) => drawing.append(svg("path", { class: "axis", d: `M4 ${i * LINE + 42}H${scale.end + 50}` })));
  txs.forEach(t => {
    const y = sessions.indexOf(t.session) * LINE + 22, a = scale.at(t.begins), b = t.ends === null ? scale.end + 36 : scale.at(t.ends), kind = t.name ? "core" : "around";
    const number = t.name ? Number(t.name.slice(1)) : 0;
    drawing.append(svg("g", { class: `tx-box ${kind} ${t.outcome} ` + (t.name ? `lane${(number - 1) % 8 + 1}` : "") }, svg("title", {}, `${t.name || "transaction " + t.transaction} of ${t.session}: ${t.outcome}`),
      svg("rect", { x: a - 5, y, width: Math.max(12, b - a + 10), height: 40, rx: 7 }), t.name ? svg("text", { class: "tx-name", x: a, y: y - 5 }, t.name + (t.outcome === "committed" ? "" : ` (${t.outcome})`)) : null,
      t.operations.map((o, i) => [svg("path", { class: "op " + o.kind, d: `M${scale.at(o.call)} ${y + 20}H${Math.max(scale.at(o.answer), scale.at(o.call) + 4)}` }), t.name ? svg("text", { class: "op-text", x: scale.at(o.call), y: y + (i % 2 ? 35 : 14) }, cut_text(sign(o), OP_TEXT)) : null]),
      t.commits !== null ? svg("path", { class: "commit-mark", d: `M${scale.at(t.commits)} ${y + 4}v32` }) : null));
  });
  const names = h("div", { class: "session-names", "aria-hidden": "true" }, sessions.map(s => h("div", {}, s)));
  return h("div", { class: "timed-both" }, names, h("div", { class: "scroll timed-area", tabindex: "0", "aria-label": "transactions over time" }, drawing));
}

// ---- one level that does not hold

function level_view(l) {
  const core = l.drawn.filter(t => t.name), number = new Map(core.map((t, i) => [t.transaction, i]));
  const kids = [];
  if (l.anomaly) kids.push(h("p", { class: "reason" }, h("strong", {}, l.anomaly), l.explanation ? ": " : "", l.explanation || ""));
  else if (l.explanation) kids.push(h("p", { class: "reason" }, prose(l.explanation)));
  if (l.cycle && l.cycle.length) {
    const order = { transactions: core.map(t => ({ name: t.name, end: t.outcome, first: 0, last: -1 })), edges: l.cycle.map(e => ({ from: number.get(e.from), to: number.get(e.to), kind: e.kind, text: e.text, steps: [] })), cycle: l.cycle.map((_, i) => i),
      sentence: l.cycle.map(e => core[number.get(e.from)].name).concat(core[number.get(l.cycle[0].from)].name).join(" → ") };
    kids.push(h("p", { class: "sentence" }, "Each would have to come before the next: ", h("strong", {}, order.sentence), "."), order_graph({ order, steps: [] }, () => {}));
  }
  const switch_true = h("input", { type: "checkbox", on: { change: () => draw() } }), switch_around = h("input", { type: "checkbox", checked: l.drawn.length - core.length <= 8, on: { change: () => draw() } }), place = h("div");
  const draw = () => place.replaceChildren(history_drawing(switch_around.checked ? l.drawn : core, D.times, switch_true.checked));
  draw();
  kids.push(h("figure", {}, D.times ? h("p", {}, h("label", { class: "switch" }, switch_true, " true distances in time"), " ", l.drawn.length > core.length ? h("label", { class: "switch" }, switch_around, ` ${plural(l.drawn.length - core.length, "transaction")} around them`) : null) : null, place));
  if (l.tried_all_orders && core.length > 1) kids.push(h("p", { class: "caption" }, `These ${core.length} transactions alone show it: no order of them works, and all were tried.`));
  kids.push(h("details", { class: "plain" }, h("summary", {}, "As text"), (l.core || []).map(c => h("pre", { class: "formula" }, c.events))));
  return h("div", {}, kids);
}

function violation_section() {
  const list = levels_asked(), first = list.findIndex(l => l.drawn);
  const title = h("code"), box = h("div");
  const choose = i => {
    title.replaceChildren(visible(list[i].level));
    box.replaceChildren(level_view(list[i]));
    document.querySelectorAll("[data-level]").forEach(b => b.setAttribute("aria-pressed", Number(b.dataset.level) === i));
    note("level", list[i].level);
  };
  const wanted = list.findIndex(l => l.drawn && l.level === address().get("level"));
  return { node: first >= 0 ? section("violation", ["Why ", title, " is violated"], box) : null, choose: i => { choose(i); document.getElementById("violation").scrollIntoView(); }, begin: () => first >= 0 && choose(wanted >= 0 ? wanted : first) };
}

// What --spec judges: an order of commits as they were recorded.
function recorded_order_section() {
  if (D.specification === undefined) return null;
  const rows = [["well formed", D.well_formed], ["atomic", D.atomic], ["in the recorded order of commits, by " + D.specification, D.by_recorded_commit_order]].filter(r => r[1] !== undefined);
  return section("recorded", "By the recorded order of commits", h("table", { class: "list" }, h("tbody", {}, rows.map(([name, v]) => h("tr", {}, h("th", { scope: "row" }, name), h("td", {}, typeof v === "boolean" ? (v ? "yes" : "no") : pill(v)))))),
    D.reason ? h("p", { class: "reason" }, prose(D.reason)) : null, D.not_atomic_because ? h("p", { class: "caption" }, D.not_atomic_because) : null,
    D.sequence ? h("p", { class: "word" }, h("span", { class: "label" }, "atomic sequence"), D.sequence.slice(0, 400).map(e => [" ", h("span", { class: "letter" }, e)]), D.sequence.length > 400 ? ` and ${count(D.sequence.length - 400)} more` : "") : null);
}
