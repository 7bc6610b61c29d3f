// SPDX-License-Identifier: Apache-2.0
// Traces in lanes: see lanes.h. The layout is decided once (which lanes, how wide), then rows are printed.
#include "report/lanes.h"

#include "model/actor.h"
#include "report/multisets.h"
#include "result/cell.h"

enum { MARGIN = 4, STEP_WIDTH = 6, LEAST_CHANGES_WIDTH = 28, GAP = 2 };

// ---- states and changes

typedef void (*put_cell)(style_flow *f, const instance *in, uint32_t cell, const void *context);

// Cells of one owner after the other: those of the system itself, then each foreign system's under its name.
static void put_owners(const instance *in, style_flow *f, const bool *is_shown, put_cell put, const void *context) {
    sys owner = {0};
    bool any = false;
    for (uint32_t c = 0; c < in->ncells; c++) {
        if (!is_shown[c]) continue;
        sys mine = cell_owner(in, c);
        if (cell_is_foreign(in, c) && mine.id != owner.id) {
            if (any) style_flow_line(f);
            str head = {0};
            str_printf(&head, "%s:", sys_of(in->m, mine)->name);
            style_flow_word(f, ROLE_DIM, str_get(&head));
            str_free(&head);
        }
        owner = mine;
        any = true;
        put(f, in, c, context);
    }
}

static style_role quiet(const instance *in, uint32_t cell, style_role role) {
    return cell_is_foreign(in, cell) ? ROLE_DIM : role;
}

typedef struct {
    const value *before, *after;
} step_states;

static void put_change(style_flow *f, const instance *in, uint32_t c, const void *context) {
    const step_states *st = context;
    str word = {0};
    style_role role = ROLE_PLAIN;
    bool is_flag = cell_is_bool(in, c) && st->before[c] != VALUE_UNDEFINED && st->after[c] != VALUE_UNDEFINED;
    if (is_flag) {
        str_char(&word, st->after[c] ? '+' : '-');
        role = st->after[c] ? ROLE_GOOD : ROLE_BAD;
        cell_shown_name(in, c, &word);
    } else {
        cell_shown_name(in, c, &word);
        str_add(&word, ": ");
        cell_value(in, c, st->before[c], &word);
        str_printf(&word, " %s ", style_arrow(f->style));
        cell_value(in, c, st->after[c], &word);
    }
    style_flow_word(f, quiet(in, c, role), str_get(&word));
    str_free(&word);
}

static void lanes_put_value(style_flow *f, const instance *in, uint32_t c, const void *context) {
    const value *state = context;
    str word = {0};
    bool is_bool = cell_is_bool(in, c) && state[c] != VALUE_UNDEFINED;
    if (is_bool && !state[c]) str_char(&word, '!');
    cell_shown_name(in, c, &word);
    if (!is_bool) {
        str_char(&word, '=');
        cell_value(in, c, state[c], &word);
    }
    style_flow_word(f, quiet(in, c, ROLE_PLAIN), str_get(&word));
    str_free(&word);
}

// The cells that are shown, or what to say when there are none.
static void put_cells(const instance *in, bool *is_shown, put_cell put, const void *context, const char *none,
                      const style *s, unsigned indent, str *out) {
    style_flow f;
    style_flow_begin(&f, s, out, indent, indent);
    f.gap = GAP;
    bool has_multisets = multisets_hide(in, is_shown);
    put_owners(in, &f, is_shown, put, context);
    if (has_multisets && put == put_change) {
        const step_states *st = context;
        multisets_changes(in, st->before, st->after, &f);
    } else if (has_multisets) multisets_elements(in, context, &f);
    if (f.is_fresh) style_flow_word(&f, ROLE_DIM, none);
    str_char(out, '\n');
}

void lanes_changes(const instance *in, const value *before, const value *after, const style *s, unsigned indent,
                   str *out) {
    bool *shown = mem_zero(in->ncells + 1, sizeof *shown);
    for (uint32_t c = 0; c < in->ncells; c++) shown[c] = before[c] != after[c];
    put_cells(in, shown, put_change, &(step_states){before, after}, "(nothing changes)", s, indent, out);
    free(shown);
}

// A relation is its true cells, even in a whole state: the false ones say nothing more.
static bool is_worth_showing(const instance *in, uint32_t c, value v, bool whole) {
    if (cell_is_local(in, c)) return false;
    if (!whole) return !cell_is_initial(in, c, v);
    return !cell_is_bool(in, c) || v || !cell_is_initial(in, c, v);
}

void lanes_state(const instance *in, const value *state, bool whole, const style *s, unsigned indent, str *out) {
    bool *shown = mem_zero(in->ncells + 1, sizeof *shown);
    for (uint32_t c = 0; c < in->ncells; c++) shown[c] = is_worth_showing(in, c, state[c], whole);
    put_cells(in, shown, lanes_put_value, state, "(every cell has its declared initial value)", s, indent, out);
    free(shown);
}

// ---- orders

static bool is_related(const instance *in, func f, const value *state, uint32_t a, uint32_t b) {
    return state[instance_cell(in, f, (value[]){(value)a, (value)b})] == 1;
}

// Is the relation, on all elements of one sort, a total order in this state? *is_strict: no element is before itself.
static bool is_order(const instance *in, func f, const value *state, bool *is_strict) {
    const func_info *i = func_of(in->m, f);
    bool fits = i->nargs == 2 && i->args[0].id == i->args[1].id && i->result.id == in->m->bool_type.id;
    if (!fits || type_of(in->m, i->args[0])->kind != TYPE_SORT) return false;
    uint32_t n = instance_type_size(in, i->args[0]), loops = 0;
    for (uint32_t a = 0; a < n; a++) {
        loops += is_related(in, f, state, a, a);
        for (uint32_t b = 0; b < n; b++) {
            if (a == b) continue;
            bool is_before = is_related(in, f, state, a, b);
            if (is_before == is_related(in, f, state, b, a)) return false;
            for (uint32_t c = 0; is_before && c < n; c++)
                if (c != a && c != b && is_related(in, f, state, b, c) && !is_related(in, f, state, a, c)) return false;
        }
    }
    *is_strict = loops == 0;
    return n > 1 && (loops == 0 || loops == n);
}

// "before: 2 < 1 < 3": an element has as many before it as its place says.
static void put_chain(const instance *in, func f, const value *state, const char *sign, unsigned indent, str *out) {
    const func_info *i = func_of(in->m, f);
    uint32_t n = instance_type_size(in, i->args[0]);
    str_pad(out, ' ', indent);
    str_printf(out, "%s: ", i->spelling ? i->spelling : i->name);
    for (uint32_t place = 0; place < n; place++)
        for (uint32_t b = 0; b < n; b++) {
            uint32_t before = 0;
            for (uint32_t a = 0; a < n; a++) before += a != b && is_related(in, f, state, a, b);
            if (before != place) continue;
            if (place) str_add(out, sign);
            cell_argument(in, i->args[0], (value)b, out);
        }
    str_char(out, '\n');
}

static void lanes_orders(const instance *in, const value *state, const style *s, unsigned indent, str *out) {
    const sys_info *is = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < is->funcs.len; i++) {
        func f = is->funcs.data[i];
        bool is_strict;
        if (is_order(in, f, state, &is_strict))
            put_chain(in, f, state, is_strict ? " < " : s->utf8 ? " ≤ " : " <= ", indent, out);
    }
}

// What is drawn as a chain is not listed pair by pair too.
static bool lanes_hide_orders(const instance *in, const value *state, bool *shown) {
    value args[MODEL_MOST_ARGS];
    bool is_strict, any = false;
    for (uint32_t c = 0; c < in->ncells; c++) {
        bool is_drawn = shown[c] && is_order(in, instance_cell_func(in, c, args), state, &is_strict);
        if (is_drawn) shown[c] = false;
        any |= is_drawn;
    }
    return any;
}

void lanes_drawn(const instance *in, const value *state, const style *s, unsigned indent, str *out) {
    bool *shown = mem_zero(in->ncells + 1, sizeof *shown);
    for (uint32_t c = 0; c < in->ncells; c++) shown[c] = is_worth_showing(in, c, state[c], false);
    bool has_orders = lanes_hide_orders(in, state, shown);
    const char *none = has_orders ? "(but for its order, every cell has its declared initial value)"
                                  : "(every cell has its declared initial value)";
    put_cells(in, shown, lanes_put_value, state, none, s, indent, out);
    lanes_orders(in, state, s, indent, out);
    free(shown);
}

// ---- lanes

typedef struct {
    const trace *t;
    const style *s;
    str *out;
    lanes_sort lanes;
    VEC(value) elements;  // one per lane
    bool has_other;       // a last lane for actions without such a parameter
    unsigned width;       // of a lane
    unsigned changes_at;  // column of the changes
} layout;

static const model *model_of(const layout *l) { return l->t->in->m; }

// Slots of multisets are no names that the user knows.
static type first_sort(const model *m, rule r) {
    const rule_info *info = rule_of(m, r);
    if (!info->nparams) return (type){0};
    type ty = var_of(m, info->params[0])->ty;
    const type_info *t = type_of(m, ty);
    return t->kind == TYPE_SORT && !t->is_slot ? ty : (type){0};
}

// The sort that most actions have as first parameter; the first such in the order of rules.
static type common_sort(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    uint32_t *count = mem_zero(in->m->types.len, sizeof *count);
    type best = {0};
    for (uint32_t i = 0; i < s->rules.len; i++) count[first_sort(in->m, s->rules.data[i]).id]++;
    count[0] = 0;
    for (uint32_t i = 0; i < s->rules.len; i++) {
        type ty = first_sort(in->m, s->rules.data[i]);
        if (count[ty.id] > count[best.id]) best = ty;
    }
    free(count);
    return best;
}

lanes_sort lanes_choose(const instance *in) {
    type threads = actor_sort(in->m, in->system);
    return (lanes_sort){threads.id ? threads : common_sort(in), threads.id != 0};
}

uint32_t lanes_param(const instance *in, const lanes_sort *lanes, rule r) {
    if (!lanes->sort.id) return LANES_NONE;
    if (lanes->has_threads) {
        uint32_t actor = actor_param(in->m, r, lanes->sort);
        return actor == ACTOR_NONE ? LANES_NONE : actor;
    }
    return type_same(first_sort(in->m, r), lanes->sort) ? 0 : LANES_NONE;
}

void lanes_title(const instance *in, const lanes_sort *lanes, value element, str *out) {
    str_printf(out, "%s%c", type_of(in->m, lanes->sort)->name, cell_is_spelled(in) ? '_' : ' ');
    instance_value_text(in, lanes->sort, element, out);
}

static uint32_t lane_param(const layout *l, rule r) { return lanes_param(l->t->in, &l->lanes, r); }

static bool lanes_moves(const layout *l, value element) {
    for (uint32_t i = 0; i < l->t->steps.len; i++) {
        const trace_step *st = &l->t->steps.data[i];
        uint32_t param = lane_param(l, st->r);
        if (param != LANES_NONE && st->args[param] == element) return true;
    }
    return false;
}

static void choose_elements(layout *l, bool only_moving) {
    vec_clear(&l->elements);
    if (!l->lanes.sort.id) return;
    for (uint32_t i = 0; i < instance_type_size(l->t->in, l->lanes.sort); i++)
        if (!only_moving || lanes_moves(l, (value)i)) vec_push(&l->elements, (value)i);
}

static unsigned label_columns(const layout *l, uint32_t step) {
    str label = {0};
    const trace_step *st = &l->t->steps.data[step];
    cell_label(l->t->in, st->r, st->args, &label);
    unsigned n = (unsigned)str_columns(str_get(&label)) + (st->after ? 0 : 2);
    str_free(&label);
    return n;
}

static void lane_title(const layout *l, value element, str *out) { lanes_title(l->t->in, &l->lanes, element, out); }

static void lanes_measure(layout *l) {
    unsigned width = 6;
    for (uint32_t i = 0; i < l->t->steps.len; i++)
        if (label_columns(l, i) > width) width = label_columns(l, i);
    for (uint32_t i = 0; i < l->elements.len; i++) {
        str title = {0};
        lane_title(l, l->elements.data[i], &title);
        if (str_columns(str_get(&title)) > width) width = (unsigned)str_columns(str_get(&title));
        str_free(&title);
    }
    l->width = width;
    l->changes_at = MARGIN + STEP_WIDTH + (l->elements.len + l->has_other) * (width + GAP);
}

static bool lanes_fits(const layout *l) { return l->changes_at + LEAST_CHANGES_WIDTH <= l->s->width; }

static bool needs_other(const layout *l) {
    for (uint32_t i = 0; i < l->t->steps.len; i++)
        if (lane_param(l, l->t->steps.data[i].r) == LANES_NONE) return true;
    return false;
}

static void lanes_lay_out(layout *l) {
    l->lanes = lanes_choose(l->t->in);
    l->has_other = !l->lanes.sort.id || needs_other(l);
    for (int only_moving = 0; only_moving < 2; only_moving++) {
        choose_elements(l, only_moving);
        lanes_measure(l);
        if (lanes_fits(l)) return;
    }
    l->lanes.sort = (type){0};
    l->has_other = true;
    choose_elements(l, false);
    lanes_measure(l);
}

// ---- rows

static void pad_to(str *out, unsigned have, unsigned want) {
    if (have < want) str_pad(out, ' ', want - have);
}

static void put_padded(const layout *l, style_role role, const char *text) {
    style_add(l->s, role, text, l->out);
    pad_to(l->out, (unsigned)str_columns(text), l->width + GAP);
}

// A line begins, with a word in place of the number of a step.
static void put_margin(const layout *l, style_role role, const char *word) {
    str_pad(l->out, ' ', MARGIN);
    style_add(l->s, role, word, l->out);
    pad_to(l->out, (unsigned)str_columns(word), STEP_WIDTH);
}

static void put_titles(const layout *l) {
    put_margin(l, ROLE_STRONG, "step");
    for (uint32_t i = 0; i < l->elements.len; i++) {
        str title = {0};
        lane_title(l, l->elements.data[i], &title);
        put_padded(l, ROLE_STRONG, str_get(&title));
        str_free(&title);
    }
    if (l->has_other) put_padded(l, ROLE_STRONG, l->elements.len ? "others" : "action");
}

static uint32_t lanes_lane_of(const layout *l, const trace_step *st) {
    uint32_t param = lane_param(l, st->r);
    for (uint32_t i = 0; param != LANES_NONE && i < l->elements.len; i++)
        if (l->elements.data[i] == st->args[param]) return i;
    return l->elements.len;
}

static style_role label_role(const layout *l, const trace_step *st) {
    if (!st->after) return ROLE_BAD;
    return rule_of(model_of(l), st->r)->is_visible ? ROLE_STRONG : ROLE_DIM;
}

static void put_label(const layout *l, const trace_step *st) {
    str label = {0};
    cell_label(l->t->in, st->r, st->args, &label);
    if (!st->after) str_printf(&label, " %s", style_cross(l->s));
    uint32_t mine = lanes_lane_of(l, st), lanes = l->elements.len + l->has_other;
    for (uint32_t i = 0; i < lanes; i++) {
        if (i == mine) put_padded(l, label_role(l, st), str_get(&label));
        else str_pad(l->out, ' ', l->width + GAP);
    }
    str_free(&label);
}

static void put_sentence(const layout *l, style_role role, const char *text) {
    style_paragraph(l->s, role, text, l->changes_at, l->changes_at, l->out);
}

static void lanes_put_row(const layout *l, uint32_t i, const lanes_options *o) {
    const trace_step *st = &l->t->steps.data[i];
    str_pad(l->out, ' ', MARGIN);
    str_printf(l->out, "%4u  ", i + 1);
    put_label(l, st);
    if (!st->after) put_sentence(l, ROLE_BAD, o->reason ? o->reason : "refused");
    else if (o->full_states) lanes_state(l->t->in, st->after, true, l->s, l->changes_at, l->out);
    else lanes_changes(l->t->in, trace_state(l->t, i), st->after, l->s, l->changes_at, l->out);
}

static bool starts_as_declared(const trace *t) {
    for (uint32_t c = 0; c < t->in->ncells; c++)
        if (!cell_is_initial(t->in, c, t->initial[c])) return false;
    return true;
}

static void begin_start(const layout *l, const char *margin) {
    put_margin(l, ROLE_PLAIN, margin);
    str_pad(l->out, ' ', l->changes_at - MARGIN - STEP_WIDTH);
}

static void put_start(const layout *l, const lanes_options *o) {
    bool is_shown = o->full_states || !starts_as_declared(l->t);
    str undefined = {0};
    if (!o->full_states) cell_undefined_text(l->t->in, l->t->initial, &undefined);
    if (is_shown) {
        begin_start(l, "   0");
        lanes_state(l->t->in, l->t->initial, o->full_states, l->s, l->changes_at, l->out);
    }
    if (undefined.len) {
        str text = {0};
        str_printf(&text, "undefined: %s", str_get(&undefined));
        begin_start(l, is_shown ? "    " : "   0");
        put_sentence(l, ROLE_DIM, str_get(&text));
        str_free(&text);
    }
    str_free(&undefined);
}

// The labels in the notation of the papers; nothing new where labels are the names of rules.
static void put_word(const layout *l) {
    const trace *t = l->t;
    uint32_t n = t->steps.len;
    if (cell_is_spelled(t->in)) return;
    style_flow f;
    put_margin(l, ROLE_STRONG, "word");
    style_flow_begin(&f, l->s, l->out, MARGIN + STEP_WIDTH, MARGIN + STEP_WIDTH);
    for (uint32_t i = 0; i < n; i++) {
        const trace_step *st = &t->steps.data[i];
        if (i == t->loop) style_flow_word(&f, ROLE_PLAIN, "(");
        if (!rule_of(model_of(l), st->r)->is_visible) continue;
        str label = {0};
        trace_label_text(t->in, st->r, st->args, &label);
        style_flow_word(&f, st->after ? ROLE_STRONG : ROLE_BAD, str_get(&label));
        str_free(&label);
    }
    if (t->loop != UINT32_MAX) style_flow_word(&f, ROLE_PLAIN, l->s->utf8 ? ")ω" : ") for ever");
    if (f.is_fresh) style_flow_word(&f, ROLE_DIM, "(no visible step)");
    str_add(l->out, "\n\n");
}

static bool ends_in_refusal(const trace *t) { return t->steps.len && !vec_last(&t->steps).after; }

// A violated invariant is a matter of the last state, not of a step: show it, with the reason.
static void lanes_put_end(const layout *l, const lanes_options *o) {
    const trace *t = l->t;
    if (t->loop != UINT32_MAX) {
        put_margin(l, ROLE_PLAIN, "");
        str_printf(l->out, "back to the state before step %u\n", t->loop + 1);
    }
    if (!ends_in_refusal(t) && o->reason) {
        put_margin(l, ROLE_BAD, style_cross(l->s));
        str_pad(l->out, ' ', l->changes_at - MARGIN - STEP_WIDTH);
        put_sentence(l, ROLE_BAD, o->reason);
    }
    if (o->full_states) return;
    str_char(l->out, '\n');
    put_margin(l, ROLE_STRONG, "state");
    uint32_t last = t->steps.len - ends_in_refusal(t);
    lanes_state(t->in, trace_state(t, last), false, l->s, MARGIN + STEP_WIDTH, l->out);
}

void lanes_text(const trace *t, const style *s, const lanes_options *options, str *out) {
    layout l = {.t = t, .s = s, .out = out};
    lanes_lay_out(&l);
    put_word(&l);
    put_titles(&l);
    style_add(s, ROLE_STRONG, options->full_states ? "state after the step" : "changes", out);
    str_char(out, '\n');
    put_start(&l, options);
    for (uint32_t i = 0; i < t->steps.len; i++) lanes_put_row(&l, i, options);
    lanes_put_end(&l, options);
    vec_free(&l.elements);
}
