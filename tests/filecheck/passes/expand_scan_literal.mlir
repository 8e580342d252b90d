// RUN: xdsl-opt %s --split-input-file -p vyre-expand,cse | filecheck %s
// Expanding twice is expanding once.
// RUN: xdsl-opt %s --split-input-file -p vyre-expand,vyre-expand,cse | filecheck %s

// Up to four bytes and a count: all places of an invocation are tested at once.

// CHECK-LABEL: vyre.program @short
vyre.program @short {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "ab" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK-NOT:  vyre.scan
// CHECK:      [[LENGTH:%.*]] = vyre.buf_len %text
// CHECK:      %invocations = arith.ceildivsi [[LENGTH]], %{{.*}} : index
// CHECK-NEXT: vyre.region "scan.literal" invocations [%invocations] {
// CHECK-NEXT:   %i = vyre.invocation_id x
// CHECK-NEXT:   %start = arith.muli %i, %{{.*}} : index
// CHECK-NEXT:   %words0 = vyre.load %text[%start] : {{.*}} -> vector<8xi32>
// CHECK-NEXT:   [[A:%.*]] = arith.constant dense<1633771873> : vector<8xi32>
// CHECK-NEXT:   [[FIRST:%.*]] = arith.xori %words0, [[A]] : vector<8xi32>
// CHECK:        %following = vyre.load %text[%{{.*}}] : {{.*}} -> i32
// CHECK:        %words1 = vector.shuffle %words0, %{{.*}} [1, 2, 3, 4, 5, 6, 7, 8]
// CHECK:        %difference = arith.ori [[FIRST]], %{{.*}} : vector<8xi32>
// CHECK-NOT:    vyre.load
// CHECK:        %borrows = arith.andi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:        scf.if
// CHECK:          %zero = arith.andi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK:          %hits = arith.ori
// CHECK-NEXT:     %found = math.ctpop %hits : i32
// CHECK:          vyre.atomic_rmw addi %found, %count
// CHECK-NOT:    vyre.region

// -----

// One byte needs nothing of what follows the words.

// CHECK-LABEL: vyre.program @one_byte
vyre.program @one_byte {
  %text = vyre.buffer @text : !vyre.buffer<100xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi64, read_write>
  vyre.scan.literal "a" in %text count %count : !vyre.buffer<100xi8, read_only>, !vyre.buffer<1xi64, read_write>
}

// CHECK:     vyre.region "scan.literal" invocations [4] {
// CHECK:       vyre.load %text
// CHECK-NOT:   vyre.load
// CHECK:       %found = math.ctpop
// CHECK:       [[FOUND:%.*]] = arith.extui %found : i32 to i64
// CHECK:       vyre.atomic_rmw addi [[FOUND]], %count

// -----

// A longer literal is compared with the rest of the text only behind a test of four bytes.

// CHECK-LABEL: vyre.program @long
vyre.program @long {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %positions = vyre.buffer @positions live_out fill -1 : i32 : !vyre.buffer<4xi32, read_write>
  vyre.scan.literal "import" in %text count %count positions %positions : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<4xi32, read_write>
}

// CHECK:     vyre.load %text
// CHECK:     vyre.load %text
// CHECK-NOT: vyre.load
// CHECK:     %borrows = arith.andi
// CHECK:     scf.if
// CHECK:       %words2 = vyre.load %text
// CHECK:       %hits = arith.ori
// CHECK-NEXT:  %found = math.ctpop %hits : i32
// CHECK:       scf.if
// CHECK:         vyre.atomic_rmw addi %found, %count
// CHECK:       scf.for
// CHECK:         scf.if
// CHECK:           %largest = vyre.atomic_rmw minu %{{.*}}, %positions
// CHECK:           scf.if
// CHECK:             scf.while (%slot = %{{.*}}, %given = %offset)
// CHECK:             } do {
// CHECK-NEXT:        ^{{.*}}([[SLOT:%.*]]: index, [[GIVEN:%.*]]: i32):
// CHECK-NEXT:          %held = vyre.atomic_rmw minu [[GIVEN]], %positions[[[SLOT]]]
// CHECK:               [[NEXT:%.*]] = arith.maxui %held, [[GIVEN]] : i32
// CHECK-NEXT:          scf.yield %{{.*}}, [[NEXT]] : index, i32

// -----

// Beyond 32 bytes the literal is a table; its name gives way to the program's own.

// CHECK-LABEL: vyre.program @very_long
vyre.program @very_long {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %literal_words = vyre.buffer @literal_words : !vyre.buffer<4xi32, read_only>
  vyre.scan.literal "0123456789ABCDEF0123456789abcdefwxyz+" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: vyre.buffer @literal_words_1 contents dense<[2054781047, 43]> : vector<2xi32> : !vyre.buffer<2xi32, read_only>
// CHECK: vyre.region "scan.literal"

// -----

// Only a literal that ends in zeros can match zeros past the end.

// CHECK-LABEL: vyre.program @zeros
vyre.program @zeros {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "a\00" in %text count %count : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK: %left = arith.subi
// CHECK: scf.for {{.*}} iter_args
// CHECK:   %place = arith.addi
// CHECK:   arith.cmpi slt, %place, %left : index
// CHECK: math.ctpop

// -----

// The lanes of a wide vector are tested together by its halves, and so is counted what was found.

// CHECK-LABEL: vyre.program @wide
vyre.program @wide {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "ab" in %text count %count places 64 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}

// CHECK:      %words0 = vyre.load %text[%start] : {{.*}} -> vector<16xi32>
// CHECK:      %borrows = arith.andi %{{.*}}, %{{.*}} : vector<16xi32>
// CHECK-NEXT: [[LOW:%.*]] = vector.shuffle %borrows, %borrows [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK-NEXT: [[HIGH:%.*]] = vector.shuffle %borrows, %borrows [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK-NEXT: arith.ori [[LOW]], [[HIGH]] : vector<8xi32>
// CHECK:      arith.ori %{{.*}} : vector<4xi32>
// CHECK:      arith.ori %{{.*}} : vector<2xi32>
// CHECK:      scf.if
// CHECK:        math.ctpop %zero : vector<16xi32>
// CHECK:        arith.addi %{{.*}} : vector<8xi32>
// CHECK:        %found = arith.addi %{{.*}} : i32

// -----

// Where the places matter, they stand in two words.
// CHECK-LABEL: vyre.program @wide_places
vyre.program @wide_places {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  %positions = vyre.buffer @positions live_out fill -1 : i32 : !vyre.buffer<4xi32, read_write>
  vyre.scan.literal "ab" in %text count %count positions %positions places 64 : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>, !vyre.buffer<4xi32, read_write>
}

// CHECK:        %hits = arith.ori
// CHECK:        %hits_1 = arith.ori
// CHECK-NEXT:   [[FIRST:%.*]] = math.ctpop %hits : i32
// CHECK-NEXT:   [[SECOND:%.*]] = math.ctpop %hits_1 : i32
// CHECK-NEXT:   %found = arith.addi [[FIRST]], [[SECOND]] : i32

// -----

// Each place counts: no branch, and no number that is not there.
// CHECK-LABEL: vyre.program @at_places
// CHECK-NOT:     scf.if
// CHECK:         %zero = arith.andi %{{.*}} : vector<8xi32>
// CHECK:         [[BITS:%.*]] = arith.shrui %zero, %{{.*}} : vector<8xi32>
// CHECK:         [[SUMS:%.*]] = arith.muli [[BITS]], %{{.*}} : vector<8xi32>
// CHECK:         %matches = arith.shrui [[SUMS]], %{{.*}} : vector<8xi32>
// CHECK-COUNT-8: vector.extract %matches[
// CHECK:         %found = arith.addi %{{.*}} : i32
// CHECK:         vyre.atomic_rmw addi %found, %count
// CHECK-NOT:     scf.if
vyre.program @at_places {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %count = vyre.buffer @count live_out : !vyre.buffer<1xi32, read_write>
  vyre.scan.literal "self" in %text count %count counting "places" : !vyre.buffer<?xi8, read_only>, !vyre.buffer<1xi32, read_write>
}
