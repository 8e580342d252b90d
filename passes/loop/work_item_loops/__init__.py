"""The parts of `vyre-form-work-item-loops`."""
