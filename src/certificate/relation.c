// SPDX-License-Identifier: Apache-2.0
// Comparisons by pairs: see relation.h. The steps of both sides are computed once, by the reference evaluator, and kept
// by state and letter; a left step must stay in the set, a right step out of it is an answer that is not needed.
#include "certificate/relation.h"

#include "certificate/closed.h"
#include "certificate/stateset.h"
#include "certificate/stepper.h"
#include "model/actor.h"
#include "result/trace.h"

#include <string.h>

#define SILENT UINT32_MAX

// ---- writing

static json_t *side_object(const instance *in) {
    return json_pack("{s:o, s:o}", "system", certfile_text(sys_of(in->m, in->system)->name), "sizes",
                     closed_sizes_object(in));
}

void relation_write_claim(certfile_writer *w, const relation_claim *c) {
    json_t *claim =
        json_pack("{s:s, s:b, s:o, s:o, s:I, s:I, s:I, s:I}", "kind", c->is_simulation ? "simulation" : "inclusion",
                  "swapped", c->is_swapped, "left", side_object(c->left), "right", side_object(c->right), "left_states",
                  (json_int_t)c->left_states, "right_states", (json_int_t)c->right_states, "sets", (json_int_t)c->nsets,
                  "pairs", (json_int_t)c->npairs);
    if (c->property.id) json_object_set_new(claim, "property", certfile_text(prop_of(c->left->m, c->property)->name));
    certfile_claim(w, claim);
}

void relation_write_set(certfile_writer *w, const uint32_t *members, uint32_t n) {
    certfile_put_number(w, n);
    for (uint32_t i = 0; i < n; i++) certfile_put_number(w, i ? members[i] - members[i - 1] - 1 : members[0]);
}

void relation_write_pair(certfile_writer *w, uint32_t state, uint32_t other) {
    certfile_put_number(w, state);
    certfile_put_number(w, other);
}

// ---- the two sides

typedef struct {
    uint32_t from, letter, to;
} edge;

typedef struct {
    instance *in;
    stateset *states;
    uint32_t count;
    VEC(edge) edges;  // by origin, then by letter; silent ones last
    uint32_t *first;  // by state; one more at the end
    VEC(uint32_t) initial;
    type threads;
} side;

typedef struct {
    uint32_t state, other;
} pair;

typedef struct {
    certfile *file;
    const claim_options *o;
    relation_answer *out;
    side left, right;
    map *letters;
    bool is_simulation;
    VEC(uint32_t) set_first, members;
    VEC(pair) pairs;        // by `other`, then by state
    uint32_t *by_state;     // numbers of pairs, by state
    uint32_t *state_first;  // by left state; one more at the end
    uint32_t *mark, stamp;  // by right state: mark == stamp: it is in the set at hand
    VEC(uint32_t) reached;  // the set at hand
} checking;

static bool relation_refuse(checking *k, const char *a, const char *b, const char *c) {
    if (k->out->verdict != CLAIM_CONFIRMED) return false;
    str_printf(&k->out->why, "%s%s%s", a, b, c);
    k->out->verdict = CLAIM_REFUSED;
    return false;
}

// `before` the state of a side, `after` it.
static bool refuse_at(checking *k, const side *s, uint32_t state, const char *before, const char *after) {
    value *cells = mem_zero(s->in->ncells + 1, sizeof *cells);
    str text = {0};
    stateset_cells(s->states, state, cells);
    stepper_state_text(s->in, cells, &text);
    relation_refuse(k, before, str_get(&text), after);
    str_free(&text);
    free(cells);
    return false;
}

static bool goes_on(checking *k) {
    if (limits_met(&k->o->limits) == LIMIT_NONE) return true;
    relation_refuse(k, limits_why(&k->o->limits), "", "");
    k->out->verdict = CLAIM_STOPPED;
    return false;
}

// ---- letters: different ones have different keys

static void relation_add_text(str *key, const char *text) { str_printf(key, "%zu:%s", strlen(text), text); }

// A value of a union is one of a member: which number it has in the union depends on the others.
static void add_arg(str *key, const instance *in, type t, value v) {
    const type_info *info = type_of(in->m, t);
    if (info->kind == TYPE_UNION) {
        value own = 0;
        type member = instance_member_of(in, t, v, &own);
        relation_add_text(key, type_of(in->m, member)->kind == TYPE_SORT ? type_of(in->m, member)->name : "");
        add_arg(key, in, member, own);
    } else if (info->kind == TYPE_BOOL) relation_add_text(key, v ? "true" : "false");
    else if (info->kind == TYPE_ENUM) relation_add_text(key, info->literals[v]);
    else str_printf(key, "%c%d;", info->kind == TYPE_SORT ? 'e' : 'n', v);
}

// What stands before an argument of the kind: elements have the name of their sort.
static const char *relation_group_of(const model *m, const rule_info *r, uint32_t param) {
    const type_info *t = type_of(m, var_of(m, r->params[param])->ty);
    switch (t->kind) {
    case TYPE_SORT: return t->name;
    case TYPE_RANGE: return "#";
    case TYPE_UNION: return "|";
    default: return "'";
    }
}

typedef struct {
    const char *group;
    bool is_other;  // not the acting thread, which comes first in its group
    uint32_t param;
} letter_part;

static int by_group(const void *a, const void *b) {
    const letter_part *x = a, *y = b;
    int c = strcmp(x->group, y->group);
    if (!c) c = x->is_other - y->is_other;
    return c ? c : (x->param > y->param) - (x->param < y->param);
}

static void add_letter_args(str *key, const instance *in, const rule_info *r, uint32_t actor, const value *args) {
    letter_part *parts = mem_zero(r->nparams + 1, sizeof *parts);
    uint32_t n = rule_nshown(r);
    for (uint32_t i = 0; i < n; i++) parts[i] = (letter_part){relation_group_of(in->m, r, i), i != actor, i};
    qsort(parts, n, sizeof *parts, by_group);
    for (uint32_t i = 0; i < n; i++) {
        if (!i || !str_same(parts[i].group, parts[i - 1].group)) relation_add_text(key, parts[i].group);
        add_arg(key, in, var_of(in->m, r->params[parts[i].param])->ty, args[parts[i].param]);
    }
    free(parts);
}

static uint32_t relation_letter_of(checking *k, const side *s, rule r, const value *args) {
    const rule_info *info = rule_of(s->in->m, r);
    if (!info->is_visible) return SILENT;
    str key = {0};
    relation_add_text(&key, info->name);
    add_letter_args(&key, s->in, info, actor_param(s->in->m, r, s->threads), args);
    uint32_t letter = map_intern(k->letters, str_get(&key), key.len, map_count(k->letters));
    str_free(&key);
    return letter;
}

// ---- reading

static bool read_side(checking *k, const json_t *claim, const char *name, model *m, side *s) {
    const json_t *object = json_object_get(claim, name);
    sys found = closed_read_system(k->file, object, m);
    if (found.id) s->in = closed_read_instance(k->file, object, m, found);
    if (!s->in) return false;
    s->states = stateset_new(s->in);
    s->threads = actor_sort(m, found);
    return true;
}

static bool relation_read_states(checking *k, side *s, const json_t *claim, const char *count) {
    bool ok = stateset_read(s->states, k->file, claim, count, k->o, &k->out->why);
    if (k->out->why.len) k->out->verdict = CLAIM_STOPPED;
    s->count = stateset_count(s->states);
    return ok;
}

static bool read_set(checking *k) {
    uint64_t n, step, member = 0;
    if (!certfile_get_number(k->file, k->right.count, &n)) return false;
    if (!n) certfile_complain(k->file, "a set is empty");
    for (uint64_t i = 0; i < n && certfile_get_number(k->file, k->right.count, &step); i++) {
        member = i ? member + step + 1 : step;
        if (member >= k->right.count) certfile_complain(k->file, "a set has a state that is not there");
        else vec_push(&k->members, (uint32_t)member);
    }
    vec_push(&k->set_first, k->members.len);
    return !certfile_is_broken(k->file);
}

static bool read_sets(checking *k, uint64_t n) {
    vec_push(&k->set_first, 0);
    for (uint64_t i = 0; i < n; i++)
        if (!read_set(k) || (i % 1024 == 0 && !goes_on(k))) return false;
    return true;
}

static bool read_pairs(checking *k, uint64_t n) {
    uint32_t others = k->is_simulation ? k->right.count : k->set_first.len - 1;
    if (n && (!k->left.count || !others)) certfile_complain(k->file, "pairs of nothing");
    for (uint64_t i = 0; i < n && !certfile_is_broken(k->file); i++) {
        uint64_t state, other;
        if (certfile_get_number(k->file, k->left.count - 1, &state) && certfile_get_number(k->file, others - 1, &other))
            vec_push(&k->pairs, (pair){(uint32_t)state, (uint32_t)other});
        if (i % 1024 == 0 && !goes_on(k)) return false;
    }
    return !certfile_is_broken(k->file);
}

static int by_other(const void *a, const void *b) {
    const pair *x = a, *y = b;
    if (x->other != y->other) return x->other < y->other ? -1 : 1;
    return x->state < y->state ? -1 : x->state > y->state;
}

// Sorted by the right side, and lists of pairs by left state.
static void index_pairs(checking *k) {
    if (k->pairs.len) qsort(k->pairs.data, k->pairs.len, sizeof *k->pairs.data, by_other);
    k->state_first = mem_zero((size_t)k->left.count + 2, sizeof *k->state_first);
    k->by_state = mem_zero((size_t)k->pairs.len + 1, sizeof *k->by_state);
    for (uint32_t i = 0; i < k->pairs.len; i++) k->state_first[k->pairs.data[i].state + 2]++;
    for (uint32_t i = 0; i < k->left.count; i++) k->state_first[i + 2] += k->state_first[i + 1];
    for (uint32_t i = 0; i < k->pairs.len; i++) k->by_state[k->state_first[k->pairs.data[i].state + 1]++] = i;
}

// ---- steps

typedef struct {
    checking *k;
    side *s;
    uint32_t state;
    uint64_t *room;
    str why;
} stepping;

static bool relation_add_step(rule r, const value *args, const value *next, void *context) {
    stepping *x = context;
    side *s = x->s;
    uint32_t to = stateset_find(s->states, next, x->room);
    x->k->out->steps++;
    if (to != STATESET_NONE) {
        vec_push(&s->edges, (edge){x->state, relation_letter_of(x->k, s, r, args), to});
        return true;
    }
    if (s == &x->k->right) return true;
    str_add(&x->why, ": step ");
    trace_label_text(s->in, r, args, &x->why);
    str_add(&x->why, " leads to a state that is not in the set");
    return false;
}

static int relation_by_origin(const void *a, const void *b) {
    const edge *x = a, *y = b;
    if (x->from != y->from) return x->from < y->from ? -1 : 1;
    if (x->letter != y->letter) return x->letter < y->letter ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void relation_index_edges(side *s) {
    if (s->edges.len) qsort(s->edges.data, s->edges.len, sizeof *s->edges.data, relation_by_origin);
    s->first = mem_zero((size_t)s->count + 1, sizeof *s->first);
    uint32_t e = 0;
    for (uint32_t q = 0; q <= s->count; q++) {
        while (e < s->edges.len && s->edges.data[e].from < q) e++;
        s->first[q] = e;
    }
}

static bool relation_add_start(const value *state, void *context) {
    stepping *x = context;
    uint32_t number = stateset_find(x->s->states, state, x->room);
    if (number != STATESET_NONE) vec_push(&x->s->initial, number);
    else if (x->s == &x->k->left)
        return relation_refuse(x->k, "an initial state of the left system is not in the set", "", "");
    return true;
}

static bool find_steps(checking *k, side *s) {
    stepper *steps = stepper_new(s->in);
    stepping x = {.k = k, .s = s, .room = stateset_room(s->states)};
    value *cells = mem_zero(s->in->ncells + 1, sizeof *cells);
    eval_start_fault failed = {0};
    bool ok = eval_initial_within(s->in, &k->o->limits, relation_add_start, &x, &failed) &&
              k->out->verdict == CLAIM_CONFIRMED && goes_on(k);
    if (!ok && goes_on(k)) relation_refuse(k, "the initial states cannot be computed", "", "");
    for (uint32_t i = 0; ok && i < s->count; i++) {
        stateset_cells(s->states, i, cells);
        x.state = i;
        ok = stepper_each(steps, cells, relation_add_step, &x, &x.why);
        if (!ok) refuse_at(k, s, i, "", str_get(&x.why));
        ok = ok && (i % 256 || goes_on(k));
    }
    if (ok) relation_index_edges(s);
    str_free(&x.why);
    stepper_free(steps);
    free(x.room);
    free(cells);
    return ok;
}

// ---- sets of right states

static void set_begin(checking *k) {
    if (++k->stamp == 0) {  // every mark is old, and none may look new
        memset(k->mark, 0, k->right.count * sizeof *k->mark);
        k->stamp = 1;
    }
    vec_clear(&k->reached);
}

static void set_add(checking *k, uint32_t q) {
    if (k->mark[q] == k->stamp) return;
    k->mark[q] = k->stamp;
    vec_push(&k->reached, q);
}

static void set_close(checking *k) {
    for (uint32_t i = 0; i < k->reached.len; i++) {
        uint32_t q = k->reached.data[i];
        for (uint32_t e = k->right.first[q]; e < k->right.first[q + 1]; e++)
            if (k->right.edges.data[e].letter == SILENT) set_add(k, k->right.edges.data[e].to);
    }
}

// What `from` (closed) reaches by a letter.
static void set_after(checking *k, const uint32_t *from, uint32_t n, uint32_t letter) {
    set_begin(k);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t e = k->right.first[from[i]]; e < k->right.first[from[i] + 1]; e++)
            if (k->right.edges.data[e].letter == letter) set_add(k, k->right.edges.data[e].to);
}

// Is a left state with something within the set at hand?
static bool is_with_some(checking *k, uint32_t state) {
    for (uint32_t i = k->state_first[state]; i < k->state_first[state + 1]; i++) {
        uint32_t other = k->pairs.data[k->by_state[i]].other;
        if (k->is_simulation && k->mark[other] == k->stamp) return true;
        if (k->is_simulation) continue;
        uint32_t m = k->set_first.data[other];
        while (m < k->set_first.data[other + 1] && k->mark[k->members.data[m]] == k->stamp) m++;
        if (m == k->set_first.data[other + 1]) return true;
    }
    return false;
}

// ---- closed under steps

// All pairs with the same right side: its silent closure is computed once, and what a letter leads to once in a row.
static bool check_block(checking *k, uint32_t begin, uint32_t end) {
    uint32_t other = k->pairs.data[begin].other;
    VEC(uint32_t) closure = {0};
    set_begin(k);
    if (k->is_simulation) set_add(k, other);
    else
        for (uint32_t m = k->set_first.data[other]; m < k->set_first.data[other + 1]; m++)
            set_add(k, k->members.data[m]);
    set_close(k);
    for (uint32_t i = 0; i < k->reached.len; i++) vec_push(&closure, k->reached.data[i]);
    bool ok = true;
    uint32_t at_hand = SILENT;
    for (uint32_t i = begin; ok && i < end; i++) {
        uint32_t p = k->pairs.data[i].state;
        for (uint32_t e = k->left.first[p]; ok && e < k->left.first[p + 1]; e++) {
            const edge *step = &k->left.edges.data[e];
            if (step->letter != at_hand) {
                set_after(k, closure.data, closure.len, step->letter);
                if (step->letter == SILENT)
                    for (uint32_t x = 0; x < closure.len; x++) set_add(k, closure.data[x]);
                if (!k->is_simulation) set_close(k);
                at_hand = step->letter;
            }
            ok = is_with_some(k, step->to) ||
                 refuse_at(k, &k->left, p, "a step of the left system has no answer in the pairs, from ", "");
        }
    }
    vec_free(&closure);
    return ok;
}

static bool check_pairs(checking *k) {
    for (uint32_t begin = 0, end; begin < k->pairs.len; begin = end) {
        for (end = begin + 1; end < k->pairs.len && k->pairs.data[end].other == k->pairs.data[begin].other;) end++;
        if (!check_block(k, begin, end) || !goes_on(k)) return false;
    }
    return true;
}

static bool relation_check_start(checking *k) {
    set_begin(k);
    for (uint32_t i = 0; i < k->right.initial.len; i++) set_add(k, k->right.initial.data[i]);
    if (!k->is_simulation) set_close(k);
    if (!k->left.initial.len) return relation_refuse(k, "the left system has no initial state", "", "");
    for (uint32_t i = 0; i < k->left.initial.len; i++)
        if (!is_with_some(k, k->left.initial.data[i]))
            return relation_refuse(k, "an initial state of the left system is with no initial one of the right system",
                                   "", "");
    return true;
}

// ---- the whole

static bool read_data(checking *k, const json_t *claim) {
    uint64_t sets, npairs;
    return certfile_member(k->file, claim, "sets", INT32_MAX, &sets) &&
           certfile_member(k->file, claim, "pairs", INT32_MAX, &npairs) &&
           relation_read_states(k, &k->left, claim, "left_states") &&
           relation_read_states(k, &k->right, claim, "right_states") && read_sets(k, sets) && read_pairs(k, npairs);
}

// The refinement that the claim is said to show is one of the left system by the right one, in one model.
static bool check_property(checking *k, const json_t *claim) {
    const char *name = json_string_value(json_object_get(claim, "property"));
    const model *m = k->left.in->m;
    if (!json_object_get(claim, "property")) return true;
    prop p = name ? model_find_prop(m, name) : (prop){0};
    bool fits = p.id && prop_of(m, p)->kind == PROP_REFINES && k->right.in->m == m && !k->is_simulation &&
                prop_of(m, p)->system.id == k->left.in->system.id && prop_of(m, p)->spec.id == k->right.in->system.id;
    if (!fits) certfile_complain(k->file, "'%s' is not about these two systems", name ? name : "");
    return fits;
}

static bool mentions(const type_list *sorts, const model *m, const char *name) {
    for (uint32_t i = 0; i < sorts->len; i++)
        if (str_same(type_of(m, sorts->data[i])->name, name)) return true;
    return false;
}

// A sort of both sides has one size; the size of one that only the right side mentions is given too.
static bool check_sizes(checking *k) {
    const instance *left = k->left.in, *right = k->right.in;
    type_list own = {0}, others = {0};
    instance_sorts(left->m, left->system, &own);
    instance_sorts(right->m, right->system, &others);
    instance_sizes_text(left, &k->out->sizes);
    for (uint32_t i = 0; i < others.len; i++) {
        const char *name = type_of(right->m, others.data[i])->name;
        uint32_t size = instance_type_size(right, others.data[i]);
        if (!mentions(&own, left->m, name))
            str_printf(&k->out->sizes, "%s%s=%u", k->out->sizes.len ? ", " : "", name, size);
        else if (instance_type_size(left, model_find_type(left->m, name)) != size)
            certfile_complain(k->file, "the two systems have '%s' of different sizes", name);
    }
    vec_free(&own);
    vec_free(&others);
    return !certfile_is_broken(k->file);
}

// Systems of one name are told apart by the models they are in.
static void name_answer(checking *k, const json_t *claim, bool is_swapped) {
    const char *property = json_string_value(json_object_get(claim, "property"));
    const char *left = sys_of(k->left.in->m, k->left.in->system)->name;
    const char *right = sys_of(k->right.in->m, k->right.in->system)->name;
    static const char *const models[] = {" (first model)", " (second model)"};
    bool is_clear = k->left.in->m == k->right.in->m || !str_same(left, right);
    const char *a = is_clear ? "" : models[is_swapped], *b = is_clear ? "" : models[!is_swapped];
    if (property) str_add(&k->out->name, property);
    else if (k->is_simulation) str_printf(&k->out->name, "%s%s is simulated by %s%s", left, a, right, b);
    else str_printf(&k->out->name, "every word of %s%s is a word of %s%s", left, a, right, b);
}

static void relation_side_free(side *s) {
    instance_free(s->in);
    stateset_free(s->states);
    vec_free(&s->edges);
    vec_free(&s->initial);
    free(s->first);
}

static void checking_free(checking *k) {
    relation_side_free(&k->left);
    relation_side_free(&k->right);
    map_free(k->letters);
    vec_free(&k->set_first);
    vec_free(&k->members);
    vec_free(&k->pairs);
    vec_free(&k->reached);
    free(k->by_state);
    free(k->state_first);
    free(k->mark);
}

relation_answer relation_check(certfile *file, const json_t *claim, model *first, model *second,
                               const claim_options *o) {
    relation_answer out = {.verdict = CLAIM_CONFIRMED};
    checking k = {.file = file, .o = o, .out = &out, .letters = map_new()};
    bool is_swapped = json_is_true(json_object_get(claim, "swapped"));
    k.is_simulation = str_same(certfile_string(file, claim, "kind"), "simulation");
    bool ok = read_side(&k, claim, "left", is_swapped ? second : first, &k.left) &&
              read_side(&k, claim, "right", is_swapped ? first : second, &k.right) && check_property(&k, claim) &&
              check_sizes(&k);
    if (ok) name_answer(&k, claim, is_swapped);
    ok = ok && read_data(&k, claim);
    if (ok) {
        index_pairs(&k);
        k.mark = mem_zero((size_t)k.right.count + 1, sizeof *k.mark);
    }
    if (ok && find_steps(&k, &k.left) && find_steps(&k, &k.right) && relation_check_start(&k)) check_pairs(&k);
    if (certfile_is_broken(file)) out.verdict = CLAIM_REFUSED;
    out.left_states = k.left.count;
    out.right_states = k.right.count;
    out.pairs = k.pairs.len;
    checking_free(&k);
    return out;
}

void relation_answer_free(relation_answer *a) {
    str_free(&a->name);
    str_free(&a->sizes);
    str_free(&a->why);
}
