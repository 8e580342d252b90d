// RUN: xdsl-opt %s -p vyre-outline-kernels -t vyre-opencl | filecheck %s

// Quotients of index constants are longs, so that they pick the right overload of max.
vyre.program @quotients {
  %out = vyre.buffer @out live_out : !vyre.buffer<64xi64, write_only>
  vyre.region "divide" invocations [64] {
    %i = vyre.invocation_id x
    %a = arith.constant 36 : index
    %three = arith.constant 3 : index
    %two = arith.constant 2 : index
    %sum = arith.addi %a, %two overflow<nsw> : index
    %up = arith.divsi %sum, %three : index
    %down = arith.shrsi %a, %two : index
    %most = arith.maxsi %up, %down : index
    %word = arith.index_cast %most : index to i64
    vyre.store %word, %out[%i] : i64, !vyre.buffer<64xi64, write_only>
  }
}

// CHECK: max((36L + 2) / 3, 36L >> 2)
