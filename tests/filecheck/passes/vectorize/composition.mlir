// RUN: xdsl-opt %s -p 'canonicalize,vyre-vectorize{lanes=16},vyre-coarsen{items=64 order=blocked},canonicalize,vyre-cse,vyre-privatize-reductions{lanes=true},vyre-outline-kernels,canonicalize,vyre-cse,vyre-prove-accesses,vyre-optimize-integers,canonicalize' -t vyre-opencl | filecheck %s

// Blocks of lanes behind each other: each lane keeps a sum of its own until the end, and loads are
// in bounds wherever all lanes exist.
// CHECK:      long first = i * 64;
// CHECK:      for (long offset = 0; offset < 64; offset++) {
// CHECK:          long first_1 = item * 16;
// CHECK:          if (first_1 + 16 <= text_len) {
// CHECK-NEXT:         uchar16 byte = *(__global const uchar16 *)&text[first_1];
// CHECK-NEXT:         uchar16 capital = as_uchar16(-(byte - (uchar16)(65) < (uchar16)(26)));
// CHECK-NEXT:         uint16 count_8 = count_3 + (-convert_int16(capital) ? (uint16)(1u) : count_1);
// CHECK:              } else {
// CHECK:                  for (long item_1 = first_1; item_1 < text_len; item_1++) {
// CHECK:      if (count_11 != 0u) {
// CHECK-NEXT:     atomic_add(&count[0], count_11);
// CHECK-NEXT: }
// CHECK-NOT:  atomic_add
vyre.program @count_capitals {
  %text = vyre.buffer @text binding 0 : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count binding 1 live_out : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  vyre.region "count" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %a = arith.constant 65 : i8
    %distance = arith.subi %byte, %a : i8
    %letters = arith.constant 26 : i8
    %capital = arith.cmpi ult, %distance, %letters : i8
    scf.if %capital {
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : index
      %old = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
