// Two values of four bits in a byte, the high ones first, and how often each value occurs.
vyre.program @nibble_histogram {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %packed : !vyre.buffer<?xi8, read_only>
  %two = arith.constant 2 : index
  %n = arith.muli %length, %two : index
  %nibbles = vyre.buffer @nibbles[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<16xi32, read_write>
  vyre.region "decode.nibbles" invocations [%length] {
    %i = vyre.invocation_id x
    %each = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %half = arith.constant 4 : i8
    %mask = arith.constant 15 : i8
    %byte = vyre.load %packed[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %high = arith.shrui %byte, %half : i8
    %low = arith.andi %byte, %mask : i8
    %first = arith.muli %i, %each : index
    %second = arith.addi %first, %c1 : index
    vyre.store %high, %nibbles[%first] : i8, !vyre.buffer<?xi8, read_write>
    vyre.store %low, %nibbles[%second] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "histogram" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %nibbles[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %value = arith.extui %byte : i8 to i32
    %bin = arith.index_cast %value : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<16xi32, read_write>
  }
}
