// SPDX-License-Identifier: Apache-2.0
// What became of expectations: see tests.h. Files and names may hold any bytes; in each format what would be taken for
// part of it is written as the format wants it.
#include "report/tests.h"

#include "base/units.h"
#include "report/object.h"

#include <string.h>

static const char *const outcome_words[] = {"ok", "FAILED", "unknown", "error"};
static const char *const outcome_names[] = {"met", "failed", "unknown", "error"};
static const style_role outcome_roles[] = {ROLE_GOOD, ROLE_BAD, ROLE_UNSURE, ROLE_BAD};

uint32_t tests_count(const test_row *rows, uint32_t n, test_outcome outcome) {
    uint32_t k = 0;
    for (uint32_t i = 0; i < n; i++) k += rows[i].outcome == outcome;
    return k;
}

// "expected holds, found violated, length 4"
static void tests_why(const test_row *t, str *out) {
    if (t->expected && t->outcome != TEST_WRONG) str_printf(out, "expected %s, found ", t->expected);
    str_add_visible(out, t->found, strlen(t->found));
}

static void tests_place(const test_row *t, str *out) {
    str_add_visible(out, t->file, strlen(t->file));
    if (t->line) str_printf(out, ":%u", t->line);
}

// ---- text

void tests_line(const test_row *t, const style *s, str *out) {
    str rest = {0};
    enum { WORD_COLUMNS = 9 };
    style_add(s, outcome_roles[t->outcome], outcome_words[t->outcome], out);
    str_pad(out, ' ', WORD_COLUMNS - strlen(outcome_words[t->outcome]));
    tests_place(t, out);
    str_add(&rest, ": ");
    if (*t->name) str_printf(&rest, "%s: ", t->name);
    if (t->outcome == TEST_MET) str_add(&rest, t->expected);
    else tests_why(t, &rest);
    str_add(out, str_get(&rest));
    str_free(&rest);
    if (t->seconds < 1) return str_char(out, '\n');
    str time = {0};
    str_add(&time, " (");
    units_seconds_text(t->seconds, &time);
    str_add(&time, ")");
    style_add(s, ROLE_DIM, str_get(&time), out);
    str_char(out, '\n');
    str_free(&time);
}

void tests_summary(const test_row *rows, uint32_t n, uint32_t files, double seconds, const style *s, str *out) {
    static const char *const plurals[] = {"met", "failed", "unknown", "with errors"};
    uint32_t said = 0;
    str_printf(out, "%s expectation%s in %s file%s:", str_count(n), n == 1 ? "" : "s", str_count(files),
               files == 1 ? "" : "s");
    for (int o = 0; o < TEST_OUTCOMES; o++) {
        uint32_t k = tests_count(rows, n, (test_outcome)o);
        if (!k && o != TEST_MET) continue;
        str part = {0};
        str_printf(&part, "%s %s", str_count(k), plurals[o]);
        str_add(out, said++ ? ", " : " ");
        style_add(s, k ? outcome_roles[o] : ROLE_PLAIN, str_get(&part), out);
        str_free(&part);
    }
    str_add(out, " (");
    units_seconds_text(seconds, out);
    str_add(out, ")\n");
}

// ---- JSON

json_t *tests_object(const test_row *rows, uint32_t n) {
    json_t *list = json_array();
    for (uint32_t i = 0; i < n; i++) {
        const test_row *t = &rows[i];
        json_t *o = json_object();
        json_object_set_new(o, "file", object_string(t->file));
        json_object_set_new(o, "line", t->line ? json_integer(t->line) : json_null());
        json_object_set_new(o, "column", t->line ? json_integer(t->column) : json_null());
        json_object_set_new(o, "name", object_string(t->name));
        json_object_set_new(o, "expected", object_string_or_null(t->expected));
        json_object_set_new(o, "found", object_string_or_null(t->found));
        json_object_set_new(o, "outcome", json_string(outcome_names[t->outcome]));
        json_object_set_new(o, "seconds", json_real(t->seconds));
        json_array_append_new(list, o);
    }
    return list;
}

// ---- JUnit

static void xml_attribute(const char *name, const char *text, str *out) {
    str_printf(out, " %s=\"", name);
    str_add_xml(out, text);
    str_char(out, '"');
}

static void junit_case(const test_row *t, str *out) {
    str place = {0}, why = {0};
    tests_place(t, &place);
    str_add(out, "    <testcase");
    xml_attribute("name", *t->name ? t->name : "reading the file", out);
    xml_attribute("classname", t->file, out);
    xml_attribute("file", t->file, out);
    if (t->line) str_printf(out, " line=\"%u\"", t->line);
    str_printf(out, " time=\"%.3f\"", t->seconds);
    if (t->outcome == TEST_MET) {
        str_add(out, "/>\n");
    } else {
        const char *tag = t->outcome == TEST_FAILED ? "failure" : "error";
        tests_why(t, &why);
        str_printf(out, ">\n      <%s", tag);
        xml_attribute("message", str_get(&why), out);
        xml_attribute("type", outcome_names[t->outcome], out);
        str_char(out, '>');
        str_add_xml(out, str_get(&place));
        str_add(out, ": ");
        str_add_xml(out, str_get(&why));
        str_printf(out, "</%s>\n    </testcase>\n", tag);
    }
    str_free(&place);
    str_free(&why);
}

static void junit_counts(const test_row *rows, uint32_t n, double seconds, str *out) {
    uint32_t failed = tests_count(rows, n, TEST_FAILED), met = tests_count(rows, n, TEST_MET);
    str_printf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" time=\"%.3f\">\n", n, failed, n - failed - met,
               seconds);
}

static double junit_seconds(const test_row *rows, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += rows[i].seconds;
    return sum;
}

void tests_junit(const test_row *rows, uint32_t n, double seconds, str *out) {
    str_add(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"parvis\"");
    junit_counts(rows, n, seconds, out);
    for (uint32_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && str_same(rows[end].file, rows[i].file);) end++;
        str_add(out, "  <testsuite");
        xml_attribute("name", rows[i].file, out);
        junit_counts(rows + i, end - i, junit_seconds(rows + i, end - i), out);
        for (uint32_t k = i; k < end; k++) junit_case(&rows[k], out);
        str_add(out, "  </testsuite>\n");
    }
    str_add(out, "</testsuites>\n");
}

// ---- GitHub

// Of workflow commands: % and line ends always, : and , in properties too.
static void github_add(const char *text, bool is_property, str *out) {
    for (const unsigned char *p = (const unsigned char *)text; *p; p++)
        if (*p == '%' || *p < ' ' || (is_property && (*p == ':' || *p == ','))) str_printf(out, "%%%02X", *p);
        else str_char(out, (char)*p);
}

void tests_github(const test_row *t, str *out) {
    if (t->outcome == TEST_MET) return;
    str why = {0};
    tests_why(t, &why);
    str_add(out, "::error file=");
    github_add(t->file, true, out);
    if (t->line) str_printf(out, ",line=%u,col=%u", t->line, t->column);
    str_add(out, ",title=");
    github_add(*t->name ? t->name : "parvis test", true, out);
    str_add(out, "::");
    github_add(str_get(&why), false, out);
    str_char(out, '\n');
    str_free(&why);
}
