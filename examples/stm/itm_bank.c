// SPDX-License-Identifier: Apache-2.0
// A program for libitm, as gcc -fgnu-tm builds it; it knows nothing of recording:
//
//   gcc -O2 -fgnu-tm -pthread itm_bank.c -o itm_bank
//   parvis record --level opaque -- ./itm_bank
//
// Threads move money between accounts, some transfers are cancelled, some transactions add up all accounts; a list of
// receipts grows and shrinks, in memory that is allocated and freed in transactions. A balance has a tag in its upper
// half that no other write has, so that a check of the recording knows who wrote what was read; the counter and the
// receipts have none, as in most programs.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACCOUNTS = 8, START = 1000, MOST_THREADS = 32 };

typedef struct receipt {
    struct receipt *next;
    int from, to;
} receipt;

typedef struct {
    uint64_t number, rounds;
    uint64_t tags, random;
    int failed;
} worker;

static uint64_t accounts[ACCOUNTS];
static receipt *receipts;
static int transfers;

static uint32_t choose(worker *w, uint32_t below) {
    w->random = w->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((w->random >> 33) % below);
}

static uint64_t tagged(worker *w, uint32_t balance) { return (w->number << 26 | ++w->tags) << 32 | balance; }

static void transfer(worker *w, uint32_t from, uint32_t to) {
    uint64_t less = tagged(w, 0), more = tagged(w, 0);
    __transaction_atomic {
        uint32_t have = (uint32_t)accounts[from];
        if (have == 0 || from == to) __transaction_cancel;
        accounts[from] = less | (have - 1);
        accounts[to] = more | ((uint32_t)accounts[to] + 1);
        transfers++;
    }
}

static void check_total(worker *w) {
    uint64_t total = 0;
    __transaction_atomic {
        total = 0;
        for (int i = 0; i < ACCOUNTS; i++) total += (uint32_t)accounts[i];
    }
    if (total != ACCOUNTS * START) w->failed = 1;
}

static void write_receipt(uint32_t from, uint32_t to) {
    __transaction_atomic {
        receipt *r = malloc(sizeof *r);
        if (r) {
            r->from = (int)from;
            r->to = (int)to;
            r->next = receipts;
            receipts = r;
        }
    }
}

static void tear_receipt(void) {
    __transaction_atomic {
        receipt *r = receipts;
        if (r) {
            receipts = r->next;
            free(r);
        }
    }
}

static void *work(void *argument) {
    worker *w = argument;
    for (uint64_t i = 0; i < w->rounds; i++) {
        uint32_t what = choose(w, 10), from = choose(w, ACCOUNTS), to = choose(w, ACCOUNTS);
        if (what < 6) transfer(w, from, to);
        else if (what < 8) check_total(w);
        else if (what < 9) write_receipt(from, to);
        else tear_receipt();
    }
    return NULL;
}

int main(int argc, char **argv) {
    uint64_t threads = 2, rounds = 5000;
    worker workers[MOST_THREADS];
    pthread_t ids[MOST_THREADS];
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--threads") == 0) threads = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--rounds") == 0) rounds = strtoull(argv[i + 1], NULL, 10);
    }
    if (threads < 1 || threads > MOST_THREADS) return 2;
    for (int i = 0; i < ACCOUNTS; i++) accounts[i] = START;
    for (uint64_t i = 0; i < threads; i++) {
        workers[i] = (worker){.number = i + 1, .rounds = rounds, .random = i};
        if (pthread_create(&ids[i], NULL, work, &workers[i])) return 2;
    }
    int failed = 0;
    for (uint64_t i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        failed |= workers[i].failed;
    }
    printf("bank: %d transfers%s\n", transfers, failed ? "; a total was wrong" : "");
    return failed;
}
