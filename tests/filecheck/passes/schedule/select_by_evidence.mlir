// RUN: xdsl-opt %s -p 'vyre-select-passes{hints="%S/Inputs/hot.json" report="%S/Inputs/report.json"}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-select-passes{report="%S/Inputs/report.json"}' --split-input-file | filecheck %s --check-prefix=REPORT
// RUN: xdsl-opt %s -p 'vyre-select-passes{capabilities=fp64,subgroups}' --split-input-file | filecheck %s --check-prefix=DEVICE

// A hot entry selects whatever the profile accepts, and is stronger than an earlier report. Of that,
// only a run that changed the program and lowered a count is evidence.

// CHECK-LABEL: vyre.schedule @hot
// REPORT-LABEL: vyre.schedule @hot
// DEVICE-LABEL: vyre.schedule @hot
vyre.schedule @hot profile(release) {
  // CHECK-NEXT: vyre.pass @memory {{.*}} selected true reason hot_path_telemetry priority 500 evidence "hot_entry" measured 1000000 threshold 100000
  // REPORT-NEXT: vyre.pass @memory {{.*}} selected true reason pass_cost_report priority 400 evidence "nodes" measured 7 threshold 1
  // DEVICE-NEXT: vyre.pass @memory {{.*}} selected false reason below_threshold
  vyre.pass @memory phase kernels family memory boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @loop {{.*}} selected true reason hot_path_telemetry
  // REPORT-NEXT: vyre.pass @loop {{.*}} selected false reason below_threshold
  // DEVICE-NEXT: vyre.pass @loop {{.*}} selected false reason below_threshold
  vyre.pass @loop phase kernels family loop boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @megakernel {{.*}} selected false reason profile_rejected
  // REPORT-NEXT: vyre.pass @megakernel {{.*}} selected false reason profile_rejected
  // DEVICE-NEXT: vyre.pass @megakernel {{.*}} selected false reason profile_rejected
  vyre.pass @megakernel phase arms family megakernel boundary program preserves_abi
  // CHECK-NEXT: vyre.pass @halves {{.*}} selected true reason hot_path_telemetry
  // REPORT-NEXT: vyre.pass @halves {{.*}} selected true reason always_on
  // DEVICE-NEXT: vyre.pass @halves {{.*}} selected false reason capability_missing priority 0 evidence "fp16"
  vyre.pass @halves phase kernels family scalar boundary arm preserves_abi capabilities ["fp64", "fp16"]
}
vyre.program @p entry_op_id "hot_entry" {
  %out = vyre.buffer @out live_out : !vyre.buffer<1xi32, write_only>
}

// -----

// An entry whose mean is below the threshold is not hot, however often it runs.

// CHECK-LABEL: vyre.schedule @cold
vyre.schedule @cold profile(release) {
  // CHECK-NEXT: vyre.pass @memory {{.*}} selected true reason pass_cost_report
  vyre.pass @memory phase kernels family memory boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @loop {{.*}} selected false reason below_threshold priority 0 evidence "nodes" measured 1 threshold 12
  vyre.pass @loop phase kernels family loop boundary arm preserves_abi
}
vyre.program @p entry_op_id "cold_entry" {
  %out = vyre.buffer @out live_out : !vyre.buffer<1xi32, write_only>
}
