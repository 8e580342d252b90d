// Decodes pairs of digits by arithmetic alone, and counts the code points of the UTF-8 inside.
vyre.program @utf8_points workgroup_size [128] {
  %digits = vyre.buffer @digits : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %digits : !vyre.buffer<?xi8, read_only>
  %two = arith.constant 2 : index
  %n = arith.divui %length, %two : index
  %text = vyre.buffer @text[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %points = vyre.buffer @points live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.digits" invocations [%n] {
    %i = vyre.invocation_id x
    %each = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %first = arith.muli %i, %each : index
    %second = arith.addi %first, %c1 : index
    %c15 = arith.constant 15 : i8
    %c6 = arith.constant 6 : i8
    %c9 = arith.constant 9 : i8
    %c4 = arith.constant 4 : i8
    %high_digit = vyre.load %digits[%first] : !vyre.buffer<?xi8, read_only> -> i8
    %low_digit = vyre.load %digits[%second] : !vyre.buffer<?xi8, read_only> -> i8
    %high_letter = arith.shrui %high_digit, %c6 : i8
    %low_letter = arith.shrui %low_digit, %c6 : i8
    %high_more = arith.muli %high_letter, %c9 : i8
    %low_more = arith.muli %low_letter, %c9 : i8
    %high_base = arith.andi %high_digit, %c15 : i8
    %low_base = arith.andi %low_digit, %c15 : i8
    %high = arith.addi %high_base, %high_more : i8
    %low = arith.addi %low_base, %low_more : i8
    %up = arith.shli %high, %c4 : i8
    %byte = arith.ori %up, %low : i8
    vyre.store %byte, %text[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.points" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %top = arith.constant 0xC0 : i8
    %follows = arith.constant 0x80 : i8
    %mark = arith.andi %byte, %top : i8
    %begins = arith.cmpi ne, %mark, %follows : i8
    scf.if %begins {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %points[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
