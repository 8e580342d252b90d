vyre.program @p {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %c2 = arith.constant 2 : index
  %twice = arith.muli %n, %c2 : index
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %k = arith.constant 90 : i8
    %w = arith.xori %v, %k : i8
    vyre.store %w, %decoded[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %at = arith.floordivsi %i, %two : index
    %t = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %z = arith.constant 0 : i8
    %q = arith.cmpi eq, %t, %z : i8
    %v = scf.if %q -> (i8) {
      %x = vyre.load %decoded[%at] : !vyre.buffer<?xi8, read_write> -> i8
      scf.yield %x : i8
    } else {
      scf.yield %z : i8
    }
    vyre.store %v, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
