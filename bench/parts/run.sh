#!/usr/bin/env bash
# What operations in parts bring: the least RAM of networks on an M4, whole and in parts, and trainings of the same numbers.
# usage: bench/parts/run.sh [FOLDER with the program; default build/release] > bench/parts/log.txt
set -uo pipefail
cd "$(dirname "$0")/../.." || exit
poet=${1:-build/release}/poet

least() {
  echo "== poet minimum --platform m4 $*"
  timeout 600 "$poet" minimum --platform m4 --time-limit-s 60 --quiet "$@" | sed -n 2p
}

# The largest working set, without a search for a plan.
floor() {
  echo "== poet inspect --platform m4 $*"
  timeout 600 "$poet" inspect --platform m4 "$@" | grep "largest working set" | head -1
}

trained() {
  echo "== poet train --steps 3 $*"
  timeout 600 "$poet" train --steps 3 --time-limit-s 15 --quiet --json "$@" |
    grep -E '^  "(losses|parameters_sha256|arena_bytes|no)"'
}

planned() {
  echo "== poet solve --platform m4 $*"
  timeout 300 "$poet" solve --platform m4 --time-limit-s 30 --quiet --json "$@" |
    grep -E '^  "(status|energy_j|time_s|peak_ram_bytes|read_bytes|written_bytes)"'
}

for network in "bert-tiny" "resnet18 --image-size 32"; do
  # shellcheck disable=SC2086 # a network and its options
  least --model $network
  for level in 64KiB 128KiB; do
    # shellcheck disable=SC2086
    least --model $network --parts $level
  done
done
for network in resnet18 mobilenetv2 bert-base gpt2-tiny gpt2-small unet resnet50 vgg16; do
  least --model $network
done
for network in resnet18 mobilenetv2 bert-base; do
  least --model $network --parts 250000
done
for network in gpt2-tiny gpt2-small unet resnet50 vgg16; do
  floor $network --parts 250000
done
planned --model resnet18 --image-size 32 --classes 10 --ram-budget 253440 --parts 200000
planned --model bert-tiny --ram-budget 253440 --parts 100KiB
trained --model bert-tiny --batch-size 1
trained --model bert-tiny --batch-size 1 --parts 100KiB --ram-budget 200000
trained --model resnet18 --image-size 32 --classes 10 --batch-size 1
trained --model resnet18 --image-size 32 --classes 10 --batch-size 1 --parts 180000 --ram-budget 253440
