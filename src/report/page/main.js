// SPDX-License-Identifier: Apache-2.0
// The page: a head with the verdict, the parts that this answer has, and the model.

const D = JSON.parse(document.getElementById("answer").textContent);

const version_text = () => D.parvis + (D.commit && D.commit !== "unknown" ? ` (${D.commit})` : "");
const base_name = path => String(path || "").split("/").pop();
const scope_text = scope => !scope ? "" : scope === "all sizes" ? " for all sizes" : " for " + scope;

// Every property that has a run, or a run that stands alone.
function runs_of() {
  const list = (D.properties || []).filter(p => p.trace).map(p => Object.assign({ title: p.name }, p));
  if (!list.length && D.trace) list.push({ title: D.trace.property || D.trace.system, trace: D.trace, reason: D.reason, verdict: D.verdict });
  return list;
}

// Properties with an answer: `show` has only names.
const answered = () => (D.properties || []).filter(p => p.verdict);

function headline() {
  const props = answered();
  if (expected_rows().length) return tests_headline();
  if (props.length === 1) return [code(props[0].name), " ", h("span", { class: "says " + props[0].verdict }, props[0].verdict === "unknown" ? "is not decided" : props[0].verdict === "holds" ? "holds" : "is violated"), D.command === "prove" && props[0].verdict === "unknown" ? "" : scope_text(props[0].scope)];
  if (props.length) {
    const n = v => props.filter(p => p.verdict === v).length, parts = [];
    if (n("holds")) parts.push(h("span", { class: "says holds" }, n("holds") + " hold" + (n("holds") === 1 ? "s" : "")));
    if (n("violated")) parts.push(h("span", { class: "says violated" }, n("violated") + (n("violated") === 1 ? " is violated" : " are violated")));
    if (n("unknown")) parts.push(h("span", { class: "says unknown" }, n("unknown") + (n("unknown") === 1 ? " is not decided" : " are not decided")));
    return [plural(props.length, "property", "properties"), ": ", parts.flatMap((p, i) => i ? [", ", p] : [p]), scope_text(D.scope)];
  }
  const levels = levels_asked(), held = levels.filter(l => l.verdict === "holds");
  if (levels.length) return [D.file ? code(base_name(D.file)) : "The recorded run", " ", held.length ? [h("span", { class: "says holds" }, "satisfies ", LEVELS[held[0].level] || held[0].level), held.length < levels.length ? [", ", h("span", { class: "says " + D.verdict }, D.verdict === "violated" ? "but not every level" : "the rest is not decided")] : ""]
    : h("span", { class: "says " + D.verdict }, D.verdict === "unknown" ? "is not decided" : levels.length === 1 ? "violates " + (LEVELS[levels[0].level] || levels[0].level) : "has none of these levels")];
  if (D.command === "recheck" && D.confirmed !== undefined) return [code(base_name(D.file)), " ", h("span", { class: "says " + (D.confirmed ? "holds" : "unknown") }, D.confirmed ? "is confirmed" : "is not confirmed")];
  if (D.command === "minimize" && D.system) return [code(D.system), ": minimal automaton of ", plural(D.minimal_states, "state"), scope_text(D.scope)];
  return [code(base_name(D.file)), D.verdict ? [" ", h("span", { class: "says " + D.verdict }, D.verdict)] : ""];
}

// Light or dark: as the system prefers, and as the reader chooses from then on.
function theme_button() {
  const root = document.documentElement, wish = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => { root.dataset.theme = wish.matches ? "dark" : "light"; };
  wish.addEventListener("change", follow);
  follow();
  return h("button", { type: "button", class: "theme", title: "light or dark", "aria-label": "change between light and dark", on: { click: () => {
    wish.removeEventListener("change", follow);
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  } } }, "◐");
}

// A comparison has two files: those of its arguments that were read.
function files_text() {
  const read = new Set((D.sources || []).map(s => s.file)), given = D.command === "compare" ? (D.arguments || []).filter(a => [...read].some(f => f === a || f.endsWith("/" + a))) : [];
  return given.length > 1 ? given.join(" · ") : D.file;
}

function head() {
  return h("header", {}, h("p", { class: "over" }, h("span", {}, "Parvis ", D.command), D.file ? [" · ", code(files_text())] : null, theme_button()), h("h1", {}, headline()));
}

function properties_section(runs, choose) {
  const props = answered();
  if (props.length < 2) return null;
  const has_scope = props.some(p => p.scope);
  const rows = props.map(p => {
    const i = runs.findIndex(r => r.name === p.name);
    return h("tr", { class: i >= 0 ? "has-run" : null }, h("th", { scope: "row" }, i >= 0 ? h("button", { type: "button", class: "link", "data-run": i, on: { click: () => choose(i) } }, p.name) : p.name), h("td", {}, pill(p.verdict)),
      has_scope ? h("td", {}, p.scope) : null, h("td", { class: "num" }, p.states ? count(p.states) : ""), h("td", { class: "wide" }, p.reason ? prose(p.reason) : ""));
  });
  return section("properties", "Properties", h("div", { class: "scroll" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["name", "verdict", has_scope ? "for" : null, "states", ""].map(t => t === null ? null : h("th", { scope: "col", class: t === "states" ? "num" : null }, t)))), h("tbody", {}, rows))));
}

function traces_section(runs) {
  if (!runs.length) return { node: null, choose() {} };
  const box = h("div"), title = h("span"), word = h("span"), made = new Map();
  let current = -1;
  const choose = (i, p) => {
    if (i === current) return;
    current = i;
    if (!made.has(i)) made.set(i, trace_view(runs[i]));
    const view = made.get(i);
    box.replaceChildren(view.node);
    word.replaceChildren(runs[i].verdict === "violated" ? "The counterexample" : "The run");
    title.replaceChildren(" of ", code(runs[i].title));
    note("trace", runs.length > 1 ? i + 1 : null);
    document.querySelectorAll("[data-run]").forEach(b => b.setAttribute("aria-pressed", Number(b.dataset.run) === i));
    view.show(p);
  };
  return { node: section("trace", runs.length > 1 ? [word, title] : word, box), choose };
}

function page() {
  const runs = runs_of(), traces = traces_section(runs), violation = violation_section(), graph = graph_section(), first = address();
  const parts = [head(), properties_section(runs, i => { traces.choose(i); traces.node.scrollIntoView(); }), doubts_view(D.doubts), tests_section(), levels_section(i => violation.choose(i)), violation.node, recorded_order_section(), comparison_section(), traces.node, graph.node, text_section(), ...proofs_sections(), recheck_section(), run_section(), sources_section(),
    h("footer", {}, "Made by Parvis ", version_text(), ". This file is complete: it loads nothing and sends nothing. ", runs.length ? "Keys: ← → for one step, Home and End." : "")];
  document.getElementById("page").append(...parts.filter(Boolean));
  document.title = visible(`${base_name(D.file)}: ${D.verdict || D.command}`);
  const at = () => { const a = address(), i = Number(a.get("trace")) - 1; return [i >= 0 && i < runs.length ? i : Math.max(0, runs.findIndex(r => r.verdict === "violated")), a.has("step") ? Number(a.get("step")) : null]; };
  violation.begin();
  graph.begin();
  if (runs.length) {
    const step = first.has("step") ? Number(first.get("step")) : null;
    traces.choose(at()[0], step);
    addEventListener("hashchange", () => { const [i, p] = at(); traces.choose(i, p); if (active && p !== null) active.go(p); });
  }
  document.documentElement.dataset.ready = "yes";
}

page();
