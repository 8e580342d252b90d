// RUN: xdsl-opt %s -p 'vyre-coarsen' | filecheck %s --check-prefixes=CHECK,NOTHING
// RUN: xdsl-opt %s -p 'vyre-coarsen{items=4 groups=9}' | filecheck %s --check-prefixes=CHECK,DONE
// RUN: xdsl-opt %s -p 'vyre-coarsen{items=0}' --verify-diagnostics | filecheck %s --check-prefix=ITEMS
// RUN: xdsl-opt %s -p 'vyre-coarsen{groups=-1}' --verify-diagnostics | filecheck %s --check-prefix=GROUPS
// RUN: xdsl-opt %s -p 'vyre-coarsen{workgroup=1025}' --verify-diagnostics | filecheck %s --check-prefix=WORKGROUP

// An arm is coarsened once: again would be something else than was asked for.
// CHECK: vyre.region "coarsened" invocations [64] attributes {vyre.items = 2 : i64, vyre.groups = 3 : i64} {
// CHECK-NOT: scf.for
// One item for each, and as many groups as there are.
// NOTHING: vyre.region "fine" invocations [64] {
// DONE:    vyre.region "fine" invocations [64] attributes {vyre.items = 4 : i64, vyre.groups = 9 : i64} {
// ITEMS: 'vyre-coarsen' expected 1 to 65536 items, got 0
// GROUPS: 'vyre-coarsen' expected 0 to 2147483648 groups, got -1
// WORKGROUP: 'vyre-coarsen' expected a workgroup of 0 to 1024 invocations, got 1025
vyre.program @twice {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "coarsened" invocations [64] attributes {vyre.items = 2 : i64, vyre.groups = 3 : i64} {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
  vyre.region "fine" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}
