// The passes that shape kernels know no op by name: a program with ops of a package profits as any.

// An invocation takes several items; sums stay in it, bins and the table in its workgroup.
// RUN: xdsl-opt %s -p 'vyre-coarsen{groups=4},vyre-privatize-reductions{scope=workgroup budget=4096},vyre-stage-tables{budget=1024}' | filecheck %s --check-prefix=GROUPS
// GROUPS:     vyre.load %table[
// GROUPS-NEXT: vyre.store %{{.*}}, %table_of_group[
// GROUPS:     scf.for %item = {{.*}} iter_args({{.*}}) -> (i32) {
// GROUPS:       tape.at %item track 0 of 16
// GROUPS:       vyre.load %table_of_group[%bits]
// GROUPS:       vyre.atomic_rmw addi %one, %levels_of_group[%level]
// GROUPS-NOT:   vyre.atomic_rmw
// GROUPS:     } {vyre.each_item}

// The loop is written out, what is left of its addresses are numbers, and the window is values.
// RUN: xdsl-opt %s -p 'vyre-unroll,canonicalize,vyre-cse,vyre-reassociate,vyre-sroa,canonicalize' | filecheck %s --check-prefix=VALUES
// VALUES-NOT: private
// VALUES:     tape.at %i track 0 of 16
// VALUES-NEXT: %words = vyre.load %tape[%place]
// VALUES-NEXT: vector.extract %words[0]
// VALUES-NOT: scf.for
// VALUES:     vector.extract %words[3]

// What lies inside is loaded without a guard.
// RUN: xdsl-opt %s -p 'vyre-split-index-sets,vyre-outline-kernels,vyre-prove-accesses' | filecheck %s --check-prefix=TAIL
// TAIL:       tape.at %i track 0 of 16
// TAIL:       scf.if %inside
// TAIL-NEXT:    vyre.load %tape[%place] in_bounds

// Only the package knows where an item begins, so that of several items, each asks whether it lies inside.
// RUN: xdsl-opt %s -p 'vyre-coarsen{items=4},vyre-split-index-sets,vyre-outline-kernels,licm,vyre-prove-accesses,vyre-split-index-sets{loops=true},canonicalize' | filecheck %s --check-prefix=PEEL
// PEEL:       scf.for
// PEEL:         scf.if %inside
// PEEL-NOT:   vyre.tail

// Bytes in the opposite order are one op.
// RUN: xdsl-opt %s -p 'vyre-form-byte-permutes,canonicalize' | filecheck %s --check-prefix=BYTES
// BYTES:      vyre.permute_bytes %word, %{{.*}} [3, 2, 1, 0] : i32

// With all of them, in the interpreter and on a device, a program computes what it does with none.
// RUN: vyre run %s --device reference -p canonicalize --input tape=text:abcaefgbijkcmnogqrsguvwdyzAeBCD --input table=hex:0001010201020203 | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s --device reference -p 'vyre-coarsen{groups=4},vyre-privatize-reductions{scope=workgroup budget=4096},vyre-stage-tables{budget=1024},vyre-unroll,canonicalize,vyre-cse,vyre-reassociate,vyre-sroa,canonicalize,vyre-split-index-sets,vyre-form-byte-permutes,canonicalize' --input tape=text:abcaefgbijkcmnogqrsguvwdyzAeBCD --input table=hex:0001010201020203 | filecheck %s --check-prefix=RESULT
// RUN: vyre run %s -p 'vyre-coarsen{groups=4},vyre-privatize-reductions{scope=workgroup budget=4096},vyre-stage-tables{budget=1024},vyre-unroll,canonicalize,vyre-cse,vyre-reassociate,vyre-sroa,canonicalize,vyre-split-index-sets,vyre-form-byte-permutes,vyre-outline-kernels,canonicalize,vyre-prove-accesses' --input tape=text:abcaefgbijkcmnogqrsguvwdyzAeBCD --input table=hex:0001010201020203 | filecheck %s --check-prefix=RESULT
// 31 bytes are eight words, the last of which ends in a zero.
// RESULT:      levels = [1, 3, 2, 2]
// RESULT-NEXT: words_seen = [8]

vyre.program @levels workgroup_size [32] {
  %tape = vyre.buffer @tape : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<8xi8, read_only>
  %window = vyre.buffer @window : !vyre.buffer<16xi8, read_write, private>
  %levels = vyre.buffer @levels live_out : !vyre.buffer<4xi32, read_write>
  %words_seen = vyre.buffer @words_seen live_out : !vyre.buffer<1xi32, read_write>
  %length = vyre.buf_len %tape : !vyre.buffer<?xi8, read_only>
  %c16 = arith.constant 16 : index
  %count = arith.ceildivsi %length, %c16 : index
  vyre.region "levels" invocations [%count] {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i32
    %i = vyre.invocation_id x
    %place = tape.at %i track 0 of 16
    %words = vyre.load %tape[%place] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
    vyre.store %words, %window[%c0] : vector<4xi32>, !vyre.buffer<16xi8, read_write, private>
    scf.for %k = %c0 to %c4 step %c1 {
      %bytes = arith.muli %k, %c4 : index
      %there = arith.addi %place, %bytes : index
      %offset = arith.subi %there, %place : index
      %word = vyre.load %window[%offset] : !vyre.buffer<16xi8, read_write, private> -> i32
      %c8 = arith.constant 8 : i32
      %c24 = arith.constant 24 : i32
      %second = arith.constant 65280 : i32
      %first = arith.constant 16711680 : i32
      %a = arith.shli %word, %c24 : i32
      %b0 = arith.shli %word, %c8 : i32
      %b = arith.andi %b0, %first : i32
      %d0 = arith.shrui %word, %c8 : i32
      %d = arith.andi %d0, %second : i32
      %e = arith.shrui %word, %c24 : i32
      %ab = arith.ori %a, %b : i32
      %de = arith.ori %d, %e : i32
      %reversed = arith.ori %ab, %de : i32
      %seven = arith.constant 7 : i32
      %low = arith.andi %reversed, %seven : i32
      %bits = arith.index_cast %low : i32 to index
      %ones = vyre.load %table[%bits] : !vyre.buffer<8xi8, read_only> -> i8
      %level = arith.index_cast %ones : i8 to index
      vyre.atomic_rmw addi %one, %levels[%level] : i32, !vyre.buffer<4xi32, read_write>
      vyre.atomic_rmw addi %one, %words_seen[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
