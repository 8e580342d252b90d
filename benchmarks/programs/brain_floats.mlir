// Floats without their lower half to whole ones; counts those above 1 and those that are no numbers.
vyre.program @brain_floats {
  %halves = vyre.buffer @halves : !vyre.buffer<?xi16, read_only>
  %n = vyre.buf_len %halves : !vyre.buffer<?xi16, read_only>
  %numbers = vyre.buffer @numbers[%n] initial undefined : !vyre.buffer<?xf32, read_write>
  %large = vyre.buffer @large live_out : !vyre.buffer<1xi32, read_write>
  %none = vyre.buffer @none live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.halves" invocations [%n] {
    %i = vyre.invocation_id x
    %half = vyre.load %halves[%i] : !vyre.buffer<?xi16, read_only> -> i16
    %bits = arith.constant 16 : i32
    %word = arith.extui %half : i16 to i32
    %up = arith.shli %word, %bits : i32
    %number = arith.bitcast %up : i32 to f32
    vyre.store %number, %numbers[%i] : f32, !vyre.buffer<?xf32, read_write>
  }
  vyre.region "scan.numbers" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %number = vyre.load %numbers[%i] : !vyre.buffer<?xf32, read_write> -> f32
    %limit = arith.constant 1.0 : f32
    %is_large = arith.cmpf ogt, %number, %limit : f32
    %one_large = arith.extui %is_large : i1 to i32
    %old_large = vyre.atomic_rmw addi %one_large, %large[%zero] : i32, !vyre.buffer<1xi32, read_write>
    %is_none = arith.cmpf uno, %number, %number : f32
    %one_none = arith.extui %is_none : i1 to i32
    %old_none = vyre.atomic_rmw addi %one_none, %none[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
