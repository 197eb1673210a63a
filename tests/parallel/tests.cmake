duet_test(parallel/layout)
duet_test_program(parallel)
