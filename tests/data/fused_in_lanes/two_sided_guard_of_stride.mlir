vyre.program @p {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %c2 = arith.constant 2 : index
  %half = arith.ceildivsi %n, %c2 : index
  %decoded = vyre.buffer @decoded[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi8, read_write>
  vyre.region "decode" invocations [%half] {
    %i = vyre.invocation_id x
    %two = arith.constant 2 : index
    %zero = arith.constant 0 : index
    %at = arith.muli %i, %two : index
    %lo = arith.cmpi sge, %at, %zero : index
    %hi = arith.cmpi slt, %at, %n : index
    %inside = arith.andi %lo, %hi : i1
    scf.if %inside {
      %v = vyre.load %text[%at] : !vyre.buffer<?xi8, read_only> -> i8
      vyre.store %v, %decoded[%at] : i8, !vyre.buffer<?xi8, read_write>
    }
    %one = arith.constant 1 : index
    %next = arith.addi %at, %one : index
    %lo1 = arith.cmpi sge, %next, %zero : index
    %hi1 = arith.cmpi slt, %next, %n : index
    %inside1 = arith.andi %lo1, %hi1 : i1
    scf.if %inside1 {
      %w = vyre.load %text[%next] : !vyre.buffer<?xi8, read_only> -> i8
      vyre.store %w, %decoded[%next] : i8, !vyre.buffer<?xi8, read_write>
    }
  }
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %decoded[%i] : !vyre.buffer<?xi8, read_write> -> i8
    vyre.store %v, %out[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
}
