// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{annotate=true}' --split-input-file | filecheck %s
// What is refused is left as it is: annotations apart, the programs come out as they went in.
// RUN: xdsl-opt %s -p vyre-decode-scan-fuse --split-input-file > %t.fused
// RUN: xdsl-opt %s --split-input-file | diff - %t.fused

// The consumer reads one element more than the producer writes, and nobody gave contents.
vyre.program @not_covered {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [63] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @not_covered
// CHECK: @decoded {{.*}}vyre.not_fused = {reason = "not-covered", detail = "the consumer reads an element that the producer does not write", counterexample = {buffer = "decoded", element = 63 : i64, later = 63 : i64, later_workgroup = 0 : i64, sizes = {}, certain = true}

// -----

// The same with contents that the host gave.
vyre.program @reads_initial_contents {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [32] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %even = arith.muli %i, %two : index
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%even] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @reads_initial_contents
// CHECK: @decoded {{.*}}reason = "reads-initial-contents"{{.*}}counterexample = {buffer = "decoded", element = [[ELEMENT:\d*[13579]]] : i64, later = [[ELEMENT]] : i64,

// -----

// The consumer clears the producer's input, which the halo of the next tile decodes again.
vyre.program @cross_workgroup {
  %text = vyre.buffer @text : !vyre.buffer<256xi8, read_write>
  %decoded = vyre.buffer @decoded : !vyre.buffer<256xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi8, write_only>
  vyre.region "decode" invocations [256] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<256xi8, read_write> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<256xi8, read_write>
  }
  vyre.region "scan" invocations [256] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %zero = arith.constant 0 : i8
    %next = arith.addi %i, %one : index
    %byte = vyre.load %decoded[%next] : !vyre.buffer<256xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<256xi8, write_only>
    vyre.store %zero, %text[%i] : i8, !vyre.buffer<256xi8, read_write>
  }
}

// CHECK-LABEL: @cross_workgroup
// CHECK: @text {{.*}}reason = "reads-initial-contents", detail = "'decode' reads the handoff before another arm wrote it"
// CHECK: @decoded {{.*}}reason = "cross-workgroup", detail = "a dependence through '@text' crosses tiles", counterexample = {buffer = "text", element = [[ELEMENT:\d+]] : i64, later = [[ELEMENT]] : i64, later_workgroup = {{\d+}} : i64, earlier = [[ELEMENT]] : i64, earlier_workgroup = {{\d+}} : i64,

// -----

vyre.program @live_out {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @live_out
// CHECK: @decoded live_out {{.*}}reason = "live-out"

// -----

// A window of 4096 elements more than the tile: mostly what other tiles have, too.
vyre.program @over_budget {
  %text = vyre.buffer @text : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi32, read_only>
  %decoded = vyre.buffer @decoded[%n] : !vyre.buffer<?xi32, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi32, write_only>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %word = vyre.load %text[%i] : !vyre.buffer<?xi32, read_only> -> i32
    vyre.store %word, %decoded[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %far = arith.constant 4096 : index
    %other = arith.addi %i, %far : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %b = vyre.load %decoded[%other] : !vyre.buffer<?xi32, read_write> -> i32
    %sum = arith.addi %a, %b : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<?xi32, write_only>
  }
}

// CHECK-LABEL: @over_budget
// CHECK: @decoded[%{{.*}}] {{.*}}reason = "unprofitable", detail = "private values: tiles of 16388 bytes exceed the 1024 bytes of private memory that an invocation may have; workgroup memory: each element of '@decoded' is in 3 tiles on average, the limit is 2"

// -----

// The elements that are read depend on data.
vyre.program @non_affine {
  %text = vyre.buffer @text : !vyre.buffer<64xindex, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = arith.constant 7 : i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %square = arith.muli %i, %i : index
    %byte = vyre.load %decoded[%square] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @non_affine
// CHECK: @decoded {{.*}}reason = "non-affine", detail = "'scan' touches elements that cannot be told in advance"

// -----

// The element type has no size, so that not even an unused handoff can move.
vyre.program @unsized_elements {
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xindex, read_write>
}

// CHECK-LABEL: @unsized_elements
// CHECK: reason = "unsized", detail = "elements of type index have no fixed size"

// -----

// Only the host knows how long the handoff is.
vyre.program @unsized {
  %decoded = vyre.buffer @decoded : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = arith.constant 7 : i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @unsized {
// CHECK: @decoded {{.*}}reason = "unsized", detail = "only the host knows the element count"

// -----

// The halo would count bytes twice.
vyre.program @side_effects {
  %text = vyre.buffer @text : !vyre.buffer<256xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<256xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi8, write_only>
  vyre.region "decode" invocations [256] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %byte = vyre.load %text[%i] : !vyre.buffer<256xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<256xi8, read_write>
    %old = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
  vyre.region "scan" invocations [256] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %next = arith.addi %i, %one : index
    %a = vyre.load %decoded[%i] : !vyre.buffer<256xi8, read_write> -> i8
    %b = vyre.load %decoded[%next] : !vyre.buffer<256xi8, read_write> -> i8
    %sum = arith.addi %a, %b : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<256xi8, write_only>
  }
}

// CHECK-LABEL: @side_effects
// CHECK: @decoded {{.*}}reason = "side-effects", detail = "decoding an element twice would update '@count' twice"

// -----

vyre.program @several_producers {
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "first half" invocations [32] {
    %i = vyre.invocation_id x
    %byte = arith.constant 7 : i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "second half" invocations [32] {
    %i = vyre.invocation_id x
    %half = arith.constant 32 : index
    %at = arith.addi %i, %half : index
    %byte = arith.constant 8 : i8
    vyre.store %byte, %decoded[%at] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @several_producers
// CHECK: @decoded {{.*}}reason = "several-producers", detail = "'second half' also writes the handoff"

// -----

vyre.program @rewritten {
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : i32
    vyre.store %zero, %decoded[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %decoded[%i] : i32, !vyre.buffer<64xi32, read_write>
    %word = vyre.load %decoded[%i] : !vyre.buffer<64xi32, read_write> -> i32
    vyre.store %word, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// CHECK-LABEL: @rewritten
// CHECK: @decoded {{.*}}reason = "rewritten", detail = "'scan' updates the handoff atomically"

// -----

// The producer changes in place what the host gave.
vyre.program @read_by_the_producer {
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %old = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %twice = arith.addi %old, %old : i8
    vyre.store %twice, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @read_by_the_producer
// CHECK: @decoded {{.*}}reason = "rewritten", detail = "'decode' reads the handoff before another arm wrote it"

// -----

// The producer reverses its workgroups, and so depends on how large they are; the consumer reads
// beyond what one of them writes.
vyre.program @cooperative_producer {
  %bytes = vyre.buffer @bytes : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] workgroup_size [16] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %sixteen = arith.constant 16 : index
    %last = arith.constant 15 : index
    %group = vyre.workgroup_id x
    %base = arith.muli %group, %sixteen : index
    %back = arith.subi %last, %lane : index
    %at = arith.addi %base, %back : index
    %byte = arith.constant 7 : i8
    vyre.store %byte, %bytes[%at] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %last = arith.constant 63 : index
    %following = arith.addi %i, %one : index
    %next = arith.minsi %following, %last : index
    %byte = vyre.load %bytes[%next] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @cooperative_producer
// CHECK: @bytes {{.*}}reason = "cooperative-producer", detail = "'decode' depends on its own workgroups, each of which fills other elements than a tile of its consumers holds"

// -----

vyre.program @unsupported_domain {
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [8, 8] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %eight = arith.constant 8 : index
    %row = arith.muli %y, %eight : index
    %at = arith.addi %row, %x : index
    %byte = arith.constant 7 : i8
    vyre.store %byte, %decoded[%at] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @unsupported_domain
// CHECK: @decoded {{.*}}reason = "unsupported-domain", detail = "'decode' has 2 axes"

// -----

// Two invocations of the one consumer read what three of the other read, but one by one they do not
// match, and there are too few for more in a tile.
vyre.program @mismatched_tiles {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %a = vyre.buffer @a live_out : !vyre.buffer<64xi8, write_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "thirds" invocations [64] workgroup_size [1] {
    %i = vyre.invocation_id x
    %three = arith.constant 3 : index
    %at = arith.muli %i, %three : index
    %byte = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %a[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
  vyre.region "halves" invocations [64] workgroup_size [1] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %at = arith.muli %i, %two : index
    %byte = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %b[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @mismatched_tiles
// CHECK: @decoded {{.*}}reason = "mismatched-tiles", detail = "tiles of 1 invocation of 'thirds' cover 3/2 invocations of 'halves', which is no whole number"

// -----

// An arm between the two changes what the producer has read.
vyre.program @intervening_arm {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_write>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "clear" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %text[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @intervening_arm
// CHECK: @decoded {{.*}}reason = "intervening-arm", detail = "'clear' stands between and touches what 'decode' touches"

// -----

// What the host reads between the arms must have been written by then.
vyre.program @host_between {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %found = vyre.buffer @found : !vyre.buffer<1xi8, read_write>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
    %seven = arith.constant 7 : i8
    vyre.store %seven, %found[%zero] : i8, !vyre.buffer<1xi8, read_write>
  }
  %zero = arith.constant 0 : index
  %count = vyre.load %found[%zero] : !vyre.buffer<1xi8, read_write> -> i8
  %n = arith.index_cast %count : i8 to index
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @host_between
// CHECK: @decoded {{.*}}reason = "host-read"

// -----

// No tile has both what is read forwards and what is read backwards.
vyre.program @forwards_and_backwards {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<64xi8, read_write>
  %a = vyre.buffer @a live_out : !vyre.buffer<64xi8, write_only>
  %b = vyre.buffer @b live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "down" invocations [64] {
    %i = vyre.invocation_id x
    %last = arith.constant 63 : index
    %at = arith.subi %last, %i : index
    %byte = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %a[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
  vyre.region "up" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %b[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @forwards_and_backwards
// CHECK: @decoded {{.*}}reason = "mismatched-tiles", detail = "'up' reads the handoff forwards and 'down' backwards"

// -----

// The first invocation also writes the last element, however far that is from its others.
vyre.program @uneven_tiles {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %one = arith.constant 1 : index
  %more = arith.addi %n, %one : index
  %decoded = vyre.buffer @decoded[%more] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%more] live_out : !vyre.buffer<?xi8, write_only>
  vyre.region "decode" invocations [%n] workgroup_size [4] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
    %zero = arith.constant 0 : index
    %first = arith.cmpi eq, %i, %zero : index
    scf.if %first {
      vyre.store %byte, %decoded[%n] : i8, !vyre.buffer<?xi8, read_write>
    }
  }
  vyre.region "scan" invocations [%n] workgroup_size [4] {
    %i = vyre.invocation_id x
    %one_more = arith.constant 1 : index
    %next = arith.addi %i, %one_more : index
    %byte = vyre.load %decoded[%next] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, write_only>
  }
}

// CHECK-LABEL: @uneven_tiles
// CHECK: @decoded[%{{.*}}] {{.*}}reason = "cross-workgroup", detail = "no constant number of invocations of 'decode' writes a tile of '@decoded'", counterexample = {buffer = "decoded", shares = [{elements = [{{.*}}], invocations = [0 : i64, {{.*}}], sizes = {{{.*}}}}, {elements = [{{.*}}], invocations = [0 : i64, {{.*}}], sizes = {{{.*}}}}]}

// -----

// Writes of two paces follow no tile.
vyre.program @several_paces {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<32xi8, write_only>
  vyre.region "decode" invocations [32] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %even = arith.muli %i, %two : index
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
    vyre.store %byte, %decoded[%even] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [32] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<32xi8, write_only>
  }
}

// CHECK-LABEL: @several_paces
// CHECK: @decoded {{.*}}reason = "cross-workgroup", detail = "the writes of 'decode' to '@decoded' do not move along with its invocations as one: by 1 and 2 elements each"
