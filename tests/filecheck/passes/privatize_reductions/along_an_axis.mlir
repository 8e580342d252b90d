// RUN: xdsl-opt %s -p 'vyre-coarsen{groups=64},vyre-privatize-reductions{scope=workgroup},canonicalize' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-privatize-reductions{scope=workgroup},canonicalize' | filecheck %s --check-prefix=ONCE

// A place that an axis says, and which an invocation updates again and again, is one of a copy of the
// workgroup; all of these are added to the buffer at its end.
// CHECK:     vyre.buffer @sums_of_group : !vyre.buffer<16xi32, read_write, workgroup>
// CHECK:     vyre.region "sum"
// CHECK:       scf.for
// CHECK:         vyre.atomic_rmw addi %{{.*}}, %sums_of_group
// CHECK:       vyre.barrier
// CHECK:       vyre.atomic_rmw addi %{{.*}}, %sums[

// Once, it is updated as cheaply where it is.
// ONCE-NOT: sums_of_group
vyre.program @columns workgroup_size [16, 4] {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %each = arith.constant 16 : index
  %rows = arith.divui %n, %each : index
  %sums = vyre.buffer @sums live_out : !vyre.buffer<16xi32, read_write>
  vyre.region "sum" invocations [16, %rows] {
    %column = vyre.invocation_id x
    %row = vyre.invocation_id y
    %columns = arith.constant 16 : index
    %first = arith.muli %row, %columns : index
    %place = arith.addi %first, %column : index
    %value = vyre.load %x[%place] : !vyre.buffer<?xi32, read_only> -> i32
    %old = vyre.atomic_rmw addi %value, %sums[%column] : i32, !vyre.buffer<16xi32, read_write>
  }
}
