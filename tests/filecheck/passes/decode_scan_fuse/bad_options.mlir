// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{budget=0}' --verify-diagnostics | filecheck %s --check-prefix=ZERO
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{tile=-1}' --verify-diagnostics | filecheck %s --check-prefix=NEGATIVE
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{steps=0}' --verify-diagnostics | filecheck %s --check-prefix=STEPS
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup steps=2}' --verify-diagnostics | filecheck %s --check-prefix=WORKGROUP

vyre.program @empty {
}

// ZERO: 'vyre-decode-scan-fuse' expected a positive budget, got 0
// NEGATIVE: 'vyre-decode-scan-fuse' expected no negative tile, got -1
// STEPS: 'vyre-decode-scan-fuse' expected 1 to 65536 steps, got 0
// WORKGROUP: 'vyre-decode-scan-fuse' expected one step with strategy=workgroup: only private tiles slide
