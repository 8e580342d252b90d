// RUN: xdsl-opt %s --verify-diagnostics --split-input-file | filecheck %s

// The size of one element, as the limit of the range of bytes that the host reads back.

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi1, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xi1, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi4, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xi4, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi7, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xi7, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi8, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xi8, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xui8, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xui8, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xsi8, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xsi8, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi9, read_write>
}

// CHECK: expected an output range within 2 bytes, got 1000
// CHECK: !vyre.buffer<1xi9, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi16, read_write>
}

// CHECK: expected an output range within 2 bytes, got 1000
// CHECK: !vyre.buffer<1xi16, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi24, read_write>
}

// CHECK: expected an output range within 3 bytes, got 1000
// CHECK: !vyre.buffer<1xi24, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi32, read_write>
}

// CHECK: expected an output range within 4 bytes, got 1000
// CHECK: !vyre.buffer<1xi32, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi48, read_write>
}

// CHECK: expected an output range within 6 bytes, got 1000
// CHECK: !vyre.buffer<1xi48, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi64, read_write>
}

// CHECK: expected an output range within 8 bytes, got 1000
// CHECK: !vyre.buffer<1xi64, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xi128, read_write>
}

// CHECK: expected an output range within 16 bytes, got 1000
// CHECK: !vyre.buffer<1xi128, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf8E4M3FN, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xf8E4M3FN, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf8E5M2, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xf8E5M2, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf6E2M3FN, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xf6E2M3FN, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf4E2M1FN, read_write>
}

// CHECK: expected an output range within 1 bytes, got 1000
// CHECK: !vyre.buffer<1xf4E2M1FN, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf16, read_write>
}

// CHECK: expected an output range within 2 bytes, got 1000
// CHECK: !vyre.buffer<1xf16, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xbf16, read_write>
}

// CHECK: expected an output range within 2 bytes, got 1000
// CHECK: !vyre.buffer<1xbf16, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xtf32, read_write>
}

// CHECK: expected an output range within 3 bytes, got 1000
// CHECK: !vyre.buffer<1xtf32, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf32, read_write>
}

// CHECK: expected an output range within 4 bytes, got 1000
// CHECK: !vyre.buffer<1xf32, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf64, read_write>
}

// CHECK: expected an output range within 8 bytes, got 1000
// CHECK: !vyre.buffer<1xf64, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf80, read_write>
}

// CHECK: expected an output range within 10 bytes, got 1000
// CHECK: !vyre.buffer<1xf80, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xf128, read_write>
}

// CHECK: expected an output range within 16 bytes, got 1000
// CHECK: !vyre.buffer<1xf128, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xcomplex<f32>, read_write>
}

// CHECK: expected an output range within 8 bytes, got 1000
// CHECK: !vyre.buffer<1xcomplex<f32>, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xcomplex<f64>, read_write>
}

// CHECK: expected an output range within 16 bytes, got 1000
// CHECK: !vyre.buffer<1xcomplex<f64>, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xvector<2xi32>, read_write>
}

// CHECK: expected an output range within 8 bytes, got 1000
// CHECK: !vyre.buffer<1xvector<2xi32>, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xvector<4xi32>, read_write>
}

// CHECK: expected an output range within 16 bytes, got 1000
// CHECK: !vyre.buffer<1xvector<4xi32>, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xvector<3xi8>, read_write>
}

// CHECK: expected an output range within 3 bytes, got 1000
// CHECK: !vyre.buffer<1xvector<3xi8>, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xvector<4xi1>, read_write>
}

// CHECK: expected an output range within 4 bytes, got 1000
// CHECK: !vyre.buffer<1xvector<4xi1>, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xvector<2x3xi16>, read_write>
}

// CHECK: expected an output range within 12 bytes, got 1000
// CHECK: !vyre.buffer<1xvector<2x3xi16>, read_write>

// -----

vyre.program @sizes {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<1xvector<8xf16>, read_write>
}

// CHECK: expected an output range within 16 bytes, got 1000
// CHECK: !vyre.buffer<1xvector<8xf16>, read_write>

// -----

// The size of a buffer is that of its elements, without padding.

vyre.program @count {
  %b = vyre.buffer @b live_out output_range [0, 1000] : !vyre.buffer<5xvector<3xi8>, read_write>
}

// CHECK: expected an output range within 15 bytes, got 1000

// -----

// Elements without a fixed size are accepted; so is any range of them.

vyre.program @unsized {
  %b0 = vyre.buffer @b0 live_out output_range [0, 1000] : !vyre.buffer<4xindex, read_write>
  %b1 = vyre.buffer @b1 live_out output_range [0, 1000] : !vyre.buffer<4xvector<[4]xi32>, read_write>
  %b2 = vyre.buffer @b2 live_out output_range [0, 1000] : !vyre.buffer<4xtensor<4xi32>, read_write>
  %b3 = vyre.buffer @b3 live_out output_range [0, 1000] : !vyre.buffer<4xtensor<?xi32>, read_write>
  %b4 = vyre.buffer @b4 live_out output_range [0, 1000] : !vyre.buffer<4xmemref<4xi32>, read_write>
  %b5 = vyre.buffer @b5 live_out output_range [0, 1000] : !vyre.buffer<4x!test.type<"x">, read_write>
  %b6 = vyre.buffer @b6 live_out output_range [0, 1000] : !vyre.buffer<4xnone, read_write>
  %b7 = vyre.buffer @b7 live_out output_range [0, 1000] : !vyre.buffer<4xvector<4xindex>, read_write>
}

// CHECK: vyre.program @unsized
// CHECK-NEXT: !vyre.buffer<4xindex, read_write>
// CHECK-NEXT: !vyre.buffer<4xvector<[4]xi32>, read_write>
// CHECK-NEXT: !vyre.buffer<4xtensor<4xi32>, read_write>
// CHECK-NEXT: !vyre.buffer<4xtensor<?xi32>, read_write>
// CHECK-NEXT: !vyre.buffer<4xmemref<4xi32>, read_write>
// CHECK-NEXT: !vyre.buffer<4x!test.type<"x">, read_write>
// CHECK-NEXT: !vyre.buffer<4xnone, read_write>
// CHECK-NEXT: !vyre.buffer<4xvector<4xindex>, read_write>
