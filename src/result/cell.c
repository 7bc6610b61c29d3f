// SPDX-License-Identifier: Apache-2.0
// Names and values of cells and labels: see cell.h.
#include "result/cell.h"

#include <string.h>

static func cell_func(const instance *in, uint32_t cell) {
    value args[MODEL_MOST_ARGS];
    return instance_cell_func(in, cell, args);
}

sys cell_owner(const instance *in, uint32_t cell) { return func_of(in->m, cell_func(in, cell))->owner; }

bool cell_is_foreign(const instance *in, uint32_t cell) {
    const sys_info *s = sys_of(in->m, in->system);
    return cell_owner(in, cell).id != func_of(in->m, s->funcs.data[0])->owner.id;
}

type cell_type(const instance *in, uint32_t cell) { return func_of(in->m, cell_func(in, cell))->result; }

bool cell_is_local(const instance *in, uint32_t cell) { return func_of(in->m, cell_func(in, cell))->is_scratch; }

bool cell_is_bool(const instance *in, uint32_t cell) { return type_of(in->m, cell_type(in, cell))->kind == TYPE_BOOL; }

// A model whose language has a spelling for its cells, as Murphi does, has names for its elements: client_1.
bool cell_is_spelled(const instance *in) {
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->funcs.len; i++)
        if (func_of(in->m, s->funcs.data[i])->spelling) return true;
    return false;
}

// Murphi's variables have no declared value: `initial` is the least one where there always is a value. No element is
// less than another.
bool cell_is_initial(const instance *in, uint32_t cell, value v) {
    const func_info *f = func_of(in->m, cell_func(in, cell));
    type_kind kind = type_of(in->m, f->result)->kind;
    if (f->spelling && v != VALUE_UNDEFINED && (kind == TYPE_SORT || kind == TYPE_UNION)) return false;
    return !f->starts_any && f->initial == v;
}

static void shown_value(const instance *in, type ty, value v, str *out) {
    const type_info *t = type_of(in->m, ty);
    bool is_named = t->kind == TYPE_SORT && !t->is_slot && v != VALUE_UNDEFINED;
    if (is_named && cell_is_spelled(in)) str_printf(out, "%s_", t->name);
    instance_value_text(in, ty, v, out);
}

static void plain_name(const instance *in, const func_info *f, const value *args, str *out) {
    str_add(out, f->name);
    for (uint32_t i = 0; i < f->nargs; i++) {
        str_char(out, i ? ',' : '(');
        instance_value_text(in, f->args[i], args[i], out);
    }
    if (f->nargs) str_char(out, ')');
}

// cache[].mode with the arguments in their places, from argument k on to the end or to that of number `most`.
static void spelled_until(const instance *in, const func_info *f, const value *args, const char *s, uint32_t k,
                          uint32_t most, str *out) {
    for (; *s && (*s != '[' || k != most); s++) {
        str_char(out, *s);
        if (*s == '[' && k < f->nargs) shown_value(in, f->args[k], args[k], out), k++;
    }
}

static void spelled_name(const instance *in, const func_info *f, const value *args, str *out) {
    spelled_until(in, f, args, f->spelling, 0, UINT32_MAX, out);
}

void cell_shown_before(const instance *in, uint32_t cell, uint32_t position, str *out) {
    value args[MODEL_MOST_ARGS];
    const func_info *f = func_of(in->m, instance_cell_func(in, cell, args));
    if (f->spelling) spelled_until(in, f, args, f->spelling, 0, position, out);
    else str_add(out, f->name);
}

void cell_shown_after(const instance *in, uint32_t cell, uint32_t position, str *out) {
    value args[MODEL_MOST_ARGS];
    const func_info *f = func_of(in->m, instance_cell_func(in, cell, args));
    const char *rest = f->spelling ? strchr(f->spelling, '[') : NULL;
    for (uint32_t k = 0; rest && k < position; k++) rest = strchr(rest + 1, '[');
    if (rest) spelled_until(in, f, args, rest + strlen("[]"), position + 1, UINT32_MAX, out);
}

void cell_shown_name(const instance *in, uint32_t cell, str *out) {
    value args[MODEL_MOST_ARGS];
    const func_info *f = func_of(in->m, instance_cell_func(in, cell, args));
    if (f->spelling) spelled_name(in, f, args, out);
    else plain_name(in, f, args, out);
}

void cell_name(const instance *in, uint32_t cell, str *out) {
    value args[MODEL_MOST_ARGS];
    const func_info *f = func_of(in->m, instance_cell_func(in, cell, args));
    if (cell_is_foreign(in, cell)) str_printf(out, "%s.", sys_of(in->m, f->owner)->name);
    plain_name(in, f, args, out);
}

void cell_argument(const instance *in, type ty, value v, str *out) { shown_value(in, ty, v, out); }

void cell_value(const instance *in, uint32_t cell, value v, str *out) { shown_value(in, cell_type(in, cell), v, out); }

void cell_label(const instance *in, rule r, const value *args, str *out) {
    const rule_info *info = rule_of(in->m, r);
    str_add(out, info->name);
    for (uint32_t i = 0; i < info->nparams; i++) {
        if (!i) str_char(out, '(');
        if (i == rule_nshown(info)) str_char(out, ';');
        else if (i) str_char(out, ',');
        shown_value(in, var_of(in->m, info->params[i])->ty, args[i], out);
    }
    if (info->nparams) str_char(out, ')');
}

// ---- faults

// Temporaries of a front end have no name that the user knows.
static bool has_shown_name(const func_info *f) { return f->name[0] != '%'; }

static void type_text(const instance *in, type t, str *out) {
    const type_info *info = type_of(in->m, t);
    if (info->kind == TYPE_RANGE) str_printf(out, "%d..%d", info->lo, info->hi);
    else str_add(out, info->name);
}

// The function as its language writes it, without arguments: "cache[].mode".
static void function_text(const func_info *f, str *out) { str_add(out, f->spelling ? f->spelling : f->name); }

static bool fault_of_cell(const instance *in, const fault *f, str *out) {
    value args[MODEL_MOST_ARGS];
    if (!f->cell || !has_shown_name(func_of(in->m, instance_cell_func(in, f->cell - 1, args)))) return false;
    if (f->kind == FAULT_RANGE) str_printf(out, "%d does not fit ", f->number);
    cell_shown_name(in, f->cell - 1, out);
    if (f->kind == FAULT_UNDEFINED) str_add(out, " is undefined");
    else str_add(out, ": "), type_text(in, cell_type(in, f->cell - 1), out);
    return true;
}

static bool fault_of_index(const instance *in, const fault *f, str *out) {
    const func_info *info = f->f.id ? func_of(in->m, f->f) : NULL;
    if (!info || !has_shown_name(info)) return false;
    str_printf(out, "%d is no index of ", f->number);
    function_text(info, out);
    str_add(out, ": ");
    type_text(in, info->args[f->position], out);
    return true;
}

void cell_fault_text(const instance *in, const fault *f, str *out) {
    bool is_cell = f->kind == FAULT_RANGE || f->kind == FAULT_UNDEFINED;
    if (f->text) str_add(out, f->text);
    else if (is_cell ? !fault_of_cell(in, f, out) : f->kind != FAULT_INDEX || !fault_of_index(in, f, out))
        str_add(out, fault_text(f->kind));
}

// ---- what has no value

enum { MOST_UNDEFINED = 12 };  // that are named

static bool is_in_bag(const instance *in, func f) {
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = 0; i < s->bags.len; i++)
        for (uint32_t k = 0; k < s->bags.data[i].nfuncs; k++)
            if (s->bags.data[i].funcs[k].id == f.id) return true;
    return false;
}

static uint32_t count_undefined(const instance *in, func f, const value *state) {
    uint32_t first = in->first_cell[f.id], n = 0;
    for (uint32_t c = first; c < first + instance_func_cells(in, f); c++) n += state[c] == VALUE_UNDEFINED;
    return n;
}

static void add_undefined(str *name, uint32_t *n, str *out) {
    if (++*n <= MOST_UNDEFINED) str_printf(out, "%s%s", *n > 1 ? ", " : "", str_get(name));
    str_clear(name);
}

static void undefined_of(const instance *in, func f, const value *state, uint32_t *n, str *out) {
    uint32_t first = in->first_cell[f.id], all = instance_func_cells(in, f), some = count_undefined(in, f, state);
    str name = {0};
    if (some == all) {
        function_text(func_of(in->m, f), &name);
        add_undefined(&name, n, out);
    }
    for (uint32_t c = first; some < all && c < first + all; c++) {
        if (state[c] != VALUE_UNDEFINED) continue;
        cell_shown_name(in, c, &name);
        add_undefined(&name, n, out);
    }
    str_free(&name);
}

void cell_undefined_text(const instance *in, const value *state, str *out) {
    const sys_info *s = sys_of(in->m, in->system);
    uint32_t n = 0;
    for (uint32_t i = 0; cell_is_spelled(in) && i < s->funcs.len; i++) {
        const func_info *f = func_of(in->m, s->funcs.data[i]);
        if (f->is_scratch || is_in_bag(in, s->funcs.data[i])) continue;
        if (count_undefined(in, s->funcs.data[i], state)) undefined_of(in, s->funcs.data[i], state, &n, out);
    }
    if (n > MOST_UNDEFINED) str_printf(out, " and %u more", n - MOST_UNDEFINED);
}
