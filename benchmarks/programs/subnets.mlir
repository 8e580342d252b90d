// Addresses of four bytes, the highest first: how many are in each of three networks or in none, and how often each first byte occurs.
vyre.program @subnets workgroup_size [128] {
  %words = vyre.buffer @words : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %words : !vyre.buffer<?xi32, read_only>
  %addresses = vyre.buffer @addresses[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %nets = vyre.buffer @nets live_out : !vyre.buffer<4xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  vyre.region "decode.addresses" invocations [%n] {
    %i = vyre.invocation_id x
    %word = vyre.load %words[%i] : !vyre.buffer<?xi32, read_only> -> i32
    %c8 = arith.constant 8 : i32
    %c24 = arith.constant 24 : i32
    %low_mask = arith.constant 0xFF00 : i32
    %high_mask = arith.constant 0xFF0000 : i32
    %a = arith.shli %word, %c24 : i32
    %b = arith.andi %word, %low_mask : i32
    %b_up = arith.shli %b, %c8 : i32
    %c = arith.shrui %word, %c8 : i32
    %c_low = arith.andi %c, %low_mask : i32
    %d = arith.shrui %word, %c24 : i32
    %ab = arith.ori %a, %b_up : i32
    %cd = arith.ori %c_low, %d : i32
    %address = arith.ori %ab, %cd : i32
    vyre.store %address, %addresses[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "scan.nets" invocations [%n] {
    %i = vyre.invocation_id x
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %one = arith.constant 1 : i32
    %address = vyre.load %addresses[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %s24 = arith.constant 24 : i32
    %s20 = arith.constant 20 : i32
    %s16 = arith.constant 16 : i32
    %ten = arith.constant 10 : i32
    %other = arith.constant 0xAC1 : i32
    %home = arith.constant 0xC0A8 : i32
    %top8 = arith.shrui %address, %s24 : i32
    %top12 = arith.shrui %address, %s20 : i32
    %top16 = arith.shrui %address, %s16 : i32
    %in_a = arith.cmpi eq, %top8, %ten : i32
    %in_b = arith.cmpi eq, %top12, %other : i32
    %in_c = arith.cmpi eq, %top16, %home : i32
    scf.if %in_a {
      %old = vyre.atomic_rmw addi %one, %nets[%c0] : i32, !vyre.buffer<4xi32, read_write>
    } else {
      scf.if %in_b {
        %old = vyre.atomic_rmw addi %one, %nets[%c1] : i32, !vyre.buffer<4xi32, read_write>
      } else {
        scf.if %in_c {
          %old = vyre.atomic_rmw addi %one, %nets[%c2] : i32, !vyre.buffer<4xi32, read_write>
        } else {
          %old = vyre.atomic_rmw addi %one, %nets[%c3] : i32, !vyre.buffer<4xi32, read_write>
        }
      }
    }
    %bin = arith.index_cast %top8 : i32 to index
    %old_bin = vyre.atomic_rmw addi %one, %bins[%bin] : i32, !vyre.buffer<256xi32, read_write>
  }
}
