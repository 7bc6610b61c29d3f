// SPDX-License-Identifier: Apache-2.0
// A claim about the states of an instance as a JSON object, and back: see closed.h. Properties are named; where
// several share a name, ["name", how many of that name come before it].
#include "certificate/closed.h"

#include "certificate/ranking.h"
#include "model/compose.h"

#include <string.h>

static const char *const stuck_names[] = {"not looked for", "stuck", "stuttering"};

// ---- writing

static json_t *property_object(const model *m, prop p) {
    const char *name = prop_of(m, p)->name;
    int before = 0;
    for (uint32_t i = 1; i < p.id; i++) before += strcmp(m->props.data[i].name, name) == 0;
    return before ? json_pack("[o, i]", certfile_text(name), before) : certfile_text(name);
}

json_t *closed_sizes_object(const instance *in) {
    json_t *sizes = json_object();
    for (uint32_t i = 1; i < in->m->types.len; i++)
        if (in->m->types.data[i].kind == TYPE_SORT)
            json_object_set_new_nocheck(sizes, in->m->types.data[i].name, json_integer(in->sort_size[i]));
    return sizes;
}

json_t *closed_claim_object(const closed_claim *c, uint64_t states, const uint32_t *tables) {
    const model *m = c->in->m;
    json_t *props = json_array(), *permuted = json_array(), *counts = json_array();
    for (uint32_t i = 0; i < c->nprops; i++) {
        json_array_append_new(props, property_object(m, c->props[i]));
        json_array_append_new(counts, json_integer(tables ? tables[i] : 0));
    }
    for (uint32_t i = 0; i < c->npermuted; i++)
        json_array_append_new(permuted, certfile_text(type_of(m, c->permuted[i])->name));
    sys own = c->nprops ? prop_of(m, c->props[0])->system : c->in->system;
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:I}", "kind", "closed set", "system",
                     certfile_text(sys_of(m, own)->name), "sizes", closed_sizes_object(c->in), "properties", props,
                     "tables", counts, "deadlock", stuck_names[c->stuck], "assumptions", c->checks_assumptions,
                     "permuted", permuted, "states", (json_int_t)states);
}

// ---- reading

static prop closed_claim_find_property(certfile *file, const model *m, const json_t *j) {
    const char *name = json_string_value(json_is_array(j) ? json_array_get(j, 0) : j);
    json_int_t before = json_is_array(j) ? json_integer_value(json_array_get(j, 1)) : 0;
    for (uint32_t i = 1; name && i < m->props.len; i++)
        if (strcmp(m->props.data[i].name, name) == 0 && before-- == 0) return (prop){i};
    certfile_complain(file, "the model has no property '%s'", name ? name : "");
    return (prop){0};
}

static bool read_props(certfile *file, const json_t *object, model *m, closed_read *out) {
    const json_t *list = json_object_get(object, "properties");
    if (!json_is_array(list)) certfile_complain(file, "a claim lacks 'properties'");
    for (size_t i = 0; i < json_array_size(list) && !certfile_is_broken(file); i++) {
        prop p = closed_claim_find_property(file, m, json_array_get(list, i));
        if (p.id) vec_push(&out->props, p);
    }
    return !certfile_is_broken(file);
}

static bool refuse_property(certfile *file, const model *m, prop p) {
    certfile_complain(file, "'%s' is not claimed about the states of the claim's system", prop_of(m, p)->name);
    return false;
}

sys closed_read_system(certfile *file, const json_t *object, const model *m) {
    const char *name = certfile_string(file, object, "system");
    sys system = name ? model_find_system(m, name) : (sys){0};
    if (name && !system.id) certfile_complain(file, "the model has no system '%s'", name);
    else if (name && sys_of(m, system)->timed)
        certfile_complain(file, "'%s' has clocks: states alone show nothing", name);
    return certfile_is_broken(file) ? (sys){0} : system;
}

// The system that the properties are decided on: their own, or the product with a specification.
static bool find_system(certfile *file, const json_t *object, model *m, closed_read *out, sys *system) {
    sys own = *system = closed_read_system(file, object, m);
    if (!own.id) return false;
    for (uint32_t i = 0; i < out->props.len; i++) {
        prop p = out->props.data[i];
        if (prop_of(m, p)->system.id != own.id || prop_of(m, p)->kind == PROP_TIMED) return refuse_property(file, m, p);
        if (prop_of(m, p)->kind == PROP_REFINES && !compose_has_product(m, p)) return refuse_property(file, m, p);
        sys on = compose_for(m, p);
        if (!on.id || (i && on.id != system->id)) return refuse_property(file, m, p);
        *system = on;
    }
    return true;
}

instance *closed_read_instance(certfile *file, const json_t *object, model *m, sys system) {
    const json_t *sizes = json_object_get(object, "sizes");
    VEC(sort_size) list = {0};
    if (!json_is_object(sizes)) certfile_complain(file, "a claim lacks 'sizes'");
    for (uint32_t i = 1; i < m->types.len && !certfile_is_broken(file); i++) {
        uint64_t size;
        if (m->types.data[i].kind != TYPE_SORT) continue;
        if (certfile_member(file, sizes, m->types.data[i].name, INSTANCE_LARGEST_SORT, &size))
            vec_push(&list, (sort_size){{i}, (uint32_t)size});
        if (!certfile_is_broken(file) && !size)
            certfile_complain(file, "sort '%s' has no element", m->types.data[i].name);
    }
    instance *in = certfile_is_broken(file) ? NULL : instance_new(m, system, list.data, list.len);
    vec_free(&list);
    return in;
}

static bool read_permuted(certfile *file, const json_t *object, const model *m, closed_read *out) {
    const json_t *list = json_object_get(object, "permuted");
    if (!json_is_array(list)) certfile_complain(file, "a claim lacks 'permuted'");
    for (size_t i = 0; i < json_array_size(list) && !certfile_is_broken(file); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        type t = name ? model_find_type(m, name) : (type){0};
        if (!t.id || type_of(m, t)->kind != TYPE_SORT)
            certfile_complain(file, "the model has no sort '%s'", name ? name : "");
        for (uint32_t k = 0; k < out->permuted.len; k++)
            if (type_same(out->permuted.data[k], t)) certfile_complain(file, "sort '%s' is permuted twice", name);
        vec_push(&out->permuted, t);
    }
    return !certfile_is_broken(file);
}

static bool read_rest(certfile *file, const json_t *object, closed_claim *c) {
    const char *stuck = certfile_string(file, object, "deadlock");
    const json_t *assumptions = json_object_get(object, "assumptions");
    if (!json_is_boolean(assumptions)) certfile_complain(file, "a claim lacks 'assumptions'");
    c->checks_assumptions = json_is_true(assumptions);
    for (uint32_t i = 0; stuck && i < sizeof stuck_names / sizeof *stuck_names; i++)
        if (strcmp(stuck, stuck_names[i]) == 0) {
            c->stuck = (closed_stuck)i;
            return !certfile_is_broken(file);
        }
    certfile_complain(file, "a claim about deadlocks is of an unknown kind");
    return false;
}

bool closed_read_claim(certfile *file, const json_t *object, model *m, closed_read *out) {
    sys system;
    *out = (closed_read){0};
    bool ok = read_props(file, object, m, out) && find_system(file, object, m, out, &system) &&
              (out->in = closed_read_instance(file, object, m, system)) && read_permuted(file, object, m, out) &&
              read_rest(file, object, &out->claim);
    out->claim.in = out->in;
    out->claim.props = out->props.data;
    out->claim.nprops = out->props.len;
    out->claim.permuted = out->permuted.data;
    out->claim.npermuted = out->permuted.len;
    return ok;
}

void closed_read_free(closed_read *r) {
    instance_free(r->in);
    vec_free(&r->props);
    vec_free(&r->permuted);
}
