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

# What is wrong in FpuCore (docs/design/fpu.md): fpu EXPRESSION, which must change something.
fpu() {
  cp vexriscv/ip/fpu/FpuCore.scala before
  sed -i -e "$1" vexriscv/ip/fpu/FpuCore.scala
  if cmp -s before vexriscv/ip/fpu/FpuCore.scala; then
    echo "vexriscv.sh: FpuCore.scala of $package has nothing that this replaces: $1: look whether this VexRiscv needs it still" >&2
    exit 1
  fi
  rm before
}
# A result rounded down keeps in its register what it lost (a NaN's and an infinity's mantissa is none); the next instruction calculates with it.
fpu 's/(mantissaIncrement ? ~(exactMask.trim(1) >> 1) | input.value.mantissa(mantissaRange).maxValue)/~(input.value.special ? U(0, p.internalMantissaSize bits) | (exactMask.trim(1) >> 1))/'
# The largest float has only a float's bits set where there are doubles.
fpu 's/patched.mantissa.setAll()/patched.mantissa := muxDouble(input.format)(~U(0, p.internalMantissaSize bits))(~U((BigInt(1) << p.internalMantissaSize - 23) - 1, p.internalMantissaSize bits))/'
# Kept names make Yosys see two drivers of the sum.
fpu 's/KeepAttribute(/(/g'
# Lint: payloads that nothing drives and nothing reads.
fpu 's/val divSqrt = Stream(DivSqrtInput())/val divSqrt = p.withDivSqrt generate Stream(DivSqrtInput())/'
fpu 's/^\( *\)shortPip.payload.assignSomeByName(input.payload)/&\n\1shortPip.value := 0/'

cd "$work"
maven install
