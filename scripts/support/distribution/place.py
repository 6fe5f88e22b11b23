"""The release files' folder, and the commit from which they are built."""
import dataclasses
import pathlib

from ..orchestration import ROOT, Run

OUTPUT = ROOT / ".build" / "dist"
PROGRAM, SIMULATOR = OUTPUT / "martlet", OUTPUT / "martlet-simulator"


@dataclasses.dataclass
class Source:
    """The commit that is checked out."""
    commit: str
    # The time of the commit, in seconds since 1970, which all files get.
    time: int
    # Whether there are uncommitted changes.
    is_changed: bool
    # Whether the commit has the tag of a release.
    is_release: bool

    @staticmethod
    def read(run: Run) -> "Source":
        git = ["git", "-C", ROOT]
        tags = run.output([*git, "tag", "--points-at", "HEAD"]).split()
        source = Source(
            commit=run.output([*git, "rev-parse", "--short=12", "HEAD"]).strip(),
            time=int(run.output([*git, "show", "--no-patch", "--format=%ct", "HEAD"])),
            is_changed=bool(run.output([*git, "status", "--porcelain"]).strip()),
            is_release=any(tag.startswith("v") for tag in tags))
        run.environment["SOURCE_DATE_EPOCH"] = str(source.time)
        return source

    @property
    def name(self) -> str:
        return self.commit + (", changed" if self.is_changed else "")
