// SPDX-License-Identifier: Apache-2.0
// Rules in normal form: see image.h. Rules are found again by a key that has everything but the order of
// statements, so that every rule is compared with few others.
#include "zone/image_int.h"

#include <string.h>

typedef VEC(uint32_t) word_list;

// ---- rules by what they are made of

// The channel, who moves along which edge, and a number among those that agree in these.
static str key_made(const image *g, const swap *p, uint32_t i) {
    const rule_info *r = rule_of(g->m, g->system->rules.data[i]);
    uint32_t first[] = {g->rule_rank[i], r->nmoves};
    str key = {0};
    str_addn(&key, (const char *)first, sizeof first);
    for (uint32_t k = 0; k < r->nmoves; k++) {
        uint32_t move[] = {p->processes[r->moves[k].process], r->moves[k].edge};
        str_addn(&key, (const char *)move, sizeof move);
    }
    if (r->channel) str_add(&key, r->channel);
    return key;
}

uint32_t image_namesake(const image *g, uint32_t i) {
    str key = key_made(g, &g->current, i);
    uint32_t k = map_get(g->made, key.text, key.len, UINT32_MAX);
    str_free(&key);
    return k;
}

// False: another rule has the rank.
static bool put_made(image *g, uint32_t i) {
    str key = key_made(g, &g->identity, i);
    bool is_new = map_intern(g->made, key.text, key.len, i) == i;
    str_free(&key);
    return is_new;
}

// ---- parameters

typedef struct {
    uint32_t process, is_pick, begin, param;
    const char *name;
} named_param;

static int by_number(uint32_t a, uint32_t b) { return (a > b) - (a < b); }

static int image_rule_by_origin(const void *a, const void *b) {
    const named_param *x = a, *y = b;
    int c = by_number(x->process, y->process);
    if (!c) c = by_number(y->is_pick, x->is_pick);
    if (!c) c = strcmp(x->name, y->name);
    if (!c) c = by_number(x->begin, y->begin);
    return c ? c : by_number(x->param, y->param);
}

// Parameters in an order that is the same for images: by the process that chooses, its pick first, and by their
// place in the text.
static named_param *named_params(image *g, const swap *p, const rule_info *r) {
    named_param *list = arena_alloc(g->memory, (r->nparams + 1) * sizeof *list);
    for (uint32_t i = 0; i < r->nparams; i++) {
        const var_info *v = var_of(g->m, r->params[i]);
        uint32_t process = v->process ? p->processes[v->process - 1] + 1 : 0;
        list[i] = (named_param){process, v->is_pick, v->at.begin, i, v->is_pick ? "" : v->name};
    }
    qsort(list, r->nparams, sizeof *list, image_rule_by_origin);
    return list;
}

// ---- normal forms

flat_bound image_bound(image *g, swap *p, const clock_bound *b) {
    uint32_t owner = b->owner < g->t->processes.len ? p->processes[b->owner] : b->owner;
    return (flat_bound){
        p->clocks[b->left],     p->clocks[b->right], owner, b->is_strict, image_of(g, p, b->bound, SLOT_NUMBER),
        image_if(g, p, b->when)};
}

static int by_words(const void *a, const void *b) { return memcmp(a, b, sizeof(flat_bound)); }

void image_sort_bounds(flat_bound *list, uint32_t n) { qsort(list, n, sizeof *list, by_words); }

// Handles and flat structures are words.
static void put_key_words(word_list *out, const void *data, size_t bytes) {
    uint32_t n = (uint32_t)(bytes / sizeof *out->data);
    vec_reserve(out, out->len + n);
    if (n) memcpy(out->data + out->len, data, bytes);
    out->len += n;
}

static void put_bounds(image *g, swap *p, const rule_info *r, word_list *out) {
    flat_bound *list = arena_alloc(g->memory, (r->nbounds + 1) * sizeof *list);
    for (uint32_t i = 0; i < r->nbounds; i++) list[i] = image_bound(g, p, &r->bounds[i]);
    image_sort_bounds(list, r->nbounds);
    vec_push(out, r->nbounds);
    put_key_words(out, list, r->nbounds * sizeof *list);
}

typedef struct {
    flat_reset is;
    uint32_t number;
} numbered_reset;

// By clock; those of one clock stay in order.
static int by_clock(const void *a, const void *b) {
    const numbered_reset *x = a, *y = b;
    if (x->is.clock != y->is.clock) return x->is.clock < y->is.clock ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void put_resets(image *g, swap *p, const rule_info *r, word_list *out) {
    numbered_reset *list = arena_alloc(g->memory, (r->nresets + 1) * sizeof *list);
    for (uint32_t i = 0; i < r->nresets; i++) {
        const clock_reset *c = &r->resets[i];
        list[i].is = (flat_reset){p->clocks[c->clock], image_of(g, p, c->value, SLOT_NUMBER), image_if(g, p, c->when)};
        list[i].number = i;
    }
    qsort(list, r->nresets, sizeof *list, by_clock);
    vec_push(out, r->nresets);
    for (uint32_t i = 0; i < r->nresets; i++) put_key_words(out, &list[i].is, sizeof list[i].is);
}

static void put_params(image *g, const swap *p, const rule_info *r, word_list *out) {
    named_param *list = named_params(g, p, r);
    vec_push(out, r->nparams);
    for (uint32_t i = 0; i < r->nparams; i++) {
        var v = r->params[list[i].param];
        type ty = var_of(g->m, v)->ty;
        g->var_to[v.id] = image_canonical(g, ty, i).id;
        vec_push(out, ty.id);
    }
}

// A rule's image; its parameters become canonical variables, in the order of their keys.
static normal rule_image(image *g, swap *p, rule r) {
    const rule_info info = *rule_of(g->m, r);
    normal out = {0};
    word_list key = {0};
    image_begin(g, p);
    if (info.nchosen || info.relation.id || info.nrequires) image_fail(g, info.at);
    put_params(g, p, &info, &key);
    vec_push(&key, image_if(g, p, info.guard).id);
    vec_push(&key, info.priority.id ? image_of(g, p, info.priority, SLOT_NUMBER).id : 0);
    put_bounds(g, p, &info, &key);
    put_resets(g, p, &info, &key);
    out.body = image_stmts(g, p, &info.body, info.body != NULL, &out.nbody);
    uint64_t hash = image_hash_body(out.body, out.nbody);
    put_key_words(&key, &hash, sizeof hash);
    for (uint32_t i = 0; i < info.nparams; i++) g->var_to[info.params[i].id] = 0;
    out.key_bytes = key.len * sizeof *key.data;
    out.key = arena_copy(g->memory, key.data, out.key_bytes);
    vec_free(&key);
    return out;
}

// Is the image of rule number i a rule that is not taken yet?
static bool has_image(image *g, uint32_t i, bool *taken) {
    rule r = g->system->rules.data[i];
    normal x = rule_image(g, &g->current, r);
    uint32_t k = g->failed ? UINT32_MAX : map_get(g->by_key, x.key, x.key_bytes, UINT32_MAX);
    for (; k != UINT32_MAX && !g->failed; k = g->next_like[k]) {
        const normal *y = &g->normals[k];
        if (taken[k] || !image_same_bodies(g, x.body, x.nbody, y->body, y->nbody)) continue;
        taken[k] = true;
        return true;
    }
    if (!g->failed) g->why = rule_of(g->m, r)->at;
    return false;
}

bool image_keeps_rules(image *g) {
    uint32_t n = g->system->rules.len;
    bool *taken = mem_zero(n + 1, sizeof *taken), keeps = true;
    for (uint32_t i = 0; i < n && keeps; i++) {
        g->memory = arena_new();
        keeps = has_image(g, i, taken);
        arena_free(g->memory);
    }
    free(taken);
    return keeps && !g->failed;
}

// ---- the rules as they are

static void index_made(image *g) {
    uint32_t n = g->system->rules.len;
    g->made = map_new();
    g->rule_rank = arena_alloc(g->kept, (n + 1) * sizeof *g->rule_rank);
    for (uint32_t i = 0; i < n; i++)
        while (!put_made(g, i)) g->rule_rank[i]++;
}

void image_index_rules(image *g) {
    uint32_t n = g->system->rules.len;
    index_made(g);
    g->memory = g->kept;
    g->by_key = map_new();
    g->normals = arena_alloc(g->kept, (n + 1) * sizeof *g->normals);
    g->next_like = arena_alloc(g->kept, (n + 1) * sizeof *g->next_like);
    for (uint32_t i = n; i-- > 0;) {
        g->normals[i] = rule_image(g, &g->identity, g->system->rules.data[i]);
        g->next_like[i] = map_get(g->by_key, g->normals[i].key, g->normals[i].key_bytes, UINT32_MAX);
        map_put(g->by_key, g->normals[i].key, g->normals[i].key_bytes, i);
    }
    g->memory = NULL;
    g->has_normals = !g->failed;
}
