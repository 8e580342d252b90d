// RUN: xdsl-opt %s -p 'vyre-serialize-workgroups{limit=0}' --verify-diagnostics | filecheck %s

vyre.program @empty {
}

// CHECK: 'vyre-serialize-workgroups' expected a limit of 1 to 1024 invocations, got 0
