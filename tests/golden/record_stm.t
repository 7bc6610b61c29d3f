#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# record_stm: recordings of our TL2 and of libitm are opaque; each switch that breaks TL2 is caught. Which interleavings
# happen is chance, so a broken one is recorded until it is caught, for a minute at most; the long run (PARVIS_LONG=1)
# tries all five, and ten recordings of 10^6 events of whole ones.
. tests/tap.sh
tmp=$PARVIS_TMP
export TMPDIR="$tmp"
make -s -C examples/stm O="$tmp/stm" > "$tmp/make" 2>&1

# record LEVEL PROGRAM OPTION...: the exit code is the verdict.
record() { level=$1; shift; timeout 300 "$PARVIS" record -q --level "$level" -- "$@" > "$tmp/out" 2>&1; }

# caught NAME OPTION...: within a minute; the line says after how long.
caught() {
    name=$1 begin=$(date +%s) seed=0
    shift
    while [ $(($(date +%s) - begin)) -lt 60 ]; do
        seed=$((seed + 1))
        record opaque "$@" --break "$name" --seed $seed
        case $? in
        0) ;;
        1) echo "# $name: caught after $(($(date +%s) - begin)) s, in recording $seed"; return 0 ;;
        *) cat "$tmp/out"; return 1 ;;
        esac
    done
    echo "not caught in $seed recordings"
    return 1
}

whole() { seed=0; while [ $seed -lt "$1" ]; do seed=$((seed + 1)); record opaque "$tmp/stm/$3" --events "$2" --seed $seed $4 || return 1; done; }

for program in bank list tree; do
    check "$program on TL2 is opaque" whole 1 100000 $program --noise
    check "$program on TL2 with flags is opaque" whole 1 100000 $program '--noise --flags'
done
check 'no-commit-validation is caught' caught no-commit-validation "$tmp/stm/bank" --size 4 --events 200000 --noise --threads 3
check 'early-release is caught' caught early-release "$tmp/stm/bank" --size 4 --events 200000 --noise --threads 3
says '^opaque: violated$' 'an inconsistent snapshot of a transaction that aborts is one, and told' sh -c '
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        timeout 60 "$0" record -q --level opaque -- "$1" --break no-read-validation --noise --threads 3 --size 4 \
            --events 200000 --seed $seed && continue
        exit
    done' "$PARVIS" "$tmp/stm/bank"

if [ "$(uname -m)" = x86_64 ] && [ -x "$tmp/stm/itm_bank" ]; then
    for method in gl_wt ml_wt serial serialirr serialirr_onwrite; do
        export ITM_DEFAULT_METHOD=$method
        check "libitm's $method is opaque" record opaque "$tmp/stm/itm_bank" --rounds 2000
        unset ITM_DEFAULT_METHOD
    done
fi

if [ -n "${PARVIS_LONG:-}" ]; then
    for program in bank list tree; do
        check "ten recordings of 10^6 events of $program" whole 10 1000000 $program --noise
    done
    check 'ten recordings of 10^6 events of a bank with flags' whole 10 1000000 bank '--flags --size 4'
    for switch in no-commit-validation no-read-validation version-after-value early-release; do
        check "$switch at two threads" caught $switch "$tmp/stm/bank" --events 300000 --noise
    done
    check 'no-fence at two threads' caught no-fence "$tmp/stm/bank" --events 3000000 --size 4
fi
done_testing
