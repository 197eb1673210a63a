duet_test(train/adam)
duet_test(train/dataset)
duet_test(train/checkpoint_file)
duet_test_program(train)
