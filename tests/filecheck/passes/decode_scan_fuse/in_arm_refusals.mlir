// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{annotate=true}' --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-decode-scan-fuse{budget=16448}' --split-input-file | filecheck %s --check-prefix=ENOUGH

// The load stands after the store, but the loop leads back: what it reads is stored by a later
// iteration. A tile of this invocation would hold something else than the buffer.
vyre.program @stored_by_a_later_iteration {
  %text = vyre.buffer @text : !vyre.buffer<256xi8, read_only>
  %handoff = vyre.buffer @handoff : !vyre.buffer<256xi8, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi8, write_only>
  vyre.region "both" invocations [64] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %base = arith.muli %i, %c4 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %forwards = arith.addi %base, %k : index
      %byte = vyre.load %text[%forwards] : !vyre.buffer<256xi8, read_only> -> i8
      vyre.store %byte, %handoff[%forwards] : i8, !vyre.buffer<256xi8, read_write>
      %left = arith.subi %c3, %k : index
      %backwards = arith.addi %base, %left : index
      %again = vyre.load %handoff[%backwards] : !vyre.buffer<256xi8, read_write> -> i8
      vyre.store %again, %out[%forwards] : i8, !vyre.buffer<256xi8, write_only>
    }
  }
}

// CHECK-LABEL: @stored_by_a_later_iteration
// CHECK: vyre.buffer @handoff {vyre.not_fused = {reason = "reads-initial-contents"
// CHECK-SAME: detail = "an element is read before it is written"
// CHECK-SAME: !vyre.buffer<256xi8, read_write>
// CHECK: vyre.store %byte, %handoff[%forwards]
// CHECK: vyre.load %handoff[%backwards]

// ENOUGH-LABEL: @stored_by_a_later_iteration
// ENOUGH: vyre.buffer @handoff : !vyre.buffer<256xi8, read_write>

// -----

// The workgroup memory that the arm uses already counts: 16384 bytes and 64 more.
vyre.program @besides_other_workgroup_memory {
  %text = vyre.buffer @text : !vyre.buffer<256xi8, read_only>
  %handoff = vyre.buffer @handoff initial undefined : !vyre.buffer<256xi8, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<16384xi8, read_write, workgroup>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi8, write_only>
  vyre.region "both" invocations [256] workgroup_size [64] {
    %i = vyre.invocation_id x
    %lane = vyre.local_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<256xi8, read_only> -> i8
    vyre.store %byte, %handoff[%i] : i8, !vyre.buffer<256xi8, read_write>
    vyre.store %byte, %tile[%lane] : i8, !vyre.buffer<16384xi8, read_write, workgroup>
    vyre.barrier
    %again = vyre.load %handoff[%i] : !vyre.buffer<256xi8, read_write> -> i8
    vyre.store %again, %out[%i] : i8, !vyre.buffer<256xi8, write_only>
  }
}

// CHECK-LABEL: @besides_other_workgroup_memory
// CHECK: vyre.buffer @handoff initial undefined {vyre.not_fused = {reason = "over-budget"
// CHECK-SAME: 16448 bytes exceed the budget of 16384 bytes
// CHECK-SAME: !vyre.buffer<256xi8, read_write>

// ENOUGH-LABEL: @besides_other_workgroup_memory
// ENOUGH: vyre.buffer @handoff : !vyre.buffer<64xi8, read_write, workgroup>
