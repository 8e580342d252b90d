// RUN: xdsl-opt %s --split-input-file -p 'vyre-decode-scan-fuse{local_memory=global annotate=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-decode-scan-fuse{local_memory=global},vyre-decode-scan-fuse{local_memory=global annotate=true},canonicalize' | filecheck %s

// Each of three neighbours decodes what it needs, so that an element is decoded three times: that is too dear for
// registers. One invocation decodes a tile in a loop, and scans it in a loop, none of which is to be written out.
// CHECK-LABEL: vyre.program @overlapping
// CHECK:         %plain = vyre.buffer @plain : !vyre.buffer<8208xi8, read_write, private>
// CHECK:         [[TILE:%.*]] = arith.constant 8192 : index
// CHECK-NEXT:    [[TILES:%.*]] = arith.ceildivsi %n, [[TILE]] : index
// CHECK-NEXT:    vyre.region "decode+scan" invocations {{\[}}[[TILES]]] {
// CHECK:           [[DECODED:%.*]] = arith.constant 8194 : index
// CHECK:           scf.for {{%.*}} = {{%.*}} to [[DECODED]] step
// CHECK:             vyre.store %turned, %plain[{{%.*}}] in_bounds : i8
// CHECK:           } {vyre.unroll = 4 : i64}
// CHECK-NOT:       vyre.barrier
// CHECK:           [[SCANNED:%.*]] = arith.constant 8192 : index
// CHECK:           scf.for {{%.*}} = {{%.*}} to [[SCANNED]] step
// CHECK:             vyre.store %abc, %out[%i_1] : i8
// CHECK:           } {vyre.unroll = 4 : i64}
vyre.program @overlapping {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %key = arith.constant 7 : i8
    %turned = arith.xori %byte, %key : i8
    vyre.store %turned, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %next = arith.addi %i, %c1 : index
    %last = arith.addi %i, %c2 : index
    %a = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %plain[%next] : !vyre.buffer<?xi8, read_write> -> i8
    %c = vyre.load %plain[%last] : !vyre.buffer<?xi8, read_write> -> i8
    %ab = arith.addi %a, %b : i8
    %abc = arith.addi %ab, %c : i8
    vyre.store %abc, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// -----

// A workgroup keeps its own.
// CHECK-LABEL: vyre.program @mirrored
// CHECK:         vyre.not_fused = {{.*}}tiles in a cache: 'scan' keeps its workgroups, whose tiles were measured to cost more than they save where workgroup memory is ordinary memory
vyre.program @mirrored workgroup_size [64] {
  %text = vyre.buffer @text : !vyre.buffer<4096xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<4096xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<4096xi8, write_only>
  vyre.region "decode" invocations [4096] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<4096xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<4096xi8, read_write>
  }
  vyre.region "scan" invocations [4096] {
    %i = vyre.invocation_id x
    %l = vyre.local_id x
    %g = vyre.workgroup_id x
    %last = arith.constant 63 : index
    %four = arith.constant 64 : index
    %first = arith.muli %g, %four : index
    %mirrored = arith.subi %last, %l : index
    %other = arith.addi %first, %mirrored : index
    %byte = vyre.load %decoded[%other] : !vyre.buffer<4096xi8, read_write> -> i8
    vyre.barrier
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<4096xi8, write_only>
  }
}
