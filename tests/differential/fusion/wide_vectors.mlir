// A decoder of 256 bytes an invocation, for a scanner of 64 that looks around both of its ends: each
// tile begins and ends in the middle of what an invocation stores.
vyre.program @wide_vectors workgroup_size [8] {
  %src = vyre.buffer @src : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %src : !vyre.buffer<?xi8, read_only>
  %h = vyre.buffer @h[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %out = vyre.buffer @out[%n] live_out : !vyre.buffer<?xi32, read_write>
  %size = arith.constant 256 : index
  %wide = arith.ceildivsi %n, %size : index
  vyre.region "decode" invocations [%wide] {
    %i = vyre.invocation_id x
    %step = arith.constant 256 : index
    %start = arith.muli %i, %step : index
    %key = arith.constant dense<1515870810> : vector<16xi32>
    %o0 = arith.constant 0 : index
    %at0 = arith.addi %start, %o0 : index
    %v0 = vyre.load %src[%at0] : !vyre.buffer<?xi8, read_only> -> vector<16xi32>
    %x0 = arith.xori %v0, %key : vector<16xi32>
    vyre.store %x0, %h[%at0] : vector<16xi32>, !vyre.buffer<?xi8, read_write>
    %o1 = arith.constant 64 : index
    %at1 = arith.addi %start, %o1 : index
    %v1 = vyre.load %src[%at1] : !vyre.buffer<?xi8, read_only> -> vector<16xi32>
    %x1 = arith.xori %v1, %key : vector<16xi32>
    vyre.store %x1, %h[%at1] : vector<16xi32>, !vyre.buffer<?xi8, read_write>
    %o2 = arith.constant 128 : index
    %at2 = arith.addi %start, %o2 : index
    %v2 = vyre.load %src[%at2] : !vyre.buffer<?xi8, read_only> -> vector<16xi32>
    %x2 = arith.xori %v2, %key : vector<16xi32>
    vyre.store %x2, %h[%at2] : vector<16xi32>, !vyre.buffer<?xi8, read_write>
    %o3 = arith.constant 192 : index
    %at3 = arith.addi %start, %o3 : index
    %v3 = vyre.load %src[%at3] : !vyre.buffer<?xi8, read_only> -> vector<16xi32>
    %x3 = arith.xori %v3, %key : vector<16xi32>
    vyre.store %x3, %h[%at3] : vector<16xi32>, !vyre.buffer<?xi8, read_write>
  }
  %places = arith.constant 64 : index
  %scans = arith.ceildivsi %n, %places : index
  vyre.region "scan" invocations [%scans] {
    %i = vyre.invocation_id x
    %step = arith.constant 64 : index
    %four = arith.constant 4 : index
    %start = arith.muli %i, %step : index
    %before = arith.subi %start, %four : index
    %after = arith.addi %start, %step : index
    %a = vyre.load %h[%before] : !vyre.buffer<?xi8, read_write> -> i32
    %b = vyre.load %h[%start] : !vyre.buffer<?xi8, read_write> -> vector<16xi32>
    %c = vyre.load %h[%after] : !vyre.buffer<?xi8, read_write> -> i32
    %b0 = vector.extract %b[0] : i32 from vector<16xi32>
    %b15 = vector.extract %b[15] : i32 from vector<16xi32>
    %ab = arith.addi %a, %b0 : i32
    %cb = arith.xori %c, %b15 : i32
    %sum = arith.muli %ab, %cb : i32
    vyre.store %sum, %out[%i] : i32, !vyre.buffer<?xi32, read_write>
  }
}
