"""Writes the checksums of the release files."""
import hashlib
import shutil

from ..orchestration import ROOT, Run

from .place import OUTPUT, Source


def make(run: Run, source: Source) -> None:
    # Package.resolved is not part of the repository.
    if (ROOT / "Package.resolved").exists():
        shutil.copy(ROOT / "Package.resolved", OUTPUT)
    target = OUTPUT / "SHA256SUMS"
    target.unlink(missing_ok=True)
    files = sorted(file for file in OUTPUT.rglob("*") if file.is_file())
    target.write_text("".join(
        f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(OUTPUT)}\n" for file in files))
