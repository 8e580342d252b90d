// Numbers of eight digits in text, one after the other: their sum, the smallest and the largest.
vyre.program @decimal_fields workgroup_size [128] {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %eight = arith.constant 8 : index
  %n = arith.divui %length, %eight : index
  %numbers = vyre.buffer @numbers[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  %least = vyre.buffer @least live_out fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %most = vyre.buffer @most live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.decimal" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %ten = arith.constant 10 : i32
    %nought = arith.constant 48 : i32
    %zero = arith.constant 0 : i32
    %first = arith.muli %i, %c8 : index
    %number = scf.for %k = %c0 to %c8 step %c1 iter_args(%so_far = %zero) -> (i32) {
      %place = arith.addi %first, %k : index
      %byte = vyre.load %text[%place] : !vyre.buffer<?xi8, read_only> -> i8
      %code = arith.extui %byte : i8 to i32
      %digit = arith.subi %code, %nought : i32
      %scaled = arith.muli %so_far, %ten : i32
      %next = arith.addi %scaled, %digit : i32
      scf.yield %next : i32
    }
    vyre.store %number, %numbers[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan.numbers" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %number = vyre.load %numbers[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %wide = arith.extsi %number : i32 to i64
    %old_sum = vyre.atomic_rmw addi %wide, %sum[%zero] : i64, !vyre.buffer<1xi64, read_write>
    %old_least = vyre.atomic_rmw minu %number, %least[%zero] : i32, !vyre.buffer<1xi32, read_write>
    %old_most = vyre.atomic_rmw maxu %number, %most[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
