// Takes a rolling key off a text, and makes a report of three: its lines, how often each byte occurs,
// and the largest digit.
vyre.program @text_report workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %text = vyre.buffer @text[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %lines = vyre.buffer @lines live_out : !vyre.buffer<1xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  %digit = vyre.buffer @digit live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.rolling" invocations [%n] {
    %i = vyre.invocation_id x
    %place = arith.index_cast %i : index to i32
    %factor = arith.constant 7 : i32
    %scaled = arith.muli %place, %factor : i32
    %key = arith.trunci %scaled : i32 to i8
    %byte = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %plain = arith.subi %byte, %key : i8
    vyre.store %plain, %text[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.lines" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %newline = arith.constant 10 : i8
    %ends = arith.cmpi eq, %byte, %newline : i8
    %one = arith.extui %ends : i1 to i32
    %old = vyre.atomic_rmw addi %one, %lines[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
  vyre.region "scan.histogram" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %code = arith.extui %byte : i8 to i32
    %bin = arith.index_cast %code : i32 to index
    %one = arith.constant 1 : i32
    %old = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<256xi32, read_write>
  }
  vyre.region "scan.digits" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %code = arith.extui %byte : i8 to i32
    %c48 = arith.constant 48 : i32
    %ten = arith.constant 10 : i32
    %value = arith.subi %code, %c48 : i32
    %is_digit = arith.cmpi ult, %value, %ten : i32
    scf.if %is_digit {
      %old = vyre.atomic_rmw maxs %value, %digit[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
