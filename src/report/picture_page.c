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

typedef struct {
    arena *memory;
    str *out;
} page;

static void put_answer(const page *g, const result_property *p, uint32_t i) {
    const char *word = verdict_text(p->verdict), *name = picture_safe(g->memory, p->name);
    if (p->trace) name = arena_printf(g->memory, "<a href=\"#run%u\">%s</a>", i + 1, name);
    str_printf(g->out,
               "<tr><td class=\"formula\">%s</td><td><span class=\"verdict %s\">%s</span></td><td>%s</td>"
               "<td class=\"t\">%llu</td></tr>\n",
               name, word, word, p->reason ? picture_safe(g->memory, p->reason) : "",
               (unsigned long long)p->stats.states);
}

static void put_run(const page *g, const result_property *p, uint32_t i) {
    const char *word = verdict_text(p->verdict);
    str_printf(g->out, "<h2 id=\"run%u\"><code>%s</code> <span class=\"verdict %s\">%s</span></h2>\n<figure>", i + 1,
               picture_safe(g->memory, p->name), word, word);
    picture_drawing(p, false, g->out);
    str_add(g->out, "</figure>\n<table class=\"run\"><tr><th>step</th><th>time</th><th>delay</th>"
                    "<th>what happens</th><th>what changes</th><th>clocks</th></tr>\n");
    for (uint32_t k = 0; k < p->trace->steps.len; k++)
        str_printf(g->out,
                   "<tr><td class=\"n\">%u</td><td class=\"t\">%s</td><td class=\"t\">%s</td><td>%s</td>"
                   "<td class=\"c\">%s</td><td>%s</td></tr>\n",
                   k + 1, p->trace->steps.data[k].time, p->trace->steps.data[k].delay,
                   picture_label(g->memory, p->trace, k), picture_changes(g->memory, p->trace, k),
                   picture_clocks(g->memory, p->trace, k));
    str_add(g->out, "</table>\n");
}

void picture_page(const result *r, const char *title, str *out) {
    page g = {arena_new(), out};
    const char *safe = picture_safe(g.memory, title);
    str_printf(out,
               "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>%s</title>\n%s</head><body>\n"
               "<h1>%s</h1>\n<table><tr><th>query</th><th>verdict</th><th></th><th>states</th></tr>\n",
               safe, look, safe);
    for (uint32_t i = 0; i < r->properties.len; i++) put_answer(&g, &r->properties.data[i], i);
    str_add(out, "</table>\n");
    for (uint32_t i = 0; i < r->properties.len; i++)
        if (r->properties.data[i].trace) put_run(&g, &r->properties.data[i], i);
    str_add(out, "</body></html>\n");
    arena_free(g.memory);
}
