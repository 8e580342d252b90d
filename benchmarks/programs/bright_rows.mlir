// How many pixels of each row are bright, in a picture of 640 pixels a row that is stored as
// differences to the pixel above, in frames of 16 rows.
vyre.program @bright_rows workgroup_size [64] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %width = arith.constant 640 : index
  %height = arith.divui %length, %width : index
  %n = arith.muli %height, %width : index
  %rows = arith.constant 16 : index
  %frames = arith.ceildivui %height, %rows : index
  %shades = vyre.buffer @shades[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %bright = vyre.buffer @bright[%height] live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "decode.columns" invocations [640, %frames] {
    %x = vyre.invocation_id x
    %frame = vyre.invocation_id y
    %c1 = arith.constant 1 : index
    %wide = arith.constant 640 : index
    %each = arith.constant 16 : index
    %black = arith.constant 0 : i8
    %first = arith.muli %frame, %each : index
    %after = arith.addi %first, %each : index
    %end = arith.minsi %after, %height : index
    %last = scf.for %y = %first to %end step %c1 iter_args(%above = %black) -> (i8) {
      %row = arith.muli %y, %wide : index
      %i = arith.addi %row, %x : index
      %step = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
      %shade = arith.addi %above, %step : i8
      vyre.store %shade, %shades[%i] : i8, !vyre.buffer<?xi8, read_write>
      scf.yield %shade : i8
    }
  }
  vyre.region "scan.bright" invocations [640, %height] {
    %x = vyre.invocation_id x
    %y = vyre.invocation_id y
    %wide = arith.constant 640 : index
    %row = arith.muli %y, %wide : index
    %i = arith.addi %row, %x : index
    %shade = vyre.load %shades[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %limit = arith.constant 200 : i8
    %is_bright = arith.cmpi uge, %shade, %limit : i8
    %one = arith.extui %is_bright : i1 to i32
    %old = vyre.atomic_rmw addi %one, %bright[%y] : i32, !vyre.buffer<?xi32, read_write>
  }
}
