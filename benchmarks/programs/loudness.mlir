// Levels of ten bits to floats, these squared, and these smoothed over two: a histogram of 32 bins, and the loudest.
vyre.program @loudness workgroup_size [128] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %raw = vyre.buffer @raw initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %raw bits 10 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %raw : !vyre.buffer<?xi32, read_write>
  %levels = vyre.buffer @levels[%n] initial undefined : !vyre.buffer<?xf32, read_write>
  %powers = vyre.buffer @powers[%n] initial undefined : !vyre.buffer<?xf32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<32xi32, read_write>
  %loudest = vyre.buffer @loudest live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.levels" invocations [%n] {
    %i = vyre.invocation_id x
    %word = vyre.load %raw[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %number = arith.uitofp %word : i32 to f32
    %scale = arith.constant 0.0009765625 : f32
    %level = arith.mulf %number, %scale : f32
    vyre.store %level, %levels[%i] : f32, !vyre.buffer<?xf32, read_write>
  }
  vyre.region "square" invocations [%n] {
    %i = vyre.invocation_id x
    %level = vyre.load %levels[%i] : !vyre.buffer<?xf32, read_write> -> f32
    %power = arith.mulf %level, %level : f32
    vyre.store %power, %powers[%i] : f32, !vyre.buffer<?xf32, read_write>
  }
  vyre.region "scan.loudness" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %after = arith.addi %i, %c1 : index
    %here = vyre.load %powers[%i] : !vyre.buffer<?xf32, read_write> -> f32
    %next = vyre.load %powers[%after] : !vyre.buffer<?xf32, read_write> -> f32
    %both = arith.addf %here, %next : f32
    %half = arith.constant 16.0 : f32
    %scaled = arith.mulf %both, %half : f32
    %whole = arith.fptosi %scaled : f32 to i32
    %most = arith.constant 31 : i32
    %least = arith.constant 0 : i32
    %above = arith.maxsi %whole, %least : i32
    %within = arith.minsi %above, %most : i32
    %bin = arith.index_cast %within : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<32xi32, read_write>
    %old_most = vyre.atomic_rmw maxs %whole, %loudest[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
