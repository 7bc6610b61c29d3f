// SPDX-License-Identifier: Apache-2.0
// The specification with combined steps: see spec.h. It is the file models/interchange/combined.pv, kept inside the
// program, into which the rules of the set are put. The queue is kept as a set of events for each client
// (what it has read and written, with values) and one relation for its order: ahead(q, p), an event of q
// stands before one of p that may not pass it.
//
// A commit of p appends its mark, moves p's transaction to the front and takes it out, in one step. Those
// who are in the way are doomed in it, and nobody else: who is not doomed can be later, so this is the most
// that Spec_A allows. An access outside transactions is appended, moved and taken out at once; it could not
// leave later if it cannot now, since commits keep their order.
#include "history/spec.h"

#include <string.h>

typedef VEC(shape) shape_list;

static void find_pairs(const interchange *x, shape_list *out) {
    for (uint32_t i = 0; i < x->rules.len; i++) {
        shape s = shape_of(&x->rules.data[i]->formula);
        if (s.kind == SHAPE_PAIR) vec_push(out, s);
    }
}

// ---- conditions

// "Q has an event of these kinds in the queue", of address `at` (NULL: any). False when it cannot have.
static bool add_held(uint8_t kinds, const char *who, const char *at, str *out) {
    bool reads = kinds >> EVENT_READ & 1, writes = kinds >> EVENT_WRITE & 1, opens = kinds >> EVENT_OPEN & 1;
    if (opens) return str_printf(out, "queued(%s)", who), true;
    if (!reads && !writes) return false;
    str_char(out, '(');
    if (!at) str_add(out, "exists y: Loc. ");
    if (reads) str_printf(out, "rs(%s, %s)", who, at ? at : "y");
    if (reads && writes) str_add(out, " | ");
    if (writes) str_printf(out, "ws(%s, %s)", who, at ? at : "y");
    str_char(out, ')');
    return true;
}

// Rules by which q's events keep back an event of kind `last` and address `at` that comes now. `inside`: of what its
// transaction has done only such events count (NULL as address: any of p's); 0: nothing that it has done.
static void add_blockers(const shape_list *rules, event_kind last, const char *at, uint8_t inside, str *out,
                         uint32_t *items) {
    bool is_whole = inside && !at;
    for (uint32_t i = 0; i < rules->len; i++) {
        const shape *s = &rules->data[i];
        bool fits = (s->last >> last & 1) && (inside ? s->inside & inside : !s->inside);
        str one = {0};
        if (is_whole) str_add(&one, "(exists x: Loc. ");
        fits = fits && add_held(s->previous, "q", is_whole ? "x" : s->by_address ? at : NULL, &one);
        if (is_whole) str_add(&one, " & ");
        fits = fits && (!is_whole || add_held(s->inside, "p", "x", &one));
        if (is_whole) str_char(&one, ')');
        *items += fits;
        if (fits) str_printf(out, "\n    | %s", str_get(&one));
        str_free(&one);
    }
}

// The transaction of an access outside transactions has that one access of x.
static void add_outside_blockers(const shape_list *rules, event_kind access, str *out, uint32_t *items) {
    add_blockers(rules, EVENT_OPEN, NULL, 0, out, items);
    add_blockers(rules, access, "x", 0, out, items);
    add_blockers(rules, EVENT_COMMIT, NULL, 0, out, items);
    add_blockers(rules, EVENT_COMMIT, "x", (uint8_t)(1 << access), out, items);
}

// ---- the text

static void spec_combined_add_definition(const char *head, const str *items, uint32_t n, str *out) {
    str_printf(out, "  def %s =%s\n", head, n ? str_get(items) : " false");
}

static void add_definitions(const shape_list *rules, str *out) {
    str items = {0};
    uint32_t n = 1;
    str_add(&items, "\n    | ahead(q, p)");
    add_blockers(rules, EVENT_COMMIT, NULL, 0, &items, &n);
    add_blockers(rules, EVENT_COMMIT, NULL, UINT8_MAX, &items, &n);
    str_add(out, "  // q stands in the way of p's commit, of an access of x outside transactions.\n");
    spec_combined_add_definition("blocks(q, p: Client)", &items, n, out);
    for (uint32_t k = 0; k < 2; k++) {
        str_clear(&items);
        n = 0;
        add_outside_blockers(rules, k ? EVENT_WRITE : EVENT_READ, &items, &n);
        spec_combined_add_definition(k ? "blocks_nt_write(q: Client, x: Loc)" : "blocks_nt_read(q: Client, x: Loc)",
                                     &items, n, out);
    }
    str_free(&items);
}

// ahead(q, p) where an event of p that comes now may not pass one of q.
static void add_ahead(const shape_list *rules, event_kind last, const char *at, str *out) {
    str items = {0};
    uint32_t n = 0;
    add_blockers(rules, last, at, 0, &items, &n);
    for (char *c = items.text; c && *c; c++)
        if (*c == '\n') *c = ' ';
    if (n) str_printf(out, "forall q: Client where q != p & (%s) { ahead(q, p) := true }", str_get(&items));
    str_free(&items);
}

__asm__(".section .rodata\n"
        "combined_text: .incbin \"../models/interchange/combined.pv\"\n .byte 0\n"
        ".previous\n");

extern const char combined_text[];

// The text up to a part that is put in, which begins so; returns where that is.
static const char *copy_until(const char *text, const char *mark, str *out) {
    const char *end = strstr(text, mark);
    str_addn(out, text, (size_t)(end - text));
    return end;
}

void spec_combined(const interchange *x, const char *name, str *out) {
    static const event_kind steps[] = {EVENT_OPEN, EVENT_READ, EVENT_WRITE};
    static const char head[] = "system Combined", ahead[] = "// ahead\n";
    const char *text = strstr(combined_text, head) + strlen(head);
    shape_list rules = {0};
    find_pairs(x, &rules);
    str_printf(out, "system %s", name);
    text = copy_until(text, "  // q stands in the way", out);
    add_definitions(&rules, out);
    text = strstr(text, "\n  proc remove(");
    for (uint32_t i = 0; i < 3; i++) {
        text = copy_until(text, ahead, out) + strlen(ahead) - 1;
        add_ahead(&rules, steps[i], i ? "x" : NULL, out);
    }
    str_add(out, text);
    vec_free(&rules);
}
