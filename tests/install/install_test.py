"""Duet installed: a program of another project finds it, builds against it and runs, and the installed `duet` runs.

Installs what is built already (DUET_BUILD names the build folder) and builds nothing of Duet.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CMAKE = os.environ["DUET_CMAKE"]


def run(*command, folder=None, environment=None):
    done = subprocess.run([str(part) for part in command], cwd=folder, env=environment, text=True, capture_output=True)
    return done.returncode, done.stdout, done.stdout + done.stderr


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="duet_install_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.prefix = cls.folder / "prefix"
        cls.succeed(CMAKE, "--install", os.environ["DUET_BUILD"], "--prefix", cls.prefix)

    @classmethod
    def succeed(cls, *command, **how):
        status, out, text = run(*command, **how)
        if status != 0:
            raise AssertionError(f"{' '.join(map(str, command))} ended with {status}:\n{text}")
        return out

    def configure(self, source, build, *flags):
        """As a person would: nothing of Duet's own build is in the environment.

        g++ 12 sees an uninitialised member in LibTorch's tensor wherever a struct of undefined ones is destroyed.
        """
        environment = {name: value for name, value in os.environ.items() if name != "DUET_LIBTORCH"}
        return run(CMAKE, "-S", source, "-B", build, f"-DCMAKE_PREFIX_PATH={self.prefix}",
                   "-DCMAKE_CXX_FLAGS=-O1 -Wall -Wextra -Werror -Wno-maybe-uninitialized", *flags, environment=environment)

    def build(self, name):
        """The program of the project in the folder `name`, which is copied: nothing beside it may be needed."""
        source, build = self.folder / name, self.folder / name / "build"
        shutil.copytree(HERE / name, source)
        status, _, text = self.configure(source, build)
        self.assertEqual(status, 0, text)
        self.succeed(CMAKE, "--build", build)
        return build / name

    def test_a_consumer_builds_and_each_token_comes_back_from_its_expert(self):
        gate = 0.952574  # softmax of the logits 3 and 0
        first, second = map(float, self.succeed(self.build("consumer")).split())
        self.assertAlmostEqual(first, 3 * gate, places=3)
        self.assertAlmostEqual(second, 6 * gate, places=3)

    def test_a_program_with_its_own_optimizer_trains_the_same_on_one_rank_and_on_two(self):
        program = self.build("embedding")
        one, two = ([float(loss) for loss in self.succeed(program, ranks).split()] for ranks in ("1", "2"))
        self.assertEqual(len(one), 2)
        self.assertLess(one[1], one[0] / 2)
        for alone, together in zip(one, two):
            self.assertAlmostEqual(alone, together, delta=1e-4 * alone)

    def test_another_libtorch_is_refused_with_both_versions(self):
        other = self.folder / "torch"
        header = other / "include/torch/headeronly/version.h"
        header.parent.mkdir(parents=True)
        header.write_text("#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 99\n#define TORCH_VERSION_PATCH 0\n")
        for path in ("include/ATen/core/Tensor.h", "lib/libtorch_cpu.so", "lib/libc10.so"):
            (other / path).parent.mkdir(parents=True, exist_ok=True)
            (other / path).write_text("")
        status, _, text = self.configure(HERE / "consumer", self.folder / "other", f"-DDUET_LIBTORCH={other}")
        self.assertNotEqual(status, 0)
        self.assertIn("2.99.0", text)
        self.assertIn("it was built with LibTorch", text)

    def test_the_installed_program_finds_its_libraries(self):
        self.assertIn("compare", self.succeed(self.prefix / "bin" / "duet", "--help"))

    def test_every_installed_header_finds_what_it_includes(self):
        """Ours in the folder; others only from the standard library, ATen and c10: no fmt, JSON or CLI11 is asked of anyone."""
        include = self.prefix / "include" / "duet"
        headers = sorted(include.rglob("*.h"))
        self.assertGreater(len(headers), 50)
        for header in headers:
            for line in header.read_text().splitlines():
                if line.startswith('#include "'):
                    self.assertTrue((include / line.split('"')[1]).is_file(), f"{header}: {line}")
                elif line.startswith("#include <"):
                    name = line[len("#include <"):line.index(">")]
                    self.assertTrue("/" not in name or name.startswith(("ATen/", "c10/")), f"{header}: {line}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
