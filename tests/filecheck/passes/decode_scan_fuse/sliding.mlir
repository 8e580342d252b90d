// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private steps=16 annotate=true},canonicalize,vyre-cse' --split-input-file | filecheck %s
// Fusing again changes nothing.
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private steps=16}' --split-input-file > %t.once
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private steps=16},vyre-decode-scan-fuse{strategy=private steps=16}' --split-input-file | diff %t.once -
// Tiles that live over a loop become values that it carries: those that the next tile has, too.
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private steps=16},vyre-unroll,canonicalize,vyre-sroa,canonicalize,vyre-cse' --split-input-file | filecheck %s --check-prefix=VALUES
// Arms that slide have as many items as steps, and are not coarsened again; others are.
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private steps=16},vyre-coarsen{items=4 order=blocked}' --split-input-file | filecheck %s --check-prefix=ITEMS
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{strategy=private steps=16},vyre-coarsen{groups=7}' --split-input-file | filecheck %s --check-prefix=GROUPS

// The first element of a tile is the last one of the tile before it.
vyre.program @halo_right {
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

// CHECK-LABEL: @halo_right
// CHECK: @decoded : !vyre.buffer<2xi8, read_write, private>
// CHECK: [[INVOCATIONS:%.*]] = arith.ceildivsi %n, %{{.*}} : index
// CHECK-NEXT: vyre.region "decode+scan" invocations [[[INVOCATIONS]]] attributes {vyre.items = 16 : i64} {
// CHECK: %item = arith.muli %i, %{{.*}} : index
// CHECK: [[TILES:%.*]] = arith.minsi %n, %{{.*}} : index
// CHECK-NEXT: [[END:%.*]] = arith.minsi %{{.*}}, [[TILES]] : index
// CHECK: [[FIRST:%.*]] = vyre.load %text[%item]
// CHECK-NEXT: vyre.store [[FIRST]], %decoded
// CHECK: scf.for %{{.*}} = %item to [[END]] step %{{.*}} {
// CHECK-COUNT-1: vyre.load %text
// CHECK-NOT: vyre.load %text
// CHECK: %a = vyre.load %decoded
// CHECK: %b = vyre.load %decoded
// CHECK: vyre.store %sum, %out
// CHECK-NEXT: vyre.store %b, %decoded
// CHECK-NEXT: }

// VALUES-LABEL: @halo_right
// VALUES-NOT: private
// VALUES: scf.for {{.*}} iter_args(%{{[^ ]*}} = %byte) -> (i8) {
// ITEMS: "decode+scan" {{.*}} {vyre.items = 16 : i64} {
// GROUPS: "decode+scan" {{.*}} {vyre.items = 16 : i64, vyre.groups = 7 : i64} {

// -----

// In front of the first tile is no invocation that another tile would share.
vyre.program @halo_left {
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
    %at = arith.subi %i, %step : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @halo_left
// CHECK: scf.if
// CHECK-NEXT: vyre.load %text
// CHECK: scf.for %tile
// Only in front of the loop may an invocation not exist.
// CHECK-NOT: arith.andi
// CHECK: [[EXISTS:%.*]] = arith.cmpi slt, %{{.*}}, %n : index
// CHECK-NEXT: scf.if [[EXISTS]] {
// CHECK-NEXT: vyre.load %text
// CHECK: vyre.store %a, %decoded

// VALUES-LABEL: @halo_left
// VALUES-NOT: private
// VALUES: scf.for {{.*}} iter_args(%{{[^,]*}}) -> (i8) {

// -----

// In a chain, each handoff slides; an effect that may be repeated happens for each invocation.
vyre.program @chain {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %least = vyre.buffer @least live_out : !vyre.buffer<1xi32, read_write>
  %first = vyre.buffer @first[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %second = vyre.buffer @second[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %wide = arith.extui %byte : i8 to i32
    %old = vyre.atomic_rmw minu %wide, %least[%zero] : i32, !vyre.buffer<1xi32, read_write>
    vyre.store %byte, %first[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "again" invocations [%n] {
    %i = vyre.invocation_id x
    %step = arith.constant 1 : index
    %at = arith.addi %i, %step : index
    %a = vyre.load %first[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %first[%at] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %second[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %step = arith.constant 2 : index
    %at = arith.addi %i, %step : index
    %a = vyre.load %second[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b = vyre.load %second[%at] : !vyre.buffer<?xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @chain
// CHECK: @first : !vyre.buffer<4xi8, read_write, private>
// CHECK: @second : !vyre.buffer<3xi8, read_write, private>
// CHECK-COUNT-3: vyre.load %text
// CHECK-NOT: vyre.load %text
// CHECK: scf.for %{{.*}} = %item
// CHECK: vyre.load %text
// CHECK: vyre.atomic_rmw minu
// CHECK-NOT: vyre.load %text

// VALUES-LABEL: @chain
// VALUES-NOT: private

// -----

// Nothing is shared, so that there is nothing to slide.
vyre.program @pointwise {
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
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @pointwise
// CHECK-NOT: vyre.not_sliding
// CHECK: vyre.region "decode+scan" invocations [%n] {
// ITEMS: "decode+scan" {{.*}} {vyre.items = 4 : i64} {

// -----

// From the back to the front.
vyre.program @backward {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %last = arith.constant 63 : index
    %one = arith.constant 1 : index
    %at = arith.subi %last, %i : index
    %next = arith.subi %at, %one : index
    %a = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
    %b = vyre.load %decoded[%next] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @backward
// CHECK: @decoded {vyre.not_sliding = {reason = "no-sliding", detail = "the invocations of 'decode' do not move on by a constant number per tile"}}
// CHECK: vyre.region "decode+scan" invocations [64] {

// -----

// What another arm does to what the producer reads, it does in another order than by tiles.
vyre.program @conflict {
  %text = vyre.buffer @text live_out : !vyre.buffer<128xi8, read_write>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<128xi8, read_write> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %half = arith.constant 64 : index
    %next = arith.addi %i, %one : index
    %place = arith.addi %i, %half : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %b = vyre.load %decoded[%next] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %text[%place] : i8, !vyre.buffer<128xi8, read_write>
  }
}

// CHECK-LABEL: @conflict
// CHECK: @decoded {vyre.not_sliding = {reason = "no-sliding", detail = "another arm touches '@text', too"}}
// CHECK: vyre.region "decode+scan" invocations [64] {
