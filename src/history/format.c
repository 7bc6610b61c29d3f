// SPDX-License-Identifier: Apache-2.0
// The table of formats: see format.h. Recognisers are asked in this order, the loosest last.
#include "history/format.h"

#include "history/foreign.h"
#include "history/log.h"

static const char all_times[] = "times", op_times[] = "the times of single operations";

const format format_table[] = {
    {"log", "what parvis/record.h writes", log_is_recorded, log_read_recorded, log_write_recorded, NULL, NULL},
    {"jepsen", "Jepsen's and Elle's EDN, of registers or of lists", jepsen_is, jepsen_read, jepsen_write, op_times,
     NULL},
    {"plume", "PolySI and Plume: r(key,value,session,transaction)", plume_is, plume_read, plume_write, all_times, NULL},
    {"awdit", "AWDIT's tests: r key value", awdit_is, awdit_read, awdit_write, all_times, NULL},
    {"dbcop", "dbcop's history.bincode", dbcop_is, dbcop_read, dbcop_write, all_times, NULL},
    {"cobra", "Cobra's T*.log", cobra_is, cobra_read, cobra_write, all_times, cobra_write_folder},
    {"json", "events as JSON", json_is_recorded, json_read_recorded, json_write_recorded, NULL, NULL},
    {"hist", "events as text, read(1,x,0)", text_is_recorded, text_read_recorded, text_write_recorded, NULL, NULL},
};

const uint32_t format_count = sizeof format_table / sizeof *format_table;

const format *format_find(const char *name) {
    for (uint32_t i = 0; i < format_count; i++)
        if (str_same(format_table[i].name, name)) return &format_table[i];
    return NULL;
}

const format *format_recognise(const format_source *from) {
    for (uint32_t i = 0; i < format_count; i++)
        if (format_table[i].is(from)) return &format_table[i];
    return NULL;
}
