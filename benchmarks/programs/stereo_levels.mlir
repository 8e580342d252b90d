// Samples of two bytes, the higher first, left and right by turns: the loudest of the middle of both
// sides, and how many frames are silent.
vyre.program @stereo_levels workgroup_size [128] {
  %stream = vyre.buffer @stream : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %stream : !vyre.buffer<?xi8, read_only>
  %two = arith.constant 2 : index
  %count = arith.divui %length, %two : index
  %samples = vyre.buffer @samples[%count] initial undefined : !vyre.buffer<?xi16, read_write>
  %frames = arith.divui %count, %two : index
  %loudest = vyre.buffer @loudest live_out : !vyre.buffer<1xi32, read_write>
  %silent = vyre.buffer @silent live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.samples" invocations [%count] {
    %i = vyre.invocation_id x
    %each = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %eight = arith.constant 8 : i16
    %first = arith.muli %i, %each : index
    %second = arith.addi %first, %c1 : index
    %high_byte = vyre.load %stream[%first] : !vyre.buffer<?xi8, read_only> -> i8
    %low_byte = vyre.load %stream[%second] : !vyre.buffer<?xi8, read_only> -> i8
    %high = arith.extui %high_byte : i8 to i16
    %low = arith.extui %low_byte : i8 to i16
    %up = arith.shli %high, %eight : i16
    %sample = arith.ori %up, %low : i16
    vyre.store %sample, %samples[%i] : i16, !vyre.buffer<?xi16, read_write>
  }
  vyre.region "scan.frames" invocations [%frames] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %each = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %at_left = arith.muli %i, %each : index
    %at_right = arith.addi %at_left, %c1 : index
    %left = vyre.load %samples[%at_left] : !vyre.buffer<?xi16, read_write> -> i16
    %right = vyre.load %samples[%at_right] : !vyre.buffer<?xi16, read_write> -> i16
    %l = arith.extsi %left : i16 to i32
    %r = arith.extsi %right : i16 to i32
    %one = arith.constant 1 : i32
    %both = arith.addi %l, %r : i32
    %middle = arith.shrsi %both, %one : i32
    %level = math.absi %middle : i32
    %old_loudest = vyre.atomic_rmw maxs %level, %loudest[%zero] : i32, !vyre.buffer<1xi32, read_write>
    %limit = arith.constant 200 : i32
    %is_silent = arith.cmpi slt, %level, %limit : i32
    scf.if %is_silent {
      %old = vyre.atomic_rmw addi %one, %silent[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
