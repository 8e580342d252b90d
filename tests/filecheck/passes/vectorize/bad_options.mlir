// RUN: xdsl-opt %s -p 'vyre-vectorize{lanes=3}' --verify-diagnostics | filecheck %s

vyre.program @empty {
}

// CHECK: 'vyre-vectorize' expected 1, 4, 8 or 16 lanes, got 3
