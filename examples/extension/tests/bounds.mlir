// A loop does something only up to a place on a tape: what an op of a package computes, of which
// nothing is known but that it is the same in every iteration, bounds the loop.

// RUN: xdsl-opt %s -p vyre-tighten-bounds,canonicalize | filecheck %s
// CHECK:      %end = tape.at %i track 2 of 4
// CHECK:      %[[LAST:\S+]] = arith.minsi %end, %length : index
// CHECK-NEXT: scf.for %k = %{{.*}} to %[[LAST]]
// CHECK-NEXT:   vyre.load
// CHECK-NOT:  scf.if
// CHECK:      vyre.store

// The pass of the package takes part in the schedule by which programs are compiled.
// RUN: xdsl-opt %s -p vyre-optimize | filecheck %s --check-prefix=LOWERED
// LOWERED:     vyre.kernel
// LOWERED-NOT: tape.at

// RUN: vyre run %s --device reference -p canonicalize --input tape=text:abcdefgh | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s --device reference -p vyre-tighten-bounds,canonicalize --input tape=text:abcdefgh | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s --input tape=text:abcdefgh | filecheck %s --check-prefix=RESULT
// RESULT: copies = [97, 98, 0, 0, 0, 0, 0, 0, 97, 98, 99, 100, 101, 102, 0, 0]
vyre.program @copy {
  %tape = vyre.buffer @tape : !vyre.buffer<?xi8, read_only>
  %copies = vyre.buffer @copies live_out : !vyre.buffer<16xi8, read_write>
  vyre.region "copy" invocations [2] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %i = vyre.invocation_id x
    %row = arith.muli %i, %c8 : index
    %length = vyre.buf_len %tape : !vyre.buffer<?xi8, read_only>
    %end = tape.at %i track 2 of 4
    scf.for %k = %c0 to %length step %c1 {
      %byte = vyre.load %tape[%k] : !vyre.buffer<?xi8, read_only> -> i8
      %is_before = arith.cmpi slt, %k, %end : index
      scf.if %is_before {
        %place = arith.addi %row, %k : index
        vyre.store %byte, %copies[%place] : i8, !vyre.buffer<16xi8, read_write>
      }
    }
  }
}
