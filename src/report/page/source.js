// SPDX-License-Identifier: Apache-2.0
// The texts of the model: highlighted, with lines that can be pointed at.

const WORDS = new Set(("action actor alias array assert assume assert axiom bag begin bool boolean broadcast by case chan choose clear clock " +
  "clearset clock commit const cover deadlock_free def derived do double else elsif end endfor endfunction endif endprocedure endrecord " +
  "endrule endruleset endstartstate endswitch endwhile enum error exists expect external false for forall from function guard if immutable individual in init " +
  "init int internal invariant isundefined lemma livelock_free meets meta modifies multiset mutable named new obstruction_free of old package param " +
  "proc procedure process programflow property put reaches real record refines rel relation return rule ruleset safety scalarset schema select " +
  "set size sketch sort startstate state step struct switch sync synonym system sum switch theorem then to trans transition true twostate type " +
  "typedef undefine undefined union urgent use var wait_free when where while zerostate").split(" "));

// Comments, strings, numbers, words, the rest.
const TOKEN = /(\/\/[^\n]*|--[^\n]*|\/\*[^]*?\*\/|#[^\n]*)|("(?:\\.|[^"\\\n])*")|(\b\d+\b)|([A-Za-z_]\w*)|([^A-Za-z_0-9"\/#-]+|.)/g;

function lines(text, language) {
  const out = [h("span", { class: "line" })];
  const put = (piece, name) => piece.split("\n").forEach((part, i) => {
    if (i) out.push(h("span", { class: "line" }));
    if (part) out[out.length - 1].append(name ? h("span", { class: name }, part) : visible(part));
  });
  for (const [all, comment, string, number, word] of text.matchAll(TOKEN)) {
    const is_comment = comment && !(comment[0] === "#" && language !== "pyv") && !(comment.startsWith("--") && language !== "m");
    if (comment && !is_comment) put(all);
    else if (comment) put(all, "c");
    else if (string) put(all, "s");
    else if (number) put(all, "n");
    else if (word && WORDS.has(word.toLowerCase())) put(all, "k");
    else put(all);
  }
  return out;
}

const language = file => (/\.(\w+)$/.exec(file) || [])[1] || "";
const known = new Map();

// The source that has a line of a file, as { first, lines }; null: the page does not have it.
function source_of(file, line) {
  const parts = (D.sources || []).filter(s => s.file === file && s.text !== null);
  const part = parts.filter(s => s.line <= line).pop() || parts[0];
  if (!part) return null;
  if (!known.has(part)) known.set(part, lines(part.text, language(file)));
  return { first: part.line, lines: known.get(part) };
}

// Some lines around a place, which is marked.
function excerpt(at, around) {
  const found = at && source_of(at.file, at.line);
  if (!found) return null;
  const mark = at.line - found.first;
  const from = Math.max(0, mark - around), to = Math.min(found.lines.length, mark + around + 1);
  const list = h("ol", { class: "code", start: found.first + from });
  for (let i = from; i < to; i++)
    list.append(h("li", { class: i === mark ? "here" : null, value: found.first + i }, found.lines[i].cloneNode(true)));
  return h("figure", { class: "excerpt" }, h("figcaption", {}, code(at.file + ":" + at.line)), list);
}

function whole_source(part) {
  const caption = h("summary", {}, code(part.file), part.text === null ? " (too large to be shown)" : "");
  if (part.text === null) return h("details", {}, caption);
  const box = h("details", { class: "source" }, caption);
  let is_made = false;
  const make = () => {
    if (is_made) return;
    is_made = true;
    const list = h("ol", { class: "code", start: part.line });
    lines(part.text, language(part.file)).forEach(line => list.append(h("li", {}, line)));
    box.append(list);
  };
  box.addEventListener("toggle", () => { if (box.open) make(); });
  return box;
}

function sources_section() {
  const all = (D.sources || []).filter((s, i, list) => list.findIndex(o => o.file === s.file && o.line === s.line) === i);
  return all.length ? section("model", all.length === 1 ? (levels_asked().length || D.specification !== undefined ? "The history" : "The model") : "The files that were read", all.map(whole_source)) : null;
}
