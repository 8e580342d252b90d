// Floats whose bytes come in four streams, as Parquet splits them: how many lie between 0 and 1, and
// the sum of these in thousandths.
vyre.program @split_floats workgroup_size [256] {
  %streams = vyre.buffer @streams : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %streams : !vyre.buffer<?xi8, read_only>
  %four = arith.constant 4 : index
  %n = arith.divui %length, %four : index
  %numbers = vyre.buffer @numbers[%n] initial undefined : !vyre.buffer<?xf32, read_write>
  %inside = vyre.buffer @inside live_out : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.region "decode.streams" invocations [%n] {
    %i = vyre.invocation_id x
    %at1 = arith.addi %i, %n : index
    %at2 = arith.addi %at1, %n : index
    %at3 = arith.addi %at2, %n : index
    %b0 = vyre.load %streams[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %b1 = vyre.load %streams[%at1] : !vyre.buffer<?xi8, read_only> -> i8
    %b2 = vyre.load %streams[%at2] : !vyre.buffer<?xi8, read_only> -> i8
    %b3 = vyre.load %streams[%at3] : !vyre.buffer<?xi8, read_only> -> i8
    %c8 = arith.constant 8 : i32
    %c16 = arith.constant 16 : i32
    %c24 = arith.constant 24 : i32
    %w0 = arith.extui %b0 : i8 to i32
    %e1 = arith.extui %b1 : i8 to i32
    %e2 = arith.extui %b2 : i8 to i32
    %e3 = arith.extui %b3 : i8 to i32
    %w1 = arith.shli %e1, %c8 : i32
    %w2 = arith.shli %e2, %c16 : i32
    %w3 = arith.shli %e3, %c24 : i32
    %low = arith.ori %w0, %w1 : i32
    %high = arith.ori %w2, %w3 : i32
    %word = arith.ori %low, %high : i32
    %number = arith.bitcast %word : i32 to f32
    vyre.store %number, %numbers[%i] : f32, !vyre.buffer<?xf32, read_write>
  }
  vyre.region "scan.numbers" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %number = vyre.load %numbers[%i] : !vyre.buffer<?xf32, read_write> -> f32
    %least = arith.constant 0.0 : f32
    %most = arith.constant 1.0 : f32
    %is_least = arith.cmpf oge, %number, %least : f32
    %is_most = arith.cmpf olt, %number, %most : f32
    %is_inside = arith.andi %is_least, %is_most : i1
    scf.if %is_inside {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %inside[%zero] : i32, !vyre.buffer<1xi32, read_write>
      %thousand = arith.constant 1000.0 : f32
      %scaled = arith.mulf %number, %thousand : f32
      %whole = arith.fptosi %scaled : f32 to i32
      %wide = arith.extsi %whole : i32 to i64
      %old_sum = vyre.atomic_rmw addi %wide, %sum[%zero] : i64, !vyre.buffer<1xi64, read_write>
    }
  }
}
