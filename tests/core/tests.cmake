duet_test(core/gpu_lock PLAIN)
duet_test_program(core PLAIN)
