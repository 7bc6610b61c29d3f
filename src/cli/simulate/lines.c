// SPDX-License-Identifier: Apache-2.0
// Reading lines: see lines.h. While a line is edited the terminal is in a mode of its own, which must not outlive us:
// characters are waited for in short turns, and a limit that is met in between ends the line, not the process.
#include "cli/simulate/lines.h"

#include "base/mem.h"
#include "base/str.h"

#include <errno.h>
#include <histedit.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

enum { TURN_MS = 20, MOST_HISTORY = 1000, MOST_LISTED = 60 };

struct lines {
    const limits *until;
    lines_offer *offer;
    void *context;
    EditLine *editor;  // NULL: lines are read as they come
    History *history;
    char *line;
    size_t room;
};

// ---- completion

typedef struct {
    const char *typed;
    size_t length;
    str common;  // what all that fit begin with
    uint32_t count;
    str listed;
} completion;

static void lines_consider(void *to, const char *text) {
    completion *c = to;
    size_t same = 0;
    if (strncmp(text, c->typed, c->length) != 0) return;
    if (c->count++ == 0) str_add(&c->common, text);
    while (same < c->common.len && text[same] == c->common.text[same]) same++;
    c->common.text[c->common.len = same] = '\0';
    if (c->count <= MOST_LISTED) str_printf(&c->listed, "\n  %s", text);
}

// What is typed, if anything that is offered begins with it, is completed as far as all of them agree; if they do not
// agree on more, they are listed.
static unsigned char lines_complete(EditLine *editor, int key) {
    (void)key;
    lines *l = NULL;
    el_get(editor, EL_CLIENTDATA, &l);
    const LineInfo *now = el_line(editor);
    if (now->cursor != now->lastchar) return CC_ERROR;
    str typed = {0};
    str_addn(&typed, now->buffer, (size_t)(now->cursor - now->buffer));
    completion c = {.typed = str_get(&typed), .length = typed.len};
    l->offer(l->context, lines_consider, &c);
    bool adds = c.count && c.common.len > typed.len;
    if (adds) el_insertstr(editor, c.common.text + typed.len);
    else if (c.count > 1) printf("%s%s\n", str_get(&c.listed), c.count > MOST_LISTED ? "\n  ..." : "");
    fflush(stdout);
    unsigned char then = adds ? CC_REFRESH : c.count > 1 ? CC_REDISPLAY : CC_ERROR;
    str_free(&typed);
    str_free(&c.common);
    str_free(&c.listed);
    return then;
}

// ---- characters

// A byte; false: there is none, or it must not be waited for any longer.
static bool lines_read_byte(const lines *l, char *byte) {
    while (!limits_met(l->until)) {
        int ready = poll(&(struct pollfd){STDIN_FILENO, POLLIN, 0}, 1, TURN_MS);
        if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
        ssize_t n = ready < 0 ? -1 : read(STDIN_FILENO, byte, 1);
        if (n < 0 && errno == EINTR) continue;
        return n == 1;
    }
    return false;
}

// 1, or -1 at the end. Bytes that are no character are passed over.
static int lines_read_character(EditLine *editor, wchar_t *out) {
    lines *l = NULL;
    mbstate_t state = {0};
    char byte;
    el_get(editor, EL_CLIENTDATA, &l);
    while (lines_read_byte(l, &byte)) {
        size_t n = mbrtowc(out, &byte, 1, &state);
        if (n == 1) return 1;
        if (n == 0) continue;
        if (n == (size_t)-1) state = (mbstate_t){0};
    }
    return -1;
}

// ---- lines

static char *lines_prompt(EditLine *editor) {
    (void)editor;
    return (char *)"> ";
}

static void lines_open_editor(lines *l) {
    HistEvent e;
    l->editor = el_init("parvis", stdin, stdout, stderr);
    l->history = l->editor ? history_init() : NULL;
    if (!l->editor) return;
    el_set(l->editor, EL_CLIENTDATA, l);
    el_set(l->editor, EL_PROMPT, lines_prompt);
    el_set(l->editor, EL_EDITOR, "emacs");
    el_set(l->editor, EL_GETCFN, lines_read_character);
    // libedit copies narrow names, and never frees the copies.
    el_wset(l->editor, EL_ADDFN, L"parvis-complete", L"complete what is typed", lines_complete);
    el_set(l->editor, EL_BIND, "^I", "parvis-complete", NULL);
    if (l->history) history(l->history, &e, H_SETSIZE, MOST_HISTORY);
    if (l->history) history(l->history, &e, H_SETUNIQUE, 1);
    if (l->history) el_set(l->editor, EL_HIST, history, l->history);
    el_source(l->editor, NULL);
}

lines *lines_open(const limits *until, bool edits, lines_offer *offer, void *context) {
    lines *l = mem_zero(1, sizeof *l);
    *l = (lines){.until = until, .offer = offer, .context = context};
    if (edits) lines_open_editor(l);
    return l;
}

void lines_close(lines *l) {
    if (l->history) history_end(l->history);
    if (l->editor) el_end(l->editor);
    free(l->line);
    free(l);
}

// A copy: the editor's line is not ours to change.
static char *lines_edit(lines *l) {
    int count = 0;
    HistEvent e;
    const char *text = el_gets(l->editor, &count);
    if (!text || count <= 0) return NULL;
    free(l->line);
    l->line = strdup(text);
    l->line[strcspn(l->line, "\n")] = '\0';
    if (l->history && *l->line) history(l->history, &e, H_ENTER, l->line);
    return l->line;
}

char *lines_next(lines *l) {
    if (limits_met(l->until)) return NULL;
    char *line = l->editor ? lines_edit(l) : getline(&l->line, &l->room, stdin) < 0 ? NULL : l->line;
    if (l->editor && !line) fputc('\n', stdout), fflush(stdout);
    if (!line || limits_met(l->until)) return NULL;
    line[strcspn(line, "\n")] = '\0';
    return line;
}
