// SPDX-License-Identifier: Apache-2.0
// Sizes of sorts: see sizes.h.
#include "cli/sizes.h"

enum { SIZE_UNLESS_SAID = 2 };

static const span nowhere = {0};

static bool sizes_has_sort(const type_list *list, type t) {
    for (uint32_t i = 0; i < list->len; i++)
        if (type_same(list->data[i], t)) return true;
    return false;
}

static const size_range *asked_for(const options *o, const char *name) {
    for (uint32_t i = 0; i < o->sizes.len; i++)
        if (str_same(o->sizes.data[i].sort, name)) return &o->sizes.data[i];
    return NULL;
}

static chosen_size cli_sizes_choose(const session *s, const model *m, type t) {
    const type_info *info = type_of(m, t);
    const size_range *r = asked_for(&s->opt, info->name);
    if (r) return (chosen_size){t, r->low, r->high, r->low, SIZE_ASKED};
    uint32_t declared = info->fixed_size ? info->fixed_size : info->default_size;
    uint32_t n = declared ? declared : SIZE_UNLESS_SAID;
    return (chosen_size){t, n, n, n, declared ? SIZE_DECLARED : SIZE_ASSUMED};
}

static const char *nearest_sort(const model *m, const char *name) {
    VEC(const char *) names = {0};
    for (uint32_t i = 1; i < m->types.len; i++)
        if (m->types.data[i].kind == TYPE_SORT) vec_push(&names, m->types.data[i].name);
    const char *near = diag_nearest(name, names.data, names.len);
    vec_free(&names);
    return near;
}

static void check_name(session *s, const model *m, const type_list *used, const char *name) {
    type t = model_find_type(m, name);
    if (t.id && type_of(m, t)->kind == TYPE_SORT) {
        if (!sizes_has_sort(used, t))
            diag_warning(s->messages, nowhere, "sort '%s' plays no part here: its size is ignored", name);
        return;
    }
    const char *near = nearest_sort(m, name);
    if (t.id) session_error(s, "--size: '%s' is not a sort", name);
    else if (near) session_error(s, "--size: no sort '%s', did you mean '%s'?", name, near);
    else session_error(s, "--size: no sort '%s' in '%s'", name, s->file);
}

// Sorts in order of declaration, which is that of their numbers.
bool sizes_choose(session *s, const model *m, const sys *systems, uint32_t nsystems, sizes *out) {
    type_list used = {0};
    *out = (sizes){.m = m};
    for (uint32_t i = 0; i < nsystems; i++) instance_sorts(m, systems[i], &used);
    for (uint32_t i = 1; i < m->types.len; i++)
        if (sizes_has_sort(&used, (type){i})) vec_push(&out->sorts, cli_sizes_choose(s, m, (type){i}));
    for (uint32_t i = 0; i < s->opt.sizes.len; i++) check_name(s, m, &used, s->opt.sizes.data[i].sort);
    vec_free(&used);
    return !diag_failed(s->messages);
}

void sizes_free(sizes *z) { vec_free(&z->sorts); }

bool sizes_is_range(const sizes *z) {
    for (uint32_t i = 0; i < z->sorts.len; i++)
        if (z->sorts.data[i].low != z->sorts.data[i].high) return true;
    return false;
}

void sizes_first(sizes *z) {
    for (uint32_t i = 0; i < z->sorts.len; i++) z->sorts.data[i].now = z->sorts.data[i].low;
}

bool sizes_next(sizes *z) {
    for (uint32_t i = z->sorts.len; i-- > 0;) {
        chosen_size *c = &z->sorts.data[i];
        if (c->now++ < c->high) return true;
        c->now = c->low;
    }
    return false;
}

instance *sizes_instance(const sizes *z, model *m, sys system) {
    VEC(sort_size) list = {0};
    for (uint32_t i = 0; i < z->sorts.len; i++)
        vec_push(&list, (sort_size){z->sorts.data[i].sort, z->sorts.data[i].now});
    instance *in = instance_new(m, system, list.data, list.len);
    vec_free(&list);
    return in;
}

// ---- text

static const char *sizes_name_of(const sizes *z, const chosen_size *c) { return type_of(z->m, c->sort)->name; }

void sizes_add(const sizes *z, result *r) {
    for (uint32_t i = 0; i < z->sorts.len; i++)
        result_add_size(r, sizes_name_of(z, &z->sorts.data[i]), z->sorts.data[i].now);
    if (!r->scope) r->scope = result_text(r, "%s", "");
}

static void range_text(const chosen_size *c, str *out) {
    str_printf(out, "%u", c->low);
    if (c->high != c->low) str_printf(out, "..%u", c->high);
}

void sizes_text(const sizes *z, str *out) {
    for (uint32_t i = 0; i < z->sorts.len; i++) {
        str_printf(out, "%s%s=", i ? ", " : "", sizes_name_of(z, &z->sorts.data[i]));
        range_text(&z->sorts.data[i], out);
    }
}

static uint32_t put_origin(const sizes *z, size_origin origin, const char *title, str *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < z->sorts.len; i++) {
        const chosen_size *c = &z->sorts.data[i];
        if (c->origin != origin) continue;
        str_printf(out, "%s%s=", n++ ? ", " : title, sizes_name_of(z, c));
        range_text(c, out);
    }
    return n;
}

// Sorts whose size the file fixes leave no choice, so nothing is said about them.
static bool is_worth_saying(const sizes *z) {
    for (uint32_t i = 0; i < z->sorts.len; i++) {
        const chosen_size *c = &z->sorts.data[i];
        if (c->origin != SIZE_ASKED && !type_of(z->m, c->sort)->fixed_size) return true;
    }
    return false;
}

void sizes_say_origin(const sizes *z, const session *s, str *out) {
    if (!is_worth_saying(z) || options_has(&s->opt, OPT_QUIET)) return;
    str line = {0};
    uint32_t declared = put_origin(z, SIZE_DECLARED, "sizes from the file: ", &line);
    put_origin(z, SIZE_ASSUMED, declared ? "; assumed: " : "sizes assumed: ", &line);
    str_add(&line, " (choose with --size)");
    style_add(&s->style, ROLE_DIM, str_get(&line), out);
    str_char(out, '\n');
    str_free(&line);
}

json_t *sizes_object(const sizes *z) {
    json_t *o = json_object();
    for (uint32_t i = 0; i < z->sorts.len; i++) {
        const chosen_size *c = &z->sorts.data[i];
        str range = {0};
        range_text(c, &range);
        bool single = c->low == c->high;
        json_object_set_new(o, sizes_name_of(z, c), single ? json_integer(c->low) : json_string(str_get(&range)));
        str_free(&range);
    }
    return o;
}

json_t *sizes_origin_object(const sizes *z) {
    static const char *const names[] = {"option", "file", "default"};
    json_t *o = json_object();
    for (uint32_t i = 0; i < z->sorts.len; i++)
        json_object_set_new(o, sizes_name_of(z, &z->sorts.data[i]), json_string(names[z->sorts.data[i].origin]));
    return o;
}
