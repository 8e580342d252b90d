// Frames of 16 channels, one byte each above 128: the sum of each channel, and its peak.
vyre.program @sensor_channels workgroup_size [64] {
  %stream = vyre.buffer @stream : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %stream : !vyre.buffer<?xi8, read_only>
  %each = arith.constant 16 : index
  %frames = arith.divui %length, %each : index
  %n = arith.muli %frames, %each : index
  %samples = vyre.buffer @samples[%n] initial undefined : !vyre.buffer<?xi16, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<16xi32, read_write>
  %peaks = vyre.buffer @peaks live_out : !vyre.buffer<16xi32, read_write>
  vyre.region "decode.offset" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %stream[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %above = arith.extui %byte : i8 to i16
    %middle = arith.constant 128 : i16
    %sample = arith.subi %above, %middle : i16
    vyre.store %sample, %samples[%i] : i16, !vyre.buffer<?xi16, read_write>
  }
  vyre.region "scan.channels" invocations [16, %frames] {
    %channel = vyre.invocation_id x
    %frame = vyre.invocation_id y
    %channels = arith.constant 16 : index
    %first = arith.muli %frame, %channels : index
    %place = arith.addi %first, %channel : index
    %sample = vyre.load %samples[%place] : !vyre.buffer<?xi16, read_write> -> i16
    %value = arith.extsi %sample : i16 to i32
    %size = math.absi %value : i32
    %old_sum = vyre.atomic_rmw addi %value, %sums[%channel] : i32, !vyre.buffer<16xi32, read_write>
    %old_peak = vyre.atomic_rmw maxs %size, %peaks[%channel] : i32, !vyre.buffer<16xi32, read_write>
  }
}
