// The smallest and the largest value of each 512 rows of a column of 16 bits a row.
vyre.program @zone_map workgroup_size [32] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  %size = arith.constant 512 : index
  %zones = arith.ceildivui %n, %size : index
  %least = vyre.buffer @least[%zones] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  %most = vyre.buffer @most[%zones] live_out initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.region "zones" invocations [%zones] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %rows = arith.constant 512 : index
    %begin = arith.muli %i, %rows : index
    %after = arith.addi %begin, %rows : index
    %end = arith.minsi %after, %n : index
    %above = arith.constant 65535 : i32
    %below = arith.constant 0 : i32
    %low, %high = scf.for %k = %begin to %end step %c1 iter_args(%low_so_far = %above, %high_so_far = %below) -> (i32, i32) {
      %value = vyre.load %values[%k] : !vyre.buffer<?xi32, read_write> -> i32
      %lower = arith.minui %low_so_far, %value : i32
      %higher = arith.maxui %high_so_far, %value : i32
      scf.yield %lower, %higher : i32, i32
    }
    vyre.store %low, %least[%i] : i32, !vyre.buffer<?xi32, read_write>
    vyre.store %high, %most[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
