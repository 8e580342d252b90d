// RUN: xdsl-opt %s -p 'vyre-optimize{verify_each=true}' | filecheck %s
// RUN: xdsl-opt %s -p vyre-optimize,vyre-optimize > %t.mlir && xdsl-opt %s -p vyre-optimize | diff %t.mlir -
// RUN: xdsl-opt %s -p 'vyre-optimize{keep_schedule=true}' | filecheck %s --check-prefix=KEPT
// RUN: xdsl-opt %s -p 'vyre-optimize{profile=dataflow keep_schedule=true}' | filecheck %s --check-prefix=APART
// RUN: xdsl-opt %s -p 'vyre-optimize{schedule="%S/Inputs/own.mlir" keep_schedule=true}' | filecheck %s --check-prefix=OWN
// RUN: xdsl-opt %s -p 'vyre-optimize{schedule="%S/Inputs/own.mlir" profile=dataflow}' --verify-diagnostics | filecheck %s --check-prefix=PROFILE
// RUN: xdsl-opt %s -p 'vyre-optimize{report="%t.json"}' -t vyre-opencl | filecheck %s --check-prefix=OPENCL
// RUN: filecheck %s --check-prefix=REPORT < %t.json
// RUN: xdsl-opt %s -p 'vyre-optimize{previous="%t.json" keep_schedule=true}' | filecheck %s --check-prefix=AGAIN

// Two arms that fuse, and a kernel that is cleaned up.

// CHECK-NOT: vyre.schedule
// CHECK: vyre.launch
// CHECK-NOT: vyre.launch
// CHECK: vyre.kernel @p_0_first_second

// KEPT: vyre.schedule @release
// KEPT: vyre.pass @"vyre-expand" {{.*}} selected true reason always_on
// KEPT: vyre.pass @"vyre-decode-scan-fuse" {{.*}} selected true reason program_shape priority 300 evidence "top_level_regions" measured 2 threshold 2

// APART: vyre.launch
// APART: vyre.launch
// APART: vyre.schedule @dataflow
// APART: vyre.pass @"vyre-decode-scan-fuse" {{.*}} selected false reason profile_rejected

// The phases of a schedule come before the order in which it is written; what it decides stays.

// OWN: vyre.buffer @t : !vyre.buffer<64xi32, read_write, workgroup>
// OWN: arith.constant 1 : i32
// OWN: vyre.schedule @own
// OWN-NEXT: vyre.pass @"vyre-outline-kernels" {{.*}} selected true reason always_on
// OWN-NEXT: vyre.pass @"vyre-decode-scan-fuse" {{.*}} selected true reason program_shape
// OWN: vyre.pass @canonicalize {{.*}} selected false reason below_threshold

// PROFILE: 'vyre-optimize' expected no profile but that of the schedule of '{{.*}}own.mlir', 'release', got 'dataflow'

// OPENCL: __kernel

// REPORT: "version": 1,
// REPORT: "profile": "release",
// REPORT: "decisions": [
// REPORT: "pass": "vyre-decode-scan-fuse",
// REPORT: "measured": 2,
// REPORT: "passes": [
// REPORT: "pass": "vyre-decode-scan-fuse",
// REPORT-NEXT: "ran": true,
// REPORT-NEXT: "changed": true,
// REPORT-NEXT: "decision": "changed",
// REPORT-NEXT: "refusal_kind": null,
// REPORT: "runtime_ns": {{[0-9]+}},
// REPORT: "top_level_regions_before": 2,
// REPORT-NEXT: "top_level_regions_after": 1,

// AGAIN: vyre.pass @"vyre-cse" {{.*}} selected true reason pass_cost_report priority 400

vyre.program @p {
  %in = vyre.buffer @in : !vyre.buffer<4096xi32, read_only>
  %t = vyre.buffer @t initial undefined : !vyre.buffer<4096xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<4096xi32, write_only>
  vyre.region "first" invocations [4096] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<4096xi32, read_only> -> i32
    vyre.store %x, %t[%i] : i32, !vyre.buffer<4096xi32, read_write>
  }
  vyre.region "second" invocations [4096] {
    %i = vyre.invocation_id x
    %x = vyre.load %t[%i] : !vyre.buffer<4096xi32, read_write> -> i32
    %one = arith.constant 1 : i32
    %y = arith.addi %x, %one : i32
    vyre.store %y, %out[%i] : i32, !vyre.buffer<4096xi32, write_only>
  }
}
