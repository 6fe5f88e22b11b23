"""PyPI packages for third-party clients, each set in its own virtual environment."""
import os
import shutil
import subprocess
import sys

CAN_NOT_BE_HAD = 77


def unavailable(text):
    print(f"skipped: {text}")
    sys.exit(CAN_NOT_BE_HAD)


def with_packages(name, packages, folder):
    """Restarts the program with the Python of an environment that has the packages, which are installed if missing."""
    home = os.path.join(folder, name)
    python = os.path.join(home, "bin", "python3")
    if os.path.realpath(sys.prefix) == os.path.realpath(home):
        return
    mark = os.path.join(home, "complete")
    if not os.path.exists(mark):
        shutil.rmtree(home, ignore_errors=True)
        made = subprocess.run(["/usr/bin/python3", "-m", "venv", home], capture_output=True, text=True)
        if made.returncode:
            unavailable(f"no virtual environment, run scripts/install first: {made.stdout}{made.stderr}")
        installed = subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--timeout", "10", "--retries",
             "1", "setuptools<81", *packages], capture_output=True, text=True)
        if installed.returncode:
            last = installed.stderr.strip().splitlines()[-1:]
            unavailable(f"pip can't install {' '.join(packages)}: {''.join(last)}")
        with open(mark, "w"):
            pass
    os.execv(python, [python, *sys.argv])
