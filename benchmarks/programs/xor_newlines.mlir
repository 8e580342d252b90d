// Counts the lines of a text under a key of two bytes.
vyre.program @xor_newlines {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded initial undefined : !vyre.buffer<?xi8, read_write>
  %lines = vyre.buffer @lines live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.xor %encoded to %decoded key "\0Bz" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>
  %n = vyre.buf_len %decoded : !vyre.buffer<?xi8, read_write>
  vyre.region "scan.lines" invocations [%n] {
    %i = vyre.invocation_id x
    %b = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %nl = arith.constant 10 : i8
    %is = arith.cmpi eq, %b, %nl : i8
    %one = arith.extui %is : i1 to i32
    %z = arith.constant 0 : index
    %old = vyre.atomic_rmw addi %one, %lines[%z] : i32, !vyre.buffer<1xi32, read_write>
  }
}
