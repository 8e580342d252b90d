// RUN: xdsl-opt %s -p vyre-materialize-schedule | filecheck %s
// RUN: xdsl-opt %s -p vyre-materialize-schedule,vyre-materialize-schedule | filecheck %s
// RUN: xdsl-opt %s -p vyre-materialize-schedule > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{profile=dataflow options="vyre-decode-scan-fuse{budget=512 strategy=private}"}' | filecheck %s --check-prefix=OPTIONS
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{options="vyre-join-programs{handoff=h}"}' --verify-diagnostics | filecheck %s --check-prefix=UNKNOWN
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{options="vyre-expand{"}' --verify-diagnostics | filecheck %s --check-prefix=MALFORMED
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{options="vyre-sroa"}' | filecheck %s --check-prefix=REQUEST
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{profile=megakernel}' | filecheck %s --check-prefix=PROFILE
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{profile=megakernel options="vyre-fuse-horizontally{small=8}"}' | filecheck %s --check-prefix=STATED

// What takes part on request is there with what it requires, and nothing else of that kind.
// REQUEST-NOT: vyre.pass @"vyre-split-index-sets"
// REQUEST-DAG: vyre.pass @"vyre-unroll"
// REQUEST-DAG: vyre.pass @"vyre-reassociate"
// REQUEST-DAG: vyre.pass @"vyre-sroa"

// Everything that takes part unasked, in the order in which it runs, in front of the programs.

// CHECK: builtin.module {
// CHECK-NEXT: vyre.schedule @release profile(release) {
// CHECK-NEXT:   vyre.pass @"vyre-push-down-predicates" phase expand family unknown boundary program preserves_abi
// CHECK-NEXT:   vyre.pass @"vyre-expand" phase expand family unknown boundary program preserves_abi requires [@"vyre-push-down-predicates"]
// CHECK:        vyre.pass @"vyre-decode-scan-fuse" phase arms family fusion boundary program
// CHECK:        vyre.pass @"vyre-fuse-horizontally" phase arms family fusion boundary program
// CHECK:        vyre.pass @"vyre-outline-kernels" phase outline family unknown boundary module
// CHECK:        vyre.pass @"vyre-cse" phase kernels family scalar boundary arm preserves_abi invalidates [@canonicalize
// CHECK:        vyre.pass @canonicalize phase kernels family scalar
// CHECK:        vyre.pass @"vyre-prove-accesses" phase kernels
// CHECK:        vyre.pass @"vyre-optimize-integers" phase kernels
// CHECK-NOT:    vyre-unroll
// CHECK-NOT:    selected
// CHECK:      vyre.program @p
// CHECK-NOT:  vyre.schedule

// OPTIONS: vyre.schedule @dataflow profile(dataflow) {
// OPTIONS: vyre.pass @"vyre-decode-scan-fuse" options {budget = 512 : i64, strategy = "private"} phase arms

// What a pass has for options under a profile, unless they are stated.
// PROFILE: vyre.pass @"vyre-fuse-horizontally" options {small = 65536 : i64} phase arms
// STATED: vyre.pass @"vyre-fuse-horizontally" options {small = 8 : i64} phase arms

// UNKNOWN: options for 'vyre-join-programs', which is no pass of the schedule
// MALFORMED: malformed options 'vyre-expand{'

vyre.program @p {}
