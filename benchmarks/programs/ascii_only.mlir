// Characters of two bytes to one, with a question mark for those that are not ASCII; counts these.
vyre.program @ascii_only workgroup_size [128] {
  %wide = vyre.buffer @wide : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %wide : !vyre.buffer<?xi8, read_only>
  %two = arith.constant 2 : index
  %n = arith.divui %length, %two : index
  %units = vyre.buffer @units[%n] initial undefined : !vyre.buffer<?xi16, read_write>
  %text = vyre.buffer @text[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  %others = vyre.buffer @others live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.units" invocations [%n] {
    %i = vyre.invocation_id x
    %each = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %eight = arith.constant 8 : i16
    %first = arith.muli %i, %each : index
    %second = arith.addi %first, %c1 : index
    %low_byte = vyre.load %wide[%first] : !vyre.buffer<?xi8, read_only> -> i8
    %high_byte = vyre.load %wide[%second] : !vyre.buffer<?xi8, read_only> -> i8
    %low = arith.extui %low_byte : i8 to i16
    %high = arith.extui %high_byte : i8 to i16
    %up = arith.shli %high, %eight : i16
    %unit = arith.ori %up, %low : i16
    vyre.store %unit, %units[%i] : i16, !vyre.buffer<?xi16, read_write>
  }
  vyre.region "narrow" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %unit = vyre.load %units[%i] : !vyre.buffer<?xi16, read_write> -> i16
    %limit = arith.constant 128 : i16
    %mark = arith.constant 63 : i8
    %is_ascii = arith.cmpi ult, %unit, %limit : i16
    %low = arith.trunci %unit : i16 to i8
    %letter = arith.select %is_ascii, %low, %mark : i8
    vyre.store %letter, %text[%i] : i8, !vyre.buffer<?xi8, read_write>
    %yes = arith.constant true
    %is_other = arith.xori %is_ascii, %yes : i1
    scf.if %is_other {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %others[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
