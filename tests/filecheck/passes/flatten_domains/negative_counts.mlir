// RUN: xdsl-opt %s -p 'vyre-flatten-domains{columns=true},canonicalize' | filecheck %s

// A number of rows that may be below zero is none however far below: 48 times it must not wrap to more.
// CHECK-LABEL: vyre.program @rows
// CHECK:         arith.minsi
// CHECK:         arith.maxsi
// CHECK:         vyre.region "one" invocations [%{{.*}}] {
vyre.program @rows {
  %given = vyre.buffer @given : !vyre.buffer<1xi64, read_only>
  %zero = arith.constant 0 : index
  %wide = vyre.load %given[%zero] : !vyre.buffer<1xi64, read_only> -> i64
  %n = arith.index_cast %wide : i64 to index
  %x = vyre.buffer @x : !vyre.buffer<96xi32, read_only>
  %tmp = vyre.buffer @tmp initial undefined : !vyre.buffer<96xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<96xi32, read_write>
  vyre.region "one" invocations [48, %n] {
    %i = vyre.invocation_id x
    %j = vyre.invocation_id y
    %size = arith.constant 48 : index
    %row = arith.muli %j, %size : index
    %at = arith.addi %row, %i : index
    %v = vyre.load %x[%at] : !vyre.buffer<96xi32, read_only> -> i32
    vyre.store %v, %tmp[%at] : i32, !vyre.buffer<96xi32, read_write>
  }
  vyre.region "two" invocations [48, %n] {
    %i = vyre.invocation_id x
    %j = vyre.invocation_id y
    %size = arith.constant 48 : index
    %row = arith.muli %j, %size : index
    %at = arith.addi %row, %i : index
    %v = vyre.load %tmp[%at] : !vyre.buffer<96xi32, read_write> -> i32
    vyre.store %v, %out[%at] : i32, !vyre.buffer<96xi32, read_write>
  }
}
