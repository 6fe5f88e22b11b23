#!/usr/bin/python3
"""Runs the Python snippets of docs/clients.md: AMQP_URL=… celery_worker.py FOLDER. The folder has the package shop (tasks.py,
orders.py, publish.py). Ships two orders, the second in a transaction that is rolled back. Then waits until the task has been
retried and has succeeded. In the first attempt the broker's name can't be resolved. Prints the log of the worker."""
import os
import pathlib
import subprocess
import sys
import time

SETTINGS = """
import pathlib
FOLDER = pathlib.Path(__file__).parent.parent
SECRET_KEY = "not secret"
DATABASES = {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": FOLDER / "orders.sqlite3"}}
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
INSTALLED_APPS = ["shop"]
USE_TZ = True
AMQP_URL = "amqp://broker.invalid"
"""
MODELS = """
from django.db import models

class Order(models.Model):
    shipped_at = models.DateTimeField(null=True)
    device_tokens = models.JSONField()
"""
# The first attempt of the task uses the invalid AMQP_URL of the settings. The retry signal sets the URL of the real
# broker.
CELERY = """
import os, pathlib
import django
from celery import Celery, signals
from django.conf import settings

os.environ["DJANGO_SETTINGS_MODULE"] = "shop.settings"
django.setup()
queue = str(pathlib.Path(settings.FOLDER) / "tasks")
app = Celery("shop", broker="filesystem://")
app.conf.broker_transport_options = {"data_folder_in": queue, "data_folder_out": queue, "control_folder": queue + "-control"}
app.conf.worker_send_task_events = False
app.autodiscover_tasks(["shop"])
app.set_default()

@signals.task_retry.connect
def retried(reason=None, **_):
    print(f"RETRIED after {getattr(reason, 'exc', reason)!r}", flush=True)
    settings.AMQP_URL = os.environ["AMQP_URL"]

@signals.task_success.connect
def succeeded(**_):
    print("SUCCEEDED", flush=True)

@signals.task_failure.connect
def failed(exception=None, **_):
    print(f"FAILED after {exception!r}", flush=True)
"""


def main(folder: pathlib.Path) -> int:
    shop = folder / "shop"
    for name, text in {"settings": SETTINGS, "models": MODELS, "celery": CELERY, "__init__": ""}.items():
        (shop / f"{name}.py").write_text(text)
    for name in ("tasks", "tasks-control"):
        (folder / name).mkdir()
    sys.path.insert(0, str(folder))
    import shop.celery  # noqa: F401
    from django.db import connection, transaction
    from shop.models import Order
    from shop.orders import ship
    with connection.schema_editor() as editor:
        editor.create_model(Order)
    ship(Order.objects.create(device_tokens=["1" * 64]))
    try:
        with transaction.atomic():
            ship(Order.objects.create(device_tokens=["2" * 64]))
            raise LookupError
    except LookupError:
        pass
    waiting = list((folder / "tasks").iterdir())
    if len(waiting) != 1:
        print(f"not one task after the commit: {waiting}")
        return 1
    report = folder / "worker.log"
    with open(report, "w") as log:
        worker = subprocess.Popen(
            [sys.executable, "-B", "-m", "celery", "-A", "shop", "worker", "--concurrency", "1", "--without-gossip",
             "--without-mingle", "--without-heartbeat", "--loglevel", "WARNING"],
            cwd=folder, stdout=log, stderr=subprocess.STDOUT)
    deadline = time.monotonic() + 120
    ended = False
    while time.monotonic() < deadline and worker.poll() is None and not ended:
        ended = any(mark in report.read_text() for mark in ("SUCCEEDED", "FAILED"))
        time.sleep(0.1)
    worker.terminate()
    try:
        worker.wait(30)
    except subprocess.TimeoutExpired:
        worker.kill()
    print(report.read_text())
    return 0 if "SUCCEEDED" in report.read_text() else 1


sys.dont_write_bytecode = True
os.environ.setdefault("C_FORCE_ROOT", "1")
sys.exit(main(pathlib.Path(sys.argv[1])))
