"""The parts of `vyre-serialize-workgroups`."""
