vyre.program @p {
  %data = vyre.buffer @data : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %data : !vyre.buffer<?xi32, read_only>
  %c2 = arith.constant 2 : index
  %half = arith.floordivsi %n, %c2 : index
  %a = vyre.buffer @a[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %b = vyre.buffer @b[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %outa = vyre.buffer @outa[%n] live_out : !vyre.buffer<?xi32, read_write>
  %outb = vyre.buffer @outb[%n] live_out : !vyre.buffer<?xi32, read_write>
  vyre.region "decode" invocations [%n] {
    %i = vyre.invocation_id x
    %v = vyre.load %data[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %k = arith.constant 90 : i32
    %w = arith.xori %v, %k : i32
    %u = arith.addi %v, %k : i32
    vyre.store %w, %a[%i] : i32, !vyre.buffer<?xi32, read_write>
    vyre.store %u, %b[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan_a" invocations [%n] {
    %i = vyre.invocation_id x
    %z = arith.constant 0 : index
    %at = arith.addi %i, %z : index
    %v = vyre.load %a[%at] : !vyre.buffer<?xi32, read_write> -> i32
    vyre.store %v, %outa[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan_b" invocations [%n] {
    %i = vyre.invocation_id x
    %one = arith.constant 1 : index
    %two = arith.constant 2 : index
    %b1 = arith.addi %i, %one : index
    %c = arith.addi %i, %two : index
    %x = vyre.load %b[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %y = vyre.load %b[%b1] : !vyre.buffer<?xi32, read_write> -> i32
    %w = vyre.load %b[%c] : !vyre.buffer<?xi32, read_write> -> i32
    %xy = arith.addi %x, %y : i32
    %v = arith.addi %xy, %w : i32
    vyre.store %v, %outb[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
