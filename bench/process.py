"""Process: runs a program to its end and reports the resources used."""

import os
import subprocess
import sys
import tempfile
import time

# Linux includes the memory of the starting process in a program's peak: 9 MB here.
_STARTER = """
import os, sys
null = (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)
process = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ, file_actions=[null])
_, status, usage = os.wait4(process, 0)
print(usage.ru_maxrss / 1024)
sys.exit(status != 0)
"""


def timed(command, environment, folder):
    """Wall time and processor time in seconds, peak memory in MB (including this process's), the
    status and the end of the command's output."""
    with tempfile.TemporaryFile() as output:
        before = time.perf_counter()
        process = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL,
                                   stdout=output, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - before
        output.seek(max(0, output.tell() - 4096))
        text = output.read().decode(errors="replace")
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status, text


def peak_memory(command, environment):
    """Peak memory in MB of a command whose output is discarded."""
    done = subprocess.run([sys.executable, "-I", "-S", "-c", _STARTER, *command], env=environment,
                          check=True, stdout=subprocess.PIPE)
    return float(done.stdout)
