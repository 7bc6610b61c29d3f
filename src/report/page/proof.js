// SPDX-License-Identifier: Apache-2.0
// A proof for all sizes: what it rests on, lemma by lemma; and where there is none, what stands in the way.

const KINDS = { found: "found", assume: "assumption", property: "the property" };

const literal_chip = l => h("span", { class: "literal " + (l.holds ? "is" : "not") }, l.holds ? "" : h("b", {}, "not "), l.text);

// Literals about cells as the small state that they are: variables stand for elements, and a cell that the lemma does
// not speak of is empty.
function small_state(literals) {
  const elements = new Map(), functions = new Map(), state = {}, at = (name, args) => name + "(" + args.join(",") + ")";
  for (const l of literals) {
    l.sorts.forEach((sort, i) => { if (!elements.has(sort)) elements.set(sort, []); if (!elements.get(sort).includes(l.arguments[i])) elements.get(sort).push(l.arguments[i]); });
    if (!functions.has(l.function)) functions.set(l.function, { name: l.function, arguments: l.sorts, kind: l.value === undefined ? "bool" : "text", is_partial: true });
    state[at(l.function, l.arguments)] = l.value === undefined ? l.holds : (l.holds ? "" : "not ") + l.value;
  }
  for (const f of functions.values()) f.cells = f.arguments.reduce((rows, sort) => rows.flatMap(r => elements.get(sort).map(e => r.concat(e))), [[]]).map(args => ({ cell: at(f.name, args), args }));
  return h("div", { class: "part small-state" }, functions_tables([...functions.values()], state, null));
}

// What a lemma excludes. One cell can have several literals ("not a" and "not b"): then there is no one state to draw.
function ruled_out(list) {
  if (!list || !list.length || list.length > 12) return null;
  const drawn = list.filter(l => l.function !== undefined), rest = list.filter(l => l.function === undefined);
  const is_clear = new Set(drawn.map(l => l.function + "(" + l.arguments + ")")).size === drawn.length && drawn.length <= 8;
  const shown = is_clear ? rest : list;
  return h("div", { class: "never-together" }, h("span", { class: "label" }, "never"), is_clear && drawn.length ? small_state(drawn) : null, shown.length && drawn.length && is_clear ? h("span", { class: "label" }, "with") : null,
    shown.map(l => l.same && !l.holds ? h("span", { class: "literal is" }, l.same.join(" ≠ ")) : literal_chip(l)));
}

const lemma_names = lemmas => lemmas.map((l, i) => l.name || "L" + (i + 1));

function lemma_card(l, name, is_wide) {
  const needs = l.rules ? l.rules.map(r => h("span", { class: "chip" }, r)) : [];
  if (l.for_property) needs.push(h("span", { class: "chip seen" }, "the property"));
  return h("li", { class: "lemma", id: "lemma-" + name }, h("div", { class: "lemma-name" }, h("b", {}, name), h("small", {}, l.assumed ? "taken for granted" : KINDS[l.kind] || l.kind)),
    h("div", {}, l.words ? h("p", { class: "says-words" }, prose(l.words), ".") : null, h("pre", { class: "formula", tabindex: "0" }, l.shown || l.formula), ruled_out(l.rules_out),
      l.views ? h("p", { class: "caption" }, `needed in ${count(l.views.needed)} of ${count(l.views.tried)} views`) : null,
      l.rules && is_wide ? h("p", { class: "needs" }, h("span", { class: "label" }, needs.length ? "needed by" : "part of the invariant; nothing else needs it"), " ", needs.map((n, i) => [i ? " " : "", n])) : null));
}

// Rules across, lemmas down.
function needs_matrix(lemmas, names) {
  const known = lemmas.filter(l => l.rules);
  const rules = [...new Set(known.flatMap(l => l.rules))], has_property = known.some(l => l.for_property);
  if (!rules.length) return null;
  const dot = is => is ? h("td", { class: "v on" }, "●", h("span", { class: "unseen" }, "needs")) : h("td", { class: "v off" }, "·");
  return h("div", { class: "sub" }, h("h3", {}, "Which rule needs which lemma"), h("div", { class: "scroll" }, h("table", { class: "cells needs-matrix" },
    h("thead", {}, h("tr", {}, h("th", { class: "corner" }), rules.map(r => h("th", { scope: "col" }, h("span", {}, r))), has_property ? h("th", { scope: "col" }, h("span", {}, "property")) : null)),
    lemmas.map((l, i) => h("tr", {}, h("th", { scope: "row" }, names[i]), l.rules ? [rules.map(r => dot(l.rules.includes(r))), has_property ? dot(l.for_property) : null] : h("td", { class: "v", colspan: rules.length + 1 }, "not asked"))))),
    h("p", { class: "caption" }, "A rule needs a lemma if, without it, a step of the rule could lead to a state that another lemma excludes."));
}

// Fewer literals exclude more.
const strongest_first = lemmas => [...lemmas].sort((a, b) => ((a.rules_out || []).length || 99) - ((b.rules_out || []).length || 99) || a.formula.length - b.formula.length);

function obstacle_view(o, title) {
  const functions = o.functions || [];
  const kids = [h("h3", {}, title), h("p", { class: "reason" }, prose(o.what))];
  const sizes = Object.entries(o.sizes || {}).map(([k, v]) => `${k}=${v}`).join(", ");
  kids.push(h("p", { class: "caption" }, "Every lemma holds in this state", sizes ? ` (${sizes})` : "", ", whether or not it can be reached."));
  const before = h("div", { class: "obstacle-state" }, h("h4", {}, o.after ? "The state before the step" : "The state"), state_view(functions, o.before, null));
  const after = o.after ? h("div", { class: "obstacle-state" }, h("h4", {}, "The state after it"), state_view(functions, o.after, o.before)) : null;
  const step = o.step ? h("div", { class: "obstacle-step" }, h("span", { class: "chip seen" + (o.after ? "" : " refused") }, o.step, o.after ? "" : " ✗"), h("span", { class: "arrow" }, "→")) : null;
  kids.push(h("div", { class: "obstacle" }, before, step, after));
  if (o.at) kids.push(excerpt(o.at, 3));
  if (o.proposal) kids.push(h("div", { class: "notice" }, h("h3", {}, "What to try"),
    h("p", {}, "If this state cannot be reached, some part of it cannot. This lemma excludes it and everything like it; leave out what does not matter:"),
    h("pre", { class: "formula", tabindex: "0" }, o.proposal.lemma),
    o.proposal.schema ? [h("p", {}, "Or let the search fill in the blanks of a shape:"), h("pre", { class: "formula", tabindex: "0" }, o.proposal.schema)] : null));
  return h("div", { class: "sub" }, kids);
}

function proof_figures(p) {
  const s = p.statistics || {}, rows = [];
  const add = (name, n) => n ? rows.push(h("div", {}, h("dt", {}, name), h("dd", {}, typeof n === "string" ? n : count(n)))) : null;
  add("states explored", s.states); add("candidates", s.candidates); add("true in the instance", s.invariants); add("rounds", s.iterations); add("questions", s.queries);
  add("states excluded", s.blocked); add("lemmas dropped", s.dropped); add("time", s.seconds !== undefined ? seconds(s.seconds) : null);
  return rows.length ? h("dl", { class: "figures" }, rows) : null;
}

function proof_section(p, i) {
  const needed = p.lemmas.filter(l => l.needed), rest = p.lemmas.filter(l => !l.needed), names = lemma_names(needed);
  const kids = [];
  if (p.verdict === "unknown" && p.reason) kids.push(h("p", { class: "reason unsure" }, prose(p.reason)));
  if (p.rests_on) kids.push(h("p", { class: "notice" }, prose(p.rests_on)));
  if (p.stratified === false && p.fragment) kids.push(h("p", { class: "caption" }, "Outside the decidable fragment: ", p.fragment));
  if (p.verdict === "holds" && needed.length)
    kids.push(h("p", {}, p.scope === "all sizes" ? `${needed.length === 1 ? "This formula holds" : `These ${needed.length} formulas hold`} at the beginning, every rule preserves ${needed.length === 1 ? "it" : "them together"}, and the property follows: for every size.`
      : `${needed.length === 1 ? "This lemma strengthens" : `These ${needed.length} lemmas strengthen`} the guards of an abstract model, in which all of them hold, and the property: for ${p.scope}.`));
  kids.push(doubts_view(p.doubts), proof_figures(p));
  if (needed.length) kids.push(h("ol", { class: "lemmas" }, needed.map((l, k) => lemma_card(l, names[k], true))), h("p", { class: "caption" }, "In these small states ● is true, · is false, and an empty cell may hold anything."), needs_matrix(needed, names));
  if (p.obstacle) kids.push(obstacle_view(p.obstacle, "What stands in the way"));
  if (p.proposed_lemma) kids.push(h("div", { class: "notice sub" }, h("h3", {}, "A lemma to try"), h("p", {}, "It excludes this state and holds in all states that were seen:"), h("pre", { class: "formula", tabindex: "0" }, p.proposed_lemma)));
  (p.further_obstacles || []).forEach(o => kids.push(obstacle_view(o, "And this")));
  if (rest.length) {
    const list = h("ol", { class: "lemmas" }, strongest_first(rest).map((l, k) => lemma_card(l, "I" + (k + 1), false)));
    kids.push(h("details", { class: "plain sub", open: p.verdict === "unknown" && rest.length <= 12 }, h("summary", {}, p.verdict === "unknown"
      ? `Inductive, but not enough: ${plural(rest.length, "lemma")}, the strongest first` : `${plural(rest.length, "further lemma")} that the proof does not need`), list));
  }
  const title = p.verdict === "holds" ? ["The proof of ", code(p.name)] : ["No proof of ", code(p.name)];
  return section("proof" + (i || ""), title, kids.filter(Boolean));
}

function proofs_sections() {
  return (D.properties || []).filter(p => p.lemmas && p.verdict !== "violated").map(proof_section);
}

// ---- certificates

function recheck_section() {
  const list = D.proofs || D.claims;
  if (D.command !== "recheck" || !list) return null;
  const rows = list.map(p => h("tr", {}, h("th", { scope: "row" }, p.property || p.name || p.claim || "claim"), h("td", {}, h("span", { class: "pill " + (p.confirmed ? "confirmed" : "violated") }, p.confirmed ? "confirmed" : "not confirmed")),
    h("td", {}, p.prover || ""), h("td", { class: "num" }, p.obligations !== undefined ? `${count(p.proved)} of ${count(p.obligations)}` : p.states !== undefined ? plural(p.states, "state") : ""),
    h("td", { class: "num" }, p.seconds !== undefined ? seconds(p.seconds) : ""), h("td", { class: "wide" }, p.first_failure || p.reason || "")));
  const lemmas = list.filter(p => p.lemmas && p.lemmas.length).map(p => h("details", { class: "plain sub", open: list.length === 1 && p.lemmas.length <= 30 },
    h("summary", {}, `What ${p.prover} ${p.confirmed ? "confirmed" : "was asked about"} for `, code(p.property), `: ${plural(p.lemmas.length, "formula")}`, p.confirmed ? (p.lemmas.length === 1 ? " that holds at the beginning, is preserved by every rule, and implies it" : " that hold at the beginning, are preserved by every rule, and imply it") : ""),
    h("ol", { class: "confirmed-lemmas" }, p.lemmas.map(l => h("li", {}, h("pre", { class: "formula", tabindex: "0" }, l))))));
  return section("recheck", D.confirmed ? "Confirmed" : "Not confirmed", h("div", { class: "scroll" }, h("table", { class: "list" },
    h("thead", {}, h("tr", {}, ["property", "", "by", "shown", "time", ""].map((t, i) => h("th", { scope: "col", class: i === 3 || i === 4 ? "num" : null }, t)))), h("tbody", {}, rows))), lemmas);
}
