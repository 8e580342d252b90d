// RUN: xdsl-opt %s -p vyre-close-requirements --split-input-file | filecheck %s
// RUN: xdsl-opt %s -p vyre-close-requirements,vyre-close-requirements --split-input-file | filecheck %s

// Through a chain, whichever way round it is written; what nobody requires stays.

// CHECK-LABEL: vyre.schedule @chain
vyre.schedule @chain profile(release) {
  // CHECK-NEXT: vyre.pass @last {{.*}} selected true reason always_on priority 200
  vyre.pass @last phase kernels family scalar boundary arm preserves_abi requires [@middle] selected true reason always_on priority 200
  // CHECK-NEXT: vyre.pass @first {{.*}} selected true reason required_dependency priority 100 evidence "middle"
  vyre.pass @first phase kernels family memory boundary arm preserves_abi selected false reason below_threshold priority 0 evidence "peak_bytes" measured 4 threshold 16384
  // CHECK-NEXT: vyre.pass @middle {{.*}} selected true reason required_dependency priority 100 evidence "last"
  vyre.pass @middle phase kernels family memory boundary arm preserves_abi requires [@first] selected false reason below_threshold priority 0
  // CHECK-NEXT: vyre.pass @other {{.*}} selected false reason below_threshold priority 0
  vyre.pass @other phase kernels family memory boundary arm preserves_abi requires [@first] selected false reason below_threshold priority 0
}

// -----

// A diamond, on whose top nothing was decided.

// CHECK-LABEL: vyre.schedule @diamond
vyre.schedule @diamond profile(release) {
  // CHECK-NEXT: vyre.pass @top {{.*}} selected true reason required_dependency priority 100 evidence "{{left|right}}"
  vyre.pass @top phase kernels family loop boundary arm preserves_abi
  // CHECK-NEXT: vyre.pass @left {{.*}} selected true reason required_dependency priority 100 evidence "bottom"
  vyre.pass @left phase kernels family loop boundary arm preserves_abi requires [@top] selected false reason below_threshold priority 0
  // CHECK-NEXT: vyre.pass @right {{.*}} selected true reason required_dependency priority 100 evidence "bottom"
  vyre.pass @right phase kernels family loop boundary arm preserves_abi requires [@top] selected false reason below_threshold priority 0
  // CHECK-NEXT: vyre.pass @bottom {{.*}} selected true reason program_shape priority 300
  vyre.pass @bottom phase kernels family loop boundary arm preserves_abi requires [@left, @right] selected true reason program_shape priority 300
}

// -----

// Nothing that is not selected requires anything.

// CHECK-LABEL: vyre.schedule @nothing
vyre.schedule @nothing profile(release) {
  // CHECK-NEXT: vyre.pass @a {{.*}} selected false reason profile_rejected
  vyre.pass @a phase kernels family megakernel boundary arm preserves_abi selected false reason profile_rejected priority 0
  // CHECK-NEXT: vyre.pass @b {{.*}} requires [@a] selected false
  vyre.pass @b phase kernels family loop boundary arm preserves_abi requires [@a] selected false reason below_threshold priority 0
  // CHECK-NEXT: vyre.pass @c {{.*}} requires [@a]{{$}}
  vyre.pass @c phase kernels family loop boundary arm preserves_abi requires [@a]
}

// -----

// What nobody asked for is there for this.

// CHECK-LABEL: vyre.schedule @on_request
vyre.schedule @on_request profile(release) {
  // CHECK-NEXT: vyre.pass @user {{.*}} selected true reason always_on
  vyre.pass @user phase kernels family scalar boundary arm preserves_abi requires [@used] selected true reason always_on priority 200
  // CHECK-NEXT: vyre.pass @used {{.*}} on_request selected true reason required_dependency priority 100 evidence "user"
  vyre.pass @used phase kernels family scalar boundary arm preserves_abi on_request selected false reason not_requested priority 0
}
