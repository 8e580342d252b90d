// Samples of two bytes to numbers between -1 and 1, and the mean of four of them for each.
vyre.program @smoothed_samples workgroup_size [128] {
  %samples = vyre.buffer @samples : !vyre.buffer<?xi16, read_only>
  %n = vyre.buf_len %samples : !vyre.buffer<?xi16, read_only>
  %levels = vyre.buffer @levels[%n] initial undefined : !vyre.buffer<?xf32, read_write>
  %smooth = vyre.buffer @smooth[%n] live_out initial undefined : !vyre.buffer<?xf32, read_write>
  vyre.region "decode.levels" invocations [%n] {
    %i = vyre.invocation_id x
    %scale = arith.constant 3.0517578125e-05 : f32
    %sample = vyre.load %samples[%i] : !vyre.buffer<?xi16, read_only> -> i16
    %number = arith.sitofp %sample : i16 to f32
    %level = arith.mulf %number, %scale : f32
    vyre.store %level, %levels[%i] : f32, !vyre.buffer<?xf32, read_write>
  }
  vyre.region "smooth" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %nothing = arith.constant 0.0 : f32
    %quarter = arith.constant 0.25 : f32
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%so_far = %nothing) -> (f32) {
      %place = arith.addi %i, %k : index
      %level = vyre.load %levels[%place] : !vyre.buffer<?xf32, read_write> -> f32
      %next = arith.addf %so_far, %level : f32
      scf.yield %next : f32
    }
    %mean = arith.mulf %sum, %quarter : f32
    vyre.store %mean, %smooth[%i] : f32, !vyre.buffer<?xf32, read_write>
  }
}
