// RUN: xdsl-opt %s -p vyre-merge-branches | filecheck %s
// RUN: xdsl-opt %s -p vyre-merge-branches,vyre-merge-branches -o %t && xdsl-opt %s -p vyre-merge-branches | diff - %t

// What the first hands to the second needs no result; what others use of it stays one.
// CHECK-LABEL: func.func @handed
// CHECK-NEXT:    %three = arith.constant 3 : i32
// CHECK-NEXT:    %kept, %product = scf.if %c -> (i32, i32) {
// CHECK-NEXT:      %sum = arith.addi %a, %a : i32
// CHECK-NEXT:      %more = arith.muli %sum, %three : i32
// CHECK-NEXT:      scf.yield %a, %more : i32, i32
// CHECK-NEXT:    } else {
// CHECK-NEXT:      scf.yield %three, %a : i32, i32
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return %kept, %product : i32, i32
func.func @handed(%c: i1, %a: i32) -> (i32, i32) {
  %three = arith.constant 3 : i32
  %handed, %kept = scf.if %c -> (i32, i32) {
    %sum = arith.addi %a, %a : i32
    scf.yield %sum, %a : i32, i32
  } else {
    scf.yield %a, %three : i32, i32
  }
  %product = scf.if %c -> (i32) {
    %more = arith.muli %handed, %three : i32
    scf.yield %more : i32
  } else {
    scf.yield %handed : i32
  }
  func.return %kept, %product : i32, i32
}

// Ops without effects that stand between them go in front; three become one.
// CHECK-LABEL: func.func @three
// CHECK:         arith.muli
// CHECK-NEXT:    scf.if %c {
// CHECK-NEXT:      "test.op"() {first} : () -> ()
// CHECK-NEXT:      "test.op"(%{{.*}}) {second} : (i32) -> ()
// CHECK-NEXT:      "test.op"() {third} : () -> ()
// CHECK-NEXT:    }
// CHECK-NEXT:    func.return
func.func @three(%c: i1, %a: i32) {
  scf.if %c {
    "test.op"() {first} : () -> ()
  }
  %square = arith.muli %a, %a : i32
  scf.if %c {
    "test.op"(%square) {second} : (i32) -> ()
  }
  scf.if %c {
    "test.op"() {third} : () -> ()
  }
  func.return
}

// Not: what has effects between them, what takes something of the first, another condition, other
// marks, or an alternative that one of them lacks.
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-8: scf.if %
// CHECK-NOT:     scf.if %
// CHECK:         func.return
func.func @apart(%c: i1, %d: i1, %a: i32) -> i32 {
  scf.if %c {
    "test.op"() : () -> ()
  }
  "test.op"() {between} : () -> ()
  %x = scf.if %c -> (i32) {
    scf.yield %a : i32
  } else {
    %zero = arith.constant 0 : i32
    scf.yield %zero : i32
  }
  %y = arith.addi %x, %a : i32
  %z = scf.if %c -> (i32) {
    scf.yield %y : i32
  } else {
    scf.yield %a : i32
  }
  scf.if %d {
    "test.op"() : () -> ()
  }
  scf.if %c {
    "test.op"() : () -> ()
  }
  scf.if %c {
    "test.op"() : () -> ()
  } {vyre.all_lanes}
  "test.op"() {between} : () -> ()
  scf.if %c {
    "test.op"() : () -> ()
  }
  scf.if %c {
    "test.op"() : () -> ()
  } else {
    "test.op"() {other} : () -> ()
  }
  func.return %z : i32
}
