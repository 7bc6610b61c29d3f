// SPDX-License-Identifier: Apache-2.0
// A timed run as SVG: see picture.h. Every step has a column of its own, since many may happen at one moment;
// a delay makes a column wider by its logarithm, and the exact times stand above. So the order of steps can
// always be read, and widths do not measure time.
#include "report/picture_int.h"

#include "report/timed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CHARACTER = 7, MARGIN = 12, COLUMN = 72, LANE = 46, BAR = 26, HEAD = 62, LINE = 18, MOST_COLUMNS = 2000 };

typedef struct {
    const result_property *p;
    const trace *t;
    const timed_info *timed;
    uint32_t columns;  // steps that are drawn
    double *x;         // of each step; [columns]: of the end
    double left, right, bottom;
    arena *memory;
    str *out;
} drawing;

// ---- numbers and words

static double picture_number_of(const char *rational) {
    char *rest;
    double n = strtod(rational, &rest);
    return *rest == '/' ? n / strtod(rest + 1, NULL) : n;
}

static void put_text(drawing *d, double x, double y, const char *attributes, const char *text) {
    str_printf(d->out, "<text x=\"%.1f\" y=\"%.1f\"%s>%s</text>\n", x, y, attributes, picture_safe(d->memory, text));
}

// As much of an ASCII text as there is room for.
static void put_fitting(drawing *d, double x, double y, double room, const char *text) {
    size_t n = strlen(text), most = room < 3 * CHARACTER ? 0 : (size_t)(room / CHARACTER);
    str cut = {0};
    if (!most) return;
    str_addn(&cut, text, n > most ? most - 1 : n);
    if (n > most) str_add(&cut, "\xe2\x80\xa6");
    put_text(d, x, y, "", str_get(&cut));
    str_free(&cut);
}

// ---- where things are

static double lane(uint32_t process) { return HEAD + process * (double)LANE + LANE / 2.0; }

static const char *channel_of(const drawing *d, uint32_t step) {
    const char *name = NULL;
    if (step < d->t->steps.len) name = rule_of(d->t->in->m, d->t->steps.data[step].r)->channel;
    return name ? name : "";
}

// Before step i: room for the channels above, and for the delay.
static double gap(const drawing *d, uint32_t i, const char *delay) {
    size_t letters = strlen(channel_of(d, i)) + (i ? strlen(channel_of(d, i - 1)) : 0);
    double texts = (double)letters / 2 * CHARACTER + 8;
    return (texts > COLUMN ? texts : COLUMN) + 26 * log2(1 + picture_number_of(delay));
}

static void place_columns(drawing *d) {
    size_t widest = 0;
    for (uint32_t i = 0; i < d->timed->processes.len; i++)
        if (strlen(d->timed->processes.data[i].name) > widest) widest = strlen(d->timed->processes.data[i].name);
    d->columns = d->t->steps.len < MOST_COLUMNS ? d->t->steps.len : MOST_COLUMNS;
    d->x = mem_zero(d->columns + 1, sizeof *d->x);
    d->left = MARGIN * 2 + (double)widest * CHARACTER;
    double x = d->left;
    for (uint32_t i = 0; i < d->columns; i++) d->x[i] = x += gap(d, i, d->t->steps.data[i].delay);
    bool is_whole = d->columns == d->t->steps.len;
    d->x[d->columns] = d->right = x + (is_whole ? gap(d, d->columns, d->t->end_delay) : COLUMN);
    d->bottom = HEAD + (double)d->timed->processes.len * LANE;
}

// ---- time

static const char *time_at(const drawing *d, uint32_t i) {
    return i < d->t->steps.len ? d->t->steps.data[i].time : d->t->end_time;
}

// Steps at one moment stand on one band, with the time above it.
static void draw_moment(drawing *d, const char *time, double from, double to) {
    str_printf(d->out, "<rect class=\"moment\" x=\"%.1f\" y=\"24\" width=\"%.1f\" height=\"%.1f\"/>\n", from - 6,
               to - from + 12, d->bottom - 18);
    put_text(d, (from + to) / 2, 17, " class=\"time\"", time);
}

static void draw_times(drawing *d) {
    double from = d->left;
    const char *now = "0";
    for (uint32_t i = 0; i <= d->columns; i++) {
        bool is_end = i == d->columns && i < d->t->steps.len;
        if (is_end || strcmp(time_at(d, i), now) == 0) continue;
        draw_moment(d, now, from, i ? d->x[i - 1] : from);
        now = time_at(d, i);
        from = d->x[i];
    }
    draw_moment(d, now, from, d->columns == d->t->steps.len ? d->right : d->x[d->columns - 1]);
}

// ---- locations

static void draw_bar(drawing *d, uint32_t process, uint32_t step, double from, double to) {
    static const char *const colours[] = {"#cfe3f7", "#fde2c4", "#d5efd0", "#f6d3d8",
                                          "#e3dbf4", "#f4efc0", "#d2eeee", "#e6e0d8"};
    func f = d->timed->locations.data[process];
    value at = trace_state(d->t, step)[d->t->in->first_cell[f.id]];
    str name = {0};
    instance_value_text(d->t->in, func_of(d->t->in->m, f)->result, at, &name);
    str_printf(d->out,
               "<g class=\"bar\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" rx=\"4\" fill=\"%s\"/>"
               "<title>%s</title>",
               from + 1, lane(process) - BAR / 2.0, to - from - 2, BAR, colours[(uint32_t)at % 8],
               picture_safe(d->memory, str_get(&name)));
    put_fitting(d, from + 6, lane(process) + 4, to - from - 10, str_get(&name));
    str_add(d->out, "</g>\n");
    str_free(&name);
}

static void draw_lane(drawing *d, uint32_t process, const timed_numbers *who) {
    double from = d->left;
    put_text(d, d->left - MARGIN, lane(process) + 4, " class=\"process\"", d->timed->processes.data[process].name);
    uint32_t entered = 0;
    for (uint32_t i = 0; i < d->columns; i++) {
        if (!timed_has(&who[i], process) || !d->t->steps.data[i].after) continue;
        draw_bar(d, process, entered, from, d->x[i]);
        from = d->x[i];
        entered = i + 1;
    }
    draw_bar(d, process, entered, from, d->right);
}

// ---- steps

static void draw_arrow(drawing *d, double x, uint32_t from, uint32_t to) {
    double a = lane(from), b = lane(to), tip = b > a ? b - BAR / 2.0 - 1 : b + BAR / 2.0 + 1;
    double back = b > a ? tip - 7 : tip + 7;
    str_printf(d->out,
               "<path class=\"arrow\" d=\"M%.1f %.1fV%.1f\"/>"
               "<path class=\"tip\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n",
               x, a, tip, x, tip, x - 4, back, x + 4, back);
}

static void draw_failure(drawing *d, double x, double y) {
    str_printf(d->out, "<path class=\"fails\" d=\"M%.1f %.1fl12 12m0 -12l-12 12\"/>\n", x - 6, y - 6);
}

static void draw_step(drawing *d, uint32_t i, const timed_numbers *who) {
    const char *channel = channel_of(d, i);
    double x = d->x[i];
    str_printf(d->out, "<text class=\"number\" x=\"%.1f\" y=\"37\">%u</text>\n", x, i + 1);
    if (!who->len) return;
    str_printf(d->out, "<circle class=\"dot\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\"/>\n", x, lane(who->data[0]));
    for (uint32_t k = 1; k < who->len; k++) draw_arrow(d, x, who->data[0], who->data[k]);
    if (*channel) put_text(d, x, 51, " class=\"channel\"", channel);
    for (uint32_t k = 0; !d->t->steps.data[i].after && k < who->len; k++) draw_failure(d, x, lane(who->data[k]));
}

// The way back of a lasso.
static void draw_loop(drawing *d) {
    if (d->t->loop >= d->columns) return;
    double from = d->t->loop ? d->x[d->t->loop - 1] : d->left, y = d->bottom + 16;
    str_printf(d->out, "<path class=\"loop\" d=\"M%.1f %.1fV%.1fH%.1fV%.1f\"/>", d->right, d->bottom, y, from,
               d->bottom + 2);
    str_printf(d->out, "<path class=\"tip\" d=\"M%.1f %.1fl-4 7h8Z\"/>\n", from, d->bottom + 1);
    put_text(d, (from + d->right) / 2, y - 4, " class=\"time\"", "for ever");
}

// ---- the list

static void picture_put_row(drawing *d, uint32_t i, double y) {
    const char *label = picture_label(d->memory, d->t, i), *changes = picture_changes(d->memory, d->t, i);
    const char *clocks = picture_clocks(d->memory, d->t, i);
    str_printf(d->out,
               "<text class=\"row\" y=\"%.1f\"><tspan x=\"60\">%u</tspan><tspan x=\"130\">%s</tspan>"
               "<tspan x=\"146\" text-anchor=\"start\">%s</tspan>",
               y, i + 1, d->t->steps.data[i].time, label);
    if (*changes) str_printf(d->out, "<tspan class=\"change\" dx=\"14\">%s</tspan>", changes);
    if (*clocks) str_printf(d->out, "<tspan class=\"clocks\" dx=\"14\">%s</tspan>", clocks);
    str_add(d->out, "</text>\n");
    double end = 184 + (double)(strlen(label) + strlen(changes) + strlen(clocks)) * CHARACTER * 1.05;
    if (end > d->right) d->right = end;
}

static void draw_list(drawing *d) {
    double y = d->bottom + 44;
    put_text(d, 60, y, " class=\"row head\"", "step");
    put_text(d, 130, y, " class=\"row head\"", "time");
    for (uint32_t i = 0; i < d->columns; i++) picture_put_row(d, i, y += LINE);
    d->bottom = y;
}

// ---- all

static void draw_run(drawing *d) {
    timed_numbers *who = mem_zero(d->columns + 1, sizeof *who);
    for (uint32_t i = 0; i < d->columns; i++) timed_participants(d->t, i, &who[i]);
    draw_times(d);
    put_text(d, d->left - MARGIN, 17, " class=\"process\"", "time");
    for (uint32_t i = 0; i < d->timed->processes.len; i++) draw_lane(d, i, who);
    for (uint32_t i = 0; i < d->columns; i++) draw_step(d, i, &who[i]);
    draw_loop(d);
    for (uint32_t i = 0; i < d->columns; i++) vec_free(&who[i]);
    free(who);
}

static void put_caption(drawing *d) {
    str text = {0};
    double y = d->bottom + 30;
    timed_end(d->p, &text);
    if (d->columns < d->t->steps.len)
        str_printf(&text, "%sthe first %u of %u steps", text.len ? "; " : "", d->columns, d->t->steps.len);
    if (text.len) put_text(d, MARGIN, y, " class=\"reason\"", str_get(&text));
    d->bottom = y;
    str_free(&text);
}

static const char *const look =
    "<style>text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1b1f24}"
    ".time{text-anchor:middle;font-weight:bold}.number{text-anchor:middle;fill:#57606a;font-size:11px}"
    ".channel{text-anchor:middle;fill:#0550ae;font-size:11px}.process{text-anchor:end;font-weight:bold}"
    ".moment{fill:#f0f2f5}.bar rect{stroke:#8c959f;stroke-width:.75}"
    ".arrow{stroke:#0550ae;stroke-width:1.5;fill:none}.tip{fill:#0550ae}.dot{fill:#0550ae}"
    ".fails{stroke:#cf222e;stroke-width:3;fill:none}.loop{stroke:#0550ae;stroke-dasharray:4 3;fill:none}"
    ".row{white-space:pre}.row tspan:nth-child(-n+2){text-anchor:end}.head{text-anchor:end;fill:#57606a}"
    ".change{fill:#953800}.clocks{fill:#57606a}.reason{fill:#cf222e}</style>\n";

void picture_drawing(const result_property *p, bool has_list, str *out) {
    str body = {0};
    drawing d = {.p = p,
                 .t = p->trace,
                 .timed = sys_of(p->trace->in->m, p->trace->in->system)->timed,
                 .memory = arena_new(),
                 .out = &body};
    place_columns(&d);
    draw_run(&d);
    put_caption(&d);
    if (has_list) draw_list(&d);
    str_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\" "
               "role=\"img\">\n<title>%s</title>\n%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n%s</svg>\n",
               d.right + MARGIN, d.bottom + MARGIN, d.right + MARGIN, d.bottom + MARGIN,
               picture_safe(d.memory, p->name), look, str_get(&body));
    str_free(&body);
    arena_free(d.memory);
    free(d.x);
}

void picture_svg(const result_property *p, str *out) {
    str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    picture_drawing(p, true, out);
}
