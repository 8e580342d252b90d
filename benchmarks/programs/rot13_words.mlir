// Turns ROT13 back, and counts the letters that begin a word.
vyre.program @rot13_words {
  %text = vyre.buffer @text : !vyre.buffer<?xi8, read_only>
  %n = vyre.buf_len %text : !vyre.buffer<?xi8, read_only>
  %plain = vyre.buffer @plain[%n] initial undefined : !vyre.buffer<?xi8, read_write>
  %words = vyre.buffer @words live_out : !vyre.buffer<1xi32, read_write>
  vyre.region "decode.rot13" invocations [%n] {
    %i = vyre.invocation_id x
    %byte = vyre.load %text[%i] : !vyre.buffer<?xi8, read_only> -> i8
    %case = arith.constant 32 : i8
    %a = arith.constant 97 : i8
    %m = arith.constant 13 : i8
    %back = arith.constant -13 : i8
    %letters = arith.constant 26 : i8
    %lower = arith.ori %byte, %case : i8
    %place = arith.subi %lower, %a : i8
    %is_letter = arith.cmpi ult, %place, %letters : i8
    %first_half = arith.cmpi ult, %place, %m : i8
    %by = arith.select %first_half, %m, %back : i8
    %turned = arith.addi %byte, %by : i8
    %result = arith.select %is_letter, %turned, %byte : i8
    vyre.store %result, %plain[%i] : i8, !vyre.buffer<?xi8, read_write>
  }
  vyre.region "scan.words" invocations [%n] {
    %i = vyre.invocation_id x
    %zero = arith.constant 0 : index
    %step = arith.constant 1 : index
    %before = arith.subi %i, %step : index
    %here = vyre.load %plain[%i] : !vyre.buffer<?xi8, read_write> -> i8
    %last = vyre.load %plain[%before] : !vyre.buffer<?xi8, read_write> -> i8
    %case = arith.constant 32 : i8
    %a = arith.constant 97 : i8
    %letters = arith.constant 26 : i8
    %lower = arith.ori %here, %case : i8
    %place = arith.subi %lower, %a : i8
    %is_letter = arith.cmpi ult, %place, %letters : i8
    %last_lower = arith.ori %last, %case : i8
    %last_place = arith.subi %last_lower, %a : i8
    %was_other = arith.cmpi uge, %last_place, %letters : i8
    %begins = arith.andi %is_letter, %was_other : i1
    scf.if %begins {
      %one = arith.constant 1 : i32
      %old = vyre.atomic_rmw addi %one, %words[%zero] : i32, !vyre.buffer<1xi32, read_write>
    }
  }
}
