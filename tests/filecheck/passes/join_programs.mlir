// RUN: xdsl-opt %s -p 'vyre-join-programs{handoff=decoded}' --split-input-file --verify-diagnostics | filecheck %s

// The decoder's output becomes the scanner's input, and neither is seen from outside.
vyre.program @scanner workgroup_size [32] entry_op_id "scan/1" attributes {scanner_hint} {
  %decoded = vyre.buffer @decoded binding 0 : !vyre.buffer<?xi8, read_only>
  %hits = vyre.buffer @hits binding 1 live_out : !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %decoded : !vyre.buffer<?xi8, read_only>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %word = arith.extui %byte : i8 to i32
    %old = vyre.atomic_rmw addi %word, %hits[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

vyre.program @decoder entry_op_id "decode/1" attributes {decoder_hint} {
  %text = vyre.buffer @text binding 0 : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] binding 1 live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK: builtin.module {
// CHECK-NEXT: vyre.program @decoder entry_op_id "decode/1+scan/1" attributes {{{.*}}decoder_hint
// CHECK-NEXT: @text binding 0
// CHECK: @decoded[%{{.*}}] initial host : !vyre.buffer<?xi8, read_write>
// CHECK: vyre.region "decode" {{.*}}workgroup_size [64, 1, 1]
// CHECK: @hits binding {{[12]}} live_out
// CHECK: vyre.region "scan" {{.*}}workgroup_size [32, 1, 1]
// CHECK: vyre.load %decoded
// CHECK-NOT: vyre.program

// -----

vyre.program @decoder {
  %decoded = vyre.buffer @bytes : !vyre.buffer<4xi8, write_only>
}
vyre.program @scanner {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, read_only>
}

// CHECK: 'vyre-join-programs' handoff-missing: expected '@decoder' to declare a buffer '@decoded'; declare it, or name another with 'handoff='

// -----

vyre.program @decoder {
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, write_only>
}
vyre.program @scanner {
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre-join-programs' zero-handoff: expected the decoder to say how many elements '@decoded' has, got '?' with no size

// -----

vyre.program @decoder {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, write_only>
}
vyre.program @scanner {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi32, read_only>
}

// CHECK: 'vyre-join-programs' handoff-mismatch: expected elements of type i8 in '@decoded', got i32 in the scanner

// -----

vyre.program @decoder {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, write_only>
}
vyre.program @scanner {
  %decoded = vyre.buffer @decoded : !vyre.buffer<8xi8, read_only>
}

// CHECK: 'vyre-join-programs' handoff-mismatch: expected 4 elements in '@decoded', got 8 in the scanner

// -----

vyre.program @decoder {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, read_write, workgroup>
}
vyre.program @scanner {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, read_only>
}

// CHECK: 'vyre-join-programs' handoff-mismatch: expected '@decoded' in global memory, got workgroup

// -----

vyre.program @decoder {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, write_only>
}
vyre.program @scanner {
  %n = arith.constant 4 : index
  %decoded = vyre.buffer @decoded[%n] : !vyre.buffer<?xi8, read_only>
}

// CHECK: 'vyre-join-programs' handoff-mismatch: expected the scanner to take the size of '@decoded' from the decoder, got one of its own

// -----

vyre.program @decoder {
  %errors = vyre.buffer @errors : !vyre.buffer<1xi32, read_write>
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, write_only>
}
vyre.program @scanner {
  %errors = vyre.buffer @errors : !vyre.buffer<1xi32, read_write>
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, read_only>
}

// CHECK: 'vyre-join-programs' name-clash: expected only '@decoded' to be declared by both programs, got '@errors' too; rename one of them

// -----

vyre.program @alone {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, write_only>
}

// CHECK: 'vyre-join-programs' no-pair: expected two programs, got 1; name them with 'decoder=' and 'scanner='
