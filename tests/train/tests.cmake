duet_test(train/adam)
duet_test(train/dataset)
duet_test_program(train)
