// Counts the values that are larger than both neighbours, of values that come as differences.
vyre.program @delta_peaks workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi32, read_only>
  %values = vyre.buffer @values initial undefined : !vyre.buffer<?xi32, read_write>
  %peaks = vyre.buffer @peaks live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.delta %encoded to %values block 128 : !vyre.buffer<?xi32, read_only>, !vyre.buffer<?xi32, read_write>
  %n = vyre.buf_len %values : !vyre.buffer<?xi32, read_write>
  vyre.region "scan.peaks" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %before = arith.subi %i, %step : index
    %after = arith.addi %i, %step : index
    %left = vyre.load %values[%before] : !vyre.buffer<?xi32, read_write> -> i32
    %here = vyre.load %values[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %right = vyre.load %values[%after] : !vyre.buffer<?xi32, read_write> -> i32
    %rises = arith.cmpi sgt, %here, %left : i32
    %falls = arith.cmpi sgt, %here, %right : i32
    %peak = arith.andi %rises, %falls : i1
    scf.if %peak {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %peaks[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
