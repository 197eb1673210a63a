"""What takes a minute: ./duet test --all runs it."""

from program import ProgramTest, main


class Large(ProgramTest):
    def test_a_million_tokens_a_rank(self):
        ran = self.run_duet("compare", "--tokens", "1000000", "--steps", "1", "--json", timeout=1500)
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn('"equal": true', ran.out)


if __name__ == "__main__":
    main()
