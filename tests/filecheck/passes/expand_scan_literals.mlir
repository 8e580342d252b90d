// RUN: xdsl-opt %s --split-input-file -p vyre-expand,cse | filecheck %s
// Expanding twice is expanding once.
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand,cse | filecheck %s

// Four classes (other bytes, a, b, c) and eight states; the accepting ones come last, and "b"
// ends wherever "ab" ends, so that their lists of outputs share a tail.

// CHECK-LABEL: vyre.program @text
vyre.program @text {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<3xi32, read_write>
  vyre.scan.literals ["ab", "b", "cabc"] in %text matches %matches chunk 64 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<3xi32, read_write>
}

// CHECK-NOT:  vyre.scan
// CHECK:      %byte_classes = vyre.buffer @byte_classes contents dense<"0x
// CHECK-NEXT: %transitions = vyre.buffer @transitions contents dense<{{.*}}> : vector<32xi16> : !vyre.buffer<32xi16, read_only>
// CHECK-NEXT: %first_outputs = vyre.buffer @first_outputs contents dense<{{.*}}> : vector<4xi32>
// CHECK-NEXT: %output_counts = vyre.buffer @output_counts contents dense<{{.*}}> : vector<4xi32>
// CHECK-NEXT: %next_outputs = vyre.buffer @next_outputs contents dense<[1, -1, -1]> : vector<3xi32>
// CHECK:      vyre.region "scan.literals" invocations [%invocations] {
// CHECK:        %chunk = arith.muli %i, %{{.*}} : index
// CHECK:        %begin = arith.subi %chunk, %{{.*}} : index
// CHECK:        %state = scf.for %offset{{.*}} {
// CHECK:          %word = vyre.load %text[%position] : {{.*}} -> i32
// CHECK:          %byte_class = arith.extui
// CHECK:          vyre.load %transitions[%{{.*}}] in_bounds : {{.*}} -> i16
// CHECK-NOT:      arith.cmpi
// CHECK:          scf.yield
// CHECK:        scf.for %offset{{.*}} {
// CHECK:          %words = vyre.load %text[%position{{.*}}] : {{.*}} -> vector<4xi32>
// CHECK:          scf.for %byte
// CHECK:            arith.cmpi uge
// CHECK-NEXT:       scf.if
// CHECK:              %accepted = arith.cmpi uge
// CHECK:              scf.if %accepted
// CHECK:                vyre.atomic_rmw addi %{{.*}}, %matches[%literal] in_bounds

// -----

// Zeros outside the text must not be taken for those of a literal.

// CHECK-LABEL: vyre.program @zeros
vyre.program @zeros {
  %text = vyre.buffer @text : !vyre.buffer<1000xi8, read_only>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<2xi64, read_write>
  vyre.scan.literals ["\00\00", "a"] in %text matches %matches : !vyre.buffer<1000xi8, read_only>, !vyre.buffer<2xi64, read_write>
}

// CHECK: vyre.region "scan.literals" invocations [8] {
// CHECK:   [[BEFORE:%.*]] = arith.cmpi slt, %position
// CHECK:   arith.select [[BEFORE]]
// CHECK:   %accepted = arith.andi

// -----

// One byte each: the text before a chunk does not matter.

// CHECK-LABEL: vyre.program @single_bytes
vyre.program @single_bytes {
  %text = vyre.buffer @text : !vyre.buffer<1000xi8, read_only>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["x", "y"] in %text matches %matches : !vyre.buffer<1000xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK-NOT: %begin
// CHECK:     %words = vyre.load %text

// -----

// Literals of three bytes and more end with two pairs: one of them stands at every second place, and
// the text is scanned only where a listed one does.

// CHECK-LABEL: vyre.program @prefilter
vyre.program @prefilter {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["abc", "bcde"] in %text matches %matches chunk 32 prefilter "pairs"
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK:      %pairs = vyre.buffer @pairs {{.*}} : !vyre.buffer<2048xi32, read_only>
// CHECK-NEXT: %hashes = vyre.buffer @hashes {{.*}} : !vyre.buffer<512xi32, read_only>
// CHECK:      vyre.region "scan.literals"
// CHECK:        %listed, %{{.*}} = scf.for
// CHECK-COUNT-2:  vyre.load %pairs[
// CHECK-NOT:      vyre.load %pairs[
// CHECK:          scf.yield
// CHECK:        %several = arith.cmpi ne
// CHECK:        %candidate = scf.if
// CHECK:          vyre.load %hashes[
// CHECK:        scf.if %candidate {
// CHECK:          vyre.load %transitions[

// -----

// Half-bytes of words are looked up in vectors. The first stretch may tell to scan all; elsewhere, the
// stretches are scanned that may hold an end.

// CHECK-LABEL: vyre.program @windows
vyre.program @windows {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["abcd", "bcde"] in %text matches %matches chunk 1024 prefilter "windows"
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK-NOT:  @pairs
// CHECK:      vyre.region "scan.literals"
// CHECK:        vyre.look_up_lanes %{{.*}}[%{{.*}}] : vector<16xi32>, vector<16xi32> -> vector<16xi32>
// CHECK:        %is_first = scf.if
// CHECK:        %candidates, %gave_up = scf.if %is_first
// CHECK:          vyre.look_up_lanes
// CHECK:        scf.if %gave_up {
// CHECK:          vyre.load %transitions[
// CHECK:        } else {
// CHECK:          %stretch = arith.addi
// CHECK:          vyre.load %transitions[

// -----

// Of few stretches, all are scanned if something may end in any: there is one automaton.

// CHECK-LABEL: vyre.program @few_windows
vyre.program @few_windows {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %matches = vyre.buffer @matches live_out : !vyre.buffer<2xi32, read_write>
  vyre.scan.literals ["abcd", "bcde"] in %text matches %matches chunk 256 prefilter "windows"
      : !vyre.buffer<?xi8, read_only>, !vyre.buffer<2xi32, read_write>
}

// CHECK:        scf.if %gave_up {
// CHECK:          vyre.load %transitions[
// CHECK-NOT:    %stretch
