// Counts the capitals in a text in base64, as a page that explains the dialect would.
vyre.program @base64_capitals workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %text = vyre.buffer @text initial undefined : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %capitals = vyre.buffer @capitals live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %text errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_write>
  vyre.region "capitals" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %a = arith.constant 65 : i8
    %letters = arith.constant 26 : i8
    %place = arith.subi %byte, %a : i8
    %capital = arith.cmpi ult, %place, %letters : i8
    scf.if %capital {
      %one = arith.constant 1 : i32
      %zero = arith.constant 0 : index
      %old = vyre.atomic_rmw addi %one, %capitals[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
