#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# record_header: include/parvis/record.h compiles without a warning as C11 and as C++11, by gcc and by clang; the example
# programs build on it and run, whole ones with sound data.
. tests/tap.sh
tmp=$PARVIS_TMP

printf '#include <parvis/record.h>\nint main(void) { return parvis_log_close(parvis_log_open(NULL, 0)); }\n' > "$tmp/alone.c"
warn='-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror -O1 -Iinclude'
check 'C11 by gcc'       gcc -std=c11 $warn "$tmp/alone.c" -o "$tmp/alone"
check 'C11 by clang'     clang -std=c11 $warn "$tmp/alone.c" -o "$tmp/alone"
check 'C++11 by g++'     g++ -x c++ -std=c++11 $warn "$tmp/alone.c" -o "$tmp/alone"
check 'C++11 by clang++' clang++ -x c++ -std=c++11 $warn "$tmp/alone.c" -o "$tmp/alone"
check 'it records nothing unless asked to' env -u PARVIS_RECORD "$tmp/alone"

check 'the example programs build' make -s -C examples/stm O="$tmp/stm" CFLAGS='-O2 -Werror'
for program in bank list tree; do
    check "$program runs"                 "$tmp/stm/$program" --events 20000
    check "$program runs with noise"      "$tmp/stm/$program" --events 20000 --threads 3 --noise --flags --seed 7
    exits 2 "$program takes no nonsense"  "$tmp/stm/$program" --break everything
done
done_testing
