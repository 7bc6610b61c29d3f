// SPDX-License-Identifier: Apache-2.0
// Graphs for pages: see plot.h. `dot -Tplain` answers with lines of numbers: where each node is, and for each edge its
// points and where its label stands. The label that it gets is the number of the edge, made as long as the text that
// the page will put there.
#include "report/plot.h"

#include "base/map.h"
#include "base/process.h"
#include "base/vec.h"
#include "report/object.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NODES = 300, MOST_EDGES = 1500, LISTED_EDGES = 5000, SHOWN_LABELS = 4, LONGEST_LABEL = 48 };
enum { LETTER = 8, LINE_HEIGHT = 15, PADDING = 16, DOT_SECONDS = 10 };

typedef struct {
    char *label;
    bool is_initial, is_cut;
    uint32_t wide, high;  // in points
} plot_node;

typedef struct {
    uint32_t from, to;
    bool is_visible;
    VEC(char *) labels;
} plot_edge;

struct plot {
    VEC(plot_node) nodes;
    VEC(plot_edge) edges;
    map *between;  // from, to and kind to the edge
};

// ---- the graph

plot *plot_new(void) {
    plot *l = mem_zero(1, sizeof *l);
    l->between = map_new();
    return l;
}

void plot_free(plot *l) {
    if (!l) return;
    for (uint32_t i = 0; i < l->nodes.len; i++) free(l->nodes.data[i].label);
    for (uint32_t i = 0; i < l->edges.len; i++) {
        for (uint32_t k = 0; k < l->edges.data[i].labels.len; k++) free(l->edges.data[i].labels.data[k]);
        vec_free(&l->edges.data[i].labels);
    }
    vec_free(&l->nodes);
    vec_free(&l->edges);
    map_free(l->between);
    free(l);
}

static void measure_label(const char *label, plot_node *n) {
    uint32_t widest = 1, lines = 1, now = 0;
    for (; *label; label++) {
        if (*label == '\n') lines++, now = 0;
        else if (((unsigned char)*label & 0xC0) != 0x80 && ++now > widest) widest = now;
    }
    n->wide = widest * LETTER + PADDING;
    n->high = lines * LINE_HEIGHT + PADDING;
}

void plot_add_node(plot *l, const char *label, bool is_initial, bool is_cut) {
    plot_node n = {.label = strdup(label), .is_initial = is_initial, .is_cut = is_cut};
    measure_label(label, &n);
    vec_push(&l->nodes, n);
}

void plot_add_edge(plot *l, uint32_t from, uint32_t to, const char *label, bool is_visible) {
    uint32_t key[3] = {from, to, is_visible};
    uint32_t number = map_intern(l->between, key, sizeof key, l->edges.len);
    if (number == l->edges.len) vec_push(&l->edges, (plot_edge){.from = from, .to = to, .is_visible = is_visible});
    vec_push(&l->edges.data[number].labels, strdup(label));
}

// ---- what Graphviz is asked

static uint32_t label_length(const plot_edge *e) {
    size_t n = 0;
    for (uint32_t i = 0; i < e->labels.len && i < SHOWN_LABELS; i++) n += str_columns(e->labels.data[i]) + 2;
    return n < LONGEST_LABEL ? (uint32_t)n : LONGEST_LABEL;
}

static void put_question(const plot *l, str *out) {
    str_add(out, "digraph { rankdir=LR; nodesep=.3; ranksep=.55; node [shape=box, fixedsize=true, label=\"\"];"
                 " edge [fontname=monospace, fontsize=11];\n");
    for (uint32_t i = 0; i < l->nodes.len; i++)
        str_printf(out, "n%u [width=%.3f, height=%.3f];\n", i, l->nodes.data[i].wide / 72.0,
                   l->nodes.data[i].high / 72.0);
    for (uint32_t i = 0; i < l->edges.len; i++) {
        const plot_edge *e = &l->edges.data[i];
        bool is_refused = e->to == UINT32_MAX;
        if (is_refused) str_printf(out, "r%u [width=.12, height=.12];\n", i);
        str_printf(out, "n%u -> %c%u [label=\"e%u", e->from, is_refused ? 'r' : 'n', is_refused ? i : e->to, i);
        str_pad(out, 'x', label_length(e));
        str_add(out, "\"];\n");
    }
    str_add(out, "}\n");
}

// ---- what it answers

typedef struct {
    const plot *l;
    const char *at;
    double high;
    json_t *nodes, *edges;  // by number
} answer_reader;

// The next word of the line; empty at its end.
static size_t next_word(answer_reader *r, const char **word) {
    r->at += strspn(r->at, " ");
    size_t n = strcspn(r->at, " \n");
    *word = r->at;
    r->at += n;
    return n;
}

static bool read_real(answer_reader *r, double *x) {
    const char *word;
    char *end;
    if (!next_word(r, &word)) return false;
    *x = strtod(word, &end);
    return end == r->at && *x > -1e6 && *x < 1e6;
}

// A place, in points from the top left.
static bool read_place(answer_reader *r, json_t *list) {
    double x, y;
    if (!read_real(r, &x) || !read_real(r, &y)) return false;
    json_array_append_new(list, json_real(x * 72));
    json_array_append_new(list, json_real((r->high - y) * 72));
    return true;
}

// The number after a letter; UINT32_MAX: it is none.
static uint32_t read_number(answer_reader *r, char letter) {
    const char *word;
    size_t n = next_word(r, &word);
    if (n < 2 || *word != letter) return UINT32_MAX;
    return (uint32_t)strtoul(word + 1, NULL, 10);
}

static bool plot_read_node(answer_reader *r) {
    const char *word = r->at + strspn(r->at, " ");
    uint32_t i = read_number(r, *word == 'r' ? 'r' : 'n');
    if (*word == 'r') return true;
    json_t *place = json_array();
    bool ok = i < r->l->nodes.len && read_place(r, place);
    if (ok) json_array_append_new(place, json_integer(r->l->nodes.data[i].wide));
    if (ok) json_array_append_new(place, json_integer(r->l->nodes.data[i].high));
    if (ok) json_array_set(r->nodes, i, place);
    json_decref(place);
    return ok;
}

static bool plot_read_edge(answer_reader *r) {
    const char *word;
    double count;
    json_t *points = json_array(), *label = json_array();
    bool ok = next_word(r, &word) && next_word(r, &word) && read_real(r, &count) && count >= 2 && count < 10000;
    for (int i = 0; ok && i < (int)count; i++) ok = read_place(r, points);
    uint32_t i = ok ? read_number(r, 'e') : UINT32_MAX;
    ok = i < r->l->edges.len && read_place(r, label);
    if (ok) json_array_set_new(r->edges, i, json_pack("{s:O, s:O}", "points", points, "label", label));
    json_decref(points);
    json_decref(label);
    return ok;
}

static json_t *nulls(uint32_t n) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) json_array_append_new(list, json_null());
    return list;
}

static bool has_null(const json_t *list) {
    size_t i;
    json_t *entry;
    json_array_foreach(list, i, entry) {
        if (json_is_null(entry)) return true;
    }
    return false;
}

// Null where anything is not as expected: it is only about how things look.
static json_t *read_answer(const plot *l, const char *text) {
    answer_reader r = {.l = l, .at = text, .nodes = nulls(l->nodes.len), .edges = nulls(l->edges.len)};
    const char *word;
    double scale, wide = 0;
    size_t n = next_word(&r, &word);
    bool ok = n == 5 && memcmp(word, "graph", 5) == 0 && read_real(&r, &scale) && read_real(&r, &wide) &&
              read_real(&r, &r.high);
    while (ok && (r.at = strchr(r.at, '\n'))) {
        r.at++;
        n = next_word(&r, &word);
        if (n == 4 && memcmp(word, "node", 4) == 0) ok = plot_read_node(&r);
        else if (n == 4 && memcmp(word, "edge", 4) == 0) ok = plot_read_edge(&r);
        else break;
    }
    ok = ok && !has_null(r.nodes) && !has_null(r.edges);
    json_t *places = ok ? json_pack("{s:f, s:f, s:O, s:O}", "width", wide * 72, "height", r.high * 72, "nodes", r.nodes,
                                    "edges", r.edges)
                        : json_null();
    json_decref(r.nodes);
    json_decref(r.edges);
    return places;
}

static json_t *plot_places(const plot *l, const limits *until) {
    if (l->nodes.len > MOST_NODES || l->edges.len > MOST_EDGES || !process_exists("dot")) return json_null();
    str question = {0}, text = {0};
    put_question(l, &question);
    const char *const argv[] = {"dot", "-Tplain", NULL};
    process_limits most = {.seconds = DOT_SECONDS, .memory_bytes = UINT64_C(2) << 30, .outer = *until};
    process_result r = process_run(argv, str_get(&question), question.len, &most, &text);
    json_t *places = r.end == PROCESS_EXITED && r.status == 0 ? read_answer(l, str_get(&text)) : json_null();
    str_free(&question);
    str_free(&text);
    return places;
}

// ---- the object

static json_t *plot_node_object(const plot_node *n) {
    return json_pack("{s:o, s:b, s:b}", "label", object_string(n->label), "initial", n->is_initial, "cut", n->is_cut);
}

static json_t *plot_edge_object(const plot_edge *e) {
    json_t *labels = json_array();
    for (uint32_t i = 0; i < e->labels.len; i++) json_array_append_new(labels, object_string(e->labels.data[i]));
    return json_pack("{s:i, s:o, s:o, s:b}", "from", (int)e->from, "to",
                     e->to == UINT32_MAX ? json_null() : json_integer(e->to), "labels", labels, "visible",
                     e->is_visible);
}

json_t *plot_object(const plot *l, const limits *until) {
    json_t *nodes = json_array(), *edges = json_array();
    uint32_t listed = l->edges.len < LISTED_EDGES ? l->edges.len : LISTED_EDGES;
    for (uint32_t i = 0; i < l->nodes.len; i++) json_array_append_new(nodes, plot_node_object(&l->nodes.data[i]));
    for (uint32_t i = 0; i < listed; i++) json_array_append_new(edges, plot_edge_object(&l->edges.data[i]));
    return json_pack("{s:o, s:o, s:o, s:i}", "nodes", nodes, "edges", edges, "places", plot_places(l, until),
                     "left_out", (int)(l->edges.len - listed));
}
