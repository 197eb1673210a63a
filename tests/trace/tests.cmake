duet_test(trace/breakdown PLAIN)
duet_test_program(trace PLAIN)
