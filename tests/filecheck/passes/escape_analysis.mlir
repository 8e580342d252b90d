// RUN: xdsl-opt %s --split-input-file -p vyre-escape-analysis | filecheck %s
// RUN: xdsl-opt %s --split-input-file -p vyre-escape-analysis,vyre-escape-analysis | filecheck %s

// A handoff, and an input that nobody reads again, escape nowhere; tables and outputs do.
// CHECK-LABEL: vyre.program @causes
vyre.program @causes {
  // CHECK: vyre.buffer @in non_escaping : !vyre.buffer<?xi8, read_only>
  %in = vyre.buffer @in : !vyre.buffer<?xi8, read_only>
  // CHECK: vyre.buffer @handoff[%n] initial undefined non_escaping
  %n = vyre.buf_len %in : !vyre.buffer<?xi8, read_only>
  %handoff = vyre.buffer @handoff[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  // CHECK: vyre.buffer @table contents dense<[1, 2]> : vector<2xi8> escaping table
  %table = vyre.buffer @table contents dense<[1, 2]> : vector<2xi8> : !vyre.buffer<2xi8, read_only>
  // CHECK: vyre.buffer @out live_out escaping live_out
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi8, read_write>
  // CHECK: vyre.buffer @unused non_escaping
  %unused = vyre.buffer @unused : !vyre.buffer<64xi8, read_write>
  // CHECK: vyre.region "decode" invocations [64]
  vyre.region "decode" invocations [64] {
    %i = vyre.invocation_id x
    %x = vyre.load %in[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %y = vyre.load %table[%i] : !vyre.buffer<2xi8, read_only> -> i8
    %z = arith.xori %x, %y : i8
    vyre.store %z, %handoff[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  // CHECK: vyre.region "scan" invocations [64]
  vyre.region "scan" invocations [64] {
    %i = vyre.invocation_id x
    %x = vyre.load %handoff[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %x, %out[%i] : i8, !vyre.buffer<64xi8, read_write>
  }
  // CHECK: vyre.region "idle" invocations [64] {
  vyre.region "idle" invocations [64] {
  }
}

// -----

// What the host loads between arms: an element, one that arms update, the count of an arm.
// CHECK-LABEL: vyre.program @host
vyre.program @host {
  // CHECK: vyre.buffer @read escaping host_read
  %read = vyre.buffer @read : !vyre.buffer<4xi64, read_write>
  // CHECK: vyre.buffer @updated escaping atomic_host_read
  %updated = vyre.buffer @updated : !vyre.buffer<4xi32, read_write>
  // CHECK: vyre.buffer @counted escaping dispatch_count
  %counted = vyre.buffer @counted : !vyre.buffer<4xi64, read_write>
  %c0 = arith.constant 0 : index
  vyre.region "first" invocations [4] {
    %i = vyre.invocation_id x
    %x = arith.index_cast %i : index to i64
    vyre.store %x, %read[%i] : i64, !vyre.buffer<4xi64, read_write>
    vyre.store %x, %counted[%i] : i64, !vyre.buffer<4xi64, read_write>
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %updated[%i] : i32, !vyre.buffer<4xi32, read_write>
  }
  %a = vyre.load %read[%c0] : !vyre.buffer<4xi64, read_write> -> i64
  %b = vyre.load %updated[%c0] : !vyre.buffer<4xi32, read_write> -> i32
  %c = vyre.load %counted[%c0] : !vyre.buffer<4xi64, read_write> -> i64
  %d = arith.index_cast %c : i64 to index
  vyre.region "second" invocations [%d] {
  }
}

// -----

// An op that is no arm, one inside an arm that does not say what it does, and a report.
// CHECK-LABEL: vyre.program @unknown
vyre.program @unknown {
  // CHECK: vyre.buffer @library escaping unknown_user
  %library = vyre.buffer @library : !vyre.buffer<4xi8, read_write>
  // CHECK: vyre.buffer @foreign escaping unknown_user
  %foreign = vyre.buffer @foreign : !vyre.buffer<4xi8, read_write>
  // CHECK: vyre.buffer @errors fill -1 : i32 escaping trap
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  "test.op"(%library) : (!vyre.buffer<4xi8, read_write>) -> ()
  vyre.region "arm" invocations [4] {
    %i = vyre.invocation_id x
    "test.op"(%foreign) : (!vyre.buffer<4xi8, read_write>) -> ()
    %c = arith.constant true
    scf.if %c {
      vyre.trap "bad" at %i, %errors : !vyre.buffer<1xi32, read_write>
    }
  }
}

// -----

// Launches are asked through their kernels.
// CHECK-LABEL: vyre.kernel @reports
vyre.kernel @reports(%errors: !vyre.buffer<1xi32, read_write>, %data: !vyre.buffer<4xi32, read_write>) workgroup_size [1] generator "reports" {
  %i = vyre.invocation_id x
  vyre.trap "bad" at %i, %errors : !vyre.buffer<1xi32, read_write>
  %x = vyre.load %data[%i] : !vyre.buffer<4xi32, read_write> -> i32
}
vyre.program @launched {
  // CHECK: vyre.buffer @errors fill -1 : i32 escaping trap
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  // CHECK: vyre.buffer @data non_escaping
  %data = vyre.buffer @data : !vyre.buffer<4xi32, read_write>
  // CHECK: vyre.launch @reports[4](%errors, %data)
  vyre.launch @reports[4](%errors, %data) : (!vyre.buffer<1xi32, read_write>, !vyre.buffer<4xi32, read_write>)
}

// -----

// A mark that is no longer true goes, with what was planned by it.
// CHECK-LABEL: vyre.program @stale
vyre.program @stale arena_bytes 4 {
  // CHECK: vyre.buffer @a escaping unknown_user : !vyre.buffer<4xi8, read_write>
  %a = vyre.buffer @a non_escaping arena_offset 0 : !vyre.buffer<4xi8, read_write>
  "test.op"(%a) : (!vyre.buffer<4xi8, read_write>) -> ()
}

// -----

// A copy is waited for in its arm, so that what it writes does not escape.
// CHECK-LABEL: vyre.program @copies
vyre.program @copies {
  // CHECK: vyre.buffer @source non_escaping
  %source = vyre.buffer @source : !vyre.buffer<64xi32, read_only>
  // CHECK: vyre.buffer @awaited initial undefined non_escaping
  %awaited = vyre.buffer @awaited initial undefined : !vyre.buffer<64xi32, read_write>
  %tile = vyre.buffer @tile : !vyre.buffer<64xi32, read_write, workgroup>
  vyre.region "copy" invocations [64] workgroup_size [64] {
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %in = vyre.async_copy %source[%c0], %tile[%c0], %c64 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.async_wait %in
    %out = vyre.async_copy %tile[%c0], %awaited[%c0], %c64 : !vyre.buffer<64xi32, read_write, workgroup>, !vyre.buffer<64xi32, read_write>
    vyre.async_wait %out
  }
}
