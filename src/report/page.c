// SPDX-License-Identifier: Apache-2.0
// Pages: see page.h. The template has marks, @NAME@, each once; what is put in place of one is never read again, so
// nothing of an answer can be taken for a mark.
#include "report/page.h"

#include "base/mem.h"
#include "base/sha256.h"

#include <stdlib.h>
#include <string.h>

__asm__(".section .rodata\n"
        "page_html: .incbin \"report/page/page.html\"\n .byte 0\n"
        "page_css: .incbin \"report/page/page.css\"\n .byte 0\n"
        "page_base: .incbin \"report/page/base.js\"\n .byte 0\n"
        "page_source: .incbin \"report/page/source.js\"\n .byte 0\n"
        "page_state: .incbin \"report/page/state.js\"\n .byte 0\n"
        "page_trace: .incbin \"report/page/trace.js\"\n .byte 0\n"
        "page_order: .incbin \"report/page/order.js\"\n .byte 0\n"
        "page_run: .incbin \"report/page/run.js\"\n .byte 0\n"
        "page_proof: .incbin \"report/page/proof.js\"\n .byte 0\n"
        "page_timed: .incbin \"report/page/timed.js\"\n .byte 0\n"
        "page_graph: .incbin \"report/page/graph.js\"\n .byte 0\n"
        "page_history: .incbin \"report/page/history.js\"\n .byte 0\n"
        "page_tests: .incbin \"report/page/tests.js\"\n .byte 0\n"
        "page_main: .incbin \"report/page/main.js\"\n .byte 0\n"
        ".previous\n");

extern const char page_html[], page_css[], page_base[], page_source[], page_state[], page_trace[], page_order[],
    page_run[], page_proof[], page_timed[], page_graph[], page_history[], page_tests[], page_main[];

typedef struct {
    str style, script, answer;
} page_parts;

// One script: strict, and with names of its own.
static void join_scripts(str *out) {
    const char *const scripts[] = {page_base,  page_source, page_state, page_trace,   page_order, page_run,
                                   page_proof, page_timed,  page_graph, page_history, page_tests, page_main};
    str_add(out, "(() => {\n\"use strict\";\n");
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) str_add(out, scripts[i]);
    str_add(out, "})();\n");
}

// Within a script element a text may not hold "</script" or "<!--"; with these three escaped it cannot.
static void page_put_data(const json_t *answer, str *out) {
    char *text = json_dumps(answer, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    for (const char *c = text ? text : "null"; *c; c++) {
        size_t plain = strcspn(c, "<>&");
        str_addn(out, c, plain);
        c += plain;
        if (!*c) break;
        str_printf(out, "\\u%04x", (unsigned)*c);
    }
    free(text);
}

static void page_put_mark(const page_parts *p, const char *name, size_t n, str *out) {
    static const char *const names[] = {"STYLE", "SCRIPT", "ANSWER", "STYLE_HASH", "SCRIPT_HASH"};
    const str *const texts[] = {&p->style, &p->script, &p->answer};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i]) != n || memcmp(names[i], name, n) != 0) continue;
        if (i < 3) str_addn(out, str_get(texts[i]), texts[i]->len);
        else sha256_base64(str_get(texts[i - 3]), texts[i - 3]->len, out);
        return;
    }
}

static void page_fill(const page_parts *p, str *out) {
    for (const char *at = page_html; *at;) {
        size_t plain = strcspn(at, "@");
        str_addn(out, at, plain);
        at += plain;
        if (!*at) return;
        size_t name = strcspn(at + 1, "@");
        page_put_mark(p, at + 1, name, out);
        at += name + 2;
    }
}

void page_text(const json_t *answer, str *out) {
    page_parts p = {0};
    str_add(&p.style, page_css);
    join_scripts(&p.script);
    page_put_data(answer, &p.answer);
    page_fill(&p, out);
    str_free(&p.style);
    str_free(&p.script);
    str_free(&p.answer);
}
