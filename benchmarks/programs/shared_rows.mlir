// Counts the rows in which two bitmaps agree, one of them stored with all bits turned around.
vyre.program @shared_rows workgroup_size [256] {
  %turned = vyre.buffer @turned : !vyre.buffer<?xi32, read_only>
  %other = vyre.buffer @other : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %turned : !vyre.buffer<?xi32, read_only>
  %straight = vyre.buffer @straight[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %rows = vyre.buffer @rows live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.turned" invocations [%n] {
    %i = vyre.invocation_id x
    %word = vyre.load %turned[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %ones = arith.constant -1 : i32
    %bits = arith.xori %word, %ones : i32
    vyre.store %bits, %straight[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan.both" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %a = vyre.load %straight[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %b = vyre.load %other[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %both = arith.andi %a, %b : i32
    %set = math.ctpop %both : i32
    %old = vyre.atomic_rmw addi %set, %rows[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
