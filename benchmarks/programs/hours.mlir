// Times in milliseconds, as differences to the first, and how many fall into each hour of a day.
vyre.program @hours workgroup_size [128] {
  %steps = vyre.buffer @steps : !vyre.buffer<?xi32, read_only>
  %start = vyre.buffer @start : !vyre.buffer<1xi64, read_only>
  %n = vyre.buf_len %steps : !vyre.buffer<?xi32, read_only>
  %times = vyre.buffer @times[%n] initial undefined : !vyre.buffer<?xi64, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<24xi32, read_write>
  vyre.region "decode.times" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %first = vyre.load %start[%zero] : !vyre.buffer<1xi64, read_only> -> i64
    %step = vyre.load %steps[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %wide = arith.extui %step : i32 to i64
    %time = arith.addi %first, %wide : i64
    vyre.store %time, %times[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
  vyre.region "histogram" invocations [%n] {
    %i = vyre.invocation_id x
    %time = vyre.load %times[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %hour = arith.constant 3600000 : i64
    %day = arith.constant 24 : i64
    %hours = arith.divui %time, %hour : i64
    %within = arith.remui %hours, %day : i64
    %bin = arith.index_cast %within : i64 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<24xi32, read_write>
  }
}
