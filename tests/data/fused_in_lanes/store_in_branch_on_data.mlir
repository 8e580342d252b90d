vyre.program @p {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %c2 = arith.constant 2 : index
  %m = arith.muli %n, %c2 : index
  %c4 = arith.constant 4 : index
  %groups = arith.divui %n, %c4 : index
  %w4 = arith.muli %groups, %c4 : index
  %decoded = vyre.buffer @decoded[%w4] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%w4] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%w4] {
    %i = vyre.invocation_id x
    %v = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %k = arith.constant 90 : i8
    %w = arith.xori %v, %k : i8
    %four = arith.constant 4 : index
    %q4 = arith.floordivsi %i, %four : index
    %r4 = arith.remsi %i, %four : index
    %three = arith.constant 3 : index
    %b4 = arith.muli %q4, %four : index
    %s4 = arith.subi %three, %r4 : index
    %at = arith.addi %b4, %s4 : index
    %z = arith.constant 0 : i8
    %q = arith.cmpi eq, %v, %z : i8
    scf.if %q {
      vyre.store %w, %decoded[%at] : i8, !vyre.buffer<?xi8, read_write>
    } else {
      vyre.store %v, %decoded[%at] : i8, !vyre.buffer<?xi8, read_write>
    }
  }
  vyre.region "scan" invocations [%w4] {
    %i = vyre.invocation_id x
    %v = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %v, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
