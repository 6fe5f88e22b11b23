"""Pages for `man`, one for each command, and completions for shells: of what the program's argument parser knows."""
import json
import time

from orchestration import Run

from .place import OUTPUT, PROGRAM, Source

MAN, COMPLETIONS = OUTPUT / "man", OUTPUT / "completions"
# By the shell, what it calls the file of a program.
SHELLS = {"bash": "{0}", "zsh": "_{0}", "fish": "{0}.fish"}


def make(run: Run, source: Source) -> None:
    MAN.mkdir(parents=True, exist_ok=True)
    tool = json.loads(run.output([PROGRAM, "--experimental-dump-help"]))["command"]
    version = run.output([PROGRAM, "--version"]).split()[0]
    date = time.strftime("%Y-%m-%d", time.gmtime(source.time))
    commands = [command for command in tool["subcommands"] if command["shouldDisplay"] and command["commandName"] != "help"]
    page = Page("martlet", tool["abstract"], date, version)
    page.describe(tool)
    page.section("COMMANDS")
    for command in commands:
        page.item(f"martlet-{command['commandName']}(1)", command.get("abstract", ""))
    page.section("FILES")
    page.item("/etc/martlet/martlet.yaml", "The configuration of a worker that was installed as a package.")
    page.item("/usr/share/doc/martlet/docs/README.md", "The documentation. How to install it, and what is where: docs/install.md.")
    page.item("/usr/share/doc/martlet/examples", "Publishers and consumers in seven languages, and a configuration with all keys.")
    page.write("martlet")
    for command in commands:
        write_command(["martlet", command["commandName"]], command, date, version)
        if command["commandName"] == "simulate":
            write_command(["martlet-simulator"], command, date, version)
    for shell, name in SHELLS.items():
        folder = COMPLETIONS / shell
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name.format("martlet")).write_text(run.output([PROGRAM, "--generate-completion-script", shell]))


def write_command(words: list[str], command: dict, date: str, version: str) -> None:
    page = Page("-".join(words), command.get("abstract", ""), date, version)
    page.section("SYNOPSIS")
    for path, leaf in leaves(words, command):
        page.synopsis(path, leaf)
    page.describe(command)
    for path, part in parts(words, command):
        if path != words:
            page.section(" ".join(path).upper() if len(path) == 1 else " ".join(path))
            page.text(part.get("abstract", ""))
            page.text(part.get("discussion", ""))
        page.options(part)
    page.section("SEE ALSO")
    page.text("martlet(1)")
    page.write("-".join(words))


def parts(path: list[str], command: dict):
    yield path, command
    for sub in command.get("subcommands", []):
        if sub["shouldDisplay"] and sub["commandName"] != "help":
            yield from parts([*path, sub["commandName"]], sub)


def leaves(path: list[str], command: dict):
    return [(words, part) for words, part in parts(path, command)
            if not part.get("subcommands") or part.get("defaultSubcommand")]


def spelled(argument: dict) -> str:
    """Its names, as one types them."""
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return f"<{value}>" + (" …" if argument["isRepeating"] else "")
    names = ", ".join(("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", []))
    return names if argument["kind"] == "flag" else f"{names} <{value}>"


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


class Page:
    def __init__(self, name: str, abstract: str, date: str, version: str):
        self.lines = [f'.TH {roff(name.upper())} 1 "{date}" "martlet {version}" "Martlet"', ".SH NAME",
                      f"{roff(name)} \\- {roff(abstract.rstrip('.'))}"]

    def section(self, title: str) -> None:
        self.lines.append(f'.SH "{roff(title)}"')

    def text(self, text: str) -> None:
        for paragraph in text.split("\n\n"):
            if paragraph:
                self.lines += [".PP", roff(paragraph)]

    def item(self, term: str, text: str) -> None:
        self.lines += [".TP", f"\\fB{roff(term)}\\fR", roff(text) or "\\&"]

    def describe(self, command: dict) -> None:
        self.section("DESCRIPTION")
        self.text(command.get("abstract", ""))
        self.text(command.get("discussion", ""))

    def shown(self, command: dict) -> list[dict]:
        return [argument for argument in command.get("arguments", [])
                if argument["shouldDisplay"] and argument.get("valueName") not in ("help", "version")]

    def synopsis(self, path: list[str], command: dict) -> None:
        words = [f"\\fB{roff(' '.join(path))}\\fR"]
        for argument in self.shown(command):
            name = spelled(argument | {"names": argument.get("names", [])[:1]})
            words.append(roff(f"[{name}]" if argument["isOptional"] else name))
        self.lines += [" ".join(words), ".br"]

    def options(self, command: dict) -> None:
        shown = self.shown(command)
        if not shown:
            return
        self.lines.append('.SS "Options"')
        for argument in shown:
            default = argument.get("defaultValue")
            values = argument.get("allValues")
            text = argument.get("abstract", "") + (f" One of {', '.join(values)}." if values else "")
            self.item(spelled(argument), text + (f" Default: {default}." if default else ""))

    def write(self, name: str) -> None:
        (MAN / f"{name}.1").write_text("\n".join(line for line in self.lines if line) + "\n")
