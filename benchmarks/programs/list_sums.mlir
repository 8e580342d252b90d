// A column of lists: where each list begins, and the values of all, of 18 bits. The sum of each list.
vyre.program @list_sums workgroup_size [64] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %begins = vyre.buffer @begins : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  %count = vyre.buf_len %begins : !vyre.buffer<?xi32, read_only>
  %last = arith.constant 1 : index
  %some = arith.maxui %count, %last : index
  %lists = arith.subi %some, %last : index
  %sums = vyre.buffer @sums[%lists] live_out initial undefined : !vyre.buffer<?xi64, read_write>
  vyre.decode.bitunpack %packed to %values bits 18 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.region "scan.lists" invocations [%lists] {
    %i = vyre.invocation_id x
    %c1 = arith.constant 1 : index
    %after = arith.addi %i, %c1 : index
    %begin_word = vyre.load %begins[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %end_word = vyre.load %begins[%after] : !vyre.buffer<?xi32, read_only> -> i32
    %begin = arith.index_cast %begin_word : i32 to index
    %end = arith.index_cast %end_word : i32 to index
    %nothing = arith.constant 0 : i64
    %sum = scf.for %k = %begin to %end step %c1 iter_args(%so_far = %nothing) -> (i64) {
      %value = vyre.load %values[%k] : !vyre.buffer<?xi32, read_write> -> i32
      %wide = arith.extui %value : i32 to i64
      %next = arith.addi %so_far, %wide : i64
      scf.yield %next : i64
    }
    vyre.store %sum, %sums[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
}
