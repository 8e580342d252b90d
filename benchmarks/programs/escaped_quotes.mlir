// A text under a key: how many quotes are not behind a backslash, and where the first newline is.
vyre.program @escaped_quotes workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %text = vyre.buffer @text[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %quotes = vyre.buffer @quotes live_out : !vyre.buffer<1xi32, read_write>
  %first = vyre.buffer @first live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.turn" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %key = arith.constant 0x5A : i8
    %mixed = arith.xori %byte, %key : i8
    %c1 = arith.constant 1 : i8
    %plain = arith.subi %mixed, %c1 : i8
    vyre.store %plain, %text[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.quotes" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %before = arith.subi %i, %c1 : index
    %left = vyre.load %text[%before] : !vyre.buffer<?xi8, read_write> -> i8
    %here = vyre.load %text[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %quote = arith.constant 34 : i8
    %backslash = arith.constant 92 : i8
    %is_quote = arith.cmpi eq, %here, %quote : i8
    %is_plain = arith.cmpi ne, %left, %backslash : i8
    %counts = arith.andi %is_quote, %is_plain : i1
    scf.if %counts {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %quotes[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
    %newline = arith.constant 10 : i8
    %is_line = arith.cmpi eq, %here, %newline : i8
    scf.if %is_line {
      %place = arith.index_cast %i : index to i32
      %old = vyre.atomic_rmw minu %place, %first[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
