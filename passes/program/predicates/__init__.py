"""How tests of decoded columns become tests of what is decoded: a file for each kind of decoder."""
