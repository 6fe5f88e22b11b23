#!/usr/bin/python3
"""Writes the Grafana boards into this folder. `make check` verifies that they are up to date.

  deploy/grafana/boards.py
  deploy/grafana/boards.py --runbook URL DIRECTORY      writes them elsewhere, with a link to your copy of docs/runbook.md
"""
import argparse
import json
import pathlib

HERE = pathlib.Path(__file__).resolve().parent
ALL = '{job=~"$job",instance=~"$instance"}'
SOURCE = {"type": "prometheus", "uid": "${datasource}"}


def quantile(q: float, name: str, by: str, more: str = "") -> str:
    return (f'histogram_quantile({q}, sum by (le, {by}) (rate({name}_bucket{{job=~"$job",instance=~"$instance"{more}}}'
            "[$__rate_interval])))")


def rate(name: str, by: str, more: str = "") -> str:
    return f'sum by ({by}) (rate({name}{{job=~"$job",instance=~"$instance"{more}}}[$__rate_interval]))'


def gauge(name: str, by: str, how: str = "sum") -> str:
    return f"{how} by ({by}) ({name}{ALL})"


# Each row has panels. A panel has a title, a description, a unit, and its queries with their legends.
FLEET = [
    ("Workers", [
        ("Workers by version", "If several versions run for long, an upgrade has stopped half-way.", "short",
         [("count by (version) (martlet_build_info" + ALL + ")", "{{version}}")]),
        ("Consuming, publishing", "Each should equal the number of workers.", "short",
         [(gauge("martlet_consuming", "job"), "consuming"), (gauge("martlet_publishing", "job"), "publishing")]),
        ("Log lines", "Warnings and errors.", "cps",
         [(rate("martlet_log_messages_total", "level", ',level=~"warning|error|critical"'), "{{level}}")]),
        ("Open problems", "1 while a problem is open.", "short",
         [(gauge("martlet_problem", "kind, party, subject", "max"), "{{kind}} {{subject}} ({{party}})")]),
    ]),
    ("Jobs and pushes", [
        ("Jobs received", "Deliveries by lane.", "cps", [(rate("martlet_jobs_received_total", "lane"), "{{lane}}")]),
        ("Jobs by state", "", "cps", [(rate("martlet_jobs_total", "state"), "{{state}}")]),
        ("Outcomes", "By kind, as in result events.", "cps", [(rate("martlet_outcomes_total", "kind"), "{{kind}}")]),
        ("Sent, by app", "", "cps", [(rate("martlet_pushes_total", "app", ',kind="sent"'), "{{app}}")]),
        ("Reasons", "Reasons of pushes that were not accepted.", "cps",
         [(rate("martlet_reasons_total", "output, reason"), "{{output}} {{reason}}")]),
        ("Retries", "By back-off, in seconds.", "cps",
         [(rate("martlet_retries_total", "delay"), "{{delay}} s")]),
    ]),
    ("Latency", [
        ("From publication to outcome, median and 99 %", "First attempts only. Publishers rely on this value.", "s",
         [(quantile(q, "martlet_outcome_seconds", "lane", ',attempt="first"'), "{{lane}} " + str(q)) for q in (0.5, 0.99)]),
        ("From publication to start, 99 %", "If it is high, there are too few workers.", "s",
         [(quantile(0.99, "martlet_job_age_seconds", "lane"), "{{lane}}")]),
        ("Oldest open job", "The broker closes the channel at 1,800 s.", "s",
         [("time() - min by (lane) (martlet_oldest_open_job_timestamp_seconds" + ALL + " > 0)", "{{lane}}")]),
    ]),
    ("Credentials", [
        ("Refused", "1 while a provider refuses a credential.", "short",
         [(gauge("martlet_refused", "credential, topic, reason", "max"), "{{credential}} {{topic}} {{reason}}")]),
        ("Time until expiry", "", "s",
         [("min by (credential, label) (martlet_credential_expiry_timestamp_seconds" + ALL + ") - time()", "{{label}}")]),
    ]),
]
WORKER = [
    ("Process", [
        ("CPU", "In cores.", "short", [(rate("process_cpu_seconds_total", "instance"), "{{instance}}")]),
        ("Memory", "", "bytes", [(gauge("process_resident_memory_bytes", "instance"), "{{instance}}")]),
        ("Descriptors", "", "short", [(gauge("process_open_fds", "instance"), "{{instance}}")]),
    ]),
    ("Broker", [
        ("Prefetch used", "If it is near 1, more workers help.", "percentunit",
         [(gauge("martlet_prefetch_used_ratio", "instance, lane", "max"), "{{instance}} {{lane}}")]),
        ("Bytes of jobs held", "", "bytes", [(gauge("martlet_bytes_held", "instance, connection"), "{{instance}} {{connection}}")]),
        ("Unconfirmed", "", "short", [(gauge("martlet_unconfirmed", "instance"), "{{instance}}")]),
        ("Confirms and commits, 99 %", "", "s", [(quantile(0.99, "martlet_settle_seconds", "sink"), "{{sink}}")]),
    ]),
    ("Database", [
        ("Statements, 99 %", "", "s", [(quantile(0.99, "martlet_database_query_seconds", "instance"), "{{instance}}")]),
        ("Pending marks", "", "short", [(gauge("martlet_marks_pending", "instance"), "{{instance}}")]),
        ("Age of apps and credentials", "", "s", [("time() - min by (instance) (martlet_snapshot_timestamp_seconds" + ALL + ")", "{{instance}}")]),
    ]),
    ("Providers", [
        ("Share of streams used", "", "percentunit",
         [(gauge("martlet_pool_streams", "output, credential, host") + " / " + gauge("martlet_pool_streams_limit", "output, credential, host"),
           "{{output}} {{credential}} {{host}}")]),
        ("Waiting for a connection", "", "short", [(gauge("martlet_pool_waiting", "output, credential, host"), "{{output}} {{credential}} {{host}}")]),
        ("Blocked by the flow-control window", "If it is high, payload size and distance limit the throughput, and more connections help.", "cps",
         [(rate("martlet_pool_window_blocked_total", "output, credential, host"), "{{output}} {{credential}} {{host}}")]),
        ("Connections", "", "short", [(gauge("martlet_pool_connections", "output, state"), "{{output}} {{state}}")]),
        ("Answers that are not 2xx", "Refused: others. Failed: 5xx and 429.", "cps",
         [(rate("martlet_pool_answers_total", "output, environment, host, result", ',result!="accepted"'),
           "{{output}} {{environment}} {{host}} {{result}}")]),
        ("Answers, 99 %", "", "s", [(quantile(0.99, "martlet_answer_seconds", "output, status"), "{{output}} {{status}}")]),
        ("Connecting", "", "cps", [(rate("martlet_connects_total", "target, result"), "{{target}} {{result}}")]),
        ("GOAWAYs", "", "cps", [(rate("martlet_goaways_total", "output, reason"), "{{output}} {{reason}}")]),
        ("PINGs, median", "", "s", [(quantile(0.5, "martlet_ping_seconds", "output"), "{{output}}")]),
        ("Age of provider tokens", "It should be below 54 minutes.", "s",
         [("time() - max by (credential) (martlet_provider_token_timestamp_seconds" + ALL + " > 0)", "{{credential}}")]),
    ]),
]


def variable(name: str, query: str) -> dict:
    return {"name": name, "label": name, "type": "query", "datasource": SOURCE, "query": query, "refresh": 2, "multi": True,
            "includeAll": True, "current": {"text": "All", "value": "$__all"}, "sort": 1}


def panel(number: int, place: dict, title: str, description: str, unit: str, queries: list) -> dict:
    return {"id": number, "type": "timeseries", "title": title, "description": description or title + ".", "datasource": SOURCE,
            "gridPos": place, "fieldConfig": {"defaults": {"unit": unit, "min": 0}, "overrides": []},
            "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}},
            "targets": [{"refId": chr(ord("A") + index), "datasource": SOURCE, "expr": expression, "legendFormat": legend}
                        for index, (expression, legend) in enumerate(queries)]}


def board(uid: str, title: str, rows: list, other: tuple[str, str], runbook: str | None) -> dict:
    links = [{"title": other[1], "type": "link", "url": f"/d/{other[0]}", "keepTime": True, "includeVars": True}]
    if runbook is not None:
        links.append({"title": "Runbook", "type": "link", "url": runbook})
    panels, top = [], 0
    for name, members in rows:
        panels.append({"id": len(panels) + 1, "type": "row", "title": name, "collapsed": False, "panels": [],
                       "gridPos": {"x": 0, "y": top, "w": 24, "h": 1}})
        top += 1
        for index, member in enumerate(members):
            place = {"x": index % 3 * 8, "y": top + index // 3 * 8, "w": 8, "h": 8}
            panels.append(panel(len(panels) + 1, place, *member))
        top += (len(members) + 2) // 3 * 8
    return {"uid": uid, "title": title, "tags": ["martlet"], "schemaVersion": 39, "version": 1, "refresh": "30s", "editable": False,
            "graphTooltip": 1, "time": {"from": "now-6h", "to": "now"}, "timezone": "browser",
            "links": links,
            "templating": {"list": [
                {"name": "datasource", "label": "data source", "type": "datasource", "query": "prometheus"},
                variable("job", "label_values(martlet_build_info, job)"),
                variable("instance", 'label_values(martlet_build_info{job=~"$job"}, instance)')]},
            "panels": panels}


def boards(runbook: str | None = None) -> dict[str, str]:
    made = {"fleet.json": board("martlet-fleet", "Martlet: the fleet", FLEET, ("martlet-worker", "Workers"), runbook),
            "worker.json": board("martlet-worker", "Martlet: workers and their links", WORKER, ("martlet-fleet", "Fleet"), runbook)}
    return {name: json.dumps(content, indent=1) + "\n" for name, content in made.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runbook", metavar="URL")
    parser.add_argument("directory", nargs="?", type=pathlib.Path, default=HERE)
    options = parser.parse_args()
    if options.runbook and options.directory.resolve() == HERE:
        parser.error("--runbook needs a directory other than deploy/grafana")
    for name, text in boards(options.runbook).items():
        (options.directory / name).write_text(text)
