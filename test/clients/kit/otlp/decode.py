"""Decodes bodies of OTLP with the protocol's own messages: one in base64 for each line, JSON for each in turn."""

import base64
import json
import sys

from google.protobuf.json_format import MessageToDict, Parse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


def value_of(value):
    """An attribute as a plain value: numbers are texts in protobuf's JSON."""
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [value_of(one) for one in value.array_value.values]
    return getattr(value, kind) if kind else None


def attributes_of(attributes):
    return {one.key: value_of(one.value) for one in attributes}


def spans_of(request):
    for of_resource in request.resource_spans:
        resource = attributes_of(of_resource.resource.attributes)
        for of_scope in of_resource.scope_spans:
            for span in of_scope.spans:
                yield {
                    "resource": resource,
                    "scope": of_scope.scope.name,
                    "traceId": span.trace_id.hex(),
                    "spanId": span.span_id.hex(),
                    "parentSpanId": span.parent_span_id.hex(),
                    "traceState": span.trace_state,
                    "name": span.name,
                    "kind": MessageToDict(span).get("kind", "SPAN_KIND_UNSPECIFIED"),
                    "attributes": attributes_of(span.attributes),
                    "hasFailed": span.status.code == 2,
                    "isEnded": 0 < span.start_time_unix_nano <= span.end_time_unix_nano,
                }


for line in sys.stdin:
    kind, text = line.split()
    body = base64.b64decode(text)
    if kind == "json":
        # Ids are hexadecimal in OTLP's JSON, and base64 in that of protobuf.
        def ids(node):
            if isinstance(node, list):
                return [ids(one) for one in node]
            if not isinstance(node, dict):
                return node
            named = {"traceId", "spanId", "parentSpanId"}
            return {
                key: base64.b64encode(bytes.fromhex(one)).decode() if key in named else ids(one)
                for key, one in node.items()
            }

        request = Parse(json.dumps(ids(json.loads(body))), ExportTraceServiceRequest())
    else:
        request = ExportTraceServiceRequest.FromString(body)
    print(json.dumps(list(spans_of(request))), flush=True)
