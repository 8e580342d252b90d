// RUN: not xdsl-opt %s -p "vyre-stream,vyre-cut-stream{piece=middle apart=true}" 2>&1 | filecheck %s
// RUN: xdsl-opt %s -p "vyre-stream,vyre-cut-stream{piece=middle}" | filecheck %s --check-prefix ORDERED

// The place in a list depends on how many are in it: pieces take the list from the one before.
// CHECK: 'vyre-cut-stream' '@appends': 'vyre.atomic_rmw' of 'scan' works on '@count' in an order: a piece takes it from the one before, so that pieces cannot run at once
// ORDERED: %list = vyre.buffer @list live_out initial host
vyre.program @appends {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %list = vyre.buffer @list live_out : !vyre.buffer<64xi8, read_write>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  vyre.region "scan" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %own = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %old = vyre.atomic_rmw addi %one, %count[%zero] : i32, !vyre.buffer<1xi32, read_write>
    %place = arith.index_cast %old : i32 to index
    vyre.store %own, %list[%place] : i8, !vyre.buffer<64xi8, read_write>
  }
}
