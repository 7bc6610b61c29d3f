// SPDX-License-Identifier: Apache-2.0
// Verdicts and runs as one HTML page, without scripts and without anything to load: see picture.h.
#include "report/picture_int.h"

static const char *const look =
    "<style>body{font:15px/1.5 system-ui,sans-serif;color:#1b1f24;margin:2rem "
    "auto;max-width:1200px;padding:0 1rem}"
    "code,td.formula,table.run td{font:13px ui-monospace,Menlo,Consolas,monospace}h1{font-size:1.4rem}"
    "h2{font-size:1.05rem;margin-top:2.5rem}table{border-collapse:collapse;width:100%}"
    "th,td{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #d0d7de;vertical-align:top}"
    "th{color:#57606a;font-weight:600}.holds{color:#1a7f37}.violated{color:#cf222e}.unknown{color:#9a6700}"
    ".verdict{font-weight:600;white-space:nowrap}figure{margin:1rem 0;overflow-x:auto;border:1px solid "
    "#d0d7de}"
    "td.n{text-align:right;color:#57606a}td.t{text-align:right;white-space:nowrap}td.c{color:#953800}</"
    "style>\n";

static void picture_page_put_verdict(const result_property *p, str *out) {
    const char *text = verdict_text(p->verdict);
    str_printf(out, "<span class=\"verdict %s\">%s</span>", text, text);
}

static void put_answer(const result_property *p, uint32_t i, str *out) {
    str_add(out, "<tr><td class=\"formula\">");
    if (p->trace) str_printf(out, "<a href=\"#run%u\">", i + 1);
    picture_escape(p->name, out);
    str_add(out, p->trace ? "</a></td><td>" : "</td><td>");
    picture_page_put_verdict(p, out);
    str_add(out, "</td><td>");
    if (p->reason) picture_escape(p->reason, out);
    str_add(out, "</td><td class=\"t\">");
    str_printf(out, "%llu", (unsigned long long)p->stats.states);
    str_add(out, "</td></tr>\n");
}

static void picture_page_put_step(const trace *t, uint32_t i, str *out) {
    str label = {0}, changes = {0};
    picture_label(t, i, &label);
    picture_changes(t, i, &changes);
    str_printf(out, "<tr><td class=\"n\">%u</td><td class=\"t\">%s</td><td class=\"t\">%s</td><td>", i + 1,
               t->steps.data[i].time, t->steps.data[i].delay);
    picture_escape(str_get(&label), out);
    str_add(out, "</td><td class=\"c\">");
    picture_escape(str_get(&changes), out);
    str_add(out, "</td></tr>\n");
    str_free(&label);
    str_free(&changes);
}

static void put_run(const result_property *p, uint32_t i, str *out) {
    str_printf(out, "<h2 id=\"run%u\"><code>", i + 1);
    picture_escape(p->name, out);
    str_add(out, "</code> ");
    picture_page_put_verdict(p, out);
    str_add(out, "</h2>\n<figure>");
    picture_drawing(p, false, out);
    str_add(out, "</figure>\n<table class=\"run\"><tr><th>step</th><th>time</th><th>delay</th><th>what happens</th>"
                 "<th>what changes</th></tr>\n");
    for (uint32_t k = 0; k < p->trace->steps.len; k++) picture_page_put_step(p->trace, k, out);
    str_add(out, "</table>\n");
}

void picture_page(const result *r, const char *title, str *out) {
    str_add(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>");
    picture_escape(title, out);
    str_printf(out, "</title>\n%s</head><body>\n<h1>", look);
    picture_escape(title, out);
    str_add(out, "</h1>\n<table><tr><th>query</th><th>verdict</th><th></th><th>states</th></tr>\n");
    for (uint32_t i = 0; i < r->properties.len; i++) put_answer(&r->properties.data[i], i, out);
    str_add(out, "</table>\n");
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (r->properties.data[i].trace) put_run(&r->properties.data[i], i, out);
    str_add(out, "</body></html>\n");
}
