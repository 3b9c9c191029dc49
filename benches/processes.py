"""Runs a command and says what it took, for the programs beside it."""

import os
import subprocess
import sys
import time


def measured(command, environment=None):
    """Seconds, processor seconds and the largest number of MiB in memory of a command, and the bytes that it printed. Ends this
    program if the command fails otherwise than with an answer of kubectl-preempt."""
    begin = time.monotonic()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output
