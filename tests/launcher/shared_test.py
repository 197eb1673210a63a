"""./duet install --shared in a sandbox: what it refuses, what it copies, and that DIR/duet writes nothing in DIR."""

import os
import unittest

from sandbox import Sandbox

COURSE = 'echo "python3 $*"; echo "my=$DUET_MY own=$DUET_OWN build=$DUET_BUILD"'


def everything(folder):
    """Each path below with what a write would change."""
    found = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        found[path] = (status.st_mtime_ns, status.st_size, status.st_mode)
    return found


class Shared(unittest.TestCase):
    def setUp(self):
        self.box = Sandbox()
        self.addCleanup(self.box.close)
        self.clone = self.box.root
        self.dir = self.box.folder / "shared duet"
        self.home = self.box.folder / "home of ada"
        self.home.mkdir()

    def ran(self, *arguments, **variables):
        status, out, err = self.box.run(*arguments, **variables)
        self.assertEqual(status, 0, err)
        return out, err

    def refused(self, *arguments, **variables):
        status, out, err = self.box.run(*arguments, **variables)
        self.assertEqual((status, out), (2, ""), err)
        self.assertTrue(err.startswith("error: ") or "\nerror: " in err, err)
        return err

    def install(self, **variables):
        self.box.root = self.clone
        _, err = self.ran("install", "--shared", str(self.dir), **variables)
        self.box.root = self.dir
        return err

    def as_student(self, *arguments, **variables):
        self.box.root = self.dir
        return self.ran(*arguments, **{"cwd": self.home, **variables})

    def fake_course(self):
        """From now on the sandbox's python3 tells with what the course was called."""
        self.box.fake("python3", COURSE)


class Installing(Shared):
    def test_without_a_folder_it_says_how(self):
        for arguments in ([], ["--shared"], ["somewhere"], ["--shared", "a", "b"]):
            self.assertIn("./duet install --shared DIR", self.refused("install", *arguments))
        self.assertEqual(self.box.calls(), [])

    def test_a_folder_with_something_in_it_is_left_alone(self):
        self.dir.mkdir()
        (self.dir / "thesis.tex").write_text("years")
        self.assertIn("is not empty", self.refused("install", "--shared", str(self.dir)))
        self.assertEqual([path.name for path in self.dir.iterdir()], ["thesis.tex"])

    def test_a_folder_inside_the_clone_is_refused(self):
        self.assertIn("is inside the Duet", self.refused("install", "--shared", str(self.clone / "shared")))

    def test_a_folder_that_cannot_be_made_is_refused(self):
        file = self.box.folder / "file"
        file.write_text("")
        self.assertIn("you may not write in", self.refused("install", "--shared", str(file / "duet")))

    def test_a_name_that_no_compiler_can_include_is_refused(self):
        self.assertIn("has a character", self.refused("install", "--shared", str(self.box.folder / 'a"b')))

    def test_a_preset_without_the_course_is_refused(self):
        err = self.refused("install", "--shared", str(self.dir), DUET_PRESET="asan")
        self.assertIn("default, release or cuda, not asan", err)

    def test_it_copies_sets_up_builds_and_stamps(self):
        (self.clone / "my").mkdir()
        (self.clone / "my" / "expert.cpp").write_text("mine")
        err = self.install()
        for step in ("copying", "LibTorch", "configuring", "building", "installed", f"{self.dir}".replace(" ", "\\ ")):
            self.assertIn(step, err)
        self.assertTrue((self.dir / "build" / "shared.stamp").exists())
        self.assertTrue(os.access(self.dir / "duet", os.X_OK))
        self.assertFalse((self.dir / "my").exists())
        self.assertFalse((self.clone / "build").exists())

    def test_a_closed_umask_shuts_nobody_out(self):
        before = os.umask(0o077)
        self.addCleanup(os.umask, before)
        self.install()
        for path in (self.dir, *self.dir.rglob("*")):
            wanted = 0o5 if path.is_dir() or os.access(path, os.X_OK) and path.name == "duet" else 0o4
            self.assertEqual(path.lstat().st_mode & wanted, wanted, path)

    def test_a_private_folder_above_is_told(self):
        self.box.folder.chmod(0o700)
        err = self.install()
        self.assertIn(f"get through {self.box.folder} to {self.dir}", err)
        self.box.folder.chmod(0o755)
        self.assertNotIn(f"get through {self.box.folder} ", self.install())

    def test_with_git_only_tracked_files_are_copied(self):
        (self.clone / ".git").mkdir()
        (self.clone / "notes.txt").write_text("not tracked")
        files = [str(path.relative_to(self.clone)) for path in self.clone.rglob("*")
                 if path.is_file() and path.name != "notes.txt"]
        (self.box.folder / "tracked").write_text("\0".join(files + ["deleted.txt"]) + "\0")
        self.box.fake("git", 'case "$*" in *ls-files*) cat "$STATE/tracked" ;; *) exit 1 ;; esac')
        self.install()
        self.assertTrue((self.dir / "tools" / "launcher" / "shared.sh").exists())
        self.assertFalse((self.dir / "notes.txt").exists())

    def test_an_update_copies_what_changed_and_removes_what_went(self):
        (self.clone / "old.txt").write_text("old")
        (self.clone / "text.txt").write_text("one")
        self.install()
        kept = (self.dir / "duet").stat().st_mtime_ns
        (self.dir / "of the instructor.txt").write_text("slides")
        (self.clone / "old.txt").unlink()
        (self.clone / "text.txt").write_text("two")
        os.utime(self.clone / "text.txt", (1e9, 1e9))  # an older time, and yet another text
        self.install()
        self.assertFalse((self.dir / "old.txt").exists())
        self.assertEqual((self.dir / "text.txt").read_text(), "two")
        self.assertGreater((self.dir / "text.txt").stat().st_mtime, 1e9 + 1)  # or ninja would not see it
        self.assertEqual((self.dir / "duet").stat().st_mtime_ns, kept)
        self.assertTrue((self.dir / "of the instructor.txt").exists())

    def test_a_password_in_the_origin_is_not_kept(self):
        self.box.fake("git", 'case "$*" in *get-url*) echo https://ada:secret@host/duet.git ;; *) exit 1 ;; esac')
        self.install()
        self.assertIn("git clone https://host/duet.git", self.refused("test", cwd=self.home))
        self.assertNotIn("secret", (self.dir / ".shared").read_text())


class HalfInstalled(Shared):
    def test_one_that_was_cut_off_says_so_and_the_same_command_goes_on(self):
        self.assertEqual(self.box.run("install", "--shared", str(self.dir), FAKE_BUILD="die")[0], -9)
        self.box.root = self.dir
        for verb in ("compare", "lesson", "setup"):
            err = self.refused(verb, cwd=self.home)
            self.assertIn("is not finished", err)
            self.assertIn(f"cd {self.clone} && ./duet install --shared {self.dir}", err)
        self.install()
        self.assertEqual(self.as_student("compare")[0], "ran: compare\n")
        self.assertEqual(len(self.box.calls("pip")), 1)

    def test_an_update_whose_build_fails_is_told_too(self):
        self.install()
        (self.dir / "build" / "default" / "duet").unlink()  # so that the fake has something to build
        self.box.root = self.clone
        self.refused("install", "--shared", str(self.dir), FAKE_BUILD="fail")
        self.box.root = self.dir
        self.assertIn("is not finished", self.refused("compare", cwd=self.home))

    def test_one_that_was_moved_is_told(self):
        self.install()
        self.box.root = self.dir.rename(self.box.folder / "moved")
        err = self.refused("compare", cwd=self.home)
        self.assertIn(f"it was made in {self.dir}", err)


class Using(Shared):
    def setUp(self):
        super().setUp()
        self.install()

    def test_no_verb_sets_up_builds_or_writes_there(self):
        self.fake_course()
        before, calls = everything(self.dir), self.box.calls()
        for verb in (["compare"], ["train"], ["compare", "--mine"], ["trace", "runs/1"], ["--version"], ["lesson"], ["check"],
                     ["watch"], ["hint"], ["predict"], ["solution"], ["reset"], ["explain"], ["see"]):
            self.as_student(*verb)
        for verb in ("test", "verify", "bench", "setup", "install", "comapre", "view"):
            self.refused(verb, cwd=self.home)
        self.as_student("--help")
        self.assertEqual(everything(self.dir), before)
        self.assertEqual(self.box.calls(), calls)

    def test_the_course_works_in_the_students_folder(self):
        self.fake_course()
        out, _ = self.as_student("check", "expert")
        self.assertEqual(out, f"python3 {self.dir}/tools/course check expert\n"
                         f"my={self.home}/my own={self.home}/.duet build={self.dir}/build/default\n")
        deeper = self.home / "my" / "expert"
        deeper.mkdir(parents=True)
        self.assertEqual(self.as_student("check", "expert", cwd=deeper)[0], out)
        self.assertIn("my=/elsewhere own=", self.as_student("check", DUET_MY="/elsewhere")[0])

    def test_a_clone_has_no_own_folder(self):
        """What a shared install leaves in the environment must not reach the course of a clone."""
        self.fake_course()
        self.box.root = self.clone
        self.assertIn(f"my= own= build={self.clone}/build/default", self.ran("lesson", DUET_OWN="/elsewhere")[0])

    def test_dot_duet_leads_there_from_the_students_folder(self):
        _, err = self.as_student("compare")
        self.assertIn(f"./duet in {self.home} now leads to {self.dir}/duet", err)
        self.assertEqual(self.as_student("compare")[1], "")
        self.box.root = self.home
        self.assertEqual(self.ran("compare", "--steps", "4 5", cwd=self.home)[0], "ran: compare --steps 4 5\n")

    def test_a_duet_of_the_students_is_left_as_it_is(self):
        (self.home / "duet").write_text("a poem")
        self.as_student("compare")
        self.assertEqual((self.home / "duet").read_text(), "a poem")

    def test_nobody_works_in_the_shared_folder(self):
        for folder in (self.dir, self.dir / "tools"):
            for verb in ("compare", "lesson"):
                err = self.refused(verb, cwd=folder)
                self.assertIn("in which nobody works", err)
                self.assertIn("mkdir -p ~/duet", err)

    def test_what_needs_a_clone_says_so(self):
        for verb in ("test", "verify", "bench", "setup", "install"):
            err = self.refused(verb, cwd=self.home)
            self.assertIn(f"./duet {verb} needs a copy of Duet of your own", err)
            self.assertIn("git clone", err)

    def test_a_missing_viewer_is_told(self):
        self.assertIn("has no viewer", self.refused("view", cwd=self.home))

    def test_another_preset_is_refused(self):
        self.assertIn("has the preset default", self.refused("compare", cwd=self.home, DUET_PRESET="release"))

    @unittest.skipUnless(os.geteuid() == 0, "only root can give a folder away")
    def test_the_code_of_somebody_else_is_not_touched(self):
        my = self.home / "my"
        my.mkdir()
        os.chown(my, 65534, 65534)
        self.assertIn("belongs to somebody else", self.refused("lesson", cwd=self.home))
        self.assertEqual([path.name for path in self.home.iterdir()], ["my"])

    def test_a_link_to_it_works(self):
        self.fake_course()
        link = self.box.folder / "link"
        link.symlink_to(self.dir)
        self.box.root = link
        self.assertIn(f"build={self.dir}/build/default", self.ran("check", cwd=self.home)[0])


if __name__ == "__main__":
    unittest.main()
