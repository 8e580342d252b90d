// Temperatures in hundredths of a degree above a base, as ALP leaves them: how many are above a limit, and the
// highest, without its fraction.
vyre.program @decimals_of_frames workgroup_size [128] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %limit = vyre.buffer @limit : !vyre.buffer<1xf32, uniform>
  %digits = vyre.buffer @digits initial undefined : !vyre.buffer<?xi32, read_write>
  %degrees = vyre.buffer @degrees initial undefined : !vyre.buffer<?xf32, read_write>
  %alarms = vyre.buffer @alarms live_out : !vyre.buffer<1xi32, read_write>
  %hottest = vyre.buffer @hottest live_out fill -100 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %digits bits 13 base -2000 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.alp %digits to %degrees exponent 2 : !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xf32, read_write>
  %n = vyre.buf_len %degrees : !vyre.buffer<?xf32, read_write>
  vyre.region "scan.alarms" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %most = vyre.load %limit[%zero] : !vyre.buffer<1xf32, uniform> -> f32
    %degree = vyre.load %degrees[%i] : !vyre.buffer<?xf32, read_write> -> f32
    %is_hot = arith.cmpf ogt, %degree, %most : f32
    scf.if %is_hot {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %alarms[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
    %whole = arith.fptosi %degree : f32 to i32
    %was = vyre.atomic_rmw maxs %whole, %hottest[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
