"""Running vyre programs: devices, execution, timings and the command line."""
