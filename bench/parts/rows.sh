#!/usr/bin/env bash
# What it brings that of a table only the rows that occur are read and written: steps of transformers in parts on an M4, planned, and
# trained to the same numbers.
# usage: bench/parts/rows.sh [FOLDER with the program; default build/release] > bench/parts/rows.txt
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
poet=${1:-build/release}/poet

planned() {
  echo "== poet solve --platform m4 --ram-budget 253440 --time-limit-s $*"
  timeout 600 "$poet" solve --platform m4 --ram-budget 253440 --quiet --json --time-limit-s "$@" |
    grep -E '^  "(status|energy_j|bound|time_s|peak_ram_bytes|read_bytes|written_bytes)"'
}

trained() {
  echo "== poet train --steps 3 $*"
  timeout 600 "$poet" train --steps 3 --time-limit-s 15 --quiet --json "$@" |
    grep -E '^  "(losses|parameters_sha256|arena_bytes|no)"'
}

for level in 32KiB 64KiB 100KiB 128KiB; do
  planned 20 --model bert-tiny --parts $level
done
# Momentum changes every row: the table is moved through RAM in blocks.
planned 20 --model bert-tiny --parts 64KiB --optimiser momentum
planned 60 --model bert-base --sequence-length 32 --parts 100KiB
trained --model bert-tiny --batch-size 1
for level in 64KiB 128KiB; do
  trained --model bert-tiny --batch-size 1 --parts $level --ram-budget 253440
done
