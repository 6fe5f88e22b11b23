"""Rules about the sandboxing of the systemd units."""
import pathlib
import shutil
import subprocess

# The maximum exposure, in tenths of the score of `systemd-analyze security`. 100 is no sandboxing at all.
LIMIT = 20


def exposure(root: pathlib.Path) -> list[str]:
    if shutil.which("systemd-analyze") is None:
        return ["systemd-analyze is missing; run scripts/install"]
    problems = []
    for unit in sorted((root / "deploy" / "systemd").glob("*.service")):
        result = subprocess.run(
            ["systemd-analyze", "security", "--offline=true", f"--threshold={LIMIT}", "--no-pager", unit],
            capture_output=True, text=True, check=False)
        if result.returncode != 0:
            said = (result.stdout + result.stderr).strip().splitlines()
            problems.append(f"deploy/{unit.name}: {said[-1] if said else 'failed'} (at most {LIMIT / 10})")
    return problems
