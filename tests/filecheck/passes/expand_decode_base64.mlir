// RUN: xdsl-opt %s -p vyre-expand,canonicalize,cse --split-input-file | filecheck %s

vyre.program @standard {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// The host looks at the last two characters to tell the length.
// CHECK-LABEL: vyre.program @standard {
// CHECK:         %length = vyre.buf_len %encoded
// CHECK:         vyre.load %encoded[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:         vyre.load %encoded[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> i8
// CHECK:         %decoded_length = arith.maxsi
// CHECK:         %decoded = vyre.buffer @decoded[%decoded_length] live_out initial undefined
// CHECK:         %invocations = arith.ceildivsi %length
// CHECK-NEXT:    vyre.region "decode.base64" invocations [%invocations] {
// Sixteen characters make twelve bytes.
// CHECK:           %start = arith.muli %i, %{{.*}} : index
// CHECK-NEXT:      %characters = vyre.load %encoded[%start] : !vyre.buffer<?xi8, read_only> -> vector<4xi32>
// CHECK:           %reached_x2b = arith.addi %characters
// CHECK:           %reached_x2c = arith.addi %characters
// CHECK:           %reached_x2f = arith.addi %characters
// CHECK:           %reached_x3a = arith.addi %characters
// CHECK:           %reached_x41 = arith.addi %characters
// CHECK:           %reached_x5b = arith.addi %characters
// CHECK:           %reached_x61 = arith.addi %characters
// CHECK:           arith.ori %{{.*}}, %characters : vector<4xi32>
// CHECK:           %suspicious = arith.cmpi ne
// Which character is bad is found out only where one may be, without reading any again.
// CHECK-NOT:         vyre.load
// CHECK:           %sextets = scf.if %suspicious -> (vector<4xi32>) {
// CHECK:             vyre.trap "invalid base64 input" at %first_bad, %errors
// CHECK:           } else {
// CHECK-NEXT:        scf.yield
// CHECK-NEXT:      }
// CHECK:           vyre.store %{{.*}}, %decoded[%decoded_start] : i32
// CHECK:           vyre.store %{{.*}}, %decoded[%{{.*}}] : i32
// CHECK:           vyre.store %{{.*}}, %decoded[%{{.*}}] : i32

// -----

// Unpadded input has a length that does not depend on its contents.

vyre.program @unpadded {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors alphabet url unpadded : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @unpadded {
// CHECK-NOT:     vyre.load
// CHECK:         vyre.region "decode.base64" invocations [%invocations] {
// CHECK:           %reached_x5f = arith.addi %characters

// -----

// Four vectors of words make three. One test and one branch serve all of their characters.

vyre.program @wide {
  %encoded = vyre.buffer @encoded : !vyre.buffer<?xi8, read_only>
  %decoded = vyre.buffer @decoded live_out : !vyre.buffer<?xi8, read_write>
  %errors = vyre.buffer @errors fill -1 : i32 : !vyre.buffer<1xi32, read_write>
  vyre.decode.base64 %encoded to %decoded errors %errors unpadded lanes 16 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<?xi8, read_write>, !vyre.buffer<1xi32, read_write>
}

// CHECK-LABEL: vyre.program @wide {
// CHECK:         vyre.region "decode.base64" invocations [%invocations] {
// CHECK:           vyre.load %encoded[%start] : !vyre.buffer<?xi8, read_only> -> vector<16xi32>
// CHECK-COUNT-3:   vyre.load %encoded[%{{.*}}] : !vyre.buffer<?xi8, read_only> -> vector<16xi32>
// CHECK-NOT:       vyre.load
// CHECK:           %suspicious = arith.cmpi ne
// CHECK-NEXT:      {{.*}} = scf.if %suspicious -> (vector<16xi32>, vector<16xi32>, vector<16xi32>, vector<16xi32>) {
// CHECK:             vyre.trap "invalid base64 input" at %first_bad, %errors
// CHECK-NOT:       scf.if
// A word is the rest of a group, and the begin of the next.
// CHECK:           vector.shuffle %groups, %groups_1 [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20]
// CHECK:           vector.shuffle %groups, %groups_1 [1, 2, 3, 5, 6, 7, 9, 10, 11, 13, 14, 15, 17, 18, 19, 21]
// CHECK:           vector.shuffle %groups_1, %groups_2 [5, 6, 8, 9, 10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25]
// CHECK:           vector.shuffle %groups_2, %groups_3 [10, 12, 13, 14, 16, 17, 18, 20, 21, 22, 24, 25, 26, 28, 29, 30]
// CHECK:           vyre.store %words, %decoded[%decoded_start] : vector<16xi32>
// CHECK-COUNT-2:   vyre.store %{{.*}}, %decoded[%{{.*}}] : vector<16xi32>
