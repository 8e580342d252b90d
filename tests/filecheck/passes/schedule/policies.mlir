// The policies of vyre as they are installed. `xdsl-opt` prints them without their comments.
// RUN: xdsl-opt %policies/gpu.mlir | filecheck %s --check-prefix=GPU
// RUN: xdsl-opt %policies/gpu.mlir > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -
// RUN: xdsl-opt %policies/cpu.mlir | filecheck %s --check-prefix=CPU
// RUN: xdsl-opt %policies/cpu.mlir > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -

// GPU:      vyre.schedule @gpu profile(release) devices {has_own_local_mem = true} {
// GPU-NEXT:   vyre.request @"vyre-expand" options {unfused = ["vyre.decode.bitunpack.values=4", "vyre.decode.bitunpack.lanes=4"], defaults = ["vyre.decode.bitunpack.values=32", "vyre.decode.bitunpack.lanes=1", "vyre.scan.prefix_sum.values=32", "values=8", "counters=state", "chunk=80", "counting=bins", "bytes=16"]}
// GPU-NEXT:   vyre.request @"vyre-flatten-domains" options {columns = true}
// GPU-NEXT:   vyre.request @"vyre-vectorize" options {lanes = 8 : i64, vectors = false, strict = true, tail = "each"}
// GPU-NEXT:   vyre.request @"vyre-transpose-handoffs"
// GPU-NEXT:   vyre.request @"vyre-decode-scan-fuse" options {budget = #vyre.device<local_mem_bytes>, local_memory = "dedicated"}
// GPU-NEXT:   vyre.request @"vyre-coarsen" options {groups = #vyre.device<compute_units * 32>}
// GPU-NEXT:   vyre.request @"vyre-privatize-reductions" options {scope = "workgroup", wide_copies = 16 : i64, own_bytes = 16384 : i64, budget = #vyre.device<local_mem_bytes>}
// GPU-NEXT:   vyre.request @"vyre-stage-tables" options {budget = #vyre.device<local_mem_bytes>}
// GPU-NEXT:   vyre.request @"vyre-unroll" options {limit = 32 : i64}
// GPU-NEXT:   vyre.request @"vyre-split-index-sets"
// GPU-NEXT:   vyre.request @"vyre-merge-branches"
// GPU-NEXT:   vyre.request @"vyre-pack-bytes"
// GPU-NEXT:   vyre.request @"vyre-form-byte-permutes"
// GPU-NEXT: }

// CPU:      vyre.schedule @cpu profile(release) devices {has_own_local_mem = false} {
// CPU-NEXT:   vyre.request @"vyre-expand" options {unfused = ["lanes=16"], defaults = ["vyre.decode.dictionary_runs.values=32", "vyre.decode.bitunpack_runs.values=32", "vyre.decode.dictionary.lanes=1", "vyre.decode.alp.lanes=1", "lanes=16", "places=64", "vyre.scan.filter.values=64", "counting=bins", "vyre.scan.literal.counting=places", "bytes=64", "counters=visit", "streams=4", "chunk=1024", "prefilter=windows"]}
// CPU-NEXT:   vyre.request @"vyre-flatten-domains" options {columns = true}
// CPU-NEXT:   vyre.request @"vyre-narrow-integers"
// CPU-NEXT:   vyre.request @"vyre-expand-counts"
// CPU-NEXT:   vyre.request @"vyre-vectorize" options {lanes = 16 : i64, lanes_of_bytes = #vyre.device<vector_lanes>, vectors = false}
// CPU-NEXT:   vyre.request @"vyre-decode-scan-fuse" options {budget = #vyre.device<local_mem_bytes>, local_memory = "global", steps = 64 : i64}
// CPU-NEXT:   vyre.request @"vyre-coarsen" options {groups = #vyre.device<compute_units * 16>, order = "blocked", workgroup = 1 : i64}
// CPU-NEXT:   vyre.request @"vyre-privatize-reductions" options {scope = "invocation", budget = 49152 : i64, copies = 16 : i64, lanes = true}
// CPU-NEXT:   vyre.request @"vyre-split-vectors" options {lanes = #vyre.device<vector_lanes>}
// CPU-NEXT:   vyre.request @"vyre-unroll" options {limit = 128 : i64}
// CPU-NEXT:   vyre.request @"vyre-split-index-sets" options {loops = true}
// CPU-NEXT:   vyre.request @"vyre-narrow-sums"
// CPU-NEXT:   vyre.request @"vyre-pipeline-loops"
// CPU-NEXT: }

// The schedule of a device has what its policy asks for, in numbers of the device.
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{device="has_own_local_mem=true","local_mem_bytes=49152","compute_units=132"}' | filecheck %s
// CHECK: vyre.schedule @release profile(release) policy "gpu" {
// CHECK:   vyre.pass @"vyre-decode-scan-fuse" options {budget = 49152 : i64, local_memory = "dedicated"}
// CHECK:   vyre.pass @"vyre-coarsen" options {groups = 4224 : i64}
// CHECK:   vyre.pass @"vyre-stage-tables" options {budget = 49152 : i64}
// CHECK:   vyre.pass @"vyre-form-byte-permutes"

// What is not known of the device is left out, and what is given takes the place of what the policy says.
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{profile=dataflow options="vyre-unroll{limit=2}" device="has_own_local_mem=true","compute_units=4"}' | filecheck %s --check-prefix=PARTLY
// PARTLY: vyre.schedule @dataflow profile(dataflow) policy "gpu" {
// PARTLY:   vyre.pass @"vyre-decode-scan-fuse" options {local_memory = "dedicated"}
// PARTLY:   vyre.pass @"vyre-coarsen" options {groups = 128 : i64}
// PARTLY:   vyre.pass @"vyre-unroll" options {limit = 2 : i64}

// A device of which nothing is known has no policy; what no device has is refused.
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{device="kind=gpu"}' | filecheck %s --check-prefix=UNKNOWN
// UNKNOWN: vyre.schedule @release profile(release) {
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{device="compute_unit=4"}' --verify-diagnostics | filecheck %s --check-prefix=PROPERTY
// PROPERTY: unknown property 'compute_unit' of devices: did you mean 'compute_units'?
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{device="compute_units=many"}' --verify-diagnostics | filecheck %s --check-prefix=VALUE
// VALUE: expected a count as 'compute_units' of the device, got 'many'

vyre.program @p {}
