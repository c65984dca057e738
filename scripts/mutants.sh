#!/bin/sh
# Takes each rule out of the verifier's tables in turn and shows that a test
# of the corpora fails. Works in a copy; prints one line per rule; exits with 1 when
# the absence of one is not noticed.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
for part in Cargo.toml Cargo.lock crates rustfmt.toml; do
    cp -R "$root/$part" "$work/"
done
table=crates/verify/src/checks.rs
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}/mutants"

tests() {
    (cd "$work" && cargo test --release --quiet -p bayplan-verify --test corpus >"$work/log" 2>&1)
}

echo "the tests as they are"
if ! tests; then
    cat "$work/log"
    echo "fail already: nothing is shown"
    exit 1
fi
missed=0
entries=$(grep -o '(Rule::[A-Za-z]*, [a-z_]*::[a-z_]*)' "$root/$table")
echo "$entries" | (
    while IFS= read -r entry; do
        awk -v entry="$entry" '{
            at = index($0, entry)
            if (at) {
                rest = substr($0, at + length(entry))
                sub(/^,/, "", rest)
                $0 = substr($0, 1, at - 1) rest
            }
            print
        }' "$root/$table" >"$work/$table"
        if tests; then
            echo "MISSED  $entry"
            missed=1
        elif grep -q '^test result: FAILED' "$work/log"; then
            failed=$(grep -c '^    [a-z_:]*$' "$work/log" || true)
            echo "killed  $entry ($failed tests)"
        else
            echo "BROKEN  $entry: does not compile"
            missed=1
        fi
    done
    exit "$missed"
)
