// RUN: xdsl-opt %s -p vyre-expand --verify-diagnostics --split-input-file | filecheck %s

// The length of the destination is not known where the arm before uses it.

vyre.program @used_before {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  vyre.region "before" invocations [1] {
    %n = vyre.buf_len %decoded : !vyre.buffer<?xi8, read_write>
  }
  vyre.decode.xor %encoded to %decoded key "k" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
}

// CHECK: 'vyre.decode.xor' says how long '@decoded' is, which is used before: move that behind it, or declare '@decoded' with its size
