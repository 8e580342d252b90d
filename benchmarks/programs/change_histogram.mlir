// Values that come as differences in blocks of 32, in 64 bins of a thousand each; what is beyond
// falls into the bins at the ends.
vyre.program @change_histogram workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<64xi32, read_write>
  vyre.decode.delta %encoded to %values errors %errors block 32 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  vyre.region "histogram" invocations [%n] {
    %i = vyre.invocation_id x
    %value = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %thousand = arith.constant 1000 : i32
    %middle = arith.constant 32 : i32
    %least = arith.constant 0 : i32
    %most = arith.constant 63 : i32
    %quotient = arith.floordivsi %value, %thousand : i32
    %raised = arith.addi %quotient, %middle : i32
    %above = arith.maxsi %raised, %least : i32
    %within = arith.minsi %above, %most : i32
    %bin = arith.index_cast %within : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<64xi32, read_write>
  }
}
