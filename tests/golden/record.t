#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# record: parvis record runs programs that record by parvis/record.h, or that gcc -fgnu-tm built, with every method of
# libitm; keeps what was recorded however the program ends; and says how it did.
. tests/tap.sh
tmp=$PARVIS_TMP
mkdir -p "$tmp/temporary"
export TMPDIR="$tmp/temporary"

cat > "$tmp/mine.c" <<'END'
#include <parvis/record.h>
int main(int argc, char **argv) {
    parvis_log *log = parvis_log_open(NULL, 1);
    for (uint64_t i = 1; i <= 100 || argc > 1; i++) {
        parvis_begin(log);
        parvis_write(log, 1, i);
        parvis_commit(log);
        if (i == 50 && argc > 1 && argv[1][0] == 'k') kill_me();
        parvis_committed(log);
    }
    return parvis_log_close(log) ? 9 : 4;
}
END
sed -i 's/kill_me()/abort()/' "$tmp/mine.c"
check 'a program that records itself builds' gcc -Iinclude -o "$tmp/mine" "$tmp/mine.c"
says 'mine.parvis: 100 transactions of 1 sessions, 300 events$' 'it is recorded' "$PARVIS" record -o "$tmp/mine.parvis" -- "$tmp/mine"
says '^the program ended with exit code 4$' 'its exit code is said' "$PARVIS" record -o "$tmp/mine.parvis" -- "$tmp/mine"
says '^the program was ended by signal 6 ' 'so is a signal' "$PARVIS" record -o "$tmp/mine.parvis" -- "$tmp/mine" kill
says ': 50 transactions of 1 sessions, 150 events$' 'and what was recorded before it is there' \
    "$PARVIS" record -o "$tmp/mine.parvis" -- "$tmp/mine" kill
says '^the program was stopped: stopped at the time limit of 0.30 s$' 'a limit stops it' \
    "$PARVIS" record -o "$tmp/mine.parvis" --limit-time 300ms -- "$tmp/mine" forever
says '"transactions": 100,' 'as JSON' "$PARVIS" record --json -o "$tmp/mine.parvis" -- "$tmp/mine"
check 'as .hist' "$PARVIS" record -o "$tmp/mine.hist" -- "$tmp/mine"
says '^open(1)@[0-9]* write(1,1,1)@[0-9]*\.\.[0-9]* commit(1)@[0-9]*\.\.[0-9]*$' 'one line per transaction' head -2 "$tmp/mine.hist"
check 'a folder of logs is checked' sh -c 'mkdir "$0/logs" && PARVIS_RECORD="$0/logs" "$0/mine"; "$1" check "$0/logs" --level opaque' "$tmp" "$PARVIS"
check 'so is standard input, compressed' sh -c 'gzip -c "$0/mine.hist" | "$1" check - --level opaque' "$tmp" "$PARVIS"
check 'and compressed logs' sh -c 'gzip "$0/mine.parvis" && "$1" check "$0/mine.parvis.gz" --level opaque' "$tmp" "$PARVIS"
check 'a recording becomes another format' sh -c '"$1" show "$0/mine.parvis.gz" --format jepsen > "$0/mine.edn" && "$1" check "$0/mine.edn" --level strict' "$tmp" "$PARVIS"
exits 2 'nothing was recorded: 2' "$PARVIS" record -o "$tmp/none" -- /bin/true
says '^error: the program recorded nothing$' 'and why' "$PARVIS" record -o "$tmp/none" -- /bin/true
exits 2 'no such program: 2' "$PARVIS" record -o "$tmp/none" -- "$tmp/nowhere"
exits 2 'no place to write to: 2' "$PARVIS" record -o "$tmp/no/where" -- "$tmp/mine"
exits 2 'no program: 2' "$PARVIS" record
check 'no logs are left behind' sh -c 'test -z "$(ls "$TMPDIR")"'

# ---- libitm

if [ "$(uname -m)" != x86_64 ] || ! gcc -fgnu-tm -pthread -O2 -o "$tmp/itm" examples/stm/itm_bank.c 2> "$tmp/why"; then
    echo "# libitm is not here, or not recorded on this machine: skipped"
    
# Without the library, as on other machines than x86_64: what can still be recorded is said.
mkdir "$tmp/alone" && cp "$PARVIS" "$tmp/alone/parvis"
says 'it is built on x86_64, and this machine is' 'no recorder for libitm is told' "$tmp/alone/parvis" record -- true
check 'make says so, too' sh -c 'make -n all RECORDER= 2> /dev/null | grep -q "recorder for libitm is for x86_64 only"'
done_testing
    exit
fi
for method in gl_wt ml_wt serial serialirr serialirr_onwrite; do
    says '^the program ended with exit code 0$' "libitm's $method" \
        env ITM_DEFAULT_METHOD=$method "$PARVIS" record -o "$tmp/$method.parvis" -- "$tmp/itm" --rounds 500
done

# libitm would change its method when the second thread begins, and lose updates: it has one method all the time.
says '^ml_wt$' 'one method of libitm from the first transaction on' \
    env -u ITM_DEFAULT_METHOD "$PARVIS" record -o "$tmp/none" -- printenv ITM_DEFAULT_METHOD
says '^gl_wt$' 'or the one that the user names' \
    env ITM_DEFAULT_METHOD=gl_wt "$PARVIS" record -o "$tmp/none" -- printenv ITM_DEFAULT_METHOD

# Words of main's stack that all threads share, pieces of words, memory that is given out again and again.
cat > "$tmp/odd.c" <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
typedef struct { char small[16]; short middle; float real; long whole; long double wide; } all;
static void *work(void *shared) {
    all *a = shared;
    for (int i = 0; i < 3000; i++) {
        long *fresh = malloc(sizeof *fresh);
        *fresh = i;
        __transaction_atomic {
            a->small[i % 16]++;
            a->middle++;
            a->real += 1;
            a->wide += 1;
            a->whole = *fresh + a->whole;
            (*fresh)++;
        }
        free(fresh);
    }
    return NULL;
}
int main(void) {
    pthread_t one, two;
    all a;
    memset(&a, 0, sizeof a);
    pthread_create(&one, NULL, work, &a);
    pthread_create(&two, NULL, work, &a);
    work(&a);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return a.middle == 9000 && a.real == 9000 ? 0 : 1;
}
END
check 'a program with odd words builds' gcc -fgnu-tm -pthread -O2 -o "$tmp/odd" "$tmp/odd.c"
for method in gl_wt ml_wt; do
    exits 0 "and is opaque by $method" env ITM_DEFAULT_METHOD=$method timeout 120 "$PARVIS" record --level opaque -- "$tmp/odd"
done

# Two threads whose transactions meet: in every round the first has read a word, and goes on only when the second, in its own
# transaction, has written it. So the first attempt of each round is restarted, however the machine runs the two. (The
# second's commit waits for the first to go on: libitm lets no memory be reused that a running transaction may read.)
cat > "$tmp/meet.c" <<'END'
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
static long shared, seen[16], other[16];  // far enough apart to have locks of their own
static atomic_long have_read, have_written;
__attribute__((transaction_pure, noinline)) static void meet(long round) {
    if (atomic_exchange(&have_read, round) == round) return;  // a later attempt
    while (atomic_load(&have_written) < round) sched_yield();
}
__attribute__((transaction_pure, noinline)) static void tell(long round) { atomic_store(&have_written, round); }
// A thread's first transaction waits until no other runs: both have one before they meet.
static void arrive(void) {
    static atomic_int arrived;
    __transaction_atomic { other[0]++; }
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < 2) sched_yield();
}
static void *first(void *number) {
    arrive();
    for (long i = 1; i <= 50; i++) {
        __transaction_atomic {
            long now = shared;
            meet(i);
            seen[8] = now;  // not the word it read: that would be locked when it is read
        }
    }
    return number;
}
static void *second(void *number) {
    arrive();
    for (long i = 1; i <= 50; i++) {
        while (atomic_load(&have_read) < i) sched_yield();
        __transaction_atomic {
            shared++;
            other[8] += 2;
            tell(i);
        }
    }
    return number;
}
int main(void) {
    pthread_t ids[2];
    pthread_create(&ids[0], NULL, first, NULL);
    pthread_create(&ids[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++) pthread_join(ids[i], NULL);
    return shared == 50 && seen[8] == 50 && other[8] == 100 ? 0 : 1;
}
END
check 'a program with conflicts builds' gcc -fgnu-tm -pthread -O2 -o "$tmp/meet" "$tmp/meet.c"
for method in gl_wt ml_wt; do
    exits 0 "restarts are opaque by $method" env ITM_DEFAULT_METHOD=$method timeout 120 "$PARVIS" record -o "$tmp/meet.hist" \
        --level opaque -- "$tmp/meet"
    check "and were recorded as attempts that aborted" grep -q '^open("[0-9]* restarted a").*abort(' "$tmp/meet.hist"
done

cat > "$tmp/unseen.c" <<'END'
long x;
void plain(void) { x++; }
void (*volatile other)(void) = plain;
int main(void) {
    __transaction_relaxed { x++; other(); }
    return 0;
}
END
check 'a relaxed transaction builds' gcc -fgnu-tm -O2 -o "$tmp/unseen" "$tmp/unseen.c"
says 'did what cannot be recorded: it ran code without instrumentation' 'what cannot be seen is refused, not judged' \
    "$PARVIS" record --level opaque -- "$tmp/unseen"

# Without the library, as on other machines than x86_64: what can still be recorded is said.
mkdir "$tmp/alone" && cp "$PARVIS" "$tmp/alone/parvis"
says 'it is built on x86_64, and this machine is' 'no recorder for libitm is told' "$tmp/alone/parvis" record -- true
check 'make says so, too' sh -c 'make -n all RECORDER= 2> /dev/null | grep -q "recorder for libitm is for x86_64 only"'
done_testing
