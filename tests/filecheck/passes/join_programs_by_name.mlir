// RUN: xdsl-opt %s -p 'vyre-join-programs{handoff=decoded decoder=second scanner=third},vyre-decode-scan-fuse' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-join-programs{handoff=decoded decoder=nobody scanner=third}' --verify-diagnostics | filecheck %s --check-prefix=NOBODY

// Of three programs, the two that are named; joined, they fuse.
vyre.program @first {
  %decoded = vyre.buffer @decoded : !vyre.buffer<4xi8, write_only>
}

vyre.program @second {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

vyre.program @third {
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %decoded : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK: vyre.program @first
// CHECK: vyre.program @second
// CHECK: @decoded : !vyre.buffer<1xi8, read_write, private>
// CHECK: vyre.region "decode+scan"
// CHECK-NOT: vyre.program

// NOBODY: 'vyre-join-programs' no-pair: expected a 'vyre.program' '@nobody', got none
