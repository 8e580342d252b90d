// Sums the words of records of twelve words that pass a limit, over workgroups, as a kernel for GPUs
// was ported line by line: it asks whether each invocation exists, loads the limit for each record
// again, and waits wherever that did.
vyre.program @records workgroup_size [64] entry_op_id "records" {
  %records = vyre.buffer @records : !vyre.buffer<?xi32, read_only>
  %limits = vyre.buffer @limits : !vyre.buffer<1xi32, uniform>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<64xi32, read_write>
  %partial = vyre.buffer @partial : !vyre.buffer<64xi32, read_write, workgroup>
  %words = vyre.buf_len %records : !vyre.buffer<?xi32, read_only>
  vyre.region "scan.records" invocations [4096] {
    %lane = vyre.local_id x
    %group = vyre.workgroup_id x
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c12 = arith.constant 12 : index
    %all = arith.constant 4096 : index
    %zero = arith.constant 0 : i32
    %count = arith.divsi %words, %c12 : index
    %exists = arith.cmpi slt, %i, %all : index
    %own = scf.if %exists -> (i32) {
      %of_own = scf.for %record = %i to %count step %all iter_args(%sum = %zero) -> (i32) {
        %limit = vyre.load %limits[%c0] : !vyre.buffer<1xi32, uniform> -> i32
        %start = arith.muli %record, %c12 : index
        %twelve = vyre.load %records[%start] : !vyre.buffer<?xi32, read_only> -> vector<12xi32>
        %total = vector.reduction <add>, %twelve : vector<12xi32> into i32
        %passes = arith.cmpi sgt, %total, %limit : i32
        %more = arith.select %passes, %total, %zero : i32
        %next = arith.addi %sum, %more : i32
        scf.yield %next : i32
      }
      scf.yield %of_own : i32
    } else {
      scf.yield %zero : i32
    }
    vyre.barrier
    vyre.store %own, %partial[%lane] : i32, !vyre.buffer<64xi32, read_write, workgroup>
    vyre.barrier
    %steps = arith.constant 6 : index
    %half = arith.constant 32 : index
    scf.for %step = %c0 to %steps step %c1 {
      %stride = arith.shrsi %half, %step : index
      %is_left = arith.cmpi slt, %lane, %stride : index
      scf.if %is_left {
        %other = arith.addi %lane, %stride : index
        %left = vyre.load %partial[%lane] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
        %right = vyre.load %partial[%other] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
        %both = arith.addi %left, %right : i32
        vyre.store %both, %partial[%lane] : i32, !vyre.buffer<64xi32, read_write, workgroup>
      }
      vyre.barrier
    }
    vyre.barrier
    %is_first = arith.cmpi eq, %lane, %c0 : index
    scf.if %is_first {
      %result = vyre.load %partial[%c0] : !vyre.buffer<64xi32, read_write, workgroup> -> i32
      vyre.store %result, %sums[%group] : i32, !vyre.buffer<64xi32, read_write>
    }
  }
}
