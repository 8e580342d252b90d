// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// Printing is idempotent, from the custom form and from the generic one.
// RUN: xdsl-opt %s > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | diff %t.mlir -

// CHECK: builtin.module {
// CHECK-GENERIC: "builtin.module"() ({
vyre.schedule @empty profile(dataflow) {}

// CHECK-NEXT: vyre.schedule @empty profile(dataflow) {
// CHECK-NEXT: }
// CHECK-GENERIC-NEXT: "vyre.schedule"() <{sym_name = "empty", profile = #vyre<profile dataflow>}> ({

// Undecided passes, with all that a pass says of itself; requirements may come later in the text.
vyre.schedule @undecided profile(megakernel) attributes {note = "kept"} {
  vyre.pass @plain phase expand family unknown boundary program preserves_abi
  vyre.pass @second options {fast = true, limit = 3 : i64, ratio = 0.5 : f64, sizes = [1 : i64, 2 : i64], strategy = "auto"} phase kernels family scalar boundary arm requires [@plain, @first] invalidates [@elsewhere] capabilities ["fp64", "subgroups"]
  vyre.pass @first phase kernels family loop boundary arm preserves_abi {note = "kept"}
  vyre.pass @third phase kernels family loop boundary arm preserves_abi capabilities ["fp64"] on_request
}

// CHECK-NEXT: vyre.schedule @undecided profile(megakernel) attributes {note = "kept"} {
// CHECK-NEXT:   vyre.pass @plain phase expand family unknown boundary program preserves_abi
// CHECK-NEXT:   vyre.pass @second options {fast = true, limit = 3 : i64, ratio = 5.000000e-01 : f64, sizes = [1 : i64, 2 : i64], strategy = "auto"} phase kernels family scalar boundary arm requires [@plain, @first] invalidates [@elsewhere] capabilities ["fp64", "subgroups"]
// CHECK-NEXT:   vyre.pass @first phase kernels family loop boundary arm preserves_abi {note = "kept"}
// CHECK-NEXT:   vyre.pass @third phase kernels family loop boundary arm preserves_abi capabilities ["fp64"] on_request
// CHECK-NEXT: }

// Names of passes have dashes, with which they are quoted. Every reason, family, phase and boundary.
vyre.schedule @decided profile(release) {
  vyre.pass @"vyre-a" phase expand family scalar boundary arm preserves_abi selected true reason always_on priority 200
  vyre.pass @b phase arms family memory boundary program preserves_abi selected true reason program_shape priority 300 evidence "peak_bytes" measured 20000 threshold 16384
  vyre.pass @c phase outline family fusion boundary module preserves_abi selected true reason hot_path_telemetry priority 500 evidence "entry" measured 250000 threshold 100000
  vyre.pass @d phase kernels family sync boundary arm preserves_abi selected true reason pass_cost_report priority 400 evidence "nodes" measured 7 threshold 1
  vyre.pass @e phase kernels family dataflow boundary arm preserves_abi selected true reason required_dependency priority 100 evidence "d"
  vyre.pass @f phase kernels family megakernel boundary arm selected false reason profile_rejected priority 0 evidence "release"
  vyre.pass @g phase kernels family loop boundary arm preserves_abi selected false reason below_threshold priority 0 evidence "nodes" measured 3 threshold 12
  vyre.pass @h phase kernels family unknown boundary arm preserves_abi capabilities ["fp16"] selected false reason capability_missing priority 0 evidence "fp16"
}

// CHECK-NEXT: vyre.schedule @decided profile(release) {
// CHECK-NEXT:   vyre.pass @"vyre-a" phase expand family scalar boundary arm preserves_abi selected true reason always_on priority 200
// CHECK-NEXT:   vyre.pass @b phase arms family memory boundary program preserves_abi selected true reason program_shape priority 300 evidence "peak_bytes" measured 20000 threshold 16384
// CHECK-NEXT:   vyre.pass @c phase outline family fusion boundary module preserves_abi selected true reason hot_path_telemetry priority 500 evidence "entry" measured 250000 threshold 100000
// CHECK-NEXT:   vyre.pass @d phase kernels family sync boundary arm preserves_abi selected true reason pass_cost_report priority 400 evidence "nodes" measured 7 threshold 1
// CHECK-NEXT:   vyre.pass @e phase kernels family dataflow boundary arm preserves_abi selected true reason required_dependency priority 100 evidence "d"
// CHECK-NEXT:   vyre.pass @f phase kernels family megakernel boundary arm selected false reason profile_rejected priority 0 evidence "release"
// CHECK-NEXT:   vyre.pass @g phase kernels family loop boundary arm preserves_abi selected false reason below_threshold priority 0 evidence "nodes" measured 3 threshold 12
// CHECK-NEXT:   vyre.pass @h phase kernels family unknown boundary arm preserves_abi capabilities ["fp16"] selected false reason capability_missing priority 0 evidence "fp16"
// CHECK-NEXT: }

// A policy: requests, with conditions on the device and properties of it as options; and a schedule that was made by one.
vyre.schedule @policy profile(release) devices {has_own_local_mem = true, compute_units = 4, vendor = "Acme"} attributes {note = "kept"} {
  vyre.request @plain
  vyre.request @"vyre-a" options {bytes = #vyre.device<local_mem_bytes>, sizes = [1, #vyre.device<compute_units * 32>], fast = true} {note = "kept"}
}
vyre.schedule @every_device profile(release) devices {} {}
vyre.schedule @made profile(release) policy "policy" {}

// CHECK-NEXT: vyre.schedule @policy profile(release) devices {has_own_local_mem = true, compute_units = 4 : i64, vendor = "Acme"} attributes {note = "kept"} {
// CHECK-NEXT:   vyre.request @plain
// CHECK-NEXT:   vyre.request @"vyre-a" options {bytes = #vyre.device<local_mem_bytes>, sizes = [1 : i64, #vyre.device<compute_units * 32>], fast = true} {note = "kept"}
// CHECK-NEXT: }
// CHECK-NEXT: vyre.schedule @every_device profile(release) devices {} {
// CHECK-NEXT: }
// CHECK-NEXT: vyre.schedule @made profile(release) policy "policy" {
// CHECK-NEXT: }
