// SPDX-License-Identifier: Apache-2.0
// Reading traces from JSON: see tracefile.h.
#include "report/tracefile.h"

#include "report/object.h"
#include "result/cell.h"

#include <errno.h>
#include <string.h>

struct tracefile {
    json_t *root;         // owned
    const json_t *trace;  // in root
    char *path;
};

static const span nowhere = {0};

void tracefile_free(tracefile *f) {
    if (!f) return;
    json_decref(f->root);
    free(f->path);
    free(f);
}

static json_t *parse(const char *path, diag *messages) {
    size_t size;
    char *text = str_read_file(path, &size);
    if (!text) {
        diag_error(messages, nowhere, "cannot read '%s': %s", path, strerror(errno));
        return NULL;
    }
    json_error_t e;
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &e);
    if (!root) diag_error(messages, nowhere, "%s:%d:%d: no JSON: %s", path, e.line, e.column, e.text);
    free(text);
    return root;
}

static bool is_trace(const json_t *o) {
    return json_is_object(json_object_get(o, "sizes")) && json_is_array(json_object_get(o, "steps")) &&
           json_is_object(json_object_get(o, "initial")) && json_is_string(json_object_get(o, "system"));
}

// A trace is the whole file, or the member `trace` of an answer, or that of the first of its properties that has one.
static const json_t *find_trace(const json_t *root) {
    size_t i;
    json_t *p;
    if (is_trace(root)) return root;
    if (is_trace(json_object_get(root, "trace"))) return json_object_get(root, "trace");
    json_array_foreach(json_object_get(root, "properties"), i, p) {
        if (is_trace(json_object_get(p, "trace"))) return json_object_get(p, "trace");
    }
    return NULL;
}

tracefile *tracefile_open(const char *path, diag *messages) {
    json_t *root = parse(path, messages);
    if (!root) return NULL;
    const json_t *t = find_trace(root);
    if (!t) {
        diag_error(messages, nowhere, "'%s' contains no trace (see doc/json.md for the format)", path);
        json_decref(root);
        return NULL;
    }
    tracefile *f = mem_zero(1, sizeof *f);
    f->root = root;
    f->trace = t;
    f->path = strdup(path);
    return f;
}

static const char *text_member(const json_t *o, const char *key) { return json_string_value(json_object_get(o, key)); }

const json_t *tracefile_sizes(const tracefile *f) { return json_object_get(f->trace, "sizes"); }
const char *tracefile_system(const tracefile *f) { return text_member(f->trace, "system"); }
const char *tracefile_property(const tracefile *f) { return text_member(f->trace, "property"); }
const char *tracefile_reason(const tracefile *f) { return text_member(f->root, "reason"); }

// ---- states and steps

typedef struct {
    const tracefile *f;
    const instance *in;
    diag *messages;
    eval *ev;
    trace *t;
    value *next;
} reading;

static bool tracefile_read_cell(const reading *r, const json_t *cells, uint32_t c, value *v) {
    str name = {0};
    cell_name(r->in, c, &name);
    const json_t *j = json_object_get(cells, str_get(&name));
    bool ok = j && object_read_value(r->in, cell_type(r->in, c), j, v);
    if (!ok)
        diag_error(r->messages, nowhere, "%s: the initial state has no%s value for '%s'", r->f->path,
                   j ? " possible" : "", str_get(&name));
    str_free(&name);
    return ok;
}

// Locals are no part of a state; in an initial one they are as in the first that there is.
static bool take_locals(const value *state, void *context) {
    reading *r = context;
    for (uint32_t c = 0; c < r->in->ncells; c++)
        if (cell_is_local(r->in, c)) r->next[c] = state[c];
    return false;
}

static bool tracefile_read_initial(reading *r) {
    const json_t *cells = json_object_get(r->f->trace, "initial");
    eval_initial(r->in, take_locals, r);
    for (uint32_t c = 0; c < r->in->ncells; c++) {
        if (cell_is_local(r->in, c)) continue;
        if (!tracefile_read_cell(r, cells, c, &r->next[c])) return false;
    }
    r->t = trace_new(r->in, r->next);
    return true;
}

static bool tracefile_read_args(const reading *r, rule id, const json_t *list, value *args) {
    const rule_info *info = rule_of(r->in->m, id);
    if (json_array_size(list) != info->nparams) return false;
    for (uint32_t i = 0; i < info->nparams; i++)
        if (!object_read_value(r->in, var_of(r->in->m, info->params[i])->ty, json_array_get(list, i), &args[i]))
            return false;
    return true;
}

// The recorded value of a cell after the step; NULL: none is recorded.
static const json_t *recorded_value(const json_t *changes, const char *name) {
    size_t i;
    json_t *change;
    json_array_foreach(changes, i, change) {
        const char *cell = text_member(change, "cell");
        if (cell && str_same(cell, name)) return json_object_get(change, "to");
    }
    return NULL;
}

// Is every recorded change one that the evaluator made, and as many? Locals, which are no part of a state, do not
// count.
static bool matches_changes(const reading *r, const value *before, const json_t *changes) {
    size_t made = 0, recorded = json_array_size(changes);
    bool ok = true;
    str name = {0};
    for (uint32_t c = 0; c < r->in->ncells && ok; c++) {
        bool is_local = cell_is_local(r->in, c);
        if (before[c] == r->next[c] && !is_local) continue;
        str_clear(&name);
        cell_name(r->in, c, &name);
        const json_t *to = recorded_value(changes, str_get(&name));
        value v;
        if (is_local) recorded -= to != NULL;
        else ok = to && object_read_value(r->in, cell_type(r->in, c), to, &v) && v == r->next[c];
        made += !is_local;
    }
    str_free(&name);
    return ok && made == recorded;
}

// A list of texts, as many as there are clocks; NULL: there is none.
static const char *const *tracefile_clocks(const reading *r, const json_t *list) {
    const timed_info *timed = sys_of(r->in->m, r->in->system)->timed;
    uint32_t n = timed ? timed->clocks.len - 1 : 0;
    if (!n || json_array_size(list) != n) return NULL;
    const char **texts = arena_alloc(r->t->memory, n * sizeof *texts);
    for (uint32_t i = 0; i < n; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text) return NULL;
        texts[i] = arena_str(r->t->memory, text);
    }
    return texts;
}

static const char *tracefile_time(const reading *r, const json_t *o, const char *key) {
    const char *text = text_member(o, key);
    return text ? arena_str(r->t->memory, text) : NULL;
}

// Of a timed run: who replays it judges them.
static void tracefile_times(const reading *r, const json_t *step, trace_step *to) {
    to->delay = tracefile_time(r, step, "delay");
    to->time = tracefile_time(r, step, "time");
    to->clocks = tracefile_clocks(r, json_object_get(step, "clocks"));
}

// Fires the step with one rule of its name. A refused step is left to trace_replay(), which knows what
// refuses.
static const char *try_rule(reading *r, rule id, const json_t *step) {
    const value *before = trace_state(r->t, r->t->steps.len);
    value args[rule_of(r->in->m, id)->nparams + 1];
    const json_t *changes = json_object_get(step, "changes");
    if (!tracefile_read_args(r, id, json_object_get(step, "args"), args)) return "has other arguments than the action";
    bool refused = json_is_true(json_object_get(step, "refused"));
    if (!refused) {
        if (!eval_enabled(r->ev, before, id, args)) return "is not enabled";
        if (!eval_fire(r->ev, before, id, args, r->next))
            return eval_is_impossible(r->ev) ? "is not possible" : "faults";
        if (json_is_array(changes) && !matches_changes(r, before, changes)) return "changes other cells than recorded";
    }
    trace_add(r->t, id, args, refused ? NULL : r->next);
    tracefile_times(r, step, &vec_last(&r->t->steps));
    return NULL;
}

// Several rules may have one name; the first that does what was recorded is the one.
static const char *read_step(reading *r, const json_t *step) {
    const char *name = text_member(step, "rule"), *problem = "names no action of the system";
    if (r->t->steps.len && !vec_last(&r->t->steps).after) return "follows a refused step";
    for (uint32_t i = 0; name && i < sys_of(r->in->m, r->in->system)->rules.len; i++) {
        rule id = sys_of(r->in->m, r->in->system)->rules.data[i];
        if (!str_same(rule_of(r->in->m, id)->name, name)) continue;
        problem = try_rule(r, id, step);
        if (!problem) return NULL;
    }
    return problem;
}

static bool read_steps(reading *r) {
    size_t i;
    json_t *step;
    json_array_foreach(json_object_get(r->f->trace, "steps"), i, step) {
        const char *problem = read_step(r, step), *label = text_member(step, "label");
        if (!problem) continue;
        diag_error(r->messages, nowhere, "%s: step %zu%s%s %s", r->f->path, i + 1, label ? ", " : "",
                   label ? label : "", problem);
        return false;
    }
    const json_t *loop = json_object_get(r->f->trace, "loop");
    if (json_is_integer(loop)) r->t->loop = (uint32_t)json_integer_value(loop);
    r->t->end_delay = tracefile_time(r, r->f->trace, "end_delay");
    r->t->end_time = tracefile_time(r, r->f->trace, "end_time");
    r->t->end_clocks = tracefile_clocks(r, json_object_get(r->f->trace, "end_clocks"));
    return true;
}

static bool tracefile_replays(reading *r) {
    str why = {0};
    bool ok = trace_replay(r->t, &why);
    if (!ok) diag_error(r->messages, nowhere, "%s: not a run of the model: %s", r->f->path, str_get(&why));
    str_free(&why);
    return ok;
}

trace *tracefile_trace(const tracefile *f, const instance *in, diag *messages) {
    reading r = {.f = f, .in = in, .messages = messages, .ev = eval_new(in)};
    r.next = mem_zero(in->ncells + 1, sizeof *r.next);
    bool ok = tracefile_read_initial(&r) && read_steps(&r) && tracefile_replays(&r);
    if (!ok) trace_free(r.t);
    eval_free(r.ev);
    free(r.next);
    return ok ? r.t : NULL;
}
