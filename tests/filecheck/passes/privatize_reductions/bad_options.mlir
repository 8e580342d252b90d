// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup copies=3}' --verify-diagnostics | filecheck %s --check-prefix=COPIES
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup copies=32}' --verify-diagnostics | filecheck %s --check-prefix=MANY
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{wide_copies=0}' --verify-diagnostics | filecheck %s --check-prefix=WIDE
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup budget=-1}' --verify-diagnostics | filecheck %s --check-prefix=BUDGET
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{own_bytes=-1}' --verify-diagnostics | filecheck %s --check-prefix=OWN

vyre.program @empty {
}

// COPIES: 'vyre-privatize-reductions' expected copies to be a power of two up to 16, got 3
// MANY: 'vyre-privatize-reductions' expected copies to be a power of two up to 16, got 32
// WIDE: 'vyre-privatize-reductions' expected wide_copies to be a power of two up to 16, got 0
// BUDGET: 'vyre-privatize-reductions' expected no negative budget, got -1
// OWN: 'vyre-privatize-reductions' expected no negative own_bytes, got -1
