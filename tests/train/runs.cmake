# Whole runs, in a program of their own.
duet_test(train/compare PROGRAM train_runs)
duet_test(train/live_run PROGRAM train_runs)
duet_test(train/train_run PROGRAM train_runs)
duet_test_program(train_runs)
