// SPDX-License-Identifier: Apache-2.0
// A run, step by step: lanes of threads beside a slider, and the state after the step. Position p is the state after p
// steps. Only the rows that can be seen are in the document, so a run may have any length; states are made from the
// initial one and the changes, with one kept now and then.

const ROW = 32, KEEP = 512, ALL_ROWS = 400, PRINTED = 1000;

function states_of(trace) {
  const kept = [Object.assign({}, trace.initial)];
  const apply = (state, step) => { for (const c of step.changes) state[c.cell] = c.to; return state; };
  return p => {
    const slot = Math.floor(p / KEEP);
    for (let k = kept.length; k <= slot; k++) {
      const state = Object.assign({}, kept[k - 1]);
      for (let i = (k - 1) * KEEP; i < k * KEEP; i++) apply(state, trace.steps[i]);
      kept.push(state);
    }
    const state = Object.assign({}, kept[slot]);
    for (let i = slot * KEEP; i < p; i++) apply(state, trace.steps[i]);
    return state;
  };
}

// ---- one row

function shown_change(c, names) {
  const known = names.get(c.cell) || { name: c.cell, f: {} };
  if (c.from === false && c.to === true) return "+" + known.name;
  if (c.from === true && c.to === false) return "−" + known.name;
  return known.name + ": " + value_text(known.f, c.from) + " → " + value_text(known.f, c.to);
}

// What the specification notes of the step comes last, and quieter.
function change_nodes(step, is_spec, hidden, names) {
  const node = c => h("span", { class: (c.to === true ? "plus" : c.to === false ? "minus" : "other") + (is_spec.has(c.cell) ? " quiet" : "") }, shown_change(c, names));
  return step.changes.filter(c => !is_spec.has(c.cell) && !hidden.has(c.cell)).concat(step.changes.filter(c => is_spec.has(c.cell))).map(node);
}

const spec_cells = trace => new Set((trace.functions || []).filter(f => f.specification).flatMap(f => f.cells.map(c => c.cell)));

function event_chip(step, lane) {
  const text = step.text || step.label;
  return h("span", { class: `chip lane${(lane - 1) % 8 + 1} ${step.visible ? "seen" : "internal"}${step.refused ? " refused" : ""}`, title: step.visible ? step.label : step.label + " (internal)" },
    text, step.refused ? " ✗" : "");
}

// Which lanes have a transaction that is running at a step.
function running(trace) {
  const list = (trace.order && trace.order.transactions) || [];
  return (i, lane) => list.some(t => t.thread === lane && t.first <= i && i <= t.last);
}

// ---- the list

const MOST_LANES = 12;

// All threads; of many those that move; of too many none: then there is one column.
function shown_lanes(trace) {
  const all = trace.processes ? [] : (trace.lanes || []).map((_, i) => i + 1);
  if (all.length <= MOST_LANES) return all;
  const moving = new Set(trace.steps.map(s => s.lane));
  const some = all.filter(k => moving.has(k));
  return some.length <= MOST_LANES ? some : [];
}

function lane_list(trace, player) {
  const shown = shown_lanes(trace), names = shown.map(k => trace.lanes[k - 1]), other = trace.steps.some(s => !shown.includes(s.lane)) || !names.length;
  const has_time = trace.steps.length > 0 && trace.steps[0].time !== undefined;
  const columns = names.length + (other ? 1 : 0), in_transaction = running(trace), is_spec = spec_cells(trace), places = new Set((trace.processes || []).map(p => p.location)), cells = cell_names(trace.functions || []);
  let longest = 0;
  for (const s of trace.steps) longest = Math.max(longest, (s.text || s.label).length + (s.refused ? 2 : 0));
  // Where the lanes have no room for words, they have dots, and the words a column of their own.
  const width = Math.max(9, longest * 0.55 + 2), is_narrow = names.length > 0 && width * columns > 32;
  const head = h("div", { class: "row head" }, h("span", { class: "no" }, "step"), has_time ? h("span", { class: "time" }, "time") : null,
    names.map((n, i) => h("span", { class: `cell title lane${(shown[i] - 1) % 8 + 1}`, title: n }, is_narrow ? n.replace(/^.*[ _]/, "") : n)), other && !is_narrow ? h("span", { class: "cell title" }, names.length ? "others" : "action") : null,
    is_narrow ? h("span", { class: "cell title" }, "action") : null,
    h("span", { class: "changes" }, "what changes"));
  const row = i => {
    const step = trace.steps[i], lane = shown.indexOf(step.lane) + 1 || names.length + 1;
    const found = [];
    for (let k = 1; k <= (is_narrow ? names.length : columns); k++)
      found.push(h("span", { class: "cell" + (in_transaction(i, shown[k - 1]) ? ` tx lane${(shown[k - 1] - 1) % 8 + 1}` : "") }, k !== lane ? null : is_narrow ? h("span", { class: `spot-dot lane${(shown[k - 1] - 1) % 8 + 1}` }, "●") : event_chip(step, step.lane || lane)));
    if (is_narrow) found.push(h("span", { class: "cell" }, event_chip(step, step.lane || lane)));
    const is_loop = trace.loop !== null && trace.loop === i;
    return h("div", { class: "row" + (step.refused ? " refused" : "") + (trace.loop !== null && i >= trace.loop ? " loop" : ""), role: "option", id: "step" + (i + 1), "data-step": i + 1,
      on: { click: () => player.go(i + 1) } },
      h("span", { class: "no" }, is_loop ? "↻ " : "", i + 1), has_time ? h("span", { class: "time" }, step.time) : null, found, h("span", { class: "changes" }, change_nodes(step, is_spec, places, cells)));
  };
  const body = h("div", { class: "rows", role: "listbox", tabindex: "0", "aria-label": "steps" });
  const box = h("div", { class: "lanes" + (trace.processes ? " wordy" : is_narrow ? " narrow" : "") }, h("div", { class: "scroll" }, head, body));
  box.style.setProperty("--lanes", is_narrow ? names.length : columns);
  box.style.setProperty("--lane-width", Math.min(24, width) + "rem");
  return { box, list: virtual(body, trace.steps.length, row) };
}

// Rows on demand: all of them where they are few.
function virtual(body, n, make) {
  const is_whole = n <= ALL_ROWS;
  const made = new Map();
  let current = 0;
  const mark = (i, is_on) => {
    const r = made.get(i);
    if (r) { r.classList.toggle("now", is_on); r.setAttribute("aria-selected", is_on); }
  };
  const get = i => {
    if (!made.has(i)) made.set(i, make(i));
    return made.get(i);
  };
  const place = () => {
    if (is_whole) return;
    const from = Math.max(0, Math.floor(body.scrollTop / ROW) - 10), to = Math.min(n, Math.ceil((body.scrollTop + body.clientHeight) / ROW) + 10);
    for (const [i, r] of made) if (i < from || i >= to) { r.remove(); made.delete(i); }
    for (let i = from; i < to; i++) {
      if (made.has(i)) continue;
      const r = get(i);
      r.style.top = i * ROW + "px";
      room.append(r);
    }
    mark(current - 1, true);
  };
  const room = is_whole ? body : h("div", { class: "room" });
  if (is_whole) for (let i = 0; i < n; i++) body.append(get(i));
  else {
    body.classList.add("virtual");
    room.style.height = n * ROW + "px";
    body.append(room);
    body.addEventListener("scroll", () => requestAnimationFrame(place), { passive: true });
    addEventListener("resize", place);
    // On paper: the first rows, all of them.
    addEventListener("beforeprint", () => {
      const last = Math.min(n, PRINTED);
      for (let i = 0; i < last; i++) { const r = get(i); r.style.top = i * ROW + "px"; room.append(r); }
      room.style.height = last * ROW + "px";
      body.setAttribute("data-more", n > last ? `the first ${count(last)} of ${count(n)} steps` : "");
    });
    addEventListener("afterprint", () => { room.style.height = n * ROW + "px"; place(); });
  }
  return {
    place,
    select(p) {
      mark(current - 1, false);
      current = p;
      const top = (p - 1) * ROW;
      if (is_whole) {
        const r = made.get(p - 1);
        if (r) { const up = r.offsetTop, high = r.offsetHeight; if (up < body.scrollTop) body.scrollTop = up; else if (up + high > body.scrollTop + body.clientHeight) body.scrollTop = up + high - body.clientHeight; }
        else body.scrollTop = 0;
      } else if (p && (top < body.scrollTop || top + ROW > body.scrollTop + body.clientHeight)) body.scrollTop = Math.max(0, top - body.clientHeight / 2);
      place();
      mark(p - 1, true);
      if (p) body.setAttribute("aria-activedescendant", "step" + p); else body.removeAttribute("aria-activedescendant");
    },
  };
}

// ---- the lasso

// Stem and ring, a dot for each state where there is room for them.
function lasso(trace, player) {
  if (trace.loop === null || trace.loop === undefined) return null;
  const n = trace.steps.length, stem = trace.loop, ring = n - stem;
  const dots = 36, s = Math.min(stem, dots), r = Math.min(ring, dots), radius = Math.max(52, r * 3.6), left = 20 + s * 20;
  const cx = left + radius, cy = radius + 22;
  const at = k => k < s ? [20 + k * 20, cy] : [cx - radius * Math.cos(2 * Math.PI * (k - s) / r), cy - radius * Math.sin(2 * Math.PI * (k - s) / r)];
  const position = k => k < s ? Math.round(k * stem / s) : stem + Math.round((k - s) * ring / r);
  const spots = [];
  for (let k = 0; k < s + r; k++) {
    const [x, y] = at(k);
    spots.push(svg("circle", { cx: x, cy: y, r: 5, class: "spot", "data-at": position(k), on: { click: () => player.go(position(k)) } }, svg("title", {}, "after " + plural(position(k), "step"))));
  }
  const drawing = svg("svg", { class: "lasso", viewBox: `0 0 ${cx + radius + 24} ${2 * radius + 44}`, role: "img", "aria-label": `a run of ${plural(stem, "step")} and a loop of ${plural(ring, "step")}` },
    stem ? svg("path", { class: "way", d: `M20 ${cy}H${left}` }) : null, svg("circle", { class: "way", cx, cy, r: radius }), spots,
    svg("text", { x: cx, y: cy + 4, class: "middle" }, "for ever"),
    stem ? svg("text", { x: 20, y: cy - 14, class: "small" }, plural(stem, "step")) : null, svg("text", { x: cx, y: cy + 20, class: "middle small" }, plural(ring, "step")));
  player.watch(p => {
    let best = null;
    for (const spot of spots) {
      spot.classList.remove("now");
      if (Number(spot.getAttribute("data-at")) <= (p === n && ring ? stem : p)) best = spot;
    }
    if (best) best.classList.add("now");
  });
  drawing.style.maxWidth = cx + radius + 24 + "px";
  return h("figure", { class: "graph" }, drawing);
}

// ---- the player

function player_of(trace) {
  const watchers = [], n = trace.steps.length;
  return {
    n, at: 0,
    watch(f) { watchers.push(f); },
    go(p) {
      this.at = Math.max(0, Math.min(n, Math.round(p) || 0));
      for (const f of watchers) f(this.at);
    },
  };
}

function controls(player, what) {
  const slider = h("input", { type: "range", min: 0, max: player.n, step: 1, value: 0, "aria-label": what, on: { input: e => player.go(Number(e.target.value)) } });
  const text = h("output", { class: "where" });
  const button = (shape, name, key, to) => h("button", { type: "button", title: `${name} (${key})`, "aria-label": name, on: { click: () => player.go(to()) } },
    svg("svg", { viewBox: "0 0 16 16", "aria-hidden": "true" }, svg("path", { d: shape })));
  player.watch(p => {
    slider.value = p;
    slider.setAttribute("aria-valuetext", p ? `after step ${p} of ${player.n}` : "the beginning");
    text.textContent = p ? `step ${count(p)} of ${count(player.n)}` : `beginning, ${plural(player.n, "step")}`;
  });
  return h("div", { class: "controls" }, button("M3 3h2v10H3zM13 3v10L6 8z", "beginning", "Home", () => 0), button("M11 3v10L4 8z", "one step back", "←", () => player.at - 1), slider,
    button("M5 3v10l7-5z", "one step on", "→", () => player.at + 1), button("M11 3h2v10h-2zM3 3v10l7-5z", "end", "End", () => player.n), text);
}

const KEYS = { ArrowRight: p => p.at + 1, ArrowLeft: p => p.at - 1, ArrowDown: p => p.at + 1, ArrowUp: p => p.at - 1, Home: () => 0, End: p => p.n, PageDown: p => p.at + 10, PageUp: p => p.at - 10 };

// The one player that has the keyboard.
let active = null;
addEventListener("keydown", e => {
  const own = e.target.closest && e.target.closest("input, select, textarea, summary, pre");
  const moves_page = !(e.target.closest && e.target.closest(".player")) && ["ArrowDown", "ArrowUp", "PageDown", "PageUp"].includes(e.key);
  if (!active || own || moves_page || e.ctrlKey || e.metaKey || e.altKey || !KEYS[e.key]) return;
  e.preventDefault();
  active.go(KEYS[e.key](active));
});

function now_view(trace, player, get) {
  const box = h("div", { class: "now", "aria-live": "off" });
  player.watch(p => {
    const step = p ? trace.steps[p - 1] : null;
    const before = step && !step.refused ? get(p - 1) : null, state = get(step && step.refused ? p - 1 : p);
    const title = step ? [h("span", { class: "no" }, p), " ", event_chip(step, step.lane || (trace.lanes || []).length + 1), " ",
      h("small", {}, step.refused ? "is not allowed here" : step.visible ? "" : "internal", step.delay && step.delay !== "0" ? ` after a delay of ${step.delay}` : "")] : "The initial state";
    box.replaceChildren(...[h("h3", {}, title), clocks_view(trace, p), state_view(trace.functions || [], state, before), step ? excerpt(step.at, 3) : null].filter(Boolean));
  });
  return box;
}

function word_view(trace, player) {
  const words = trace.steps.map((s, i) => ({ s, i })).filter(x => x.s.visible);
  if (!words.length || words.length > 200 || trace.processes) return null;
  const list = h("p", { class: "word" }, h("span", { class: "label" }, "word"), words.map(x => [" ", h("button", { type: "button", class: "letter" + (x.s.refused ? " refused" : ""), "data-step": x.i + 1, on: { click: () => player.go(x.i + 1) } }, is_spelled(trace.functions || []) ? x.s.text : x.s.label)]));
  player.watch(p => list.querySelectorAll(".letter").forEach(b => b.classList.toggle("now", Number(b.dataset.step) === p)));
  return list;
}

// A whole run. `entry` has trace and reason.
function trace_view(entry) {
  const trace = entry.trace, player = player_of(trace), get = states_of(trace);
  const go = p => { player.go(p); box.querySelector(".rows").scrollIntoView({ block: "nearest" }); };
  const { box: lanes, list } = lane_list(trace, player);
  const box = h("div", { class: "player", tabindex: "-1" }, word_view(trace, player), trace.processes ? timed_view(trace, player, get) : lasso(trace, player), controls(player, "step"),
    h("div", { class: "both" }, lanes, now_view(trace, player, get)));
  player.watch(p => list.select(p));
  player.watch(p => note("step", p));
  const why = why_view(entry, go);
  const whole = h("div", {}, why ? h("div", { class: "sub" }, h("h3", {}, entry.verdict === "violated" || trace.steps.some(s => s.refused) ? "Why" : "What"), why) : null, box);
  return {
    node: whole, player,
    show(p) { active = player; player.go(p === null || p === undefined || Number.isNaN(p) ? player.n : p); list.place(); },
  };
}
