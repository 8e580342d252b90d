// Four bases in a byte, two bits each, to letters; counts GATC, and how many bases are G or C.
vyre.program @dna_motif workgroup_size [64] {
  %packed = vyre.buffer @packed : !vyre.buffer<?xi8, read_only>
  %length = vyre.buf_len %packed : !vyre.buffer<?xi8, read_only>
  %four = arith.constant 4 : index
  %n = arith.muli %length, %four : index
  %letters = vyre.buffer @letters contents dense<[65, 67, 71, 84]> : vector<4xi8> : !vyre.buffer<4xi8, uniform>
  %bases = vyre.buffer @bases[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %motifs = vyre.buffer @motifs live_out : !vyre.buffer<1xi32, read_write>
  %strong = vyre.buffer @strong live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.bases" invocations [%n] {
    %i = vyre.invocation_id x
    %each = arith.constant 4 : index
    %c0 = arith.constant 0 : i32
    %bits = arith.constant 2 : i32
    %mask = arith.constant 3 : i32
    %place = arith.divui %i, %each : index
    %within = arith.remui %i, %each : index
    %byte = vyre.load %packed[%place] : !vyre.buffer<?xi8, read_only> -> i8
    %word = arith.extui %byte : i8 to i32
    %number = arith.index_cast %within : index to i32
    %shift = arith.muli %number, %bits : i32
    %down = arith.shrui %word, %shift : i32
    %code = arith.andi %down, %mask : i32
    %row = arith.index_cast %code : i32 to index
    %letter = vyre.load %letters[%row] : !vyre.buffer<4xi8, uniform> -> i8
    vyre.store %letter, %bases[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.motif" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %at1 = arith.addi %i, %c1 : index
    %at2 = arith.addi %i, %c2 : index
    %at3 = arith.addi %i, %c3 : index
    %b0 = vyre.load %bases[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %b1 = vyre.load %bases[%at1] : !vyre.buffer<?xi8, read_write> -> i8
    %b2 = vyre.load %bases[%at2] : !vyre.buffer<?xi8, read_write> -> i8
    %b3 = vyre.load %bases[%at3] : !vyre.buffer<?xi8, read_write> -> i8
    %g = arith.constant 71 : i8
    %a = arith.constant 65 : i8
    %t = arith.constant 84 : i8
    %c = arith.constant 67 : i8
    %is0 = arith.cmpi eq, %b0, %g : i8
    %is1 = arith.cmpi eq, %b1, %a : i8
    %is2 = arith.cmpi eq, %b2, %t : i8
    %is3 = arith.cmpi eq, %b3, %c : i8
    %is01 = arith.andi %is0, %is1 : i1
    %is23 = arith.andi %is2, %is3 : i1
    %is = arith.andi %is01, %is23 : i1
    %one = arith.constant 1 : i32
    scf.if %is {
      %old = vyre.atomic_rmw addi %one, %motifs[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
    %is_c = arith.cmpi eq, %b0, %c : i8
    %is_strong = arith.ori %is0, %is_c : i1
    scf.if %is_strong {
      %old = vyre.atomic_rmw addi %one, %strong[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
