// The smallest and the largest of signed words that come with the highest byte first.
vyre.program @big_endian_extremes workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi32, read_only>
  %words = vyre.buffer @words[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %least = vyre.buffer @least live_out fill 2147483647 : i32 : !vyre.buffer<1xi32, read_write>
  %most = vyre.buffer @most live_out fill -2147483648 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.swap" invocations [%n] {
    %i = vyre.invocation_id x
    %word = vyre.load %encoded[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %c8 = arith.constant 8 : i32
    %c24 = arith.constant 24 : i32
    %second = arith.constant 0xFF00 : i32
    %lowest = arith.shli %word, %c24 : i32
    %low = arith.andi %word, %second : i32
    %low_up = arith.shli %low, %c8 : i32
    %down = arith.shrui %word, %c8 : i32
    %high = arith.andi %down, %second : i32
    %highest = arith.shrui %word, %c24 : i32
    %upper = arith.ori %lowest, %low_up : i32
    %lower = arith.ori %high, %highest : i32
    %swapped = arith.ori %upper, %lower : i32
    vyre.store %swapped, %words[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan.extremes" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %word = vyre.load %words[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %old_least = vyre.atomic_rmw mins %word, %least[%zero] : i32, !vyre.buffer<1xi32, read_write>
    %old_most = vyre.atomic_rmw maxs %word, %most[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
