// Puts each byte through a table that comes with the text, and counts the pairs of a carriage return
// and a line feed.
vyre.program @substitution_breaks workgroup_size [128] {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %table = vyre.buffer @table : !vyre.buffer<256xi8, read_only>
  %n = vyre.buf_len %encoded : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %breaks = vyre.buffer @breaks live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.substitute" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %encoded[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %code = arith.extui %byte : i8 to i32
    %place = arith.index_cast %code : i32 to index
    %letter = vyre.load %table[%place] : !vyre.buffer<256xi8, read_only> -> i8
    vyre.store %letter, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.breaks" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %after = arith.addi %i, %step : index
    %here = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %next = vyre.load %plain[%after] : !vyre.buffer<?xi8, read_write> -> i8
    %return = arith.constant 13 : i8
    %feed = arith.constant 10 : i8
    %returns = arith.cmpi eq, %here, %return : i8
    %feeds = arith.cmpi eq, %next, %feed : i8
    %breaks_here = arith.andi %returns, %feeds : i1
    %one = arith.extui %breaks_here : i1 to i32
    %old = vyre.atomic_rmw addi %one, %breaks[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}
