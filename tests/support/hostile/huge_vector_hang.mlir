vyre.program @a {
  %i = vyre.buffer @i : !vyre.buffer<?xi8, read_only>
  %o = vyre.buffer @o live_out : !vyre.buffer<64xi8, read_write>
  vyre.region "r" invocations [4] {
    %z = arith.constant 0 : index
    %v = vyre.load %i[%z] : !vyre.buffer<?xi8, read_only> -> vector<1000000000000xi8>
    vyre.store %v, %o[%z] : vector<1000000000000xi8>, !vyre.buffer<64xi8, read_write>
  }
}
