// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{budget=0}' --verify-diagnostics | filecheck %s --check-prefix=ZERO
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{tile=-1}' --verify-diagnostics | filecheck %s --check-prefix=NEGATIVE

vyre.program @empty {
}

// ZERO: 'vyre-decode-scan-fuse' expected a positive budget, got 0
// NEGATIVE: 'vyre-decode-scan-fuse' expected no negative tile, got -1
