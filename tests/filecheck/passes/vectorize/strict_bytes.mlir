// RUN: xdsl-opt %s -p 'vyre-vectorize{lanes=8 vectors=false strict=true tail=each annotate=true}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-vectorize{lanes=8 vectors=false strict=true},vyre-vectorize{lanes=8 vectors=false strict=true}' -o %t && xdsl-opt %s -p 'vyre-vectorize{lanes=8 vectors=false strict=true}' | diff - %t

// What decodes 16 bytes at once stays; what scans them has as many lanes.
// CHECK-LABEL: vyre.program @as_decoded
// CHECK:         vyre.region "decode" invocations [%{{.*}}] {
// CHECK:         vyre.region "lines" invocations [%{{.*}}] attributes {vyre.lanes = 16 : i64} {
vyre.program @as_decoded {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %lines = vyre.buffer @lines live_out : !vyre.buffer<1xi32, read_write>
  %sixteen = arith.constant 16 : index
  %vectors = arith.ceildivui %n, %sixteen : index
  vyre.region "decode" invocations [%vectors] {
    %i = vyre.invocation_id x
    %size = arith.constant 16 : index
    %at = arith.muli %i, %size : index
    %bytes = vyre.load %x[%at] : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
    vyre.store %bytes, %plain[%at] : vector<16xi8>, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "lines" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %newline = arith.constant 10 : i8
    %byte = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %is_line = arith.cmpi eq, %byte, %newline : i8
    %one = arith.extui %is_line : i1 to i32
    %old = vyre.atomic_rmw addi %one, %lines[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// Vectors of words are handed on as they were: what scans them has no lanes.
// CHECK-LABEL: vyre.program @of_words
// CHECK:         vyre.region "lines" invocations [%{{.*}}] attributes {vyre.not_vectorized = {reason = "neighbour"
vyre.program @of_words {
  %x = vyre.buffer @x : !vyre.buffer<?xi32, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi32, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi32, read_write>
  %lines = vyre.buffer @lines live_out : !vyre.buffer<1xi32, read_write>
  %four = arith.constant 4 : index
  %vectors = arith.ceildivui %n, %four : index
  vyre.region "decode" invocations [%vectors] {
    %i = vyre.invocation_id x
    %size = arith.constant 4 : index
    %at = arith.muli %i, %size : index
    %words = vyre.load %x[%at] : !vyre.buffer<?xi32, read_only> -> vector<4xi32>
    vyre.store %words, %plain[%at] : vector<4xi32>, !vyre.buffer<?xi32, read_write>
  }
  vyre.region "lines" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %word = vyre.load %plain[%i] : !vyre.buffer<?xi32, read_write> -> i32
    %old = vyre.atomic_rmw addi %word, %lines[%zero] : i32, !vyre.buffer<1xi32, read_write>
  }
}

// Nor has what stores more than 16 bytes at once, if it had as many.
// CHECK-LABEL: vyre.program @widened
// CHECK:         vyre.region "widen" invocations [%{{.*}}] attributes {vyre.not_vectorized = {reason = "too-wide"
vyre.program @widened {
  %x = vyre.buffer @x : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %x : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %wide = vyre.buffer @wide[%n] live_out initial undefined : !vyre.buffer<?xi64, read_write>
  %sixteen = arith.constant 16 : index
  %vectors = arith.ceildivui %n, %sixteen : index
  vyre.region "decode" invocations [%vectors] {
    %i = vyre.invocation_id x
    %size = arith.constant 16 : index
    %at = arith.muli %i, %size : index
    %bytes = vyre.load %x[%at] : !vyre.buffer<?xi8, read_only> -> vector<16xi8>
    vyre.store %bytes, %plain[%at] : vector<16xi8>, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "widen" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %value = arith.extui %byte : i8 to i64
    vyre.store %value, %wide[%i] : i64, !vyre.buffer<?xi64, read_write>
  }
}
