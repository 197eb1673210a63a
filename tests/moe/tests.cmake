duet_test(moe/expert)
duet_test(moe/plan)
duet_test_program(moe)
