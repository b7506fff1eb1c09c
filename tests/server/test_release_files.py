#!/usr/bin/python3
"""`vibe serve` with too few open files. In the optimised build: the sanitizers open files of their own. Needs VIBE."""
import os
import resource
import subprocess
import tempfile
import unittest


class Files(unittest.TestCase):
    def start(self, files, home):
        """What it prints until it listens, and is then stopped, or ends."""
        process = subprocess.Popen([os.environ["VIBE"], "serve", "--port", "0"], text=True, stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   env={"HOME": home, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
                                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
        lines = []
        with process:
            for line in process.stdout:
                lines.append(line)
                if "listening on" in line:
                    process.terminate()
        return "".join(lines)

    def test_whatever_is_opened_last_the_message_says_that_it_is_the_files(self):
        with tempfile.TemporaryDirectory() as home:
            for files in range(8, 40):
                text = self.start(files, home)
                if "listening on" in text:
                    break
                self.assertIn("oo many open files", text, files)
            self.assertGreater(files, 10)
            self.assertIn("listening on", text)


if __name__ == "__main__":
    unittest.main()
