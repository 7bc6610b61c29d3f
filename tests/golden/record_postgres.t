#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# record_postgres: concurrent transactions of a real PostgreSQL server are recorded, at two isolation levels.
. tests/tap.sh
tmp=$PARVIS_TMP
export TMPDIR="$tmp"

if ! scripts/setup postgres -n > "$tmp/missing" 2>&1; then
    if [ -z "${PARVIS_LONG:-}" ] || ! timeout 300 scripts/setup postgres > /dev/null 2>&1; then
        echo "# PostgreSQL is not here (scripts/setup postgres installs it): skipped"
        echo "1..0 # SKIP no PostgreSQL"
        exit
    fi
fi

check 'the client builds' make -s -C examples/stm postgres O="$tmp/stm"
for level in repeatable-read serializable; do
    says ': 400 transactions of 4 sessions,' "$level" timeout 120 examples/stm/with_postgres \
        "$PARVIS" record -o "$tmp/$level.parvis" -- "$tmp/stm/pg_client" --isolation $level --transactions 100
done
exits 5 'the exit status is that of the command' examples/stm/with_postgres sh -c 'exit 5'
check 'no server is left' sh -c 'folder=$("$@" sh -c "echo \$PGHOST") && test -n "$folder" && test ! -e "$folder"' _ \
    examples/stm/with_postgres
done_testing
