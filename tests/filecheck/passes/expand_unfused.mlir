// What is chosen of a decoder depends on whether an arm of the program reads what it writes.
//
// RUN: xdsl-opt %s -p 'vyre-expand{defaults="values=32" unfused="values=4"}' | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-expand{defaults="values=32" unfused="values=4" fusing=false}' | filecheck %s --check-prefix UNFUSED
// RUN: xdsl-opt %s -p 'vyre-expand{choices="values=8" unfused="values=4" fusing=false}' | filecheck %s --check-prefix ASKED
// RUN: xdsl-opt %s -p 'vyre-materialize-schedule{profile=dataflow}' | filecheck %s --check-prefix DATAFLOW

// DATAFLOW: vyre.pass @"vyre-expand" {{.*}}fusing = false

vyre.program @both {
  %packed = vyre.buffer @packed : !vyre.buffer<96xi8, read_only>
  %handed = vyre.buffer @handed initial undefined : !vyre.buffer<256xi32, read_write>
  %shown = vyre.buffer @shown live_out : !vyre.buffer<256xi32, read_write>
  %stated = vyre.buffer @stated live_out : !vyre.buffer<256xi32, read_write>
  %lost = vyre.buffer @lost : !vyre.buffer<256xi32, read_write>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.decode.bitunpack %packed to %handed bits 3 : !vyre.buffer<96xi8, read_only>, !vyre.buffer<256xi32, read_write>
  vyre.decode.bitunpack %packed to %shown bits 3 : !vyre.buffer<96xi8, read_only>, !vyre.buffer<256xi32, read_write>
  vyre.decode.bitunpack %packed to %stated bits 3 values 16 : !vyre.buffer<96xi8, read_only>, !vyre.buffer<256xi32, read_write>
  vyre.decode.bitunpack %packed to %lost bits 3 : !vyre.buffer<96xi8, read_only>, !vyre.buffer<256xi32, read_write>
  %n = vyre.buf_len %lost : !vyre.buffer<256xi32, read_write>
  vyre.scan.filter %handed in [0, 9) count %count values 4 : !vyre.buffer<256xi32, read_write>, !vyre.buffer<1xi32, read_write>
  vyre.scan.filter %shown in [0, 9) count %count values 4 : !vyre.buffer<256xi32, read_write>, !vyre.buffer<1xi32, read_write>
}

// The first is for a scanner alone; the host reads the second, the third says itself, nobody reads the fourth.
// CHECK-COUNT-8: vyre.store %values{{[0-9]+}}, %handed
// CHECK-NOT:     vyre.store %{{.*}}, %handed
// CHECK-COUNT-1: vyre.store %values{{[0-9]+(_[0-9]+)?}}, %shown
// CHECK-NOT:     vyre.store %{{.*}}, %shown
// CHECK-COUNT-4: vyre.store %values{{[0-9]+(_[0-9]+)?}}, %stated
// CHECK-COUNT-1: vyre.store %values{{[0-9]+(_[0-9]+)?}}, %lost
// CHECK-NOT:     vyre.store %{{.*}}, %lost

// UNFUSED-COUNT-1: vyre.store %values{{[0-9]+(_[0-9]+)?}}, %handed
// UNFUSED-NOT:     vyre.store %{{.*}}, %handed
// UNFUSED-COUNT-4: vyre.store %values{{[0-9]+(_[0-9]+)?}}, %stated

// ASKED-COUNT-2: vyre.store %values{{[0-9]+(_[0-9]+)?}}, %handed
// ASKED-COUNT-2: vyre.store %values{{[0-9]+(_[0-9]+)?}}, %shown

// Handed on to an arm that reads it anywhere: nothing fuses, so that it is stored like a result.
vyre.program @refused {
  %packed = vyre.buffer @packed : !vyre.buffer<96xi8, read_only>
  %places = vyre.buffer @places : !vyre.buffer<256xi32, read_only>
  %gathered = vyre.buffer @gathered initial undefined : !vyre.buffer<256xi32, read_write>
  %out = vyre.buffer @out live_out : !vyre.buffer<256xi32, write_only>
  vyre.decode.bitunpack %packed to %gathered bits 3 : !vyre.buffer<96xi8, read_only>, !vyre.buffer<256xi32, read_write>
  vyre.region "gather" invocations [256] {
    %i = vyre.invocation_id x
    %place = vyre.load %places[%i] : !vyre.buffer<256xi32, read_only> -> i32
    %at = arith.index_cast %place : i32 to index
    %value = vyre.load %gathered[%at] : !vyre.buffer<256xi32, read_write> -> i32
    vyre.store %value, %out[%i] : i32, !vyre.buffer<256xi32, write_only>
  }
}

// CHECK-LABEL: @refused
// CHECK-COUNT-1: vyre.store %values{{[0-9]+(_[0-9]+)?}}, %gathered
// CHECK-NOT:     vyre.store %{{.*}}, %gathered
