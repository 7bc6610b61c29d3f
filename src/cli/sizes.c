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
    if (r) return (chosen_size){m, t, r->low, r->high, r->low, SIZE_ASKED};
    uint32_t declared = info->fixed_size ? info->fixed_size : info->default_size;
    uint32_t n = declared ? declared : SIZE_UNLESS_SAID;
    return (chosen_size){m, t, n, n, n, declared ? SIZE_DECLARED : SIZE_ASSUMED};
}

static const char *sizes_name_of(const chosen_size *c) { return type_of(c->m, c->sort)->name; }

static chosen_size *sizes_find(const sizes *z, const char *name) {
    for (uint32_t i = 0; i < z->sorts.len; i++)
        if (str_same(sizes_name_of(&z->sorts.data[i]), name)) return &z->sorts.data[i];
    return NULL;
}

// Sorts in order of declaration, which is that of their numbers. One that is there already has the size that it has,
// unless nobody said it.
static void sizes_add_sorts(const session *s, const model *m, const sys *systems, uint32_t nsystems, sizes *out) {
    type_list used = {0};
    for (uint32_t i = 0; i < nsystems; i++) instance_sorts(m, systems[i], &used);
    for (uint32_t i = 1; i < m->types.len; i++) {
        if (!sizes_has_sort(&used, (type){i})) continue;
        chosen_size c = cli_sizes_choose(s, m, (type){i}), *old = sizes_find(out, sizes_name_of(&c));
        if (!old) vec_push(&out->sorts, c);
        else if (old->origin == SIZE_ASSUMED) *old = c;
    }
    vec_free(&used);
}

static void sizes_check_name(session *s, model *const *models, uint32_t n, const sizes *z, const char *name) {
    VEC(const char *) names = {0};
    bool is_type = false, is_sort = false;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 1; k < models[i]->types.len; k++) {
            const type_info *t = &models[i]->types.data[k];
            is_type |= str_same(t->name, name);
            is_sort |= t->kind == TYPE_SORT && str_same(t->name, name);
            if (t->kind == TYPE_SORT) vec_push(&names, t->name);
        }
    const char *near = diag_nearest(name, names.data, names.len);
    if (is_sort && !sizes_find(z, name))
        diag_warning(s->messages, nowhere, "sort '%s' plays no part here: its size is ignored", name);
    else if (is_type && !is_sort) diag_error(s->messages, nowhere, "--size: '%s' is not a sort", name);
    else if (!is_sort && near) diag_error(s->messages, nowhere, "--size: no sort '%s', did you mean '%s'?", name, near);
    else if (!is_sort) diag_error(s->messages, nowhere, "--size: no sort '%s' in '%s'", name, s->file);
    vec_free(&names);
}

static bool sizes_check(session *s, model *const *models, uint32_t n, const sizes *z) {
    for (uint32_t i = 0; i < s->opt.sizes.len; i++) sizes_check_name(s, models, n, z, s->opt.sizes.data[i].sort);
    return !diag_failed(s->messages);
}

bool sizes_choose(session *s, model *m, const sys *systems, uint32_t nsystems, sizes *out) {
    *out = (sizes){0};
    sizes_add_sorts(s, m, systems, nsystems, out);
    return sizes_check(s, &m, 1, out);
}

bool sizes_choose_two(session *s, model *const models[2], const sys systems[2], sizes *out) {
    if (models[0] == models[1]) return sizes_choose(s, models[0], systems, 2, out);
    *out = (sizes){0};
    for (uint32_t i = 0; i < 2; i++) sizes_add_sorts(s, models[i], &systems[i], 1, out);
    return sizes_check(s, models, 2, out);
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
    for (uint32_t i = 0; i < z->sorts.len; i++) {
        const chosen_size *c = &z->sorts.data[i];
        type t = c->m == m ? c->sort : model_find_type(m, sizes_name_of(c));
        if (t.id && type_of(m, t)->kind == TYPE_SORT) vec_push(&list, (sort_size){t, c->now});
    }
    instance *in = instance_new(m, system, list.data, list.len);
    vec_free(&list);
    return in;
}

// ---- text

void sizes_add(const sizes *z, result *r) {
    for (uint32_t i = 0; i < z->sorts.len; i++)
        result_add_size(r, sizes_name_of(&z->sorts.data[i]), z->sorts.data[i].now);
    if (!r->scope) r->scope = result_text(r, "%s", "");
}

static void range_text(const chosen_size *c, str *out) {
    str_printf(out, "%u", c->low);
    if (c->high != c->low) str_printf(out, "..%u", c->high);
}

void sizes_text(const sizes *z, str *out) {
    for (uint32_t i = 0; i < z->sorts.len; i++) {
        str_printf(out, "%s%s=", i ? ", " : "", sizes_name_of(&z->sorts.data[i]));
        range_text(&z->sorts.data[i], out);
    }
}

static uint32_t put_origin(const sizes *z, size_origin origin, const char *title, str *out) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < z->sorts.len; i++) {
        const chosen_size *c = &z->sorts.data[i];
        if (c->origin != origin) continue;
        str_printf(out, "%s%s=", n++ ? ", " : title, sizes_name_of(c));
        range_text(c, out);
    }
    return n;
}

// Sorts whose size the file fixes leave no choice, so nothing is said about them.
static bool is_worth_saying(const sizes *z) {
    for (uint32_t i = 0; i < z->sorts.len; i++) {
        const chosen_size *c = &z->sorts.data[i];
        if (c->origin != SIZE_ASKED && !type_of(c->m, c->sort)->fixed_size) return true;
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
        json_object_set_new(o, sizes_name_of(c), single ? json_integer(c->low) : json_string(str_get(&range)));
        str_free(&range);
    }
    return o;
}

json_t *sizes_origin_object(const sizes *z) {
    static const char *const names[] = {"option", "file", "default"};
    json_t *o = json_object();
    for (uint32_t i = 0; i < z->sorts.len; i++)
        json_object_set_new(o, sizes_name_of(&z->sorts.data[i]), json_string(names[z->sorts.data[i].origin]));
    return o;
}
