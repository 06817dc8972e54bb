#!/usr/bin/env bash
# SQLite 3.53.4 (by apsw 3.53.4.0): a prepared statement whose LIMIT is a bound parameter is compiled anew each time that
# it runs, even with the same value. An authorizer sees it, because SQLite calls that only to compile. A literal, `? + 0`, and a bound OFFSET do not have this cost. For a short select it
# is about as much as running the statement, with 25 values in an `in` list two to three times as much.
#
# Seen (calls of the authorizer in each of four runs):
#   limit ?           [6, 3, 3, 3]
#   limit 5           [3, 0, 0, 0]
#   limit ? + 0       [3, 0, 0, 0]
#   limit 5 offset ?  [3, 0, 0, 0]
#
# Fails when this changes. Needs python3 with venv.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" --quiet install apsw==3.53.4.0
"$folder/venv/bin/python" - <<'PYTHON'
import apsw

database = apsw.Connection(":memory:")
database.execute("create table t (id integer primary key, a integer)")
compiled = 0


def authorize(*_):
    global compiled
    compiled += 1
    return apsw.SQLITE_OK


def calls(limit, values):
    global compiled
    seen = []
    for _ in range(4):
        compiled = 0
        list(database.execute(f"select id from t where a = ? {limit}", (1, *values)))
        seen.append(compiled)
    print(f"{limit:<18}{seen}")
    return seen


database.authorizer = authorize
print("SQLite", apsw.sqlite_lib_version())
bound = calls("limit ?", (5,))
others = [calls("limit 5", ()), calls("limit ? + 0", (5,)), calls("limit 5 offset ?", (0,))]
assert all(count > 0 for count in bound), "a bound limit is no longer compiled each time"
assert all(sum(seen[1:]) == 0 for seen in others), "others are compiled again"
PYTHON
