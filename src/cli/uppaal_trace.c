// SPDX-License-Identifier: Apache-2.0
// A run as UPPAAL writes traces in XML: the system (clocks, variables, processes with locations and edges), a node for
// each state (where all processes are, the variables, all clock values that these steps lead to as a matrix) and the
// edges between them. The matrices are those of a symbolic walk, without abstraction. Guards and updates of edges are
// left empty: whoever has the trace has the model. A process that hears a broadcast and stays where it is is not among
// the edges of that step.
#include "cli/uppaal_trace.h"

#include "model/instance.h"
#include "zone/dbm.h"
#include "zone/timewalk.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    const trace *t;
    const instance *in;
    const timed_info *timed;
    const timewalk *w;
    const char **templates;  // by process
    str *out;
} xml_trace;

// ---- names

static const char *name_of_process(const xml_trace *x, uint32_t p) { return x->timed->processes.data[p].name; }

// Without the process in front of it.
static const char *xml_own_name(const str *location) {
    const char *dot = strrchr(str_get(location), '.');
    return dot ? dot + 1 : str_get(location);
}

static void xml_add_location(const xml_trace *x, uint32_t p, value l) {
    str name = {0};
    instance_value_text(x->in, func_of(x->in->m, x->timed->locations.data[p])->result, l, &name);
    str_add_xml(x->out, xml_own_name(&name));
    str_free(&name);
}

static void xml_add_location_id(const xml_trace *x, uint32_t p, value l) {
    str_add_xml(x->out, name_of_process(x, p));
    str_char(x->out, '.');
    xml_add_location(x, p, l);
}

// What belongs to no process belongs to `sys`; names of what does begin with it.
static void xml_add_clock_id(const xml_trace *x, uint32_t c) {
    if (!c) str_add(x->out, "sys.#t(0)");
    else if (!x->timed->clocks.data[c].process) str_add(x->out, "sys.");
    if (c) str_add_xml(x->out, x->timed->clocks.data[c].name);
}

static bool xml_is_variable(const xml_trace *x, uint32_t cell, value *args) {
    func f = instance_cell_func(x->in, cell, args);
    for (uint32_t p = 0; p < x->timed->locations.len; p++)
        if (x->timed->locations.data[p].id == f.id) return false;
    return !func_of(x->in->m, f)->is_scratch;
}

static void xml_add_variable_name(const xml_trace *x, uint32_t cell, bool is_id) {
    value args[MODEL_MOST_ARGS];
    func f = instance_cell_func(x->in, cell, args);
    const func_info *i = func_of(x->in->m, f);
    if (is_id && !i->process) str_add(x->out, "sys.");
    str_add_xml(x->out, i->name);
    for (uint32_t k = 0; k < i->nargs; k++) str_printf(x->out, "[%d]", args[k]);
}

// ---- the system

// By process: a text that begins with its template's name and a dot, that of an edge which it takes in some rule.
static const char **find_templates(const instance *in, const timed_info *t) {
    const sys_info *s = sys_of(in->m, in->system);
    const char **of = mem_zero(t->processes.len + 1, sizeof *of);
    for (uint32_t p = 0; p < t->processes.len; p++) of[p] = t->processes.data[p].family;
    for (uint32_t i = 0; i < s->rules.len; i++) {
        const rule_info *r = rule_of(in->m, s->rules.data[i]);
        for (uint32_t k = 0; k < r->nmoves; k++) of[r->moves[k].process] = t->edges.data[r->moves[k].edge].name;
    }
    return of;
}

// The ends of an edge "Template.from -> to", if the process has it.
static bool edge_ends(const xml_trace *x, uint32_t process, uint32_t edge, str *from, str *to) {
    const char *name = x->timed->edges.data[edge].name, *dot = strchr(name, '.'), *arrow = strstr(name, " -> ");
    size_t n = strcspn(x->templates[process], ".");
    if (!dot || !arrow || (size_t)(dot - name) != n || strncmp(name, x->templates[process], n) != 0) return false;
    str_addn(from, dot + 1, (size_t)(arrow - dot) - 1);
    str_add(to, arrow + 4);
    return true;
}

static void xml_add_edge(const xml_trace *x, uint32_t p, uint32_t e) {
    str from = {0}, to = {0};
    const char *name = name_of_process(x, p);
    if (edge_ends(x, p, e, &from, &to)) {
        str_add(x->out, "<edge id=\"");
        str_add_xml(x->out, name);
        str_printf(x->out, ".Edge%u\" from=\"", e + 1);
        str_add_xml(x->out, name);
        str_char(x->out, '.');
        str_add_xml(x->out, str_get(&from));
        str_add(x->out, "\" to=\"");
        str_add_xml(x->out, name);
        str_char(x->out, '.');
        str_add_xml(x->out, str_get(&to));
        str_add(x->out, "\"><guard></guard><sync></sync><update></update></edge>\n");
    }
    str_free(&from);
    str_free(&to);
}

static void xml_add_process(const xml_trace *x, uint32_t p) {
    str_add(x->out, "<process id=\"");
    str_add_xml(x->out, name_of_process(x, p));
    str_add(x->out, "\" name=\"");
    str_add_xml(x->out, name_of_process(x, p));
    str_add(x->out, "\">\n");
    uint32_t n = instance_type_size(x->in, func_of(x->in->m, x->timed->locations.data[p])->result);
    for (uint32_t l = 0; l < n; l++) {
        str_add(x->out, "<location id=\"");
        xml_add_location_id(x, p, (value)l);
        str_add(x->out, "\" name=\"");
        xml_add_location(x, p, (value)l);
        str_add(x->out, "\"></location>\n");
    }
    for (uint32_t e = 0; e < x->timed->edges.len; e++) xml_add_edge(x, p, e);
    str_add(x->out, "</process>\n");
}

static void xml_add_system(const xml_trace *x) {
    value args[MODEL_MOST_ARGS];
    str_add(x->out, "<system>\n");
    for (uint32_t c = 0; c < x->timed->clocks.len; c++) {
        str_add(x->out, "<clock name=\"");
        str_add_xml(x->out, c ? x->timed->clocks.data[c].name : "#t(0)");
        str_add(x->out, "\" id=\"");
        xml_add_clock_id(x, c);
        str_add(x->out, "\"/>\n");
    }
    for (uint32_t i = 0; i < x->in->ncells; i++) {
        if (!xml_is_variable(x, i, args)) continue;
        str_add(x->out, "<variable name=\"");
        xml_add_variable_name(x, i, false);
        str_add(x->out, "\" id=\"");
        xml_add_variable_name(x, i, true);
        str_add(x->out, "\"/>\n");
    }
    for (uint32_t p = 0; p < x->timed->processes.len; p++) xml_add_process(x, p);
    str_add(x->out, "</system>\n");
}

// ---- nodes

static void xml_add_matrix(const xml_trace *x, uint32_t number, const bound *d) {
    uint32_t n = x->timed->clocks.len;
    str_printf(x->out, "<dbm_instance id=\"DBM%u\">\n", number);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            bound b = d[i * n + j];
            if (b == BOUND_INF) continue;
            str_add(x->out, "<clockbound clock1=\"");
            xml_add_clock_id(x, i);
            str_add(x->out, "\" clock2=\"");
            xml_add_clock_id(x, j);
            str_printf(x->out, "\" bound=\"%d\" comp=\"&lt;%s\"/>\n", bound_value(b), bound_is_strict(b) ? "" : "=");
        }
    str_add(x->out, "</dbm_instance>\n");
}

static void xml_add_node(const xml_trace *x, uint32_t number, const timewalk_point *at) {
    value args[MODEL_MOST_ARGS];
    str_printf(x->out, "<location_vector id=\"LocVec%u\" locations=\"", number);
    for (uint32_t p = 0; p < x->timed->locations.len; p++) {
        xml_add_location_id(x, p, at->cells[x->in->first_cell[x->timed->locations.data[p].id]]);
        str_char(x->out, ' ');
    }
    str_printf(x->out, "\"/>\n<variable_vector id=\"varvec.%u\">\n", number);
    for (uint32_t i = 0; i < x->in->ncells; i++) {
        if (!xml_is_variable(x, i, args)) continue;
        str_add(x->out, "<variable_state variable=\"");
        xml_add_variable_name(x, i, true);
        str_printf(x->out, "\" value=\"%d\"/>\n", at->cells[i]);
    }
    str_add(x->out, "</variable_vector>\n");
    xml_add_matrix(x, number, at->zone);
    str_printf(x->out,
               "<node id=\"State%u\" location_vector=\"LocVec%u\" dbm_instance=\"DBM%u\" "
               "variable_vector=\"varvec.%u\"/>\n",
               number, number, number, number);
}

// ---- transitions

static void xml_add_taken(const xml_trace *x, uint32_t process, uint32_t edge) {
    str_add_xml(x->out, name_of_process(x, process));
    str_printf(x->out, ".Edge%u ", edge + 1);
}

// The edge by which a process that heard a broadcast went from one location to another.
static void xml_add_heard(const xml_trace *x, uint32_t p, const value *before, const value *after) {
    uint32_t cell = x->in->first_cell[x->timed->locations.data[p].id];
    const type ty = func_of(x->in->m, x->timed->locations.data[p])->result;
    str from = {0}, to = {0};
    if (before[cell] == after[cell]) return;
    instance_value_text(x->in, ty, before[cell], &from);
    instance_value_text(x->in, ty, after[cell], &to);
    for (uint32_t e = 0; e < x->timed->edges.len; e++) {
        str a = {0}, b = {0};
        bool is_it = x->timed->edges.data[e].listens && edge_ends(x, p, e, &a, &b) &&
                     str_same(xml_own_name(&from), str_get(&a)) && str_same(xml_own_name(&to), str_get(&b));
        str_free(&a);
        str_free(&b);
        if (!is_it) continue;
        xml_add_taken(x, p, e);
        break;
    }
    str_free(&from);
    str_free(&to);
}

static void xml_add_transition(const xml_trace *x, uint32_t step) {
    const trace_step *s = &x->t->steps.data[step];
    const rule_info *r = rule_of(x->in->m, s->r);
    str_printf(x->out, "<transition from=\"State%u\" to=\"State%u\" edges=\"", step + 1, step + 2);
    for (uint32_t i = 0; i < r->nmoves; i++) xml_add_taken(x, r->moves[i].process, r->moves[i].edge);
    for (uint32_t p = 0; r->nlisteners && p < x->timed->processes.len; p++) {
        bool is_there = false;
        for (uint32_t i = 0; i < r->nmoves; i++) is_there |= r->moves[i].process == p;
        if (!is_there) xml_add_heard(x, p, trace_state(x->t, step), s->after);
    }
    str_add(x->out, "\"/>\n");
}

// ---- all

static void xml_add_trace(const xml_trace *x) {
    str_add(x->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                    "<trace initial_node=\"State1\" trace_options=\"symbolic\">\n");
    xml_add_system(x);
    for (uint32_t i = 0; i < x->w->points.len; i++) xml_add_node(x, i + 1, &x->w->points.data[i]);
    for (uint32_t i = 0; i + 1 < x->w->points.len; i++) xml_add_transition(x, i);
    str_add(x->out, "</trace>\n");
}

bool uppaal_trace_text(const trace *t, str *out, str *why) {
    timewalk *w = timewalk_new(t->in, why);
    bool ok = w && timewalk_set_symbolic(w, true, why);
    for (uint32_t i = 0; ok && i < t->steps.len && t->steps.data[i].after; i++)
        ok = timewalk_take_named(w, rule_of(t->in->m, t->steps.data[i].r)->name, t->steps.data[i].after, NULL, why);
    const timed_info *timed = sys_of(t->in->m, t->in->system)->timed;
    const char **templates = find_templates(t->in, timed);
    if (ok) xml_add_trace(&(xml_trace){t, t->in, timed, w, templates, out});
    free(templates);
    timewalk_free(w);
    return ok;
}
