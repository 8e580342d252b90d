// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{annotate=true}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{annotate=true strategy=private}' --split-input-file | filecheck %s --check-prefix=PRIVATE
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{annotate=true},vyre-decode-scan-fuse{annotate=true}' --split-input-file | filecheck %s

// The host reads the last two elements of the handoff. A probe runs the producer for these alone, as one arm in front of
// the first load, and into a buffer of as many of them as there are; what is outside of the handoff stays outside.
// It does nothing else that the producer does.
vyre.program @last_two {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %zero = arith.constant 0 : i8
    %bad = arith.cmpi eq, %byte, %zero : i8
    scf.if %bad {
      vyre.trap "zero" at %i, %errors : !vyre.buffer<1xi32, read_write>
    }
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  %one = arith.constant 1 : index
  %at = arith.subi %n, %one : index
  %last = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_write> -> i8
  %before = arith.subi %at, %one : index
  %second_last = vyre.load %decoded[%before] : !vyre.buffer<?xi8, read_write> -> i8
  %sum = arith.addi %last, %second_last : i8
  %wide = arith.extui %sum : i8 to i64
  %size = arith.index_cast %wide : i64 to index
  %out = vyre.buffer @out[%size] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}

// CHECK-LABEL: @last_two
// CHECK: %decoded = vyre.buffer @decoded : !vyre.buffer<1xi8, read_write, private>
// CHECK: %decoded_probe_begin = arith.maxsi
// CHECK: %[[END:.*]] = arith.minsi %{{.*}}, %n : index
// CHECK-NEXT: %[[COUNT:.*]] = arith.subi %[[END]], %decoded_probe_begin : index
// CHECK: %decoded_probe_length = arith.maxsi %[[COUNT]], %{{.*}} : index
// CHECK-NEXT: %decoded_probe = vyre.buffer @decoded_probe[%decoded_probe_length] initial undefined : !vyre.buffer<?xi8, read_write>
// CHECK: vyre.region "decode.probe" invocations [2] attributes {vyre.probe} {
// CHECK: %item = arith.addi %first, %{{.*}} : index
// CHECK: %[[BEGUN:.*]] = arith.cmpi sge, %item, %{{.*}} : index
// CHECK: %[[LEFT:.*]] = arith.cmpi slt, %item, %n : index
// CHECK-NEXT: %[[EXISTS:.*]] = arith.andi %[[BEGUN]], %[[LEFT]] : i1
// CHECK-NEXT: scf.if %[[EXISTS]] {
// CHECK-NEXT: %[[BYTE:.*]] = vyre.load %text[%item]
// CHECK-NOT: vyre.trap
// CHECK: %[[PLACE:.*]] = arith.subi %item, %decoded_probe_begin : index
// CHECK-NEXT: vyre.store %[[BYTE]], %decoded_probe[%[[PLACE]]]
// CHECK: %[[LAST:.*]] = arith.subi %at, %decoded_probe_begin : index
// CHECK-NEXT: %last = vyre.load %decoded_probe[%[[LAST]]]
// CHECK: %second_last = vyre.load %decoded_probe[
// CHECK: vyre.region "decode+scan"
// CHECK: vyre.trap

// -----

// The host reads the handoff when all is done, and another arm after that takes what it read.
vyre.program @after_the_scan {
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi64, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi64, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %value = arith.index_cast %i : index to i64
    vyre.store %value, %decoded[%i] : i64, !vyre.buffer<64xi64, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %value = vyre.load %decoded[%i] : !vyre.buffer<64xi64, read_write> -> i64
    vyre.store %value, %out[%i] : i64, !vyre.buffer<64xi64, write_only>
  }
  %last = arith.constant 63 : index
  %count = vyre.load %decoded[%last] : !vyre.buffer<64xi64, read_write> -> i64
  %n = arith.index_cast %count : i64 to index
  vyre.region "more" invocations [%n] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : i64
    vyre.store %one, %out[%i] : i64, !vyre.buffer<64xi64, write_only>
  }
}

// CHECK-LABEL: @after_the_scan
// CHECK: vyre.region "decode+scan"
// CHECK: vyre.region "decode.probe" invocations [1]
// CHECK: %count = vyre.load %decoded_probe

// -----

// Loads of the host that lie far apart, or a distance apart that only data tells, have probes of their own.
vyre.program @two_probes {
  %text = vyre.buffer @text : !vyre.buffer<256xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<256xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi8, write_only>
  vyre.region "decode" invocations [256] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<256xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<256xi8, read_write>
  }
  %zero = arith.constant 0 : index
  %first = vyre.load %decoded[%zero] : !vyre.buffer<256xi8, read_write> -> i8
  %there = arith.index_cast %first : i8 to index
  %found = vyre.load %decoded[%there] : !vyre.buffer<256xi8, read_write> -> i8
  vyre.region "scan" invocations [256] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<256xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<256xi8, write_only>
  }
}

// CHECK-LABEL: @two_probes
// CHECK: vyre.region "decode.probe" invocations [1]
// CHECK: vyre.load %decoded_probe[
// CHECK: vyre.region "decode.probe" invocations [1]
// CHECK: vyre.load %decoded_probe_1[
// CHECK: vyre.region "decode+scan"

// -----

// What a probe reads of another handoff in tiles, a probe in front of it decodes.
vyre.program @probe_of_a_probe {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %a = vyre.buffer @a initial undefined : !vyre.buffer<64xi8, read_write>
  %b = vyre.buffer @b initial undefined : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "first" invocations [16] {
    %i = vyre.invocation_id x
    %four = arith.constant 4 : index
    %at = arith.muli %i, %four : index
    %word = vyre.load %text[%at] : !vyre.buffer<64xi8, read_only> -> i32
    vyre.store %word, %a[%at] : i32, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "second" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %a[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %b[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %last = arith.constant 63 : index
  %found = vyre.load %b[%last] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %b[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @probe_of_a_probe
// CHECK: vyre.region "first.probe" invocations [1]
// CHECK: vyre.store {{.*}}, %a_probe[
// CHECK: vyre.region "second.probe" invocations [1]
// CHECK: vyre.load %a_probe[
// CHECK: vyre.store {{.*}}, %b_probe[
// CHECK: %found = vyre.load %b_probe[
// CHECK: vyre.region "first+second+scan"

// -----

// What stays unfused has no probe: the second arm reads the handoff in no order that is known.
vyre.program @unfused {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %last = arith.constant 63 : index
  %found = vyre.load %decoded[%last] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %place = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %at = arith.index_cast %place : i8 to index
    %byte = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @unfused
// CHECK: @decoded {{.*}}reason = "non-affine"
// CHECK: vyre.region "decode" invocations
// CHECK: %found = vyre.load %decoded[%last]
// CHECK-NOT: probe

// -----

// An arm in between writes what the producer has read, which a probe would see.
vyre.program @input_overwritten {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_write>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
  vyre.region "clear" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : i8
    vyre.store %zero, %text[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %last = arith.constant 63 : index
  %found = vyre.load %decoded[%last] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "more" invocations [1] {
    %i = vyre.invocation_id x
    vyre.store %found, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @input_overwritten
// CHECK: @decoded {{.*}}reason = "host-read", detail = "the host reads elements of it, and 'clear' writes what 'decode' reads"

// -----

// The arm that fills what the producer reads may not come to stand behind the probe.
vyre.program @input_moved {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %kept = vyre.buffer @kept live_out : !vyre.buffer<64xi8, read_write>
  %other = vyre.buffer @other : !vyre.buffer<64xi8, read_write>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "prepare" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %kept[%i] : i8, !vyre.buffer<64xi8, read_write>
    vyre.store %byte, %other[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %kept[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %last = arith.constant 63 : index
  %found = vyre.load %decoded[%last] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %more = vyre.load %other[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %byte, %more : i8
    %total = arith.addi %sum, %found : i8
    vyre.store %total, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @input_moved
// CHECK: @other {{.*}}reason = "host-read", detail = "the host reads what 'prepare' writes between the arms"
// CHECK: vyre.region "prepare"
// CHECK: vyre.region "decode.probe"
// CHECK: vyre.region "decode+scan"

// -----

// Not every element is written, and what is there otherwise the host gave.
vyre.program @not_written {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [60] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %at = arith.constant 60 : index
  %found = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "scan" invocations [60] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @not_written
// CHECK: @decoded {{.*}}reason = "host-read", detail = "the host reads elements of it, and 'decode' may not write all of them"

// -----

// The host reads what the handoff holds before anybody writes it.
vyre.program @too_early {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  %at = arith.constant 6 : index
  %found = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @too_early
// CHECK: @decoded {{.*}}reason = "host-read", detail = "the host reads elements of it, and 'decode' has not written them yet"

// -----

// What the producer stores depends on how often others have counted: a probe would count, too.
vyre.program @numbered {
  %count = vyre.buffer @count : !vyre.buffer<1xi32, read_write>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %number = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
    vyre.store %number, %decoded[%i] : i32, !vyre.buffer<64xi32, read_write>
  }
  %at = arith.constant 6 : index
  %found = vyre.load %decoded[%at] : !vyre.buffer<64xi32, read_write> -> i32
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %word = vyre.load %decoded[%i] : !vyre.buffer<64xi32, read_write> -> i32
    %sum = arith.addi %word, %found : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// CHECK-LABEL: @numbered
// CHECK: @decoded {{.*}}reason = "host-read", detail = "the host reads elements of it, and 'decode' cannot leave out 'vyre.atomic_rmw'"

// -----

// A workgroup decodes together, so that no invocation of it can be run alone.
vyre.program @cooperative workgroup_size [64] {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %shared = vyre.buffer @shared : !vyre.buffer<64xi8, read_write, workgroup>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %shared[%lane] : i8, !vyre.buffer<64xi8, read_write, workgroup>
    vyre.barrier
    %again = vyre.load %shared[%lane] : !vyre.buffer<64xi8, read_write, workgroup> -> i8
    vyre.store %again, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %at = arith.constant 6 : index
  %found = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @cooperative
// CHECK: @decoded {{.*}}reason = "host-read", detail = "the host reads elements of it, and 'decode' depends on its own workgroups"

// -----

// All invocations write the element that the host reads: nobody does it alone.
vyre.program @all_write {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<1xi8, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %at = arith.constant 0 : index
    %seven = arith.constant 7 : i8
    vyre.store %seven, %decoded[%at] : i8, !vyre.buffer<1xi8, read_write>
  }
  %first = arith.constant 0 : index
  %found = vyre.load %decoded[%first] : !vyre.buffer<1xi8, read_write> -> i8
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<1xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @all_write
// CHECK: @decoded {{.*}}reason = "host-read", detail = "the host reads elements of it, and no constant number of invocations of 'decode' writes them"

// -----

// Who writes what a probe fills, or reads it on, is no handoff, whatever an arm says of itself.
vyre.program @said_to_be_a_probe {
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi64, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi64, write_only>
  vyre.region "decode" invocations [64] attributes {vyre.probe} {
    %i = vyre.invocation_id x
    %value = arith.index_cast %i : index to i64
    vyre.store %value, %decoded[%i] : i64, !vyre.buffer<64xi64, read_write>
  }
  vyre.region "scan" invocations [64] attributes {vyre.probe} {
    %i = vyre.invocation_id x
    %value = vyre.load %decoded[%i] : !vyre.buffer<64xi64, read_write> -> i64
    vyre.store %value, %out[%i] : i64, !vyre.buffer<64xi64, write_only>
  }
}

// CHECK-LABEL: @said_to_be_a_probe
// CHECK: %decoded = vyre.buffer @decoded : !vyre.buffer<64xi64, read_write>
// CHECK: vyre.region "decode"
// CHECK: vyre.region "scan"

// -----

// What an invocation keeps to itself, it keeps in a probe, too.
vyre.program @own_memory {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %own = vyre.buffer @own : !vyre.buffer<2xi8, read_write, private>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    %one = arith.constant 1 : index
    vyre.store %byte, %own[%one] : i8, !vyre.buffer<2xi8, read_write, private>
    %again = vyre.load %own[%one] : !vyre.buffer<2xi8, read_write, private> -> i8
    vyre.store %again, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %at = arith.constant 6 : index
  %found = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    vyre.store %sum, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @own_memory
// CHECK: vyre.region "decode.probe" invocations [1]
// CHECK: vyre.store {{.*}}, %own[
// CHECK: vyre.region "decode+scan"
// CHECK: vyre.store {{.*}}, %own[

// -----

// In place: the producer has changed its input when the host reads.
vyre.program @in_place {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_write>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %more = arith.addi %byte, %byte : i8
    vyre.store %more, %text[%i] : i8, !vyre.buffer<64xi8, read_write>
    vyre.store %more, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    vyre.store %byte, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
  %at = arith.constant 6 : index
  %found = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "more" invocations [1] {
    %i = vyre.invocation_id x
    vyre.store %found, %out[%i] : i8, !vyre.buffer<64xi8, write_only>
  }
}

// CHECK-LABEL: @in_place
// CHECK: @decoded {{.*}}reason = "host-read", detail = "the host reads elements of it, and 'decode' writes what 'decode' reads"

// -----

// The scanner reads four bytes of another buffer for each byte of the handoff: a launch more spares too little. Who asks for
// a strategy gets it.
vyre.program @side_input {
  %text = vyre.buffer @text : !vyre.buffer<64xi8, read_only>
  %words = vyre.buffer @words : !vyre.buffer<64xi32, read_only>
  %decoded = vyre.buffer @decoded : !vyre.buffer<64xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi32, write_only>
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<64xi8, read_only> -> i8
    vyre.store %byte, %decoded[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  %at = arith.constant 6 : index
  %found = vyre.load %decoded[%at] : !vyre.buffer<64xi8, read_write> -> i8
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %word = vyre.load %words[%i] : !vyre.buffer<64xi32, read_only> -> i32
    %byte = vyre.load %decoded[%i] : !vyre.buffer<64xi8, read_write> -> i8
    %sum = arith.addi %byte, %found : i8
    %wide = arith.extui %sum : i8 to i32
    %total = arith.addi %wide, %word : i32
    vyre.store %total, %out[%i] : i32, !vyre.buffer<64xi32, write_only>
  }
}

// CHECK-LABEL: @side_input
// CHECK: @decoded {{.*}}reason = "unprofitable", detail = "the host reads elements of it, and 'scan' reads more of another buffer; ask for strategy=private"
// PRIVATE-LABEL: @side_input
// PRIVATE: vyre.region "decode.probe"
// PRIVATE: vyre.region "decode+scan"
