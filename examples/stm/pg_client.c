// SPDX-License-Identifier: Apache-2.0
// Clients of a PostgreSQL database that record what they see: each transaction reads two rows and writes one or both of
// them, or reads all. Values are unlike each other, so that a check knows who wrote what was read.
//
//   examples/stm/with_postgres parvis record --level serializable -- build/stm/pg_client --isolation repeatable-read
//
// Two transactions that read both rows and write one each are a write skew when neither sees the other's write: snapshots
// ("repeatable read") allow that, serializability does not. A transaction that the server refuses is aborted; one whose
// COMMIT got no answer may have committed or not.
#include <parvis/record.h>

#include <libpq-fe.h>
#include <pthread.h>
#include <stdbool.h>

enum { MOST_CLIENTS = 32, ROWS = 6 };

typedef struct {
    uint32_t number, transactions;
    const char *isolation;
    PGconn *db;
    parvis_log *log;
    uint32_t written;
    uint64_t random;
    uint32_t committed, aborted;
    bool failed;
} client;

static uint32_t choose(client *c, uint32_t below) {
    c->random = c->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((c->random >> 33) % below);
}

// NULL when the server refuses, or is gone.
static PGresult *ask(client *c, const char *query, int n, const char *const *values) {
    PGresult *r = PQexecParams(c->db, query, n, NULL, values, NULL, NULL, 0);
    ExecStatusType s = PQresultStatus(r);
    if (s == PGRES_COMMAND_OK || s == PGRES_TUPLES_OK) return r;
    const char *code = PQresultErrorField(r, PG_DIAG_SQLSTATE);
    bool is_conflict = code && (strncmp(code, "40", 2) == 0);  // serialization failure, deadlock
    if (!is_conflict) fprintf(stderr, "pg_client: %s", PQerrorMessage(c->db));
    c->failed |= !is_conflict;
    PQclear(r);
    return NULL;
}

static bool tell(client *c, const char *query) {
    PGresult *r = ask(c, query, 0, NULL);
    PQclear(r);
    return r != NULL;
}

static bool read_row(client *c, uint32_t row) {
    char key[16];
    snprintf(key, sizeof key, "%u", row);
    PGresult *r = ask(c, "SELECT value FROM rows WHERE key = $1", 1, (const char *[]){key});
    if (!r) return false;
    parvis_read(c->log, row, strtoull(PQgetvalue(r, 0, 0), NULL, 10));
    PQclear(r);
    return true;
}

static bool write_row(client *c, uint32_t row) {
    char key[16], value[32];
    uint64_t number = (uint64_t)(c->number + 1) << 32 | ++c->written;
    snprintf(key, sizeof key, "%u", row);
    snprintf(value, sizeof value, "%llu", (unsigned long long)number);
    PGresult *r = ask(c, "UPDATE rows SET value = $2 WHERE key = $1", 2, (const char *[]){key, value});
    if (!r) return false;
    parvis_write(c->log, row, number);
    PQclear(r);
    return true;
}

static bool body(client *c) {
    uint32_t what = choose(c, 10), one = choose(c, ROWS), other = (one + 1 + choose(c, ROWS - 1)) % ROWS;
    if (what == 0) {
        for (uint32_t i = 0; i < ROWS; i++)
            if (!read_row(c, i)) return false;
        return true;
    }
    if (!read_row(c, one) || !read_row(c, other) || !write_row(c, one)) return false;
    return what < 7 || write_row(c, other);
}

static void transaction(client *c) {
    char begin[80];
    snprintf(begin, sizeof begin, "BEGIN ISOLATION LEVEL %s", c->isolation);
    parvis_begin(c->log);
    bool good = tell(c, begin) && body(c);
    if (good) {
        parvis_commit(c->log);
        good = tell(c, "COMMIT");
        if (PQstatus(c->db) == CONNECTION_BAD) return;  // without an answer
    } else {
        tell(c, "ROLLBACK");
    }
    if (good) parvis_committed(c->log);
    else parvis_aborted(c->log);
    c->committed += good;
    c->aborted += !good;
}

static void *run(void *argument) {
    client *c = argument;
    c->db = PQconnectdb("");
    c->log = parvis_log_open(NULL, c->number);
    if (PQstatus(c->db) != CONNECTION_OK) fprintf(stderr, "pg_client: %s", PQerrorMessage(c->db)), c->failed = true;
    if (!c->log && errno) perror("pg_client"), c->failed = true;
    for (uint32_t i = 0; i < c->transactions && !c->failed; i++) transaction(c);
    PQfinish(c->db);
    if (parvis_log_close(c->log)) c->failed = true;
    return NULL;
}

static bool set_up(void) {
    PGconn *db = PQconnectdb("");
    PGresult *r = PQexec(db, "CREATE TABLE rows (key int PRIMARY KEY, value bigint NOT NULL);"
                             "INSERT INTO rows SELECT n, 0 FROM generate_series(0, 5) n");
    bool good = PQresultStatus(r) == PGRES_COMMAND_OK;
    if (!good) fprintf(stderr, "pg_client: %s", PQerrorMessage(db));
    PQclear(r);
    PQfinish(db);
    return good;
}

static bool read_options(int argc, char **argv, uint32_t *clients, uint32_t *transactions, const char **isolation) {
    static const char *const levels[][2] = {
        {"read-committed", "READ COMMITTED"}, {"repeatable-read", "REPEATABLE READ"}, {"serializable", "SERIALIZABLE"}};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--clients") == 0) *clients = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--transactions") == 0) *transactions = (uint32_t)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--isolation") == 0) *isolation = NULL;
        else return false;
        for (int k = 0; k < 3; k++)
            if (strcmp(value, levels[k][0]) == 0) *isolation = levels[k][1];
    }
    return *isolation && *clients >= 1 && *clients <= MOST_CLIENTS && *transactions >= 1;
}

int main(int argc, char **argv) {
    client clients[MOST_CLIENTS];
    pthread_t ids[MOST_CLIENTS];
    uint32_t n = 4, transactions = 300, committed = 0, aborted = 0;
    const char *isolation = "SERIALIZABLE";
    bool failed = false;
    if (!read_options(argc, argv, &n, &transactions, &isolation)) {
        fprintf(stderr, "usage: pg_client [--isolation read-committed|repeatable-read|serializable] [--clients N] "
                        "[--transactions N]\n");
        return 2;
    }
    if (!set_up()) return 2;
    for (uint32_t i = 0; i < n; i++) {
        clients[i] = (client){.number = i + 1, .transactions = transactions, .isolation = isolation, .random = i};
        if (pthread_create(&ids[i], NULL, run, &clients[i])) return 2;
    }
    for (uint32_t i = 0; i < n; i++) {
        pthread_join(ids[i], NULL);
        committed += clients[i].committed;
        aborted += clients[i].aborted;
        failed |= clients[i].failed;
    }
    printf("postgresql, %s: %u transactions committed, %u aborted\n", isolation, committed, aborted);
    return failed ? 1 : 0;
}
