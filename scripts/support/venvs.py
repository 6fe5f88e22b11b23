"""Installs programs from PyPI, each in its own virtual environment under .local/venvs, when they are first needed."""
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def programs(name: str, packages: list[str], within: float | None = None) -> pathlib.Path:
    """Returns the folder with the programs of these packages, which must be given with versions. Only the first call needs a
    network. `within` limits the time that pip may take, in seconds."""
    wanted = hashlib.sha256(" ".join([sys.version, *packages]).encode()).hexdigest()[:12]
    folder = ROOT / ".local" / "venvs" / f"{name}-{wanted}"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin" / "pip", "-q", "--disable-pip-version-check", "install", *packages], check=True,
                       timeout=within)
        (folder / "complete").touch()
        for old in folder.parent.glob(f"{name}-*"):
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)
    return folder / "bin"


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
