// Temperatures of twelve bits, in sixteenths of a degree from -40 on: the hottest place of all, and how
// many are above a limit that comes with them.
vyre.program @sensor_alarms workgroup_size [128] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %limit = vyre.buffer @limit : !vyre.buffer<1xf32, uniform>
  %raw = vyre.buffer @raw initial undefined : !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %packed to %raw bits 12 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %raw : !vyre.buffer<?xi32, read_write>
  %degrees = vyre.buffer @degrees[%n] initial undefined : !vyre.buffer<?xf32, read_write>
  %alarms = vyre.buffer @alarms live_out : !vyre.buffer<1xi32, read_write>
  %hottest = vyre.buffer @hottest live_out fill -40 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.degrees" invocations [%n] {
    %i = vyre.invocation_id x
    %word = vyre.load %raw[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %number = arith.uitofp %word : i32 to f32
    %scale = arith.constant 0.0625 : f32
    %offset = arith.constant -40.0 : f32
    %scaled = arith.mulf %number, %scale : f32
    %degree = arith.addf %scaled, %offset : f32
    vyre.store %degree, %degrees[%i] : f32, !vyre.buffer<?xf32, read_write>
  }
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
    %old_hottest = vyre.atomic_rmw maxs %whole, %hottest[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
