// SPDX-License-Identifier: Apache-2.0
// A run as UPPAAL writes traces in XML: the system (clocks, variables, processes with locations and edges), a node for
// each state (where all processes are, the variables, all clock values that these steps lead to as a matrix) and the
// edges between them. Guards and updates of edges are left empty: whoever has the trace has the model. A process that
// hears a broadcast and stays where it is is not among the edges of that step.
#include "report/uppaal.h"

#include "model/instance.h"

typedef struct {
    const trace *t;
    const instance *in;
    const timed_info *timed;
    const trace_zones *zones;
    str *out;
} xml_trace;

// ---- names

static const char *name_of_process(const xml_trace *x, uint32_t p) { return x->timed->processes.data[p].name; }

// The locations of a process, named after its template.
static const type_info *xml_locations(const xml_trace *x, uint32_t p) {
    return type_of(x->in->m, func_of(x->in->m, x->timed->locations.data[p])->result);
}

static void xml_add_location(const xml_trace *x, uint32_t p, value l) {
    str_add_xml(x->out, xml_locations(x, p)->literals[l]);
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

// Is it an edge of the process's template?
static bool xml_has_edge(const xml_trace *x, uint32_t p, uint32_t e) {
    return str_same(x->timed->edges.data[e].family, xml_locations(x, p)->name);
}

static void xml_add_edge(const xml_trace *x, uint32_t p, uint32_t e) {
    const timed_edge *edge = &x->timed->edges.data[e];
    if (!xml_has_edge(x, p, e)) return;
    str_add(x->out, "<edge id=\"");
    str_add_xml(x->out, name_of_process(x, p));
    str_printf(x->out, ".Edge%u\" from=\"", e + 1);
    xml_add_location_id(x, p, edge->from);
    str_add(x->out, "\" to=\"");
    xml_add_location_id(x, p, edge->to);
    str_add(x->out, "\"><guard></guard><sync></sync><update></update></edge>\n");
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

static void xml_add_matrix(const xml_trace *x, uint32_t number) {
    uint32_t n = x->timed->clocks.len;
    const trace_bound *d = x->zones->bounds.data + (size_t)(number - 1) * n * n;
    str_printf(x->out, "<dbm_instance id=\"DBM%u\">\n", number);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            trace_bound b = d[i * n + j];
            if (b.is_none) continue;
            str_add(x->out, "<clockbound clock1=\"");
            xml_add_clock_id(x, i);
            str_add(x->out, "\" clock2=\"");
            xml_add_clock_id(x, j);
            str_printf(x->out, "\" bound=\"%d\" comp=\"&lt;%s\"/>\n", b.value, b.is_strict ? "" : "=");
        }
    str_add(x->out, "</dbm_instance>\n");
}

static void xml_add_node(const xml_trace *x, uint32_t number) {
    const value *state = trace_state(x->t, number - 1);
    value args[MODEL_MOST_ARGS];
    str_printf(x->out, "<location_vector id=\"LocVec%u\" locations=\"", number);
    for (uint32_t p = 0; p < x->timed->locations.len; p++) {
        xml_add_location_id(x, p, state[x->in->first_cell[x->timed->locations.data[p].id]]);
        str_char(x->out, ' ');
    }
    str_printf(x->out, "\"/>\n<variable_vector id=\"varvec.%u\">\n", number);
    for (uint32_t i = 0; i < x->in->ncells; i++) {
        if (!xml_is_variable(x, i, args)) continue;
        str_add(x->out, "<variable_state variable=\"");
        xml_add_variable_name(x, i, true);
        str_printf(x->out, "\" value=\"%d\"/>\n", state[i]);
    }
    str_add(x->out, "</variable_vector>\n");
    xml_add_matrix(x, number);
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
    if (before[cell] == after[cell]) return;
    for (uint32_t e = 0; e < x->timed->edges.len; e++) {
        const timed_edge *edge = &x->timed->edges.data[e];
        if (!edge->listens || !xml_has_edge(x, p, e)) continue;
        if (edge->from != before[cell] || edge->to != after[cell]) continue;
        xml_add_taken(x, p, e);
        return;
    }
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

void uppaal_trace(const trace *t, const trace_zones *zones, str *out) {
    xml_trace x = {t, t->in, sys_of(t->in->m, t->in->system)->timed, zones, out};
    str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                 "<trace initial_node=\"State1\" trace_options=\"symbolic\">\n");
    xml_add_system(&x);
    for (uint32_t i = 0; i < zones->states; i++) xml_add_node(&x, i + 1);
    for (uint32_t i = 0; i + 1 < zones->states; i++) xml_add_transition(&x, i);
    str_add(out, "</trace>\n");
}
