// How often each of 1024 values occurs in a column of ten bits a row.
vyre.program @packed_histogram workgroup_size [256] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<1024xi32, read_write>
  vyre.decode.bitunpack %packed to %values bits 10 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  vyre.region "histogram" invocations [%n] {
    %i = vyre.invocation_id x
    %value = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %bin = arith.index_cast %value : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<1024xi32, read_write>
  }
}
