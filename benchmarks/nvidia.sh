# Sourced before running on a machine whose NVIDIA driver brings no .icd file of its own.
driver=$(find / -name 'libnvidia-opencl.so.1' -not -path '*/proc/*' 2>/dev/null | head -n 1)
OCL_ICD_VENDORS=$(mktemp -d)
echo "$driver" >"$OCL_ICD_VENDORS/nvidia.icd"
export OCL_ICD_VENDORS
