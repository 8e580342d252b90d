// RUN: xdsl-opt %s -p vyre-outline-kernels -t vyre-opencl | filecheck %s

// Which copy is waited for, only the loop knows: the token is a value like any other.
vyre.program @two_under_way workgroup_size [16] {
  %x = vyre.buffer @x : !vyre.buffer<64xi32, read_only>
  %tile = vyre.buffer @tile : !vyre.buffer<16xi32, read_write, workgroup>
  vyre.region "copy" invocations [16] {
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %eight = arith.constant 8 : index
    %first = vyre.async_copy %x[%zero], %tile[%zero], %eight : !vyre.buffer<64xi32, read_only>, !vyre.buffer<16xi32, read_write, workgroup>
    %last = scf.for %k = %zero to %eight step %one iter_args(%before = %first) -> (!vyre.token) {
      %next = vyre.async_copy %x[%k], %tile[%eight], %eight : !vyre.buffer<64xi32, read_only>, !vyre.buffer<16xi32, read_write, workgroup>
      vyre.async_wait %before
      scf.yield %next : !vyre.token
    }
    vyre.async_wait %last
  }
}

// CHECK:      bool before = true;
// CHECK-NEXT: for (long k_1 = 0; k_1 < 8; k_1++) {
// CHECK-NEXT:     for (long k_2 = linear_id; k_2 < 8; k_2 += 16)
// CHECK-NEXT:         {{.*}}
// CHECK-NEXT:     barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
// CHECK-NEXT:     before = true;
// CHECK-NEXT: }
// CHECK-NEXT: barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
