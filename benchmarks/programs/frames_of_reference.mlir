// A byte for each row, above a base for each 64 rows; marks the rows whose value is in a range.
vyre.program @frames_of_reference workgroup_size [128] {
  %offsets = vyre.buffer @offsets : !vyre.buffer<?xi8, read_only>
  %bases = vyre.buffer @bases : !vyre.buffer<?xi32, read_only>
  %range = vyre.buffer @range : !vyre.buffer<2xi32, uniform>
  %n = vyre.buf_len %offsets : !vyre.buffer<?xi8, read_only>
  %values = vyre.buffer @values[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %marks = vyre.buffer @marks[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  vyre.region "decode.frames" invocations [%n] {
    %i = vyre.invocation_id x
    %frame = arith.constant 64 : index
    %row = arith.divui %i, %frame : index
    %base = vyre.load %bases[%row] : !vyre.buffer<?xi32, read_only> -> i32
    %byte = vyre.load %offsets[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %offset = arith.extui %byte : i8 to i32
    %value = arith.addi %base, %offset : i32
    vyre.store %value, %values[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "filter" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %low = vyre.load %range[%c0] : !vyre.buffer<2xi32, uniform> -> i32
    %high = vyre.load %range[%c1] : !vyre.buffer<2xi32, uniform> -> i32
    %value = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %is_above = arith.cmpi sge, %value, %low : i32
    %is_below = arith.cmpi slt, %value, %high : i32
    %is_inside = arith.andi %is_above, %is_below : i1
    %mark = arith.extui %is_inside : i1 to i8
    vyre.store %mark, %marks[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
