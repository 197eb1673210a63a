# Without a GPU every one of these is skipped, with the reason. In the cuda preset: ./duet test --gpu.
duet_test(gpu/kernels)
duet_test(gpu/training)
duet_test_program(gpu)
set_tests_properties(gpu PROPERTIES LABELS gpu)
