// TPC-H's sixth query over four columns as FastLanes packs them: in lanes, blocks of 1024 rows.
vyre.program @q6_interleaved workgroup_size [128] {
  %ps = vyre.buffer @ship_packed : !vyre.buffer<?xi8, read_only>
  %pd = vyre.buffer @disc_packed : !vyre.buffer<?xi8, read_only>
  %pq = vyre.buffer @qty_packed : !vyre.buffer<?xi8, read_only>
  %pp = vyre.buffer @price_packed : !vyre.buffer<?xi8, read_only>
  %s = vyre.buffer @ship initial undefined : !vyre.buffer<?xi32, read_write>
  %d = vyre.buffer @disc initial undefined : !vyre.buffer<?xi32, read_write>
  %q = vyre.buffer @qty initial undefined : !vyre.buffer<?xi32, read_write>
  %p = vyre.buffer @price initial undefined : !vyre.buffer<?xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  vyre.decode.bitunpack %ps to %s bits 12 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %pd to %d bits 4 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %pq to %q bits 6 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  vyre.decode.bitunpack %pp to %p bits 24 layout interleaved : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %s : !vyre.buffer<?xi32, read_write>
  vyre.region "scan.q6" invocations [%n] {
    %i = vyre.invocation_id x
    %vs = vyre.load %s[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %vd = vyre.load %d[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %vq = vyre.load %q[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %vp = vyre.load %p[%i] : !vyre.buffer<?xi32, read_write> -> i32
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
