// Times of eight bytes under a mask: the longest time from one to the next, and how many are long.
vyre.program @time_gaps workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi64, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi64, read_only>
  %times = vyre.buffer @times[%n] initial undefined : !vyre.buffer<?xi64, read_write>
  %longest = vyre.buffer @longest live_out : !vyre.buffer<1xi64, read_write>
  %long = vyre.buffer @long live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.mask" invocations [%n] {
    %i = vyre.invocation_id x
    %mask = arith.constant 0x0123456789ABCDEF : i64
    %word = vyre.load %encoded[%i] : !vyre.buffer<?xi64, read_only> -> i64
    %time = arith.xori %word, %mask : i64
    vyre.store %time, %times[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
  %last = arith.constant 1 : index
  %some = arith.maxui %n, %last : index
  %gaps = arith.subi %some, %last : index
  vyre.region "scan.gaps" invocations [%gaps] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %after = arith.addi %i, %c1 : index
    %here = vyre.load %times[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %next = vyre.load %times[%after] : !vyre.buffer<?xi64, read_write> -> i64
    %gap = arith.subi %next, %here : i64
    %old_longest = vyre.atomic_rmw maxs %gap, %longest[%zero] : i64, !vyre.buffer<1xi64, read_write>
    %limit = arith.constant 950000 : i64
    %is_long = arith.cmpi sgt, %gap, %limit : i64
    scf.if %is_long {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %long[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
