vyre.schedule @own profile(release) {
  vyre.pass @"vyre-outline-kernels" phase outline family unknown boundary module preserves_abi
  vyre.pass @"vyre-decode-scan-fuse" options {strategy = "workgroup", tile = 64 : i64} phase arms family fusion boundary program preserves_abi
  vyre.pass @"vyre-expand" phase expand family unknown boundary program preserves_abi
  vyre.pass @canonicalize phase kernels family scalar boundary arm preserves_abi selected false reason below_threshold priority 0
}
