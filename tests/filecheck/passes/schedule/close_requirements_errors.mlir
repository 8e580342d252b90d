// RUN: xdsl-opt %s -p vyre-select-passes,vyre-close-requirements --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p 'vyre-select-passes{capabilities=subgroups},vyre-close-requirements' --verify-diagnostics --parsing-diagnostics --split-input-file | filecheck %s --check-prefix=DEVICE

// What the profile rejects cannot be required, also not by way of another.

vyre.schedule @rejected profile(release) {
  vyre.pass @rejected phase arms family megakernel boundary program preserves_abi
  vyre.pass @between phase arms family loop boundary arm preserves_abi requires [@rejected]
  vyre.pass @user phase kernels family scalar boundary arm preserves_abi requires [@between]
}

// CHECK: pass 'between' requires 'rejected', which the profile 'release' rejects: deselect 'between', or choose another profile or device

// -----

vyre.schedule @missing_capability profile(release) {
  vyre.pass @wide phase kernels family scalar boundary arm preserves_abi capabilities ["fp64"]
  vyre.pass @user phase kernels family scalar boundary arm preserves_abi requires [@wide]
}

// CHECK: vyre.schedule @missing_capability
// DEVICE: pass 'user' requires 'wide', which needs 'fp64', which the device has not

// -----

vyre.schedule @missing profile(release) {
  vyre.pass @user phase kernels family scalar boundary arm preserves_abi requires [@nowhere]
}

// CHECK: 'vyre.pass' @user: requires '@nowhere', which '@missing' does not hold
