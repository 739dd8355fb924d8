# Sourced by the scripts here: where the tools are, and a PATH that finds them.
TURNSTILE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${TOOLS:=$TURNSTILE/build/tools}"
: "${M2:=$HOME/.m2/repository}"
# Short-lived JVMs: neither the second compiler nor a parallel collector pays.
: "${MAVEN_OPTS:=-XX:TieredStopAtLevel=1 -XX:+UseSerialGC}"
PATH=$TURNSTILE/tools:$TOOLS/venv/bin:$PATH
export TURNSTILE TOOLS PATH MAVEN_OPTS VERILATOR_ROOT="$TOOLS/verilator"

# Maven with our idea of where its repository is (its own is that of the passwd file, whatever HOME says), without its progress and without
# the colour resets it prints even to a file.
maven() { mvn -B -ntp -q -Dmaven.repo.local="$M2" "$@" 2>&1 | sed $'s/\x1b\\[[0-9;]*m//g'; }
