// A policy of the package is printed as any schedule is.
// RUN: xdsl-opt %S/../tape/policies/accelerator.mlir | filecheck %s --check-prefix=POLICY
// POLICY:      vyre.schedule @tape_accelerator profile(release) devices {kind = "accelerator", local_mem_bytes = 65536 : i64} {
// POLICY-NEXT:   vyre.request @"vyre-coarsen" options {groups = #vyre.device<compute_units * 4>}

// It is taken for the devices that it is for, and no other.
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{device="kind=accelerator","has_own_local_mem=true","local_mem_bytes=131072","compute_units=3"}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{device="kind=gpu","has_own_local_mem=true","local_mem_bytes=131072","compute_units=3"}' | filecheck %s --check-prefix=GPU
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{device="kind=accelerator","has_own_local_mem=true","local_mem_bytes=16384","compute_units=3"}' | filecheck %s --check-prefix=GPU
// CHECK:     vyre.schedule @release profile(release) policy "tape_accelerator" {
// CHECK:       vyre.pass @"vyre-decode-scan-fuse" options {budget = 131072 : i64, local_memory = "dedicated"}
// CHECK:       vyre.pass @"vyre-coarsen" options {groups = 12 : i64}
// CHECK:       vyre.pass @"vyre-split-index-sets"
// GPU:       vyre.schedule @release profile(release) policy "gpu" {

vyre.program @p {}
