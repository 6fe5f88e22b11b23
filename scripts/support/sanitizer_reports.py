"""Reads sanitizers' reports, which are in one file for each process that has reported something."""
import pathlib
import re
from dataclasses import dataclass, field

BEGINNING = re.compile(r"^(?:==\S*==ERROR: |WARNING: ThreadSanitizer: |(?:FATAL: )?ThreadSanitizer: (?!reported \d+ warnings))")
SUMMARY = re.compile(r"^SUMMARY: (.*)$")
LONGEST = 120


@dataclass
class SanitizerReport:
    """A fault, with the files of all processes that have reported it."""
    summary: str
    lines: list[str]
    files: list[str] = field(default_factory=list)

    def text(self) -> str:
        shown = self.lines[:LONGEST]
        more = [f"  … {len(self.lines) - LONGEST} more lines in {self.files[0]}"] if len(self.lines) > LONGEST else []
        return "\n".join([*shown, *more, f"reported {len(self.files)} times, first in {self.files[0]}"])


def reports_in(folder: pathlib.Path) -> list[SanitizerReport]:
    found: dict[str, SanitizerReport] = {}
    for file in sorted(folder.iterdir()):
        for report in split(file.read_text(errors="replace")):
            found.setdefault(report.summary, report).files.append(file.name)
    return list(found.values())


def split(text: str) -> list[SanitizerReport]:
    """Splits a file into reports, which end with their summaries. The incomplete report of a killed process counts as one,
    too."""
    reports = []
    lines: list[str] = []
    for line in text.splitlines():
        if set(line) <= {"=", "-"}:
            continue
        lines.append(line)
        if found := SUMMARY.match(line):
            reports.append(SanitizerReport(found[1], lines))
            lines = []
    if any(BEGINNING.match(line) for line in lines):
        reports.append(SanitizerReport(lines[0], lines))
    return reports
