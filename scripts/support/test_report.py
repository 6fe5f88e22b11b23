"""The failures of a test run, printed again at the end of the output."""
import collections
import pathlib
import re

COLOUR = re.compile("\x1b\\[[0-9;]*m")
# A failed test or suite, an issue, or the summary. Lines that explain it may follow.
FAILURE = re.compile("^✘ (Test|Suite) ")
EXPLANATION = re.compile("^↳ ")
CRASH = re.compile(r"^\*\*\* .*crashed|^Thread \d+ .*crashed:|Fatal error: ")
FRAMES_OF_A_CRASH = 14
LONGEST_LINE = 2000
# The message of an issue, without the test's name and source location.
ISSUE = re.compile(r"^✘ Test .* recorded an issue.*?\.swift:\d+:\d+: (.*)$")
MOST_CAUSES = 8
LONGEST_CAUSE = 300
# Lines of a server's log that explain why many tests failed at once.
SERVER_TROUBLE = re.compile(
    "PANIC: |was terminated by signal|all server processes terminated|too many clients|No space left|out of memory|"
    "resource limit alarm set", re.IGNORECASE)


class Report:
    def __init__(self):
        self.failures: list[str] = []
        self._servers: list[str] = []
        self._causes: collections.Counter[str] = collections.Counter()
        self._explains = False
        self._frames = 0

    def summary(self) -> list[str]:
        """Returns the failures, the most frequent messages and the servers' log lines. A broken server makes many tests fail
        with the same message."""
        causes = [f"{count} × {cause}" for cause, count in self._causes.most_common(MOST_CAUSES) if count > 1]
        return [*self.failures, *(["most frequent:", *causes] if causes else []), *self._servers]

    def add(self, other: "Report") -> None:
        """Adds the failures of another process."""
        self.failures += other.failures
        self._causes += other._causes

    def read_server_logs(self, directory: pathlib.Path) -> None:
        """Adds up to three lines from each log below a directory that report a server failure."""
        for log in sorted(directory.rglob("*.log")):
            lines = [line for line in log.read_text(errors="replace").splitlines() if SERVER_TROUBLE.search(line)]
            self._servers += [f"{log.relative_to(directory)}: {line[:LONGEST_CAUSE]}" for line in lines[:3]]

    def read(self, line: str) -> None:
        line = COLOUR.sub("", line.rstrip("\n"))
        if CRASH.search(line):
            self._frames = FRAMES_OF_A_CRASH
        if issue := ISSUE.match(line):
            # Replace digits, because database names and ports differ between tests.
            self._causes[re.sub(r"\d+", "N", issue[1])[:LONGEST_CAUSE]] += 1
        starts = bool(FAILURE.match(line))
        self._explains = starts or (self._explains and bool(EXPLANATION.match(line)))
        if self._explains or self._frames > 0:
            self.failures.append(line if len(line) <= LONGEST_LINE else line[:LONGEST_LINE] + " …")
            self._frames = max(0, self._frames - 1)
