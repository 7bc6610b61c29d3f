// SPDX-License-Identifier: Apache-2.0
// The timed automata of a system of transactions, and its queries: see pstm.h. models/pstm/family.xta, kept inside the
// program, has three parts, divided by comments: parameters, the family, the processes. The first and the last are
// written anew.
#include "cli/make/pstm.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\n"
        "pstm_family: .incbin \"../models/pstm/family.xta\"\n .byte 0\n"
        ".previous\n");

extern const char pstm_family[];

static const char *const shape_names[PSTM_SHAPES] = {"CyclicAligned", "CyclicDrift", "LinearAligned", "LinearDrift"};

static uint32_t count_shape(const pstm *p, pstm_shape s) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->transactions.len; i++) n += p->transactions.data[i].shape == s;
    return n;
}

static bool is_all(const pstm *p, pstm_shape s) { return count_shape(p, s) == p->transactions.len; }

static bool has_cyclic(const pstm *p) {
    return count_shape(p, PSTM_CYCLIC_ALIGNED) + count_shape(p, PSTM_CYCLIC_DRIFT) > 0;
}

static bool has_linear(const pstm *p) {
    return count_shape(p, PSTM_LINEAR_ALIGNED) + count_shape(p, PSTM_LINEAR_DRIFT) > 0;
}

// ---- who uses what

// A row for each transaction, an entry for each variable, of which there is at least one. The caller frees it.
static bool *uses_of(const pstm *p, bool is_read) {
    size_t width = p->variables.len ? p->variables.len : 1;
    bool *uses = mem_zero(p->transactions.len * width, sizeof *uses);
    for (uint32_t i = 0; i < p->uses.len; i++) {
        const pstm_use *u = &p->uses.data[i];
        if (is_read ? u->is_read : u->is_written) uses[u->transaction * width + u->variable] = true;
    }
    return uses;
}

// Do each two conflict, in both directions?
static bool pstm_is_complete(const pstm *p) {
    uint32_t n = p->transactions.len, width = p->variables.len ? p->variables.len : 1;
    bool *reads = uses_of(p, true), *writes = uses_of(p, false), is_complete = true;
    for (uint32_t i = 0; is_complete && i < n; i++)
        for (uint32_t j = 0; is_complete && j < n; j++) {
            uint32_t v = 0;
            while (v < width && !(writes[i * width + v] && reads[j * width + v])) v++;
            is_complete = i == j || v < width;
        }
    free(reads);
    free(writes);
    return is_complete;
}

bool pstm_has_formula(const pstm *p) {
    bool ok = is_all(p, PSTM_CYCLIC_ALIGNED);
    for (uint32_t i = 0; ok && i < p->transactions.len; i++)
        ok = p->transactions.data[i].process == p->transactions.data[0].process;
    uint32_t process = p->transactions.data[0].process;
    return ok && p->read && p->write && process <= p->read && process <= p->write;
}

void pstm_sort(pstm *p) {
    VEC(pstm_transaction) sorted = {0};
    uint32_t *place = mem_alloc(p->transactions.len * sizeof *place);
    for (uint32_t s = 0; s < PSTM_SHAPES; s++)
        for (uint32_t i = 0; i < p->transactions.len; i++) {
            if (p->transactions.data[i].shape != s) continue;
            place[i] = sorted.len;
            vec_push(&sorted, p->transactions.data[i]);
        }
    for (uint32_t i = 0; i < p->uses.len; i++) p->uses.data[i].transaction = place[p->uses.data[i].transaction];
    if (sorted.len) memcpy(p->transactions.data, sorted.data, sorted.len * sizeof *sorted.data);
    free(place);
    vec_free(&sorted);
}

// ---- the model

static void write_matrix(const pstm *p, const char *name, bool is_read, str *out) {
    uint32_t width = p->variables.len ? p->variables.len : 1;
    bool *uses = uses_of(p, is_read);
    str_printf(out, "const bool %s[N][V] = {", name);
    for (uint32_t i = 0; i < p->transactions.len; i++) {
        str_add(out, i ? ",\n    {" : "\n    {");
        for (uint32_t v = 0; v < width; v++) str_printf(out, "%s%d", v ? ", " : " ", uses[i * width + v]);
        str_add(out, " }");
    }
    str_add(out, " };\n");
    free(uses);
}

static void write_parameters(const pstm *p, str *out) {
    uint32_t n = p->transactions.len;
    str_printf(out, "const int N = %u;            // transactions\n", n);
    str_printf(out, "const int V = %u;            // shared variables\n", p->variables.len ? p->variables.len : 1);
    str_printf(out, "const int R_PROC = %u;       // how long the memory reads\n", p->read);
    str_printf(out, "const int W_PROC = %u;       // how long the memory writes\n", p->write);
    str_add(out, "const int TX_PROC[N] = {");
    for (uint32_t i = 0; i < n; i++) str_printf(out, "%s%u", i ? ", " : " ", p->transactions.data[i].process);
    str_add(out, " };  // how long each transaction computes\n");
    write_matrix(p, "READS", true, out);
    write_matrix(p, "WRITES", false, out);
    str_printf(out, "const bool KEEPS_FIRST = %s;  // remember whose write request came first\n\n",
               is_all(p, PSTM_LINEAR_ALIGNED) ? "true" : "false");
}

// The processes of one shape: `TxW` if all have it, else named after the shape.
static void write_process_name(const pstm *p, pstm_shape s, str *out) {
    str_printf(out, "Tx%s", is_all(p, s) ? "W" : shape_names[s]);
}

static void write_index(const pstm *p, pstm_shape s, str *out) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < s; i++) first += count_shape(p, (pstm_shape)i);
    if (is_all(p, s)) str_add(out, "IDs");
    else str_printf(out, "int[%u, %u]", first, first + count_shape(p, s) - 1);
}

static void write_processes(const pstm *p, str *out) {
    for (uint32_t s = 0; s < PSTM_SHAPES; s++) {
        if (!count_shape(p, (pstm_shape)s)) continue;
        write_process_name(p, (pstm_shape)s, out);
        str_add(out, "(const ");
        write_index(p, (pstm_shape)s, out);
        str_printf(out, " id) = %s(id, TX_PROC[id]);\n", shape_names[s]);
    }
    str_add(out, "Queue = RPCQueue();\nMemory = TxMemory(R_PROC, W_PROC);\n\nsystem ");
    for (uint32_t s = 0; s < PSTM_SHAPES; s++) {
        if (!count_shape(p, (pstm_shape)s)) continue;
        write_process_name(p, (pstm_shape)s, out);
        str_add(out, ", ");
    }
    str_add(out, "Queue, Memory;\n");
}

void pstm_write_model(const pstm *p, const char *path, str *out) {
    const char *family = strstr(pstm_family, "// ---- the family\n"),
               *processes = strstr(pstm_family, "// ---- the processes\n");
    assert(family && processes);
    str_add(out, "// Python Software Transactional Memory (Kordic, Popovic, Ghilezan); written by `parvis make` from ");
    str_add_visible(out, path, strlen(path));
    str_add(out, ".\n// Transactions:");
    for (uint32_t i = 0; i < p->transactions.len; i++)
        str_printf(out, "%s %u = %s", i ? "," : "", i, p->transactions.data[i].name);
    str_add(out, ".\n\n");
    write_parameters(p, out);
    str_addn(out, family, (size_t)(processes - family));
    str_add(out, "// ---- the processes\n\n");
    write_processes(p, out);
}

// ---- the queries

// "(forall (i : IDs) (TxW(i).committed))", for the shapes that there are.
static void write_for_all(const pstm *p, bool or_aborted, str *out) {
    const char *between = "";
    for (uint32_t s = 0; s < PSTM_SHAPES; s++) {
        if (!count_shape(p, (pstm_shape)s)) continue;
        str_printf(out, "%s(forall (i : ", between);
        write_index(p, (pstm_shape)s, out);
        str_add(out, ") (");
        write_process_name(p, (pstm_shape)s, out);
        str_add(out, "(i).committed");
        if (or_aborted) {
            str_add(out, " or ");
            write_process_name(p, (pstm_shape)s, out);
            str_add(out, "(i).aborted");
        }
        str_add(out, "))");
        between = " and ";
    }
}

// How many have committed.
static void write_count(const pstm *p, str *out) {
    const char *between = "(";
    for (uint32_t s = 0; s < PSTM_SHAPES; s++) {
        if (!count_shape(p, (pstm_shape)s)) continue;
        str_printf(out, "%s(sum (j : ", between);
        write_index(p, (pstm_shape)s, out);
        str_add(out, ") ");
        write_process_name(p, (pstm_shape)s, out);
        str_add(out, "(j).committed)");
        between = " + ";
    }
    str_char(out, ')');
}

static void write_liveness(const pstm *p, str *out) {
    if (!has_linear(p)) {
        str_add(out, "// Liveness I: all transactions can commit\nE<> ");
        write_for_all(p, false, out);
        str_add(out, "\n\n");
    }
    str_add(out, "// Liveness II: whoever is not pending has committed\n");
    str_add(out, "A[] forall (i : int[0, N]) (i == pending imply ");
    write_count(p, out);
    str_add(out, " >= N - i)\n\n");
}

// Numbers 1, ..., N, each with the text before, between and after.
static void write_each_commit(const pstm *p, const char *before, const char *between, const char *after, str *out) {
    for (uint32_t c = 1; c <= p->transactions.len; c++) str_printf(out, "%s%u%s%u%s\n", before, c, between, c, after);
    str_char(out, '\n');
}

static void write_commit_times(const pstm *p, str *out) {
    if (pstm_has_formula(p) && pstm_is_complete(p)) {
        str_add(out, "// Liveness III: commit number c happens at the time of formula (1) ...\n");
        write_each_commit(p, "E<> now == commit_time(", ") and N - pending == ", "", out);
        str_add(out, "// ... and not one unit earlier\n");
        write_each_commit(p, "A[] not (now <= commit_time(", ") - 1 and N - pending >= ", ")", out);
    } else if (pstm_has_formula(p)) {
        str_add(out, "// Liveness III: formula (1), where each two conflict, is the latest time of commit number c\n");
        write_each_commit(p, "A[] now > commit_time(", ") imply N - pending >= ", "", out);
    }
    str_add(out, "// The earliest and the latest time of commit number c\n");
    for (uint32_t c = 1; c <= p->transactions.len; c++)
        str_printf(out, "inf{N - pending >= %u}: now\nsup{N - pending < %u}: now\n", c, c);
    str_char(out, '\n');
}

// Who conflicts in both directions cannot commit both: all have read before the first one writes.
static void write_safety_two(str *out) {
    str_add(out,
            "// Safety II: the transaction whose write request came first commits, and who conflicts with one that "
            "has\n// committed does not\n"
            "A[] forall (i : IDs) (i == first imply Tx[i].result != TX_RSP_ABORTED)\n"
            "A[] forall (i : IDs) forall (j : IDs) (i != j and (exists (v : Vars) (WRITES[i][v] && READS[j][v])) "
            "and \\\n    (exists (v : Vars) (WRITES[j][v] && READS[i][v])) imply \\\n"
            "    not (Tx[i].result == TX_RSP_COMMITTED and Tx[j].result == TX_RSP_COMMITTED))\n\n");
}

void pstm_write_queries(const pstm *p, const char *path, str *out) {
    str_add(out, "// The properties of the paper; written by `parvis make` from ");
    str_add_visible(out, path, strlen(path));
    str_add(out, ".\n\n// Deadlock Freeness\nA[] not deadlock\n\n"
                 "// Safety I: the memory serves the request at the front of the queue\n"
                 "A[] Memory.processing imply queue[current].id == owner.id\n\n");
    if (is_all(p, PSTM_LINEAR_ALIGNED)) write_safety_two(out);
    if (has_cyclic(p)) write_liveness(p, out);
    if (is_all(p, PSTM_CYCLIC_ALIGNED)) write_commit_times(p, out);
    str_add(out, "// Reachability: when all transactions have finished, the memory and the queue come to rest\n(");
    write_for_all(p, true, out);
    str_add(out, ") --> \\\n    (Memory.wait and TxMemState == AVAILABLE and Queue.wait and RPCQueueIsEmpty())\n");
}
