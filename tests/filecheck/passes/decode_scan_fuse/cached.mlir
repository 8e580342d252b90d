// RUN: xdsl-opt %s --split-input-file -p 'vyre-decode-scan-fuse{local_memory=global annotate=true},canonicalize' | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p 'vyre-decode-scan-fuse{local_memory=global cache_budget=64}' | filecheck %s --check-prefix=SMALL
// RUN: xdsl-opt %s --split-input-file -p 'vyre-decode-scan-fuse{local_memory=global},vyre-decode-scan-fuse{local_memory=global annotate=true},canonicalize' | filecheck %s

// Each of three neighbours decodes what it needs, so that an element is decoded three times: that is too dear for
// registers. One invocation decodes a tile in a loop, and scans it in a loop, none of which is to be written out.
// CHECK-LABEL: vyre.program @overlapping
// CHECK:         %plain = vyre.buffer @plain : !vyre.buffer<8208xi8, read_write, private>
// CHECK:         [[TILE:%.*]] = arith.constant 8192 : index
// CHECK-NEXT:    [[TILES:%.*]] = arith.ceildivsi %n, [[TILE]] : index
// CHECK-NEXT:    vyre.region "decode+scan" invocations {{\[}}[[TILES]]] workgroup_size [1] {
// CHECK:           [[DECODED:%.*]] = arith.constant 8194 : index
// CHECK:           scf.for {{%.*}} = {{%.*}} to [[DECODED]] step
// CHECK:             vyre.store %turned, %plain[{{%.*}}] in_bounds : i8
// CHECK:           } {vyre.unroll = 4 : i64}
// CHECK-NOT:       vyre.barrier
// CHECK:           [[SCANNED:%.*]] = arith.constant 8192 : index
// CHECK:           scf.for {{%.*}} = {{%.*}} to [[SCANNED]] step
// CHECK:             vyre.store %abc, %out[%i_1] : i8
// CHECK:           } {vyre.unroll = 4 : i64}

// A quarter of what the cache has for tiles.
// SMALL-LABEL: vyre.program @overlapping
// SMALL:         %plain = vyre.buffer @plain : !vyre.buffer<{{18|32}}xi8, read_write, private>
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

// -----

// What data-parallel arms state of workgroups binds nobody: an invocation with a cache is one of its own.
// CHECK-LABEL: vyre.program @stated
// CHECK:         vyre.region "decode+scan" invocations [%{{.*}}] workgroup_size [1] {
vyre.program @stated workgroup_size [1024] {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] workgroup_size [1024] {
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

// Tiles of any size would have more in common than not: five times as much is decoded.
// CHECK-LABEL: vyre.program @far
// CHECK:         vyre.not_fused = {{.*}}reason = "unprofitable", {{.*}}tiles in a cache: each element of '@plain' is in 5 tiles on average, the limit is 2"
vyre.program @far {
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
    %c2 = arith.constant 32700 : index
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

// Just as much in common as not.
// CHECK-LABEL: vyre.program @at_the_limit
// CHECK:         %plain = vyre.buffer @plain : !vyre.buffer<16384xi8, read_write, private>
vyre.program @at_the_limit {
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
    %c2 = arith.constant 8192 : index
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

// The workgroup memory of a device says nothing of its cache: three tiles are more than there is of the former.
// CHECK-LABEL: vyre.program @chain
// CHECK-DAG:     %twice = vyre.buffer @twice : !vyre.buffer<{{8[0-9]+}}xi8, read_write, private>
// CHECK-DAG:     %once = vyre.buffer @once : !vyre.buffer<{{8[0-9]+}}xi8, read_write, private>
// CHECK-DAG:     %plain = vyre.buffer @plain : !vyre.buffer<{{8[0-9]+}}xi8, read_write, private>
vyre.program @chain {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %once = vyre.buffer @once[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %twice = vyre.buffer @twice[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %key = arith.constant 7 : i8
    %turned = arith.xori %byte, %key : i8
    vyre.store %turned, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "mix" invocations [%n] {
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
    vyre.store %abc, %once[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "blend" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %next = arith.addi %i, %c1 : index
    %last = arith.addi %i, %c2 : index
    %a = vyre.load %once[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %once[%next] : !vyre.buffer<?xi8, read_write> -> i8
    %c = vyre.load %once[%last] : !vyre.buffer<?xi8, read_write> -> i8
    %ab = arith.addi %a, %b : i8
    %abc = arith.addi %ab, %c : i8
    vyre.store %abc, %twice[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %next = arith.addi %i, %c1 : index
    %last = arith.addi %i, %c2 : index
    %a = vyre.load %twice[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %twice[%next] : !vyre.buffer<?xi8, read_write> -> i8
    %c = vyre.load %twice[%last] : !vyre.buffer<?xi8, read_write> -> i8
    %ab = arith.addi %a, %b : i8
    %abc = arith.addi %ab, %c : i8
    vyre.store %abc, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// -----

// Tiles stay large where smaller ones would only let something far away join.
// CHECK-LABEL: vyre.program @far_first
// CHECK:         %plain = vyre.buffer @plain[%n] {{.*}}reason = "unprofitable"
// CHECK:         %once = vyre.buffer @once : !vyre.buffer<{{8[0-9]+}}xi8, read_write, private>
vyre.program @far_first {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %once = vyre.buffer @once[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %key = arith.constant 7 : i8
    %turned = arith.xori %byte, %key : i8
    vyre.store %turned, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "mix" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 32000 : index
    %next = arith.addi %i, %c1 : index
    %last = arith.addi %i, %c2 : index
    %a = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %plain[%next] : !vyre.buffer<?xi8, read_write> -> i8
    %c = vyre.load %plain[%last] : !vyre.buffer<?xi8, read_write> -> i8
    %ab = arith.addi %a, %b : i8
    %abc = arith.addi %ab, %c : i8
    vyre.store %abc, %once[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %next = arith.addi %i, %c1 : index
    %last = arith.addi %i, %c2 : index
    %a = vyre.load %once[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %once[%next] : !vyre.buffer<?xi8, read_write> -> i8
    %c = vyre.load %once[%last] : !vyre.buffer<?xi8, read_write> -> i8
    %ab = arith.addi %a, %b : i8
    %abc = arith.addi %ab, %c : i8
    vyre.store %abc, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}
