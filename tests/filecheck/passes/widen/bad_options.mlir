// RUN: xdsl-opt %s -p 'vyre-widen{lanes=3}' --verify-diagnostics | filecheck %s

vyre.program @empty {
}

// CHECK: 'vyre-widen' expected 1, 4, 8 or 16 lanes, got 3
