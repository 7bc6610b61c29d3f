// SPDX-License-Identifier: Apache-2.0
// Names and values of cells and labels: see cell.h.
#include "report/cell.h"

// Without the arguments, so without room for them.
static func cell_func(const instance *in, uint32_t cell) {
    const sys_info *s = sys_of(in->m, in->system);
    for (uint32_t i = s->funcs.len; i-- > 0;)
        if (in->first_cell[s->funcs.data[i].id] <= cell) return s->funcs.data[i];
    return (func){0};
}

sys cell_owner(const instance *in, uint32_t cell) { return func_of(in->m, cell_func(in, cell))->owner; }

bool cell_is_foreign(const instance *in, uint32_t cell) {
    const sys_info *s = sys_of(in->m, in->system);
    return cell_owner(in, cell).id != func_of(in->m, s->funcs.data[0])->owner.id;
}

type cell_type(const instance *in, uint32_t cell) { return func_of(in->m, cell_func(in, cell))->result; }

bool cell_is_bool(const instance *in, uint32_t cell) {
    return type_of(in->m, cell_type(in, cell))->kind == TYPE_BOOL;
}

bool cell_is_initial(const instance *in, uint32_t cell, value v) {
    const func_info *f = func_of(in->m, cell_func(in, cell));
    return !f->starts_any && f->initial == v;
}

void cell_short_name(const instance *in, uint32_t cell, str *out) {
    const func_info *f = func_of(in->m, cell_func(in, cell));
    value args[f->nargs + 1];
    instance_cell_func(in, cell, args);
    str_add(out, f->name);
    for (uint32_t i = 0; i < f->nargs; i++) {
        str_char(out, i ? ',' : '(');
        instance_value_text(in, f->args[i], args[i], out);
    }
    if (f->nargs) str_char(out, ')');
}

void cell_name(const instance *in, uint32_t cell, str *out) {
    if (cell_is_foreign(in, cell)) str_printf(out, "%s.", sys_of(in->m, cell_owner(in, cell))->name);
    cell_short_name(in, cell, out);
}

void cell_value(const instance *in, uint32_t cell, value v, str *out) {
    instance_value_text(in, cell_type(in, cell), v, out);
}

void cell_label(const instance *in, rule r, const value *args, str *out) {
    const rule_info *info = rule_of(in->m, r);
    str_add(out, info->name);
    for (uint32_t i = 0; i < info->nparams; i++) {
        str_char(out, i ? ',' : '(');
        instance_value_text(in, var_of(in->m, info->params[i])->ty, args[i], out);
    }
    if (info->nparams) str_char(out, ')');
}
