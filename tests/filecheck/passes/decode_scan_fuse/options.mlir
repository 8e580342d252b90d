// RUN: xdsl-opt %s -p vyre-decode-scan-fuse | filecheck %s --check-prefix=AUTO
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup}' | filecheck %s --check-prefix=WORKGROUP
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup tile=256}' | filecheck %s --check-prefix=TILE
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup budget=40}' | filecheck %s --check-prefix=BUDGET
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=workgroup budget=1 annotate=true}' | filecheck %s --check-prefix=REFUSED
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private budget=1}' | filecheck %s --check-prefix=AUTO
// RUN: not xdsl-opt %s -p 'vyre-decode-scan-fuse{cache_budget=0}' 2>&1 | filecheck %s --check-prefix=NO-CACHE
// RUN: not xdsl-opt %s -p 'vyre-decode-scan-fuse{budget=0}' 2>&1 | filecheck %s --check-prefix=ZERO
// RUN: not xdsl-opt %s -p 'vyre-decode-scan-fuse{tile=-1}' 2>&1 | filecheck %s --check-prefix=NEGATIVE

vyre.program @options {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %step = arith.constant 1 : index
    %at = arith.addi %i, %step : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// A budget is that of workgroup memory: registers have their own.
// AUTO: @decoded : !vyre.buffer<2xi8, read_write, private>
// WORKGROUP: @decoded : !vyre.buffer<{{2049|2064}}xi8, read_write, workgroup>
// WORKGROUP: workgroup_size [64]
// TILE: @decoded : !vyre.buffer<{{257|272}}xi8, read_write, workgroup>
// TILE: workgroup_size [64]

// The largest tile that fits: 33 bytes, for workgroups of 32.
// BUDGET: @decoded : !vyre.buffer<33xi8, read_write, workgroup>
// BUDGET: workgroup_size [32]

// REFUSED: @decoded[%{{.*}}] {{.*}}reason = "over-budget"
// NO-CACHE: 'vyre-decode-scan-fuse' expected a positive cache_budget, got 0
// ZERO: 'vyre-decode-scan-fuse' expected a positive budget, got 0
// NEGATIVE: 'vyre-decode-scan-fuse' expected no negative tile, got -1
