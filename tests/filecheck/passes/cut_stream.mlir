// RUN: xdsl-opt %s -p "vyre-stream,vyre-cut-stream{piece=first}" | filecheck %s --check-prefix FIRST
// RUN: xdsl-opt %s -p "vyre-stream,vyre-cut-stream{piece=middle}" | filecheck %s --check-prefix MIDDLE
// RUN: xdsl-opt %s -p "vyre-stream,vyre-cut-stream{piece=last}" | filecheck %s --check-prefix LAST
// RUN: xdsl-opt %s -p "vyre-stream,vyre-cut-stream{piece=middle apart=true}" | filecheck %s --check-prefix APART
// Without a `vyre.stream`, and once a program has been cut, nothing is changed.
// RUN: xdsl-opt %s > %t.mlir && xdsl-opt %s -p "vyre-cut-stream{piece=middle}" | diff %t.mlir -
// RUN: xdsl-opt %s -p "vyre-stream,vyre-cut-stream{piece=middle}" > %t.mlir && xdsl-opt %s -p "vyre-stream,vyre-cut-stream{piece=middle},vyre-cut-stream{piece=middle}" | diff %t.mlir -

// Each byte is compared with the one before and the one behind, and places are kept.
vyre.program @peaks {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %last = vyre.buffer @last live_out : !vyre.buffer<1xi64, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  vyre.region "scan.peaks" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %before = arith.subi %i, %one : index
    %behind = arith.addi %i, %one : index
    %left = vyre.load %text[%before] : !vyre.buffer<?xi8, read_only> -> i8
    %own = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %right = vyre.load %text[%behind] : !vyre.buffer<?xi8, read_only> -> i8
    %above_left = arith.cmpi ugt, %own, %left : i8
    %above_right = arith.cmpi ugt, %own, %right : i8
    %is_peak = arith.andi %above_left, %above_right : i1
    scf.if %is_peak {
      %place = arith.index_cast %i : index to i64
      %old = vyre.atomic_rmw maxs %place, %last[%zero] : i64, !vyre.buffer<1xi64, read_write>
    }
  }
}

// The first piece begins with the first invocation, and leaves the last one to the next piece.
// FIRST: vyre.program @peaks {
// FIRST-NOT: vyre.stream
// FIRST-NOT: place_of_piece
// FIRST: %n = vyre.buf_len %text
// FIRST: arith.floordivsi
// FIRST: [[COUNT:%\d+]] = arith.muli
// FIRST-NEXT: vyre.region "scan.peaks" invocations [[[COUNT]]] {
// FIRST-NEXT: %i = vyre.invocation_id x
// FIRST-NEXT: %zero = arith.constant 0 : index

// A piece in the middle leaves one invocation out on each side, and knows where it lies.
// MIDDLE: %place_of_piece = vyre.buffer @place_of_piece : !vyre.buffer<1xi64, read_only>
// MIDDLE: vyre.load %place_of_piece
// MIDDLE: %last = vyre.buffer @last live_out initial host
// MIDDLE: vyre.region "scan.peaks"
// MIDDLE-NEXT: %i = vyre.invocation_id x
// MIDDLE-NEXT: [[BEFORE:%\d+]] = arith.constant 1 : index
// MIDDLE-NEXT: [[ID:%i_\d+]] = arith.addi %i, [[BEFORE]] : index
// MIDDLE: %place = arith.index_cast [[ID]] : index to i64
// MIDDLE-NEXT: [[PLACE:%\d+]] = arith.addi %place
// MIDDLE-NEXT: vyre.atomic_rmw maxs [[PLACE]], %last

// The last piece has all invocations behind the first.
// LAST: [[LESS:%\d+]] = arith.subi %n
// LAST-NEXT: vyre.region "scan.peaks" invocations [[[LESS]]] {

// One that runs apart takes nothing from the piece before, and begins with the least number.
// APART: %last = vyre.buffer @last live_out initial host fill -9223372036854775808 : i64
// APART: vyre.region "scan.peaks"
