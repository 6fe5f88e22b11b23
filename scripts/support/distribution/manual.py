"""Generates man pages, one for each command, and shell completions, from the definitions of the programs' argument parsers."""
import json
import pathlib
import time

from ..orchestration import Run

from .place import OUTPUT, PROGRAM, SIMULATOR, Source

MAN, COMPLETIONS = OUTPUT / "man", OUTPUT / "completions"
# Examples of frequently used commands. An unknown option in an example is an error.
EXAMPLES = {
    "worker": ["martlet worker --config /etc/martlet/martlet.yaml"],
    "top": ["martlet top --once"],
    "migrate": ["martlet migrate --dry-run", "martlet migrate --config /etc/martlet/migrate.yaml"],
    "app set": ["martlet app set com.example.shop --team TEAMA12345 --environment production"],
    "credential import": ["martlet credential import AuthKey_ABC1234567.p8 --team TEAMA12345"],
    "credential check": ["martlet credential check --all"],
    "job publish": ["martlet job publish --wait 30 job.json"],
    "job cancel": ["martlet job cancel order-8841"],
    "token show": ["martlet token show c2732227a1d8021cfaf781d71fb2f908c61f5861079a00954a5453f1d0281433"],
    "results tail": ["martlet results tail --bind '*.unregistered.#'"],
    "dead list": ["martlet dead list --reason 'is required'"],
    "dead replay": ["martlet dead replay --app com.example.shop"],
    "dead drop": ["martlet dead drop --id order-8842"],
    "push": ["martlet push --app com.example.shop --credential AuthKey_ABC1234567.p8 --team TEAMA12345 --alert Hello TOKEN"],
    "why": ["martlet why --job order-8841 --ref user-17"],
    "topology": ["martlet topology --format definitions >definitions.json"],
    "run": ["martlet-simulator --directory apple"],
    "fcm": ["martlet-simulator fcm --directory google"],
    "doctor": ["martlet doctor --config /etc/martlet/martlet.yaml"],
}
EXIT_CODES = {"0": "success", "1": "failure, with the reason on standard error", "64": "wrong usage",
              "78": "wrong configuration, with the key, its variable and the fault on standard error"}
# The name of a program's completion file, by shell.
SHELLS = {"bash": "{0}", "zsh": "_{0}", "fish": "{0}.fish"}


def make(run: Run, source: Source) -> None:
    MAN.mkdir(parents=True, exist_ok=True)
    tool = definition(run, PROGRAM)
    version = run.output([PROGRAM, "--version"]).split()[0]
    date = time.strftime("%Y-%m-%d", time.gmtime(source.time))
    commands = [command for command in tool["subcommands"] if command["shouldDisplay"] and command["commandName"] != "help"]
    page = Page("martlet", tool["abstract"], date, version)
    page.describe(tool)
    page.text("It delivers by Apple's push service (apns), Firebase Cloud Messaging (fcm), the push services of browsers "
              "(webpush), and to your own receivers (webhook).")
    page.section("COMMANDS")
    for command in commands:
        page.item(f"martlet-{command['commandName']}(1)", command.get("abstract", ""))
    page.configuration()
    page.item("/usr/share/doc/martlet/docs/README.md", "The documentation. docs/install.md describes the installed files.")
    page.item("/usr/share/doc/martlet/examples/clients", "Publishers and consumers in seven languages.")
    page.environment()
    page.exit_codes()
    page.write("martlet")
    for command in commands:
        for path, part in parts(["martlet", command["commandName"]], command):
            write_command(path, part, date, version)
    write_command(["martlet-simulator"], definition(run, SIMULATOR), date, version)
    if unknown := EXAMPLES.keys() - Page.shown_examples:
        raise SystemExit(f"examples of unknown commands: {', '.join(sorted(unknown))}")
    for shell in SHELLS:
        folder = COMPLETIONS / shell
        folder.mkdir(parents=True, exist_ok=True)
        for program in (PROGRAM, SIMULATOR):
            (folder / completion(program.name, shell)).write_text(run.output([program, "--generate-completion-script", shell]))


def definition(run: Run, program: pathlib.Path) -> dict:
    return json.loads(run.output([program, "--experimental-dump-help"]))["command"]


def completion(program: str, shell: str) -> str:
    """Returns the name of the program's completion file for a shell."""
    return SHELLS[shell].format(program)


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
    shown = [part for _, part in parts(words, command)]
    if any(argument.get("valueName") == "config" for part in shown for argument in part.get("arguments", [])):
        page.configuration()
        page.environment()
    page.exit_codes()
    page.examples(words, command)
    page.section("SEE ALSO")
    below = [f"{'-'.join(path)}(1)" for path, _ in parts(words, command) if path != words and words[0] == "martlet"]
    page.text(", ".join(["martlet(1)", *below]))
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
    """Returns the names of an argument as a user types them."""
    value = argument.get("valueName", "")
    if argument["kind"] == "positional":
        return f"<{value}>" + (" …" if argument["isRepeating"] else "")
    names = ", ".join(("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", []))
    return names if argument["kind"] == "flag" else f"{names} <{value}>"


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("…", "...")
    return "\n".join("\\&" + line if line[:1] in (".", "'") else line for line in text.splitlines())


class Page:
    shown_examples: set[str] = set()

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

    def configuration(self) -> None:
        self.section("FILES")
        self.item("/etc/martlet/martlet.yaml",
                  "The configuration that the package's martlet.service reads. A command reads it only if --config or "
                  "MARTLET_CONFIG names it.")
        self.item("/usr/share/doc/martlet/examples/martlet.example.yaml", "Every key, with its default.")

    def environment(self) -> None:
        self.section("ENVIRONMENT")
        self.item("MARTLET_CONFIG", "The configuration file, unless --config names one.")
        self.item("MARTLET_AMQP_URL, MARTLET_DATABASE_URL, ...",
                  "Any key, with its name in capitals and _ for each dot. Takes precedence over the file.")
        self.item("MARTLET_AMQP_URL_FILE, ...", "A file with the value of a key that may hold a secret.")

    def exit_codes(self) -> None:
        self.section("EXIT STATUS")
        for code, meaning in EXIT_CODES.items():
            self.item(code, meaning)

    def examples(self, words: list[str], command: dict) -> None:
        found = {" ".join(path[1:]): part for path, part in parts(words, command) if " ".join(path[1:]) in EXAMPLES}
        if not found:
            return
        self.section("EXAMPLES")
        for name, part in found.items():
            options = {each["name"] for argument in part["arguments"] for each in argument.get("names") or []}
            for example in EXAMPLES[name]:
                if unknown := [word for word in example.split() if word.startswith("--") and word[2:] not in options]:
                    raise SystemExit(f"{name}: its example has the unknown option {unknown[0]}")
                self.lines += [".PP", ".nf", roff(example), ".fi"]
            Page.shown_examples.add(name)

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
