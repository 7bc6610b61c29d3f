// SPDX-License-Identifier: Apache-2.0
// The most general cube of an instance that is still out of a frame: see small.h.
//
// A cube is general if it has few literals; they go in groups first: all of one word, all about one element. Then a
// cube about all elements of a sort is made to say the same of as many of them as possible.
#include "infer/small.h"

static void cube_assign(small_cube *to, const small_cube *from) {
    vec_clear(to);
    for (uint32_t i = 0; i < from->len; i++) vec_push(to, from->data[i]);
}

// Takes the literals out of the cube if it is out without them; then it may lose even more, unless `exactly` these go.
static void widen_without(small *s, small_cube *c, const bits *gone, uint32_t level, bool exactly) {
    small_cube rest = {0}, core = {0};
    bits used = {0};
    for (uint32_t i = 0; i < c->len; i++)
        if (!bits_has(gone, c->data[i])) vec_push(&rest, c->data[i]);
    if (rest.len && rest.len < c->len && small_is_out(s, &rest, level, &used)) {
        if (!exactly) small_restrict(&rest, &used, &core);
        bool smaller = core.len && core.len < rest.len && !small_is_seen(s, &core);
        cube_assign(c, smaller ? &core : &rest);
    }
    vec_free(&rest);
    vec_free(&core);
    bits_free(&used);
}

static void widen_drop_words(small *s, small_cube *c, uint32_t level) {
    for (uint32_t w = s->d.words.len; w-- > 0;) {
        bits gone = {0};
        for (uint32_t i = 0; i < c->len; i++)
            if (s->places.data[c->data[i] / 2].word == w) bits_add(&gone, c->data[i]);
        if (bits_count(&gone) > 1) widen_without(s, c, &gone, level, false);
        bits_free(&gone);
    }
}

static void widen_drop_elements(small *s, small_cube *c, uint32_t level) {
    for (uint32_t v = s->nvars; v-- > 0;) {
        bits gone = {0};
        for (uint32_t i = 0; i < c->len; i++)
            if (small_elements_of(s, c->data[i]) >> v & 1) bits_add(&gone, c->data[i]);
        if (!bits_is_empty(&gone)) widen_without(s, c, &gone, level, false);
        bits_free(&gone);
    }
}

// Literal by literal: quantified ones first, then those that say that something is false.
static void widen_drop_literals(small *s, small_cube *c, uint32_t level) {
    for (uint32_t pass = 0; pass < 3; pass++)
        for (uint32_t i = c->len; i-- > 0;) {
            if (i >= c->len) continue;
            uint32_t literal = c->data[i];
            bool is_quantified = s->d.words.data[s->places.data[literal / 2].word].is_quantified;
            uint32_t turn = is_quantified ? 0 : literal % 2 ? 1 : 2;
            bits gone = {0};
            bits_add(&gone, literal);
            if (turn == pass && c->len > 1) widen_without(s, c, &gone, level, false);
            bits_free(&gone);
        }
}

// ---- cubes that say the same of several elements

// What never changes is often said in a roundabout way: that n is the largest of four, as a chain of the other three
// and one comparison with n. Everything that follows is put in its place, and what is not the same for the elements of
// a sort that else can be exchanged goes again; so orbit.c sees that the cube is about all of them.
static bool widen_is_rigid(const small *s, uint32_t literal) {
    return bits_has(&s->rigid, s->places.data[literal / 2].word);
}

static bool is_changing(const small *s, uint32_t literal) { return !widen_is_rigid(s, literal); }

// Does the axioms' part of a state that has the literals of `given` have this one, too?
static bool widen_follows(small *s, const lit_list *given, uint32_t literal) {
    lit_list assumed = {0};
    for (uint32_t i = 0; i < given->len; i++) vec_push(&assumed, given->data[i]);
    vec_push(&assumed, small_literal(s, BOUNDED_START, literal ^ 1));
    bool ok = bounded_solve(s->b, BOUNDED_START, assumed.data, assumed.len) == SAT_NO;
    vec_free(&assumed);
    return ok;
}

// The rigid literals about these elements that follow from the cube's, and all its others.
static void widen_saturate(small *s, const small_cube *c, uint32_t elements, small_cube *out) {
    lit_list given = {0};
    for (uint32_t i = 0; i < c->len; i++) {
        if (widen_is_rigid(s, c->data[i])) vec_push(&given, small_literal(s, BOUNDED_START, c->data[i]));
        else small_insert(out, c->data[i]);
    }
    for (uint32_t lit = 0; lit < s->places.len * 2; lit++)
        if (widen_is_rigid(s, lit) && !(small_elements_of(s, lit) & ~elements) && widen_follows(s, &given, lit))
            small_insert(out, lit);
    vec_free(&given);
}

static bool has_all_images(const small *s, const small_cube *c, uint32_t literal, uint32_t class) {
    for (uint32_t a = 0; a < s->nvars; a++)
        for (uint32_t b = a + 1; b < s->nvars; b++)
            if (class >> a & class >> b & 1 && !orbit_has(c, orbit_swapped(s, literal, a, b))) return false;
    return true;
}

// Takes out rigid literals until the elements of the class can be exchanged.
static void widen_even_out(const small *s, small_cube *c, uint32_t class) {
    for (bool again = true; again;) {
        uint32_t n = 0, before = c->len;
        small_cube was = {0};
        cube_assign(&was, c);
        for (uint32_t i = 0; i < before; i++)
            if (!widen_is_rigid(s, was.data[i]) || has_all_images(s, &was, was.data[i], class))
                c->data[n++] = was.data[i];
        c->len = n;
        again = n < before;
        vec_free(&was);
    }
}

// Adds the images, under exchanges in the class, of the literals of the cube that are there; true if some are new.
static bool add_swapped(const small *s, const small_cube *c, uint32_t class, bits *gone) {
    uint32_t before = bits_count(gone);
    for (uint32_t k = 0; k < c->len; k++)
        for (uint32_t a = 0; a < s->nvars && bits_has(gone, c->data[k]); a++)
            for (uint32_t b = a + 1; b < s->nvars; b++)
                if (class >> a & class >> b & 1) bits_add(gone, orbit_swapped(s, c->data[k], a, b));
    return bits_count(gone) > before;
}

// Literals go with all their images under exchanges in the class.
static void widen_drop_images(small *s, small_cube *c, uint32_t class, uint32_t level) {
    small_cube first = {0};
    cube_assign(&first, c);
    for (uint32_t i = first.len; i-- > 0;) {
        if (!orbit_has(c, first.data[i])) continue;
        bits gone = {0};
        bits_add(&gone, first.data[i]);
        while (add_swapped(s, c, class, &gone)) continue;
        widen_without(s, c, &gone, level, true);
        bits_free(&gone);
    }
    vec_free(&first);
}

// Only of a cube about all elements of a sort, in which exchanging some is not possible yet.
static void widen_symmetrise(small *s, small_cube *c, uint32_t level) {
    uint32_t used = small_elements(s, c), class = 0;
    if (bits_is_empty(&s->rigid) || !small_has_whole_sort(s, used) || small_stops(s)) return;
    for (uint32_t v = 0; v < s->nvars; v++) {
        uint32_t here = orbit_class(s, c, v, is_changing);
        if (__builtin_popcount(here) > __builtin_popcount(class)) class = here;
    }
    small_cube even = {0};
    bits used_literals = {0};
    if (__builtin_popcount(class) > 1) widen_saturate(s, c, used, &even);
    if (even.len) widen_even_out(s, &even, class);
    if (even.len && small_is_out(s, &even, level, &used_literals)) {
        widen_drop_images(s, &even, class, level);
        cube_assign(c, &even);
    }
    vec_free(&even);
    bits_free(&used_literals);
}

void widen_cube(small *s, small_cube *c, uint32_t level) {
    widen_drop_words(s, c, level);
    widen_drop_elements(s, c, level);
    widen_drop_literals(s, c, level);
    widen_symmetrise(s, c, level);
}
