// Samples of three bytes, the lowest first: counts those that no other within eight places exceeds.
vyre.program @local_maxima workgroup_size [64] {
  %stream = vyre.buffer @stream : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %stream : !vyre.buffer<?xi8, read_only>
  %three = arith.constant 3 : index
  %n = arith.divui %length, %three : index
  %samples = vyre.buffer @samples[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %maxima = vyre.buffer @maxima live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.samples" invocations [%n] {
    %i = vyre.invocation_id x
    %each = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %at0 = arith.muli %i, %each : index
    %at1 = arith.addi %at0, %c1 : index
    %at2 = arith.addi %at0, %c2 : index
    %b0 = vyre.load %stream[%at0] : !vyre.buffer<?xi8, read_only> -> i8
    %b1 = vyre.load %stream[%at1] : !vyre.buffer<?xi8, read_only> -> i8
    %b2 = vyre.load %stream[%at2] : !vyre.buffer<?xi8, read_only> -> i8
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %low = arith.extui %b0 : i8 to i32
    %middle_byte = arith.extui %b1 : i8 to i32
    %high_byte = arith.extsi %b2 : i8 to i32
    %middle = arith.shli %middle_byte, %c8 : i32
    %high = arith.shli %high_byte, %c16 : i32
    %lower = arith.ori %low, %middle : i32
    %sample = arith.ori %lower, %high : i32
    vyre.store %sample, %samples[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan.maxima" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %reach = arith.constant 8 : index
    %here = vyre.load %samples[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %first = arith.subi %i, %reach : index
    %last = arith.addi %i, %reach : index
    %end = arith.addi %last, %c1 : index
    %most = scf.for %k = %first to %end step %c1 iter_args(%so_far = %here) -> (i32) {
      %other = vyre.load %samples[%k] : !vyre.buffer<?xi32, read_write> -> i32
      %next = arith.maxsi %so_far, %other : i32
      scf.yield %next : i32
    }
    %is_most = arith.cmpi eq, %most, %here : i32
    %one = arith.extui %is_most : i1 to i32
    %old = vyre.atomic_rmw addi %one, %maxima[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
