"""How a program may be cut along its input, and which op forbids it."""
