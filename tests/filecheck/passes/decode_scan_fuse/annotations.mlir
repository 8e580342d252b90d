// Annotations are about the run that made them: a later one that fuses the buffer, or only looks at it
// again, drops them.
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup budget=1 annotate=true}' | filecheck %s --check-prefix=REFUSED
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup budget=1 annotate=true},vyre-decode-scan-fuse' | filecheck %s --check-prefix=FUSED
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup budget=1 annotate=true},vyre-decode-scan-fuse{strategy=workgroup budget=1}' | filecheck %s --check-prefix=AGAIN

vyre.program @annotations {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined {test.kept} : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %b = vyre.load %decoded[%next] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// REFUSED: @decoded initial undefined {test.kept, vyre.not_fused = {reason = "over-budget"
// FUSED: @decoded {test.kept} : !vyre.buffer<{{.*}}, private>
// AGAIN: @decoded initial undefined {test.kept} : !vyre.buffer<64xi8, read_write>
