// RUN: XDSL_ROUNDTRIP
// RUN: XDSL_GENERIC_ROUNDTRIP
// Printing is idempotent, from the custom form and from the generic one.
// RUN: xdsl-opt %s > %t.mlir && xdsl-opt %t.mlir | diff %t.mlir -
// RUN: xdsl-opt %s --print-op-generic | xdsl-opt | diff %t.mlir -

vyre.program @scans {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %positions = vyre.buffer @positions live_out fill -1 : i64 : !vyre.buffer<16xi64, read_write>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<4xi64, read_write>
  %found = vyre.buffer @found live_out : !vyre.buffer<?xi32, read_write>
  %which = vyre.buffer @which live_out : !vyre.buffer<?xi32, read_write>
  %bins = vyre.buffer @bins live_out : !vyre.buffer<256xi32, read_write>
  %values = vyre.buffer @values : !vyre.buffer<64xi32, read_only>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  %sum = vyre.buffer @sum live_out : !vyre.buffer<1xi64, read_write>
  %sums = vyre.buffer @sums live_out : !vyre.buffer<64xi64, write_only>
  // Every byte value can be written, and is printed as it must be.
  vyre.scan.literal "import" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "\00\22\5C\0A\FF" in %text count %count positions %positions {note = 1 : i64} : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<16xi64, read_write>
  vyre.scan.literal "self" in %text count %count places 64 counting "places" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.literals ["def", "def", "e", "\80"] in %text matches %matches : !vyre.buffer<?xi8, read_only>, !vyre.buffer<4xi64, read_write>
  vyre.scan.literals ["a", "b", "c", "d"] in %text matches %matches chunk 64 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<4xi64, read_write>
  vyre.scan.locate ["def", "\80"] in %text positions %found which %which chunk 64 prefilter "windows" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
  vyre.scan.histogram %text bins %bins : !vyre.buffer<?xi8, read_only>, !vyre.buffer<256xi32, read_write>
  vyre.scan.filter %values in [-5, 7) count %count : !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %values in [-2147483648, 2147483648) count %count sum %sum : !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
  vyre.scan.filter %values in [-5, 7) count %count values 64 lanes 16 : !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %text table %values errors %errors in [-5, 7) count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.dictionary_filter %text table %values errors %errors in [1, 2147483648) count %count sum %sum values 8 lanes 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
  vyre.scan.prefix_sum %values to %sums : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi64, write_only>
}

// CHECK: vyre.scan.literal "import" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.scan.literal "\00\22\\\0A\FF" in %text count %count positions %positions {note = 1 : i64} : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<16xi64, read_write>
// CHECK: vyre.scan.literal "self" in %text count %count places 64 counting "places" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.scan.literals ["def", "def", "e", "\80"] in %text matches %matches : !vyre.buffer<?xi8, read_only>, !vyre.buffer<4xi64, read_write>
// CHECK: vyre.scan.literals ["a", "b", "c", "d"] in %text matches %matches chunk 64 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<4xi64, read_write>
// CHECK: vyre.scan.locate ["def", "\80"] in %text positions %found which %which chunk 64 prefilter "windows" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>
// CHECK: vyre.scan.histogram %text bins %bins : !vyre.buffer<?xi8, read_only>, !vyre.buffer<256xi32, read_write>
// CHECK: vyre.scan.filter %values in [-5, 7) count %count : !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.scan.filter %values in [-2147483648, 2147483648) count %count sum %sum : !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
// CHECK: vyre.scan.filter %values in [-5, 7) count %count values 64 lanes 16 :
// CHECK: vyre.scan.dictionary_filter %text table %values errors %errors in [-5, 7) count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>
// CHECK: vyre.scan.dictionary_filter %text table %values errors %errors in [1, 2147483648) count %count sum %sum values 8 lanes 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>
// CHECK: vyre.scan.prefix_sum %values to %sums : !vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi64, write_only>

// CHECK-GENERIC: "vyre.scan.literal"(%text, %count) <{literal = "import"}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.literal"(%text, %count, %positions) <{literal = "\00\22\\\0A\FF"}> {note = 1 : i64} : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<16xi64, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.literals"(%text, %matches) <{literals = ["def", "def", "e", "\80"]}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<4xi64, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.literals"(%text, %matches) <{literals = ["a", "b", "c", "d"], chunk = 64 : i64}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<4xi64, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.locate"(%text, %found, %which) <{literals = ["def", "\80"], chunk = 64 : i64, prefilter = "windows"}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi32, read_write>, !vyre.buffer<?xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.histogram"(%text, %bins) : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<256xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.filter"(%values, %count) <{low = -5 : i64, high = 7 : i64}> : (!vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.filter"(%values, %count, %sum) <{low = -2147483648 : i64, high = 2147483648 : i64}> : (!vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi64, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.dictionary_filter"(%text, %values, %errors, %count) <{low = -5 : i64, high = 7 : i64}> : (!vyre.buffer<?xi8, read_only>, !vyre.buffer<64xi32, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<1xi32, read_write>) -> ()
// CHECK-GENERIC: "vyre.scan.prefix_sum"(%values, %sums) : (!vyre.buffer<64xi32, read_only>, !vyre.buffer<64xi64, write_only>) -> ()
