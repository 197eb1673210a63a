"""Times Duet's expert-parallel step beside the same job in plain torch.distributed.

usage: run.py DUET_BENCH_STEP [--rounds 3] [--tokens 64,1024,4096] [--steps 200] [--json]

The two take turns, round after round, so that the machine's drift hits both. A figure is the fastest step of all rounds
(and the median of the rounds' medians); the ratio is Duet's over Python's. Ends with 1 where a target is missed.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys

PEER = pathlib.Path(__file__).with_name("ep_step.py")
TARGETS = {64: 1 / 3, 1024: 1.0, 4096: 1.0}  # ratio of the fastest steps that Duet promises


def step_us(command):
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(done.stdout.splitlines()[-1])["step_us"]


def measure(program, tokens, rounds, steps):
    flags = ["--tokens", str(tokens), "--steps", str(steps)]
    python, duet = [], []
    for number in range(1, rounds + 1):
        if sys.stderr.isatty():
            print(f"\r\033[K  {tokens} tokens a rank, round {number} of {rounds}", end="", file=sys.stderr, flush=True)
        python.append(step_us([sys.executable, str(PEER), *flags]))
        duet.append(step_us([program, *flags]))
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr, flush=True)
    figures = {name: {"min": min(run["min"] for run in runs),
                      "median": statistics.median(run["median"] for run in runs)}
               for name, runs in (("python", python), ("duet", duet))}
    figures["ratio"] = figures["duet"]["min"] / figures["python"]["min"]
    figures["ratio_of_medians"] = figures["duet"]["median"] / figures["python"]["median"]
    figures["target"] = TARGETS.get(tokens)
    return figures


def table(results):
    yield "tokens a rank | Python min, median us | Duet EP min, median us | ratio of min, of medians | target"
    yield "--- | --- | --- | --- | ---"
    for tokens, row in results.items():
        target = "" if row["target"] is None else f"<= {row['target']:.2f}"
        yield (f"{tokens} | {row['python']['min']:.0f}, {row['python']['median']:.0f} | {row['duet']['min']:.0f}, "
               f"{row['duet']['median']:.0f} | {row['ratio']:.2f}, {row['ratio_of_medians']:.2f} | {target}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tokens", default="64,1024,4096")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    sizes = [int(tokens) for tokens in args.tokens.split(",")]
    results = {tokens: measure(args.program, tokens, args.rounds, args.steps) for tokens in sizes}
    print(json.dumps(results) if args.json else "\n".join(table(results)))
    return int(any(row["target"] is not None and row["ratio"] > row["target"] for row in results.values()))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print(f"error: {error.cmd[0]} ended with {error.returncode}\n{error.stderr}", file=sys.stderr)
        sys.exit(3)
