"""What takes a minute: ./duet test --all runs it."""

import subprocess
import time

from program import DUET, ProgramTest, main


def resident_kb(process):
    with open(f"/proc/{process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class Large(ProgramTest):
    def test_a_million_tokens_a_rank(self):
        ran = self.run_duet("compare", "--tokens", "1000000", "--steps", "1", "--json", timeout=1500)
        self.assertEqual(ran.code, 0, ran.err)
        self.assertIn('"equal": true', ran.out)


class Long(ProgramTest):
    def test_ten_thousand_steps_with_flat_memory(self):
        trace = self.folder / "run" / "trace.jsonl.partial"
        process = subprocess.Popen([DUET, "train", "--steps", "10000", "--quiet", "--out", str(trace.parent)],
                                   cwd=self.folder, stdout=subprocess.DEVNULL)
        sizes = []
        while process.poll() is None:
            time.sleep(0.1)
            lines = trace.read_bytes().count(b"\n") if trace.exists() else 0
            if lines > 1000 and process.poll() is None:
                sizes.append(resident_kb(process))
        self.assertEqual(process.returncode, 0)
        self.assertGreater(len(sizes), 5)
        print(f"resident memory from step 1,000 to 10,000: {min(sizes)} to {max(sizes)} KB")
        self.assertLess(max(sizes), 1.1 * sizes[0])


if __name__ == "__main__":
    main()
