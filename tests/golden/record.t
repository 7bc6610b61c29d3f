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
exits 2 'nothing was recorded: 2' "$PARVIS" record -o "$tmp/none" -- /bin/true
says '^error: the program recorded nothing$' 'and why' "$PARVIS" record -o "$tmp/none" -- /bin/true
exits 2 'no such program: 2' "$PARVIS" record -o "$tmp/none" -- "$tmp/nowhere"
exits 2 'no place to write to: 2' "$PARVIS" record -o "$tmp/no/where" -- "$tmp/mine"
exits 2 'no program: 2' "$PARVIS" record
check 'no logs are left behind' sh -c 'test -z "$(ls "$TMPDIR")"'

# ---- libitm

if [ "$(uname -m)" != x86_64 ] || ! gcc -fgnu-tm -pthread -O2 -o "$tmp/itm" examples/stm/itm_bank.c 2> "$tmp/why"; then
    echo "# libitm is not here, or not recorded on this machine: skipped"
    done_testing
    exit
fi
for method in gl_wt ml_wt serial serialirr serialirr_onwrite; do
    says '^the program ended with exit code 0$' "libitm's $method" \
        env ITM_DEFAULT_METHOD=$method "$PARVIS" record -o "$tmp/$method.parvis" -- "$tmp/itm" --rounds 500
done
done_testing
