// SPDX-License-Identifier: Apache-2.0
// A timed run: a lane for each process, its locations as bars, synchronisations as arrows, exact times above. Steps have
// columns of their own, since many may happen at one moment; the switch shows them at their true distances instead.

const COLUMN = 74, LANE = 46, BAR = 26, HEAD = 64, WINDOW = 150;

// "3/2" as a number, for places on the screen only.
const number = text => { const [a, b] = String(text || "0").split("/"); return Number(a) / Number(b || 1); };

// Where steps from..to stand; the last entry is the end.
function columns_of(trace, from, to, is_true) {
  const x = [], left = 12;
  if (!is_true) {
    let at = left;
    for (let i = from; i < to; i++) {
      const s = trace.steps[i], room = Math.max(COLUMN, ((s.channel || "").length + (i > from ? (trace.steps[i - 1].channel || "").length : 0)) * 3.6 + 12);
      x.push(at += room + 26 * Math.log2(1 + number(s.delay)));
    }
    x.push(at + COLUMN + (to === trace.steps.length ? 26 * Math.log2(1 + number(trace.end_delay)) : 0));
    return x;
  }
  const first = from ? number(trace.steps[from - 1].time) : 0, end = to === trace.steps.length ? number(trace.end_time) : number(trace.steps[to - 1].time);
  const scale = Math.min(120, Math.max(6, 1000 / Math.max(end - first, 1e-9)));
  for (let i = from; i < to; i++) x.push(left + 30 + (number(trace.steps[i].time) - first) * scale);
  x.push(left + 30 + (end - first) * scale + 40);
  return x;
}

function location_colour(names, name) {
  if (!names.has(name)) names.set(name, names.size);
  return "lane" + (names.get(name) % 8 + 1);
}

// The bars of one process: from each step in which it takes part to the next.
function process_bars(trace, k, from, to, x, get) {
  const p = trace.processes[k], y = HEAD + k * LANE + LANE / 2, out = [], names = trace.colours;
  let start = 0, name = get(from)[p.location];
  const put = (a, b) => {
    if (b - a < 1) return;
    const most = Math.floor((b - a - 10) / 7.3), text = String(name);
    out.push(svg("g", { class: "place " + location_colour(names, p.location.replace(/\(.*/, "") + name) }, svg("title", {}, text), svg("rect", { x: a + 1, y: y - BAR / 2, width: b - a - 2, height: BAR, rx: 5 }),
      most > 1 ? svg("text", { x: a + 7, y: y + 4 }, text.length > most ? text.slice(0, most - 1) + "…" : text) : null));
  };
  for (let i = from; i < to; i++) {
    const s = trace.steps[i];
    if (s.refused || !(s.moves || []).includes(k + 1)) continue;
    put(start, x[i - from]);
    start = x[i - from];
    const change = s.changes.find(c => c.cell === p.location);
    if (change) name = change.to;
  }
  put(start, x[x.length - 1]);
  return out;
}

function step_marks(trace, i, x, player) {
  const s = trace.steps[i], y = k => HEAD + (k - 1) * LANE + LANE / 2, moves = s.moves || [];
  const arrows = moves.slice(1).map(k => {
    const tip = y(k) > y(moves[0]) ? y(k) - BAR / 2 - 1 : y(k) + BAR / 2 + 1, back = y(k) > y(moves[0]) ? tip - 7 : tip + 7;
    return [svg("path", { class: "sync", d: `M${x} ${y(moves[0])}V${tip}` }), svg("path", { class: "tip sync-tip", d: `M${x} ${tip}L${x - 4} ${back}L${x + 4} ${back}Z` })];
  });
  return svg("g", { class: "event" + (s.refused ? " refused" : ""), "data-step": i + 1, on: { click: () => player.go(i + 1) } }, svg("title", {}, `step ${i + 1}: ${s.text}`),
    svg("rect", { class: "hit", x: x - 14, y: 0, width: 28, height: HEAD + trace.processes.length * LANE }), svg("text", { class: "middle small", x, y: 38 }, i + 1),
    s.channel ? svg("text", { class: "middle channel", x, y: 53 }, s.channel) : null, arrows, moves.length ? svg("circle", { class: "dot", cx: x, cy: y(moves[0]), r: 4.5 }) : null,
    s.refused ? moves.map(k => svg("path", { class: "fails", d: `M${x - 6} ${y(k) - 6}l12 12m0 -12l-12 12` })) : null);
}

// Times above, one for all steps at a moment.
function moments(trace, from, to, x) {
  const out = [];
  let begin = from ? null : 0, now = from ? null : "0";
  const put = (a, b, t) => t !== null && out.push(svg("rect", { class: "moment", x: a - 7, y: 22, width: b - a + 14, height: HEAD + trace.processes.length * LANE - 18, rx: 4 }), svg("text", { class: "middle time", x: (a + b) / 2, y: 15 }, t));
  for (let i = from; i < to; i++) {
    if (trace.steps[i].time === now) continue;
    if (now !== null) put(begin, i > from ? x[i - 1 - from] : begin, now);
    begin = x[i - from];
    now = trace.steps[i].time;
  }
  const end = to === trace.steps.length && trace.end_time !== now;
  put(begin, to > from && !end && to === trace.steps.length ? x[x.length - 1] : to > from ? x[to - 1 - from] : begin, now);
  if (end) put(x[x.length - 1], x[x.length - 1], trace.end_time);
  return out;
}

function timed_drawing(trace, player, from, to, is_true, get) {
  const x = columns_of(trace, from, to, is_true), wide = x[x.length - 1] + 24, high = HEAD + trace.processes.length * LANE + 30;
  const drawing = svg("svg", { class: "timed", viewBox: `0 0 ${wide} ${high}`, width: wide, height: high, role: "img", "aria-label": "the run over time" }, moments(trace, from, to, x));
  trace.processes.forEach((p, k) => drawing.append(...process_bars(trace, k, from, to, x, get)));
  const cursor = svg("path", { class: "cursor" });
  drawing.append(cursor);
  for (let i = from; i < to; i++) drawing.append(step_marks(trace, i, x[i - from], player));
  if (trace.loop !== null && trace.loop >= from && to === trace.steps.length) {
    const a = trace.loop > from ? x[trace.loop - 1 - from] : 4, b = x[x.length - 1], y = high - 26;
    drawing.append(svg("path", { class: "back", d: `M${b} ${y}v14H${a}v-12` }), svg("path", { class: "tip sync-tip", d: `M${a} ${y}l-4 7h8Z` }), svg("text", { class: "middle small", x: (a + b) / 2, y: high - 2 }, "for ever"));
  }
  drawing.show = p => {
    const at = p > from && p <= to ? x[p - 1 - from] : p === from ? 2 : null;
    cursor.setAttribute("d", at === null ? "" : `M${at} 20V${high - 28}`);
    drawing.querySelectorAll(".event").forEach(e => e.classList.toggle("now", Number(e.dataset.step) === p));
    return at;
  };
  return drawing;
}

// The drawing with its names and its switch; of a long run, the part around the present step.
function timed_view(trace, player, get) {
  trace.colours = new Map();
  const n = trace.steps.length, scale = h("input", { type: "checkbox", on: { change: () => draw(true) } });
  const area = h("div", { class: "scroll timed-area", tabindex: "0", "aria-label": "the run over time" }), names = h("div", { class: "timed-names", "aria-hidden": "true" }, trace.processes.map(p => h("div", {}, p.name)));
  let drawing = null, from = 0, to = 0, at = 0;
  const draw = force => {
    const a = n <= 2 * WINDOW ? 0 : Math.max(0, at - WINDOW), b = n <= 2 * WINDOW ? n : Math.min(n, a + 2 * WINDOW);
    if (force || !drawing || at < from || at > to || (at < from + 20 && from) || (at > to - 20 && to < n)) {
      [from, to] = [a, b];
      drawing = timed_drawing(trace, player, from, to, scale.checked, get);
      area.replaceChildren(drawing);
    }
    const x = drawing.show(at);
    if (x !== null && (x < area.scrollLeft + 40 || x > area.scrollLeft + area.clientWidth - 40)) area.scrollLeft = x - area.clientWidth / 2;
  };
  player.watch(p => { at = p; draw(false); });
  return h("figure", { class: "timed-figure" }, h("label", { class: "switch" }, scale, " true distances in time"), h("div", { class: "timed-both" }, names, area));
}

// The clocks after p steps, with those marked that the step set.
function clocks_view(trace, p) {
  if (!trace.clocks || !trace.clocks.length) return null;
  const step = p ? trace.steps[p - 1] : null, now = step ? step.clocks : trace.clocks.map(() => "0"), was = p > 1 ? trace.steps[p - 2].clocks : trace.clocks.map(() => "0");
  const is_set = i => step && Math.abs(number(now[i]) - number(was[i]) - number(step.delay)) > 1e-9;
  return h("div", { class: "part" }, h("h4", {}, "Clocks", step ? h("small", {}, `at time ${step.time}`) : null), h("table", { class: "cells" }, trace.clocks.map((c, i) =>
    h("tr", {}, h("th", { scope: "row" }, c), h("td", { class: "v" + (is_set(i) ? " changed" : ""), "data-clock": c }, now[i])))));
}
