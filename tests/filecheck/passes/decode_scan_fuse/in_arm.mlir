// RUN: xdsl-opt %s -p vyre-decode-scan-fuse --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-decode-scan-fuse --split-input-file > %t.once
// RUN: xdsl-opt %s -p vyre-decode-scan-fuse,vyre-decode-scan-fuse --split-input-file | diff %t.once -

// What an invocation hands to itself becomes private to it.
vyre.program @own_element {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %scratch = vyre.buffer @scratch[%n] : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "both" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %scratch[%i] : i8, !vyre.buffer<?xi8, read_write>
    %again = vyre.load %scratch[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %again, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @own_element
// CHECK: @scratch : !vyre.buffer<1xi8, read_write, private>

// -----

// What a workgroup hands to itself across a barrier becomes its own.
vyre.program @own_workgroup {
  %text = vyre.buffer @text : !vyre.buffer<256xi8, read_only>
  %scratch = vyre.buffer @scratch : !vyre.buffer<256xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi8, write_only>
  vyre.region "both" invocations [256] workgroup_size [32] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<256xi8, read_only> -> i8
    vyre.store %byte, %scratch[%i] : i8, !vyre.buffer<256xi8, read_write>
    vyre.barrier
    %last = arith.constant 31 : index
    %base = arith.subi %i, %lane : index
    %back = arith.subi %last, %lane : index
    %other = arith.addi %base, %back : index
    %again = vyre.load %scratch[%other] : !vyre.buffer<256xi8, read_write> -> i8
    vyre.store %again, %out[%i] : i8, !vyre.buffer<256xi8, write_only>
  }
}

// CHECK-LABEL: @own_workgroup
// CHECK: @scratch : !vyre.buffer<32xi8, read_write, workgroup>
// CHECK: vyre.store %byte, %scratch
// CHECK: vyre.barrier
// CHECK: vyre.load %scratch

// -----

// Without the barrier nothing says that the element has been written.
vyre.program @no_barrier {
  %text = vyre.buffer @text : !vyre.buffer<256xi8, read_only>
  %scratch = vyre.buffer @scratch : !vyre.buffer<256xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi8, write_only>
  vyre.region "both" invocations [256] workgroup_size [32] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<256xi8, read_only> -> i8
    vyre.store %byte, %scratch[%i] : i8, !vyre.buffer<256xi8, read_write>
    %last = arith.constant 31 : index
    %base = arith.subi %i, %lane : index
    %back = arith.subi %last, %lane : index
    %other = arith.addi %base, %back : index
    %again = vyre.load %scratch[%other] : !vyre.buffer<256xi8, read_write> -> i8
    vyre.store %again, %out[%i] : i8, !vyre.buffer<256xi8, write_only>
  }
}

// CHECK-LABEL: @no_barrier
// CHECK: @scratch : !vyre.buffer<256xi8, read_write>

// -----

// Nobody uses it: it can be anywhere.
vyre.program @unused {
  %decoded = vyre.buffer @decoded {hint} : !vyre.buffer<128xi32, read_write>
  %too_large = vyre.buffer @too_large : !vyre.buffer<4097xi32, read_write>
}

// CHECK-LABEL: @unused
// CHECK: @decoded {hint} : !vyre.buffer<128xi32, read_write, workgroup>
// CHECK: @too_large : !vyre.buffer<4097xi32, read_write>
