#!/usr/bin/env bash
# A step whose parts are too many for the flash of a board of 32 KiB of RAM and 256 KiB of flash: the board takes larger parts, to the
# numbers of the PC. Two minutes.
#
#   bench/parts/flash.sh build/release/poet > bench/parts/flash.txt
set -euo pipefail
poet=$1
training=(--model bert-tiny --sequence-length 104 --batch-size 1 --steps 1 --examples 8)
"$poet" run --board qemu-m0 "${training[@]}" --time-limit-s 15 2>&1 | tr '\r' '\n' | grep -v " s: step "
"$poet" train "${training[@]}" 2> /dev/null | grep -E "parameters +sha256"
