// SPDX-License-Identifier: Apache-2.0
// How the answer was found: figures, states by depth, how often rules fired, growth over sizes, the command.

function figures(o) {
  const rows = [];
  const add = (name, text) => rows.push(h("div", {}, h("dt", {}, name), h("dd", {}, text)));
  const counted = { orbits: "states up to symmetry", representatives: "representatives", states: "states" }[o.counted] || "states";
  if (o.states) add(counted, count(o.states));
  if (o.transitions) add("transitions", count(o.transitions));
  if (o.depth) add("depth", count(o.depth));
  if (o.seconds !== undefined) add("time", seconds(o.seconds));
  if (o.memory_bytes) add("memory", bytes(o.memory_bytes));
  if (o.state_bits) add("bits of a state", count(o.state_bits));
  if (o.engine) add("engine", o.engine);
  if (o.threads) add("cores", count(o.threads));
  if (o.omission_probability) add("probability that a state was missed", o.omission_probability.toExponential(1));
  return rows.length ? h("dl", { class: "figures" }, rows) : null;
}

// Bars from left to right; `list` of { name, n }.
function columns_chart(list, what) {
  const most = Math.max(...list.map(x => x.n), 1), wide = 1060, high = 150, w = wide / list.length;
  return h("figure", { class: "chart" }, svg("svg", { viewBox: `0 0 ${wide + 60} ${high + 34}`, role: "img", "aria-label": what },
    svg("text", { x: 52, y: 12, class: "end" }, count(most)), svg("path", { class: "axis", d: `M56 ${high}H${wide + 56}` }),
    list.map((x, i) => svg("rect", { class: "column", x: 57 + i * w, width: Math.max(0.5, w - (w > 4 ? 1.5 : 0)), y: high - (high - 6) * x.n / most, height: (high - 6) * x.n / most },
      svg("title", {}, `${x.name}: ${count(x.n)}`))),
    list.map((x, i) => i % Math.ceil(list.length / 14) === 0 ? svg("text", { x: 57 + i * w + w / 2, y: high + 16, class: "middle" }, x.short ?? x.name) : null)));
}

function levels_view(o) {
  if (!o.states_by_depth || o.states_by_depth.length < 2) return null;
  return h("div", { class: "sub" }, h("h3", {}, "New states at each depth"), columns_chart(o.states_by_depth.map((n, i) => ({ name: "depth " + i, short: i, n })), "new states at each depth"));
}

// How often each rule fired, with those that never did in red.
function rules_view(rules) {
  if (!rules || !rules.length) return null;
  const most = Math.max(...rules.map(r => r.fired), 1);
  const part = n => n ? Math.max(1, 100 * Math.log1p(n) / Math.log1p(most)) : 0;
  const rows = rules.map(r => {
    const bar = h("span", { class: "bar" });
    bar.style.width = part(r.fired) + "%";
    return h("tr", { class: r.fired ? null : "never" }, h("th", { scope: "row" }, r.name), h("td", { class: "num" }, r.fired ? count(r.fired) : "never fired"), h("td", { class: "wide" }, bar));
  });
  const never = rules.filter(r => !r.fired).length;
  return h("div", { class: "sub" }, h("h3", {}, "How often each rule fired", never ? h("small", { class: "bad" }, plural(never, "rule") + " never fired") : null),
    h("table", { class: "bars" }, h("tbody", {}, rows)), h("p", { class: "caption" }, "The length of a bar is the logarithm of the number."));
}

function growth_view(runs) {
  if (!runs || runs.length < 2) return null;
  const most = Math.max(...runs.map(r => r.states || 0), 1), has_minimal = runs.some(r => r.minimal_states);
  const rows = runs.map(r => {
    const bar = h("span", { class: "bar" });
    bar.style.width = Math.max(1, 100 * Math.log1p(r.states || 0) / Math.log1p(most)) + "%";
    return h("tr", {}, h("th", { scope: "row" }, r.scope), h("td", {}, r.verdict ? pill(r.verdict) : null), h("td", { class: "num" }, count(r.states || 0)), has_minimal ? h("td", { class: "num" }, r.minimal_states ? count(r.minimal_states) : "") : null, h("td", { class: "num" }, count(r.transitions || 0)),
      h("td", { class: "num" }, count(r.depth || 0)), h("td", { class: "num" }, seconds(r.seconds || 0)), h("td", { class: "num" }, bytes(r.memory_bytes || 0)), h("td", { class: "wide" }, bar));
  });
  return h("div", { class: "sub" }, h("h3", {}, "Growth over sizes"), h("div", { class: "scroll" }, h("table", { class: "bars" },
    h("thead", {}, h("tr", {}, ["size", "verdict", "states", has_minimal ? "minimal" : null, "transitions", "depth", "time", "memory", ""].map((t, i) => t === null ? null : h("th", { scope: "col", class: i > 1 && t ? "num" : null }, t)))), h("tbody", {}, rows))));
}

function doubts_view(list) {
  if (!list || !list.length) return null;
  return h("div", { class: "sub notice" }, h("h3", {}, "What makes this say less than it seems to"), h("ul", {}, list.map(d => h("li", {}, prose(d.text)))));
}

function checks_view(checks) {
  if (!checks) return null;
  return h("p", { class: "caption" }, "The search tested what it relies on: ", Object.entries(checks).map(([what, c], i) =>
    [i ? ", " : "", what, " on ", plural(c.samples, "state"), c.failure ? h("span", { class: "bad" }, " (" + c.failure + ", switched off)") : ""]), ".");
}

const quoted = word => /^[\w.,:=/+@%-]+$/.test(word) ? word : "'" + word.replace(/'/g, "'\\''") + "'";

function command_view() {
  const words = (D.arguments || []).map(quoted).join(" ");
  return h("div", { class: "sub" }, h("h3", {}, "The command"), h("pre", { class: "command", tabindex: "0" }, words), h("p", { class: "caption" }, `Parvis ${version_text()}, exit code ${D.exit_code}`));
}

function messages_view(list, what) {
  if (!list || !list.length) return null;
  return h("div", { class: "sub notice" }, h("h3", {}, what), h("ul", {}, list.map(m => h("li", {}, m.file ? [code(`${m.file}:${m.line}:${m.column}`), ": "] : null, prose(m.message), m.notes.map(n => h("div", {}, n.message))))));
}

function run_section() {
  const last = D.runs && D.runs.length ? D.runs[D.runs.length - 1] : D;
  const rules = D.rules || last.rules;
  const has_search = D.states !== undefined;
  const kids = [figures(D), checks_view(D.self_check), levels_view(D.states_by_depth ? D : last), rules_view(rules), growth_view(D.runs), messages_view(D.warnings, "Warnings"), command_view()];
  return section("run", has_search ? "The search" : "How it was made", kids.filter(Boolean));
}
