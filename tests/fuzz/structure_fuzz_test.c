// SPDX-License-Identifier: Apache-2.0
// Every reader on texts that are large, deep or strange in one respect: for each format a table of shapes, each made at
// random sizes (mostly small, some large), with hostile names, and now and then damaged. What is read gets an instance
// and a search of a few hundred states, of zones if it is timed; of .pyv files some are proved. Nothing crashes,
// everything is taken or gets a message, a text takes no more than SECONDS_MOST of processor time, and all of them
// together no more than BYTES_MOST of address space. Files that only the program reads, and its arguments, are tried
// by golden/hostile. The seed is fixed; PARVIS_SEED takes another, PARVIS_LONG=1 makes 5
// million of them (and the fuzzers of bytes another 5), PARVIS_COUNT so many.
#include "oracle/unit.h"

#include "base/clock.h"
#include "base/rng.h"
#include "base/stack.h"
#include "explore/explore.h"
#include "front/ix/ix.h"
#include "front/murphi/murphi.h"
#include "front/pv/pv.h"
#include "front/pyv/pyv.h"
#include "front/xta/xta.h"
#include "history/history.h"
#include "history/interchange.h"
#include "infer/infer.h"
#include "model/instance.h"
#include "oracle/part.h"
#include "zone/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { SMALL = 40, LARGE = 3000, SECONDS_MOST = 20, STATES_MOST = 300 };
#define BYTES_MOST ((rlim_t)4 << 30)

typedef enum { PV, MURPHI, XTA, XML, QUERY, PYV, IX, HIST, JSON, FORMATS } format;

static const char *const format_names[FORMATS] = {".pv", ".m", ".xta", ".xml", ".q", ".pyv", ".ix", ".hist", ".json"};

// before, the item n times with `between` in between, middle, closing n times, after. In an item # is its number, @ the
// number before it; anywhere $ is a name, the same throughout the text.
typedef struct {
    format in;
    const char *before, *item, *between, *middle, *closing, *after;
} text_shape;

#define M_HEAD   "var x: 0..3; b: boolean; startstate x := 0; b := true; end;\n"
#define M_TAIL   " rule \"go\" x < 3 ==> x := x + 1; end; invariant \"i\" x < 4;"
#define M_COND   M_HEAD "invariant \"j\" "
#define M_BODY   M_HEAD "rule \"r\" true ==> "
#define PV_HEAD  "sort T\nsystem S {\n rel p(T)\n var x: 0..3\n"
#define PV_TAIL  " action go(t: T) when !p(t) { p(t) := true }\n invariant i: x < 4\n}\n"
#define X_HEAD   "int[0,3] x; clock c; chan a; "
#define X_PROC   "process P() { state A { c <= 5 }, B; init A; trans A -> B { guard c >= 1; assign x = 1; }"
#define X_TAIL   "; } system P;"
#define PYV_HEAD "sort t\nmutable relation p(t)\ninit !p(X)\n"
#define PYV_TAIL "\ntransition go(a: t)\n modifies p\n new(p(X)) <-> p(X) | X = a\n"
#define XML_HEAD "<?xml version='1.0'?><nta><declaration>int x; clock c;"
#define XML_TAIL "</template><system>system P;</system></nta>"

static const text_shape shapes[] = {
    {MURPHI, M_COND, "b", " & ", ";", "", M_TAIL},
    {MURPHI, M_COND, "x", " + ", " < 900;", "", M_TAIL},
    {MURPHI, M_COND, "x", " - ", " < 900;", "", M_TAIL},
    {MURPHI, M_COND, "b", " = ", ";", "", M_TAIL},
    {MURPHI, M_COND, "b", " -> ", ";", "", M_TAIL},
    {MURPHI, M_COND, "(", "", "b", ")", ";" M_TAIL},
    {MURPHI, M_COND, "!", "", "b", "", ";" M_TAIL},
    {MURPHI, M_COND, "- ", "", "x < 5", "", ";" M_TAIL},
    {MURPHI, M_COND, "b ? b : ", "", "b", "", ";" M_TAIL},
    {MURPHI, M_COND, "forall i#: 0..0 do ", "", "b", " end", ";" M_TAIL},
    {MURPHI, M_COND, "exists i: 0..# do ", "", "i < 9", " end", ";" M_TAIL},
    {MURPHI, M_BODY, "x := (x + 1) % 4;", " ", "end;", "", M_TAIL},
    {MURPHI, M_BODY, "if b then ", "", "b := !b;", " end;", "end;" M_TAIL},
    {MURPHI, M_BODY "if b then b := b; ", "elsif x = # then x := 0; ", "", "end; end;", "", M_TAIL},
    {MURPHI, M_BODY "switch x ", "case #: x := 0; ", "", "end; end;", "", M_TAIL},
    {MURPHI, M_BODY, "for i#: 0..0 do ", "", "b := !b;", " end;", "end;" M_TAIL},
    {MURPHI, M_BODY, "while x > 9 do ", "", "x := 0;", " end;", "end;" M_TAIL},
    {MURPHI, M_BODY, "alias a#: x do ", "", "x := 0;", " end;", "end;" M_TAIL},
    {MURPHI, M_HEAD, "rule \"r#\" x = # ==> x := 0; end;", " ", "", "", M_TAIL},
    {MURPHI, M_HEAD, "rule \"$\" b ==> b := !b; end;", " ", "", "", M_TAIL},
    {MURPHI, M_HEAD, "invariant \"$#\" b;", " ", "", "", M_TAIL},
    {MURPHI, M_HEAD, "startstate \"s#\" x := 1; b := false; end;", " ", "", "", M_TAIL},
    {MURPHI, M_HEAD "ruleset ", "p#: 0..0", "; ", " do rule \"q\" b ==> b := !b; end; end;", "", M_TAIL},
    {MURPHI, M_HEAD, "ruleset p#: 0..0 do ", "", "rule \"q\" b ==> b := !b; end;", " end;", M_TAIL},
    {MURPHI, "const ", "c#: #;", " ", M_HEAD, "", M_TAIL},
    {MURPHI, "const k0: 1; ", "k#: k@ * 2;", " ", M_HEAD, "", M_TAIL},
    {MURPHI, "type ", "t#: 0..#;", " ", M_HEAD, "", M_TAIL},
    {MURPHI, "type t0: boolean; ", "t#: record a: t@; b: t@; end;", " ", M_HEAD, "", M_TAIL},
    {MURPHI, "type t0: boolean; ", "t#: array[0..1] of t@;", " ", M_HEAD, "", M_TAIL},
    {MURPHI, "type e: enum { ", "l#", ", ", " };" M_HEAD, "", M_TAIL},
    {MURPHI, "type e: enum { ", "$", ", ", " };" M_HEAD, "", M_TAIL},
    {MURPHI, "type s: scalarset(#); ", "u#: scalarset(2);", " ", M_HEAD, "", M_TAIL},
    {MURPHI, "var ", "v#: boolean;", " ", M_HEAD, "", M_TAIL},
    {MURPHI, "var $: 0..", "9", "", ";" M_HEAD, "", M_TAIL},
    {MURPHI, "var $: -", "9", "", "..0;" M_HEAD, "", M_TAIL},
    {MURPHI, "var v: ", "array[0..0] of ", "", "boolean;" M_HEAD, "", M_TAIL},
    {MURPHI, "var v: ", "record a: ", "", "boolean;", " end;", M_HEAD M_TAIL},
    {MURPHI, "var v: record ", "f#: boolean;", " ", " end;" M_HEAD, "", M_TAIL},
    {MURPHI, "var v: multiset[", "1", "", "] of boolean;" M_HEAD, "", M_TAIL},
    {MURPHI, M_HEAD "function f0(y: boolean): boolean; begin return y; end; ",
     "function f#(y: boolean): boolean; begin return f@(y); end;", " ", "", "", M_TAIL},
    {MURPHI, M_HEAD "procedure f0(); begin b := !b; end; ", "procedure f#(); begin f@(); f@(); end;", " ",
     "rule b ==> f9(); end;", "", M_TAIL},
    {MURPHI, "", "/*", "", M_HEAD, "*/", M_TAIL},
    {MURPHI, M_HEAD "rule \"", "$", "", "\" b ==> b := false; end;", "", M_TAIL},
    {PV, PV_HEAD " invariant j: ", "(forall t: T. p(t) | !p(t))", " & ", "\n", "", PV_TAIL},
    {PV, PV_HEAD " invariant j: ", "x", " + ", " < 900\n", "", PV_TAIL},
    {PV, PV_HEAD " invariant j: ", "x < 4", " -> ", "\n", "", PV_TAIL},
    {PV, PV_HEAD " invariant j: ", "x < 4", " <-> ", "\n", "", PV_TAIL},
    {PV, PV_HEAD " invariant j: ", "(", "", "true", ")", "\n" PV_TAIL},
    {PV, PV_HEAD " invariant j: ", "!", "", "true", "", "\n" PV_TAIL},
    {PV, PV_HEAD " invariant j: ", "forall t#: T. ", "", "p(t0)", "", "\n" PV_TAIL},
    {PV, PV_HEAD " invariant j:\n", "   & x < 4\n", "", "", "", PV_TAIL},
    {PV, PV_HEAD " action m(t: T) { ", "p(t) := !p(t)", "\n", " }\n", "", PV_TAIL},
    {PV, PV_HEAD " action m(t: T) { ", "if p(t) { ", "", "p(t) := true", " }", " }\n" PV_TAIL},
    {PV, PV_HEAD " action m(t: T) { if p(t) { x := 0 } ", "else if x = # { x := 0 }", " ", " }\n", "", PV_TAIL},
    {PV, PV_HEAD " action m(", "q#: T", ", ", ") { }\n", "", PV_TAIL},
    {PV, PV_HEAD " def d0(t: T) = p(t)\n", " def d#(t: T) = (d@(t) -> x < 4) & (d@(t) | x > 1)", "\n", "\n", "",
     PV_TAIL},
    {PV, PV_HEAD, " def d# = d#", "\n", "\n", "", PV_TAIL},
    {PV, PV_HEAD, " rel r#(T, T)", "\n", "\n", "", PV_TAIL},
    {PV, PV_HEAD, " rel $#", "\n", "\n", "", PV_TAIL},
    {PV, PV_HEAD " rel w(", "T", ", ", ")\n", "", PV_TAIL},
    {PV, PV_HEAD, " action $(t: T) { x := 1 }", "\n", "\n", "", PV_TAIL},
    {PV, "", "sort S#", "\n", "\n", "", PV_HEAD PV_TAIL},
    {PV, "enum E { ", "l#", ", ", " }\n", "", PV_HEAD PV_TAIL},
    {PV, "enum $ { ", "$", ", ", " }\n", "", PV_HEAD PV_TAIL},
    {PV, "", "const k# = #", "\n", "\n", "", PV_HEAD PV_TAIL},
    {PV, "", "system S# { rel p }", "\n", "\n", "", PV_HEAD PV_TAIL},
    {PV, "", "use \"$\"", "\n", "\n", "", PV_HEAD PV_TAIL},
    {PV, PV_HEAD PV_TAIL, "expect i at T=2: holds", "\n", "\n", "", ""},
    {PV, PV_HEAD " var y: 0..", "9", "", "\n", "", PV_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { guard ", "x == 0", " && ", "; }", "", X_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { guard ", "c <= 5", " && ", "; }", "", X_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { guard ", "x", " + ", " < 3; }", "", X_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { guard ", "(", "", "x < 2", ")", "; }" X_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { guard ", "!", "", "(x < 2)", "", "; }" X_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { guard ", "x < 2 ? true : ", "", "false", "", "; }" X_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { guard ", "forall (i# : int[0,1]) ", "", "true", "", "; }" X_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { select ", "s# : int[0,0]", ", ", "; }", "", X_TAIL},
    {XTA, X_HEAD X_PROC ", A -> A { assign ", "x = 1 - x", ", ", "; }", "", X_TAIL},
    {XTA, X_HEAD X_PROC, ", A -> A { guard x == #; }", "", "", "", X_TAIL},
    {XTA, X_HEAD X_PROC, ", A -> B { sync a!; }, B -> A { sync a?; }", "", "", "", X_TAIL},
    {XTA, X_HEAD "process P() { state ", "L#", ", ", "; init L0; } system P;", "", ""},
    {XTA, X_HEAD X_PROC "; } ", "P# := P();", " ", " system P;", "", ""},
    {XTA, X_HEAD "process P(int[0,", "1", "", "] i) { state A; init A; } system P;", "", ""},
    {XTA, X_HEAD, "int[0,1] v#;", " ", X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD, "int $;", " ", X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD, "clock v#;", " ", X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD "int w", "[2]", "", ";" X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD "typedef int[0,1] t0; ", "typedef t@ t#;", " ", X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD "typedef int[0,1] t0; ", "typedef struct { t@ a; t@ b; } t#;", " ", X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD "typedef int[0,1] t0; ", "typedef struct { t@ a; t@ b; } t#;", " ", "t9 v;" X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD, "struct { ", "", "int y;", " } a;", X_PROC X_TAIL},
    {XTA, X_HEAD "bool f0() { return true; } ", "bool f#() { return f@(); }", " ", X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD "void f() { ", "if (x == 0) ", "", "x = 1; }" X_PROC ", A -> A { assign f(); }", "", X_TAIL},
    {XTA, X_HEAD "void f() { ", "x = 1 - x;", " ", "}" X_PROC ", A -> A { assign f(); }", "", X_TAIL},
    {XTA, X_HEAD "int z[", "9", "", "];" X_PROC X_TAIL, "", ""},
    {XTA, X_HEAD, "/*", "", X_PROC X_TAIL, "*/", ""},
    {QUERY, "A[] ", "x == 0", " and ", "", "", ""},
    {QUERY, "E<> ", "x == 0", " or ", "", "", ""},
    {QUERY, "A[] ", "(", "", "x == 0", ")", ""},
    {QUERY, "A[] ", "not ", "", "x == 0", "", ""},
    {QUERY, "A[] ", "x == 0", " imply ", "", "", ""},
    {QUERY, "A[] ", "forall (i# : int[0,1]) ", "", "x == i0", "", ""},
    {QUERY, "A[] x == 0", " --> x == 1", "", "", "", ""},
    {QUERY, "A[] $", " + x", "", " < 9", "", ""},
    {XML, XML_HEAD, "int v#;", " ", "</declaration><template><name>P</name><location id='a'/><init ref='a'/>", "",
     XML_TAIL},
    {XML, XML_HEAD "</declaration><template><name>P</name>", "<location id='l#'><name>$</name></location>", "",
     "<init ref='l0'/>", "", XML_TAIL},
    {XML, XML_HEAD "</declaration><template><name>P</name><location id='a'/><init ref='a'/>",
     "<transition><source ref='a'/><target ref='a'/><label kind='guard'>x == #</label></transition>", "", "", "",
     XML_TAIL},
    {XML, XML_HEAD "</declaration>", "<a>", "", "", "</a>", "<template><name>P</name>" XML_TAIL},
    {XML, "<!DOCTYPE nta [<!ENTITY e0 'x'>", "<!ENTITY e# '&e@;&e@;'>", "",
     "]><nta><declaration>int &e9;;</declaration>", "", "<template><name>P</name>" XML_TAIL},
    {XML, XML_HEAD "</declaration><template><name>$</name><location id='", "$", "", "'/>", "", XML_TAIL},
    {PYV, PYV_HEAD "safety ", "p(X) | !p(X)", " & ", "", "", PYV_TAIL},
    {PYV, PYV_HEAD "safety ", "true", " <-> ", "", "", PYV_TAIL},
    {PYV, PYV_HEAD "safety ", "p(X) -> ", "", "true", "", PYV_TAIL},
    {PYV, PYV_HEAD "safety ", "(", "", "true", ")", PYV_TAIL},
    {PYV, PYV_HEAD "safety ", "!", "", "true", "", PYV_TAIL},
    {PYV, PYV_HEAD "safety ", "forall X#. ", "", "p(X0)", "", PYV_TAIL},
    {PYV, PYV_HEAD "safety ", "let x# = true in ", "", "true", "", PYV_TAIL},
    {PYV, PYV_HEAD, "mutable relation r#(t)", "\n", "", "", PYV_TAIL},
    {PYV, PYV_HEAD "mutable relation r(", "t", ", ", ")\n", "", PYV_TAIL},
    {PYV, PYV_HEAD, "sort $", "\n", "", "", PYV_TAIL},
    {PYV, PYV_HEAD "transition z(", "a#: t", ", ", ")\n modifies p\n true\n", "", PYV_TAIL},
    {IX, "interchange a\nforbid b: ", "(", "", "commit(q)", ")", "\n"},
    {IX, "interchange a\nforbid b: ", "!", "", "commit(q)", "", "\n"},
    {IX, "interchange a\nforbid b: ", "commit(q)", " & ", "", "", "\n"},
    {IX, "interchange a\n", "forbid b#: commit(q)", "\n", "\n", "", ""},
    {IX, "interchange a\n", "use \"$\"", "\n", "\n", "", ""},
    {IX, "interchange $\n", "forbid $: previously commit(p#)", "\n", "\n", "", ""},
    {HIST, "", "open(#) write(#,x,1) commit(#)", " ", "\n", "", ""},
    {HIST, "", "open(1) read(1,$,#) commit(1)", "\n", "\n", "", ""},
    {HIST, "", "(", "", "", ")", "\n"},
    {JSON, "", "[", "", "", "]", ""},
    {JSON, "", "{\"a\":", "", "1", "}", ""},
    {JSON, "{\"events\": [", "{\"kind\": \"open\", \"client\": \"#\"}", ", ", "]}", "", ""},
    {JSON, "{\"$\": \"", "$", "", "\"}", "", ""},
};

// Words of other languages, of ours, and what no name should be.
static const char *const names[] = {"x",           "if",
                                    "while",       "int",
                                    "rule",        "system",
                                    "sort",        "process",
                                    "forall",      "end",
                                    "T",           "S",
                                    "P",           "true",
                                    "0",           "",
                                    " ",           "%n%s%s",
                                    "a'b",         "a\\\"b",
                                    "\xC3\xA9",    "\xE2\x80\xAElive",
                                    "\x1b[2J",     "\x01",
                                    "\xff\xfe",    "a.b",
                                    "a b",         "__proto__",
                                    "/etc/passwd", "../../x.pv",
                                    "1_1",         "r1_1",
                                    "x'",          "nul\\0",
                                    "\n",          "\xF0\x9F\x98\x80",
                                    "CON",         "..",
                                    "&",           "<b>",
                                    "]]>"};

static void put_name(rng *r, str *name) {
    if (rng_below(r, 40)) str_add(name, names[rng_below(r, sizeof names / sizeof *names)]);
    else str_pad(name, 'n', 1 + rng_below(r, 100000));
}

static void put(str *out, const char *text, uint32_t i, const char *name) {
    for (; *text; text++) {
        if (*text == '#') str_printf(out, "%u", i);
        else if (*text == '@') str_printf(out, "%u", i ? i - 1 : 0);
        else if (*text == '$') str_add(out, name);
        else str_char(out, *text);
    }
}

static void make_text(const text_shape *s, uint32_t n, const char *name, str *out) {
    put(out, s->before, n, name);
    for (uint32_t i = 0; i < n; i++) {
        if (i) put(out, s->between, i, name);
        put(out, s->item, i + (*s->before && strchr(s->item, '@')), name);
    }
    put(out, s->middle, n, name);
    for (uint32_t i = 0; i < n; i++) put(out, s->closing, i, name);
    put(out, s->after, n, name);
}

static void damage(rng *r, str *text) {
    for (uint32_t i = 1 + rng_below(r, 3); i-- > 0 && text->len;) {
        uint32_t at = rng_below(r, (uint32_t)text->len), n = rng_below(r, 20);
        if (at + n > text->len) n = (uint32_t)text->len - at;
        switch (rng_below(r, 3)) {
        case 0: text->text[at] = (char)rng_below(r, 256); break;
        case 1: text->text[at] = "()[]{}&|!.,:;<>=-+*/%?\"'09\n"[rng_below(r, 27)]; break;
        default:
            memmove(text->text + at, text->text + at + n, text->len - at - n);
            text->len -= n;
            text->text[text->len] = '\0';
        }
    }
}

// ---- reading

typedef VEC(prop) prop_list;

static prop_list props_of(const model *m, sys s, prop_kind kind) {
    prop_list out = {0};
    for (uint32_t i = 1; i < m->props.len; i++)
        if (prop_of(m, (prop){i})->kind == kind && prop_of(m, (prop){i})->system.id == s.id) vec_push(&out, (prop){i});
    return out;
}

static void search_zones(const instance *in, const explore_options *o, result *found) {
    prop_list props = props_of(in->m, in->system, PROP_TIMED);
    zone_run(in, props.data, props.len, o, NULL, found);
    vec_free(&props);
}

static void search(model *m, sys s) {
    instance *in = instance_new(m, s, NULL, 0);
    explore_options o = {.threads = 1, .limit_states = STATES_MOST, .engine = ENGINE_BYTECODE};
    o.limits = limits_of_seconds(5);
    result *found = result_new();
    if (in && sys_of(m, s)->timed) search_zones(in, &o, found);
    else if (in) explore_run(in, NULL, 0, &o, found, NULL);
    result_free(found);
    instance_free(in);
}

// The invariants as they stand, or a search for what they need.
static void prove(rng *r, model *m, sys s) {
    infer_options o = {.limits = limits_of_seconds(1), .limit_states = STATES_MOST, .most_level = 1};
    o.query_seconds = 1;
    prop_list props = props_of(m, s, PROP_INVARIANT);
    proof **found = mem_zero(props.len + 1, sizeof *found);
    if (props.len && rng_below(r, 8)) infer_given(m, s, props.data, props.len, &o, found);
    else if (props.len) found[0] = infer_prove(m, props.data[0], &o);
    for (uint32_t i = 0; i < props.len; i++) proof_free(found[i]);
    free(found);
    vec_free(&props);
}

static bool read_model(format f, model *m, const str *text, sys *system) {
    static const char network[] = "int[0,3] x; clock c; process P() { state A; init A; } system P;";
    const char *query = str_get(text);
    switch (f) {
    case PV:
        if (!pv_read(m, "f.pv", &(pv_options){.text = text->text, .size = text->len, .alone = true}, NULL))
            return false;
        *system = (sys){m->systems.len > 1 ? m->systems.len - 1 : 0};
        return true;
    case MURPHI: return murphi_read_text(m, "f.m", text->text, text->len, &(murphi_options){0}, system);
    case XTA: return xta_read_text(m, "f.xta", text->text, text->len, &(xta_options){0}, system);
    case XML: return xta_read_text(m, "f.xml", text->text, text->len, &(xta_options){0}, system);
    case QUERY:
        return xta_read_text(m, "f.xta", network, sizeof network - 1, &(xta_options){.queries = &query, .nqueries = 1},
                             system);
    default: return pyv_read_text(m, "f.pyv", text->text, text->len, system);
    }
}

// What is not read has a message.
static bool take_model(rng *r, format f, const str *text) {
    diag *d = diag_new();
    model *m = model_new(d);
    sys system = {0};
    bool good = read_model(f, m, text, &system), ok = good != diag_failed(d);
    if (good && system.id && f != PYV) search(m, system);
    if (good && system.id && f == PYV && !rng_below(r, 4)) prove(r, m, system);
    str out = {0};
    diag_print(d, &out, false);
    for (size_t i = 0; i < out.len; i++) ok &= out.text[i] == '\n' || (unsigned char)out.text[i] >= ' ';
    str_free(&out);
    model_free(m);
    diag_free(d);
    return ok;
}

static bool take_history(format f, const str *text) {
    diag *d = diag_new();
    arena *memory = arena_new();
    history h;
    interchange x;
    history_begin(&h);
    interchange_begin(&x, memory);
    bool good = f == IX     ? ix_parse(&x, d, "f.ix", text->text, text->len)
                : f == HIST ? history_read_text(&h, d, "f.hist", text->text, text->len)
                            : history_read_json(&h, d, "f.json", text->text, text->len);
    bool ok = good != diag_failed(d);
    history_free(&h);
    interchange_free(&x);
    arena_free(memory);
    diag_free(d);
    return ok;
}

// ---- all of them

typedef struct {
    uint32_t wrong;
    uint64_t count;
} tally;

// Nested quantifiers double the work up to the reader's own limit, half a second: seldom.
static uint32_t pick_size(rng *r, const text_shape *s) {
    if (strstr(s->item, "int[0,1]) ") && rng_below(r, 50)) return rng_below(r, 8);
    if (!rng_below(r, part_is_long() ? 5000 : 400)) return rng_below(r, LARGE);
    return rng_below(r, 1 + rng_below(r, SMALL));
}

static void one(rng *r, tally *t) {
    const text_shape *s = &shapes[rng_below(r, sizeof shapes / sizeof *shapes)];
    uint32_t n = pick_size(r, s);
    str text = {0}, name = {0};
    str_add(&text, "");
    put_name(r, &name);
    make_text(s, n, str_get(&name), &text);
    if (!rng_below(r, 3)) damage(r, &text);
    double before = clock_cpu_seconds();
    bool ok = s->in < IX ? take_model(r, s->in, &text) : take_history(s->in, &text);
    double seconds = clock_cpu_seconds() - before;
    if (!ok || seconds > SECONDS_MOST) {
        t->wrong++;
        fprintf(stderr, "# %s, %.1f s, %u times: %.300s\n", format_names[s->in], seconds, n, text.text);
    }
    t->count++;
    str_free(&text);
    str_free(&name);
}

static void run_all(void *context) {
    tally *t = context;
    const char *count = getenv("PARVIS_COUNT");
    rng r = {part_seed(13)};
    uint64_t most = count ? strtoull(count, NULL, 10) : part_rounds(4000, 5000000);
    while (t->count < most) one(&r, t);
}

static void structures_are_read_or_refused(void **state) {
    tally t = {0};
    (void)state;
#ifndef PARVIS_ASAN
    setrlimit(RLIMIT_AS, &(struct rlimit){BYTES_MOST, BYTES_MOST});
#endif
    stack_run(run_all, &t);
    printf("# tally: texts of every format, by structure | %llu cases | %u wrong\n", (unsigned long long)t.count,
           t.wrong);
    assert_int_equal(t.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(structures_are_read_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
