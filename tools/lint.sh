#!/bin/bash
# tools/lint.sh [UNIT/TOP...] [key=value...]: generates the tops (all by default, with their defaults) and runs Verilator's lint on each; exit 1 if
# any complains, or if the packages of rtl/ import each other in a cycle (graph: build/lint/packages.txt).
set -euo pipefail
. "$(dirname "$0")/env.sh"
out=$TURNSTILE/build/lint
rm -rf "$out"
mkdir -p "$out"
python3 "$TURNSTILE/tools/packages.py" >"$out/packages.txt"
tops=() params=()
for word; do case $word in *=*) params+=("$word") ;; *) tops+=("$word") ;; esac; done
set -- "${tops[@]}"
if [ $# = 0 ]; then
  "$TURNSTILE/tools/rtlgen" all "$out" >"$out/rtlgen.log" || { cat "$out/rtlgen.log"; exit 1; }
  set -- $("$TURNSTILE/tools/rtlgen" list)
else
  for top; do "$TURNSTILE/tools/rtlgen" "$top" "$out/${top%/*}" "${params[@]}" >>"$out/rtlgen.log" || { cat "$out/rtlgen.log"; exit 1; }; done
fi
bad=0
for top; do
  if verilator --lint-only -Wall --top-module "${top#*/}" "$TURNSTILE/tools/lint.vlt" "$out/$top.sv" >"$out/$top.log" 2>&1; then
    echo "lint: $top clean"
  else
    bad=1
    grep -v '^ *\.\.\.' "$out/$top.log"
    echo "lint: $top: $(grep -c '^%' "$out/$top.log") complaints; mend the Scala, or waive in tools/lint.vlt with the reason" >&2
  fi
done
exit $bad
