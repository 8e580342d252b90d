// Words of eight bytes under a mask that comes with them, and how many bits are left in all.
vyre.program @set_bits {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi64, read_only>
  %mask = vyre.buffer @mask : !vyre.buffer<1xi64, uniform>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi64, read_only>
  %words = vyre.buffer @words[%n] initial undefined : !vyre.buffer<?xi64, read_write>
  %bits = vyre.buffer @bits live_out : !vyre.buffer<1xi64, read_write>
  vyre.region "decode.mask" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %kept = vyre.load %mask[%zero] : !vyre.buffer<1xi64, uniform> -> i64
    %word = vyre.load %encoded[%i] : !vyre.buffer<?xi64, read_only> -> i64
    %result = arith.andi %word, %kept : i64
    vyre.store %result, %words[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
  vyre.region "scan.bits" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %word = vyre.load %words[%i] : !vyre.buffer<?xi64, read_write> -> i64
    %set = math.ctpop %word : i64
    %old = vyre.atomic_rmw addi %set, %bits[%zero] : i64, !vyre.buffer<1xi64, read_write>
  }
}
