#!/bin/bash
# tools/vexriscv.sh PACKAGE WORK: copies the VexRiscv Scala source out of the installed Python package PACKAGE into WORK,
# makes it compile on our SpinalHDL and installs it into the local Maven repository as turnstile:vexriscv.
set -euo pipefail
package=$1 work=$2
. "$(dirname "$0")/env.sh"

rm -rf "$work"
mkdir -p "$work/src"
cp -r "$package/verilog/ext/VexRiscv/src/main" "$work/src"
cp "$TURNSTILE/rtl/vexriscv/pom.xml" "$work/pom.xml"
cd "$work/src/main/scala"

# Only the core and its plugins: demos, test benches and the FPGA flow need APIs SpinalHDL has changed, and time.
rm -rf spinal vexriscv/demo vexriscv/test vexriscv/TestsWorkspace.scala vexriscv/VexRiscvBmbGenerator.scala vexriscv/plugin/YamlPlugin.scala
sed -i -e '/^import vexriscv.demo.GenFull/d' -e '/^object DecodingBench/,/^}/d' vexriscv/plugin/DecoderSimplePlugin.scala
# getDrivingReg takes an argument list since SpinalHDL 1.8.
find . -name '*.scala' -exec sed -i -E \
  -e 's/getDrivingReg\(0, 32 bits\)/getDrivingReg()(0, 32 bits)/' -e 's/getDrivingReg([^(]|$)/getDrivingReg()\1/' {} +
# Data.clearAll(): this.type exists since SpinalHDL 1.10.
sed -i '/def clearAll(): Unit ={/,/^  }/{s/def clearAll(): Unit =/override def clearAll(): this.type =/;s/^  }/    this\n  }/}' vexriscv/ip/DataCache.scala

cd "$work"
maven install
