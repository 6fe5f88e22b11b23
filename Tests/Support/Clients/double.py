"""A context manager that runs `martlet-simulator NAME` as a separate process."""
import json
import os
import re
import subprocess
import tempfile
import urllib.request

SIMULATOR = os.environ["SIMULATOR_COMMAND"]


class Double:
    def __init__(self, name, *options):
        self.folder = tempfile.TemporaryDirectory()
        self.directory = os.path.join(self.folder.name, "simulator")
        self.process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", SIMULATOR, name, "--port", "0", "--control-port", "0",
             "--directory", self.directory, *options], stdout=subprocess.PIPE, text=True)
        self.greeting = self.process.stdout.readline()
        self.port = int(re.search(r"https://[^ ,]*:(\d+)", self.greeting)[1])
        self.control_port = int(re.search(r"control http://[^ ,]*:(\d+)", self.greeting)[1])
        self.ca = re.search(r"CA file ([^,\n]+)", self.greeting)[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def control(self, method, path, body=None):
        """Sends a request to the control endpoint and returns the JSON of the answer, or None if it is empty."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.control_port}/{path}", method=method,
            data=None if body is None else json.dumps(body).encode(), headers={"content-type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
            return json.loads(text) if text else None
