// A choice that no op of the program can have is an error, one that some op can have is none.

// RUN: not xdsl-opt %s -p 'vyre-expand{choices="valeus=8"}' 2>&1 | filecheck %s --check-prefix NAME
// RUN: not xdsl-opt %s -p 'vyre-expand{choices="vyre.scan.literal.values=8"}' 2>&1 | filecheck %s --check-prefix OP
// RUN: not xdsl-opt %s -p 'vyre-expand{choices="values=5"}' 2>&1 | filecheck %s --check-prefix VALUE
// RUN: not xdsl-opt %s -p 'vyre-expand{choices="vyre.scan.filter.values=128"}' 2>&1 | filecheck %s --check-prefix OF-OP
// RUN: xdsl-opt %s -p 'vyre-expand{choices="values=128"}' | filecheck %s --check-prefix SOME
// RUN: xdsl-opt %s -p 'vyre-expand{defaults="valeus=8","values=5"}' | filecheck %s --check-prefix LENIENT
// RUN: xdsl-opt %s -p 'vyre-expand{choices="values=32" defaults="values=8"}' | filecheck %s --check-prefix BOTH

// Once nothing is left to choose, nobody knows.
// RUN: xdsl-opt %s -p 'vyre-expand,vyre-expand{choices="valeus=8"}' | filecheck %s --check-prefix LENIENT

// NAME:  'vyre-expand' expected a parameter of the program's ops (vyre.decode.delta.values, vyre.decode.delta.lanes, vyre.scan.filter.values, vyre.scan.filter.lanes), got 'valeus'
// OP:    got 'vyre.scan.literal.values'
// VALUE: 'vyre-expand' expected 'values' of 4, 8, 16, 32, 64, 128, got '5'
// OF-OP: 'vyre-expand' expected 'vyre.scan.filter.values' of 4, 8, 16, 32, 64, got '128'

// SOME-NOT: vyre.scan
// SOME:     vyre.region "scan.filter" invocations [16]
// LENIENT:  vyre.region "scan.filter" invocations [16]
// BOTH:     vyre.region "scan.filter" invocations [8]
vyre.program @p {
  %deltas = vyre.buffer @deltas : !vyre.buffer<256xi32, read_only>
  %values = vyre.buffer @values : !vyre.buffer<256xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.delta %deltas to %values block 128 : !vyre.buffer<256xi32, read_only>, !vyre.buffer<256xi32, read_write>
  vyre.scan.filter %values in [1, 7) count %count : !vyre.buffer<256xi32, read_write>, !vyre.buffer<1xi64, read_write>
}
