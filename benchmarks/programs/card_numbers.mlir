// Numbers of sixteen digits in text: their digits, whether the sum of each by Luhn is right, and how many are.
vyre.program @card_numbers workgroup_size [64] {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %sixteen = arith.constant 16 : index
  %n = arith.divui %length, %sixteen : index
  %digits = vyre.buffer @digits[%length] initial undefined : !vyre.buffer<?xi8, read_write>
  %valid = vyre.buffer @valid[%n] live_out initial undefined : !vyre.buffer<?xi8, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.digits" invocations [%length] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %nought = arith.constant 48 : i8
    %digit = arith.subi %byte, %nought : i8
    vyre.store %digit, %digits[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "luhn" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %first = arith.muli %i, %c16 : index
    %nothing = arith.constant 0 : i32
    %nine = arith.constant 9 : i32
    %ten = arith.constant 10 : i32
    %sum = scf.for %k = %c0 to %c16 step %c1 iter_args(%so_far = %nothing) -> (i32) {
      %at = arith.addi %first, %k : index
      %digit = vyre.load %digits[%at] : !vyre.buffer<?xi8, read_write> -> i8
      %wide = arith.extui %digit : i8 to i32
      %side = arith.andi %k, %c1 : index
      %even = arith.cmpi eq, %side, %c0 : index
      %double = arith.addi %wide, %wide : i32
      %large = arith.cmpi sgt, %double, %nine : i32
      %less = arith.subi %double, %nine : i32
      %folded = arith.select %large, %less, %double : i32
      %part = arith.select %even, %folded, %wide : i32
      %next = arith.addi %so_far, %part : i32
      scf.yield %next : i32
    }
    %rest = arith.remui %sum, %ten : i32
    %is_valid = arith.cmpi eq, %rest, %nothing : i32
    %flag = arith.extui %is_valid : i1 to i8
    vyre.store %flag, %valid[%i] : i8, !vyre.buffer<?xi8, read_write>
    scf.if %is_valid {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %count[%c0] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
