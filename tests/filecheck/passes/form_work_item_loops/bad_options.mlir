// RUN: xdsl-opt %s -p 'vyre-form-work-item-loops{limit=0}' --verify-diagnostics | filecheck %s

vyre.program @empty {
}

// CHECK: 'vyre-form-work-item-loops' expected a limit of 1 to 1024 invocations, got 0
