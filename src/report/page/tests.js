// SPDX-License-Identifier: Apache-2.0
// What became of expectations: all of them, those that were not met first.

const OUTCOMES = { met: "holds", failed: "violated", unknown: "unknown", error: "violated" };
const WORSE = ["error", "failed", "unknown", "met"];

const expected_rows = () => D.command === "test" && Array.isArray(D.tests) ? D.tests : [];

function tests_headline() {
  const rows = expected_rows(), n = o => rows.filter(r => r.outcome === o).length;
  const part = (o, text) => n(o) ? [h("span", { class: "says " + OUTCOMES[o] }, count(n(o)) + " " + text)] : [];
  const parts = [...part("met", "met"), ...part("failed", "failed"), ...part("unknown", "not decided"), ...part("error", "with errors")];
  return [plural(rows.length, "expectation"), ": ", parts.flatMap((p, i) => i ? [", ", p] : [p])];
}

function tests_section() {
  const rows = [...expected_rows()].sort((a, b) => WORSE.indexOf(a.outcome) - WORSE.indexOf(b.outcome));
  if (!rows.length) return null;
  const row = t => h("tr", { class: t.outcome === "met" ? null : "not-met" }, h("td", {}, h("span", { class: "pill " + OUTCOMES[t.outcome] }, t.outcome)), h("th", { scope: "row" }, t.name || "reading the file"),
    h("td", {}, t.expected || ""), h("td", { class: "wide" }, t.outcome === "met" ? "" : t.found), h("td", { class: "num" }, seconds(t.seconds)), h("td", { class: "num" }, code(`${base_name(t.file)}:${t.line}`)));
  return section("tests", "Expectations", h("div", { class: "scroll" }, h("table", { class: "list" }, h("thead", {}, h("tr", {}, ["", "property", "expected", "found", "time", "at"].map(t => h("th", { scope: "col", class: t === "time" || t === "at" ? "num" : null }, t)))), h("tbody", {}, rows.map(row)))));
}
