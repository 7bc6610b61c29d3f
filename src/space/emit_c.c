// SPDX-License-Identifier: Apache-2.0
// C text from linear code; see emit_c.h.
//
// A chunk is a function, so that no function is too long for the compiler; a node is a local constant
// `n17`, a word of the state `w0`. Local constants of a label live in a block of its own, left by a goto.
#include "space/emit_c.h"

#include <string.h>

typedef struct {
    const lowering *p;
    str *out;
    bool *uses_word;
    uint32_t nskips;  // open ones
} emitter;

static void put_hex(emitter *e, uint64_t v) { str_printf(e->out, "0x%llxull", (unsigned long long)v); }

static void emit_c_put_node(emitter *e, node n) {
    const dag_node *x = dag_at(&e->p->d, n);
    if (x->op == N_CONST) put_hex(e, x->imm);
    else if (x->op == N_WORD) str_printf(e->out, "w%llu", (unsigned long long)x->imm);
    else str_printf(e->out, "n%u", n);
}

// What a node computes: $a, $b, $c are its operands, $i and $j its immediate numbers.
static const char *const forms[] = {[N_FIELD] = "$a >> $j & $i",
                                    [N_SHL] = "$a << $i",
                                    [N_AND] = "$a & $b",
                                    [N_OR] = "$a | $b",
                                    [N_XOR] = "$a ^ $b",
                                    [N_TEST] = "($a & $i) == $j",
                                    [N_DIFFER] = "($a & $i) != $j",
                                    [N_ADD] = "$a + $b",
                                    [N_SUB] = "$a - $b",
                                    [N_MUL] = "$a * $b",
                                    [N_DIV] = "native_div($a, $b)",
                                    [N_MOD] = "native_mod($a, $b)",
                                    [N_EQ] = "$a == $b",
                                    [N_LT] = "native_lt($a, $b)",
                                    [N_LE] = "native_le($a, $b)",
                                    [N_SELECT] = "$a ? $b : $c",
                                    [N_SHLV] = "$a << ($b & 63)",
                                    [N_SHRV] = "$a >> ($b & 63)",
                                    [N_SARV] = "native_sar($a, $b)",
                                    [N_SPREAD] = "native_spread($a, $i)"};

static const char *form_of(const emitter *e, const dag_node *x) {
    bool is_masked = x->op != N_FIELD || dag_at(&e->p->d, x->a)->maybe >> x->imm2 & ~x->imm;
    return is_masked ? forms[x->op] : "$a >> $j";
}

static void emit_c_put_value(emitter *e, node n) {
    const dag_node *x = dag_at(&e->p->d, n);
    if (x->op <= N_WORD) {
        emit_c_put_node(e, n);
        return;
    }
    for (const char *f = form_of(e, x); *f; f++) {
        if (*f != '$') str_char(e->out, *f);
        else if (*++f == 'i') put_hex(e, x->imm);
        else if (*f == 'j') put_hex(e, x->imm2);
        else emit_c_put_node(e, dag_operand(x, (unsigned)(*f - 'a')));
    }
}

// ---- instructions

static void emit_c_put_unless(emitter *e, const ir_ins *i, uint32_t label) {
    str_add(e->out, "        if (!(");
    if (i->at) emit_c_put_value(e, i->n);
    else emit_c_put_node(e, i->n);
    str_printf(e->out, ")) goto leave_%u;\n", label);
}

static void emit_c_put_trouble(emitter *e, node n, uint32_t label) {
    str_add(e->out, "        if (");
    emit_c_put_node(e, n);
    str_printf(e->out, ") {\n            o = native_refuse(o, s, %u, %u);\n            goto leave_%u;\n        }\n",
               e->p->words, label, label);
}

// Words that are not written stay.
static void put_same(emitter *e, const ir_ins *i) {
    bool *written = mem_zero(e->p->words, sizeof *written);
    for (; i->op != IR_ENTER; i--)
        if (i->op == IR_OUT) written[i->at] = true;
    for (uint32_t w = 0; w < e->p->words; w++)
        if (!written[w]) str_printf(e->out, "        o.next[%u] = s[%u];\n", w, w);
    free(written);
}

static void put_fire(emitter *e, const ir_ins *i) {
    if (!i->at) put_same(e, i);
    str_printf(e->out, "        o = native_fire(o, %u, %u);\n", i->at ? 0 : e->p->words, i->n);
}

// What is computed behind an outermost skip is declared before it: selects after it may name it.
static void emit_c_put_skip(emitter *e, const ir_ins *i) {
    uint32_t depth = 0;
    for (const ir_ins *k = i; !e->nskips; k++) {
        if (k->op == IR_COMPUTE) str_printf(e->out, "        word n%u;\n", k->n);
        depth += k->op == IR_SKIP;
        if (k->op == IR_END && --depth == 0) break;
    }
    e->nskips++;
    str_add(e->out, i->at ? "        if (" : "        if (!");
    emit_c_put_node(e, i->n);
    str_add(e->out, ") {\n");
}

static void put_ins(emitter *e, const ir_ins *i, uint32_t *label) {
    switch ((ir_op)i->op) {
    case IR_COMPUTE:
        str_printf(e->out, e->nskips ? "        n%u = " : "        const word n%u = ", i->n);
        emit_c_put_value(e, i->n);
        str_add(e->out, ";\n");
        return;
    case IR_SKIP: emit_c_put_skip(e, i); return;
    case IR_END:
        e->nskips--;
        str_add(e->out, "        }\n");
        return;
    case IR_ENTER:
        *label = i->n;
        str_add(e->out, "    {\n");
        return;
    case IR_UNLESS: emit_c_put_unless(e, i, *label); return;
    case IR_TROUBLE: emit_c_put_trouble(e, i->n, *label); return;
    case IR_OUT:
        str_printf(e->out, "        o.next[%u] = ", i->at);
        emit_c_put_node(e, i->n);
        str_add(e->out, ";\n");
        return;
    case IR_FIRE: put_fire(e, i); return;
    case IR_LEAVE: str_printf(e->out, "    }\nleave_%u:;\n", i->n); return;
    case IR_CHECK:
        str_printf(e->out, "    failed[%u] |= (word)!", i->at / 64);
        emit_c_put_node(e, i->n);
        str_printf(e->out, " << %u;\n", i->at % 64);
        return;
    case IR_CHUNK: return;
    }
}

// ---- chunks

static void mark_word(emitter *e, node n) {
    const dag_node *x = dag_at(&e->p->d, n);
    if (x->op == N_WORD) e->uses_word[x->imm] = true;
}

static void put_words(emitter *e, const ir_code *code, uint32_t first, uint32_t end) {
    memset(e->uses_word, 0, e->p->words * sizeof *e->uses_word);
    for (uint32_t k = first; k < end; k++) {
        const ir_ins *i = &code->data[k];
        if (i->op == IR_ENTER || i->op == IR_FIRE || i->op == IR_LEAVE) continue;
        const dag_node *x = dag_at(&e->p->d, i->n);
        mark_word(e, i->n);
        for (unsigned j = 0; j < dag_arity(x->op); j++) mark_word(e, dag_operand(x, j));
    }
    for (uint32_t w = 0; w < e->p->words; w++)
        if (e->uses_word[w]) str_printf(e->out, "    const word w%u = s[%u];\n", w, w);
}

static uint32_t emit_c_chunk_end(const ir_code *code, uint32_t first) {
    uint32_t end = first + 1;
    while (end < code->len && code->data[end].op != IR_CHUNK) end++;
    return end;
}

// Emits every chunk as a function `name_0`, `name_1` ...; returns how many.
static uint32_t put_chunks(emitter *e, const ir_code *code, const char *name, const char *head, const char *tail) {
    uint32_t n = 0, label = 0;
    for (uint32_t first = 0, end; first < code->len; first = end, n++) {
        end = emit_c_chunk_end(code, first);
        str_printf(e->out, "\nstatic %s_%u%s {\n", name, n, head);
        put_words(e, code, first, end);
        for (uint32_t k = first; k < end; k++) put_ins(e, &code->data[k], &label);
        str_printf(e->out, "    %s\n}\n", tail);
    }
    return n;
}

static uint32_t emit_c_put_steps(emitter *e, const ir_code *code, const char *name) {
    return put_chunks(e, code, name, "(const word *restrict s, output o)", "(void)s; return o;");
}

void emit_c(const lowering *p, const ir_code *next, const ir_code *checks, str *out) {
    emitter e = {p, out, mem_zero(p->words, sizeof(bool)), 0};
    uint32_t n = emit_c_put_steps(&e, next, "output next");
    uint32_t m = put_chunks(&e, checks, "void check", "(const word *restrict s, word *restrict failed)",
                            "(void)s; (void)failed;");
    str_add(out, "\nuint32_t parvis_next(const word *s, word *next, uint32_t *labels);\n"
                 "uint32_t parvis_next(const word *s, word *next, uint32_t *labels) {\n"
                 "    output o = {next, labels};\n");
    for (uint32_t i = 0; i < n; i++) str_printf(out, "    o = next_%u(s, o);\n", i);
    str_add(out, "    (void)s;\n    return (uint32_t)(o.label - labels);\n}\n"
                 "\nvoid parvis_check(const word *s, word *failed);\n"
                 "void parvis_check(const word *s, word *failed) {\n");
    for (uint32_t i = 0; i < m; i++) str_printf(out, "    check_%u(s, failed);\n", i);
    str_add(out, "    (void)s;\n    (void)failed;\n}\n");
    free(e.uses_word);
}

void emit_c_canonical(const lowering *p, const ir_code *step, str *out) {
    emitter e = {p, out, mem_zero(p->words, sizeof(bool)), 0};
    uint32_t n = emit_c_put_steps(&e, step, "output walk");
    str_printf(out,
               "\nvoid parvis_canonical(word *s);\nvoid parvis_canonical(word *s) {\n"
               "    word next[%u];\n    uint32_t label;\n    output o = {next, &label};\n",
               p->words);
    for (uint32_t i = 0; i < n; i++) str_printf(out, "    o = walk_%u(s, o);\n", i);
    for (uint32_t w = 0; w < p->words; w++) str_printf(out, "    s[%u] = next[%u];\n", w, w);
    str_add(out, "}\n");
    free(e.uses_word);
}
