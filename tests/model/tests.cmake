duet_test(model/models PLAIN)
duet_test_program(model PLAIN)
