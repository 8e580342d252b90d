// TPC-H's sixth query over four columns of 32-bit integers, as they are once they are unpacked.
vyre.program @q6_words workgroup_size [128] {
  %s = vyre.buffer @ship : !vyre.buffer<?xi32, read_only>
  %d = vyre.buffer @disc : !vyre.buffer<?xi32, read_only>
  %q = vyre.buffer @qty : !vyre.buffer<?xi32, read_only>
  %p = vyre.buffer @price : !vyre.buffer<?xi32, read_only>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  %n = vyre.buf_len %s : !vyre.buffer<?xi32, read_only>
  vyre.region "scan.q6" invocations [%n] {
    %i = vyre.invocation_id x
    %vs = vyre.load %s[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %vd = vyre.load %d[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %vq = vyre.load %q[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %vp = vyre.load %p[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %c800 = arith.constant 800 : i32
    %c593 = arith.constant 593 : i32
    %c5 = arith.constant 5 : i32
    %c3 = arith.constant 3 : i32
    %c24 = arith.constant 24 : i32
    %z = arith.constant 0 : index
    %a = arith.subi %vs, %c800 : i32
    %ca = arith.cmpi ult, %a, %c593 : i32
    %b = arith.subi %vd, %c5 : i32
    %cb = arith.cmpi ult, %b, %c3 : i32
    %cc = arith.cmpi ult, %vq, %c24 : i32
    %ab = arith.andi %ca, %cb : i1
    %abc = arith.andi %ab, %cc : i1
    scf.if %abc {
      %m = arith.muli %vp, %vd : i32
      %w = arith.extui %m : i32 to i64
      %old = vyre.atomic_rmw addi %w, %sum[%z] : i64, !vyre.buffer<1xi64, read_write>
    }
  }
}
