// RUN: xdsl-opt %s --split-input-file -p vyre-flatten-domains,canonicalize | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-flatten-domains,vyre-flatten-domains,canonicalize | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-flatten-domains,vyre-decode-scan-fuse | filecheck %s --check-prefix=FUSED

// What rows and columns add up to is the invocation; a column by itself is what rows leave.
// CHECK-LABEL: vyre.program @picture
// CHECK:         [[COUNT:%.*]] = arith.muli %height, %{{.*}} : index
// CHECK-NEXT:    vyre.region "scan" invocations [[[COUNT]]] {
// CHECK-NEXT:      [[I:%.*]] = vyre.invocation_id x
// CHECK:           [[ROW:%.*]] = arith.floordivsi [[I]], %{{.*}} : index
// CHECK:           [[FIRST:%.*]] = arith.muli [[ROW]], %{{.*}} : index
// CHECK:           [[COLUMN:%.*]] = arith.subi [[I]], [[FIRST]] : index
// CHECK:           [[NEXT:%.*]] = arith.addi [[I]], %{{.*}} : index
// CHECK-NEXT:      %here = vyre.load %cells[[[I]]]
// CHECK-NEXT:      %next = vyre.load %cells[[[NEXT]]]
// CHECK:           arith.cmpi ult, [[COLUMN]], %{{.*}} : index

// FUSED-LABEL: vyre.program @picture
// FUSED:         vyre.region "decode+scan"
// FUSED-NOT:     vyre.region
// FUSED-LABEL: vyre.program @volume
// FUSED:         vyre.region "fill+copy"
// FUSED-NOT:     vyre.region
vyre.program @picture {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %width = arith.constant 48 : index
  %height = arith.divui %n, %width : index
  %cells = vyre.buffer @cells[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %edges = vyre.buffer @edges live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %key = arith.constant 17 : i8
    %byte = vyre.load %x[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %cell = arith.xori %byte, %key : i8
    vyre.store %cell, %cells[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [48, %height] {
    %column = vyre.invocation_id x
    %row = vyre.invocation_id y
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %last = arith.constant 47 : index
    %wide = arith.constant 48 : index
    %first = arith.muli %row, %wide : index
    %place = arith.addi %first, %column : index
    %after = arith.addi %place, %c1 : index
    %here = vyre.load %cells[%place] : !vyre.buffer<?xi8, read_write> -> i8
    %next = vyre.load %cells[%after] : !vyre.buffer<?xi8, read_write> -> i8
    %rises = arith.cmpi ult, %here, %next : i8
    %is_inside = arith.cmpi ult, %column, %last : index
    %counts = arith.andi %rises, %is_inside : i1
    scf.if %counts {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %edges[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}

// -----

// Three axes of known sizes, and an arm of a workgroup size of its own.
// CHECK-LABEL: vyre.program @volume
// CHECK:         vyre.region "copy" invocations [1536] workgroup_size [32] {
// CHECK-NEXT:      [[I:%.*]] = vyre.invocation_id x
// CHECK-NEXT:      [[VALUE:%.*]] = vyre.load %cells[[[I]]]
// CHECK-NEXT:      vyre.store [[VALUE]], %out[[[I]]]
vyre.program @volume {
  %cells = vyre.buffer @cells initial undefined : !vyre.buffer<1536xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<1536xi8, read_write>
  vyre.region "fill" invocations [1536] {
    %i = vyre.invocation_id x
    %number = arith.index_cast %i : index to i32
    %value = arith.trunci %number : i32 to i8
    vyre.store %value, %cells[%i] : i8, !vyre.buffer<1536xi8, read_write>
  }
  vyre.region "copy" invocations [16, 8, 12] workgroup_size [8, 4] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %z = vyre.invocation_id z
    %c8 = arith.constant 8 : index
    %c16 = arith.constant 16 : index
    %plane = arith.muli %z, %c8 : index
    %row = arith.addi %plane, %y : index
    %first = arith.muli %row, %c16 : index
    %i = arith.addi %first, %x : index
    %value = vyre.load %cells[%i] : !vyre.buffer<1536xi8, read_write> -> i8
    vyre.store %value, %out[%i] : i8, !vyre.buffer<1536xi8, read_write>
  }
}

// -----

// Along an axis that an arm does not have, its invocations are the first.
// CHECK-LABEL: vyre.program @missing
// CHECK:         vyre.region "copy" invocations [64] {
// CHECK-NEXT:      [[I:%.*]] = vyre.invocation_id x
// CHECK-NOT:       vyre.invocation_id
// CHECK:           vyre.load %cells[[[I]]]
// FUSED-LABEL: vyre.program @missing
// FUSED:         vyre.region "fill+copy"
// FUSED-NOT:     vyre.region
vyre.program @missing {
  %cells = vyre.buffer @cells initial undefined : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, read_write>
  vyre.region "fill" invocations [64] {
    %i = vyre.invocation_id x
    %number = arith.index_cast %i : index to i32
    vyre.store %number, %cells[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "copy" invocations [16, 4] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %z = vyre.invocation_id z
    %c16 = arith.constant 16 : index
    %row = arith.muli %y, %c16 : index
    %first = arith.addi %row, %x : index
    %i = arith.addi %first, %z : index
    %value = vyre.load %cells[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
}
