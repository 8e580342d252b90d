// RUN: xdsl-opt %s -p vyre-optimize --verify-diagnostics --split-input-file | filecheck %s

// A schedule is data: the command of this one does not run. No pass of xDSL's takes part but three.

vyre.schedule @command profile(release) {
  vyre.pass @"mlir-opt" options {executable = "/bin/sh", arguments = ["-c", "cat"]} phase expand family unknown boundary module preserves_abi
}

// CHECK: the schedule '@command' names the pass 'mlir-opt', which takes no part in schedules: expected a pass with metadata; a pipeline (-p) may name any

// -----

// Nor does vyre's own that writes a file.

vyre.schedule @report profile(release) {
  vyre.pass @"vyre-optimize" options {report = "/dev/null"} phase arms family unknown boundary module preserves_abi
}

// CHECK: the schedule '@report' names the pass 'vyre-optimize', which takes no part in schedules

// -----

// It is refused whether it is selected or not.

vyre.schedule @missing profile(release) {
  vyre.pass @"acme-pass" phase arms family unknown boundary module preserves_abi selected false reason below_threshold priority 0
}

// CHECK: the schedule '@missing' names the pass 'acme-pass', which is not installed
