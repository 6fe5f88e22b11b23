#!/usr/bin/python3
"""Reads traces with OpenTelemetry's own protocol definition: otlp.py FOLDER. Expects one JSON request on each line of
standard input, and prints a line for each span. Exits with 77 and a message if the package can't be installed."""
import base64
import json
import os
import sys

sys.path.append(os.path.dirname(__file__))
from packages import with_packages  # noqa: E402

PACKAGES = ["opentelemetry-proto==1.38.0", "protobuf==6.33.0"]
IDS = {"traceId": 16, "spanId": 8, "parentSpanId": 8}


def in_base64(value):
    """Converts ids from hex, as in OTLP's JSON, to base64, as in the usual JSON of protobuf."""
    if isinstance(value, list):
        return [in_base64(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(item)).decode() if key in IDS else in_base64(item)
        for key, item in value.items()
    }


def main():
    with_packages("otlp", PACKAGES, sys.argv[1])
    from google.protobuf import json_format
    from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
    from opentelemetry.proto.trace.v1.trace_pb2 import Span
    for line in sys.stdin:
        request = json_format.ParseDict(in_base64(json.loads(line)), ExportTraceServiceRequest())
        for resource in request.resource_spans:
            service = {item.key: item.value.string_value for item in resource.resource.attributes}["service.name"]
            for scope in resource.scope_spans:
                for span in scope.spans:
                    assert len(span.trace_id) == 16 and len(span.span_id) == 8, span
                    assert len(span.parent_span_id) in (0, 8) and span.end_time_unix_nano >= span.start_time_unix_nano
                    assert all(len(link.span_id) == 8 for link in span.links), span
                    kind = Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_")
                    print(f"{service} {span.trace_id.hex()} {span.span_id.hex()} {kind} {len(span.attributes)} {span.name}")


main()
