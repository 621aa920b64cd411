"""The served OpenAPI document, derived from the registry and the result models."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from satgraph_rdf import __version__
from satgraph_rdf.primitive import Primitive
from satgraph_rdf.registry import Registry
from satgraph_rdf.results import MODELS
from satgraph_rdf.structure import Document


def document(registry: Registry) -> dict[str, Any]:
    """An OpenAPI 3.0.3 document of all primitives."""
    schemas: dict[str, Any] = {
        "ErrorResponse": {
            "type": "object",
            "required": ["code", "message"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "details": {"type": "object"},
            },
        }
    }
    for name, schema_type in [(m.name, m.schema_type) for m in MODELS.values()] + [("Document", Document)]:
        schema = TypeAdapter(schema_type).json_schema(ref_template="#/components/schemas/{model}")
        for inner, definition in schema.pop("$defs", {}).items():
            schemas[inner] = _plain(definition)
        schemas[name] = _plain(schema)
    paths: dict[str, Any] = {}
    for primitive in registry:
        path = primitive.path
        for use in primitive.uses:
            path = path.replace("{" + use.param.name + "}", "{" + use.param.wire + "}")
        paths.setdefault(path, {})[primitive.method.lower()] = _operation(primitive)
    return {
        "openapi": "3.0.3",
        "info": {
            "title": "SAT-Graph RDF",
            "version": __version__,
            "description": "What the law said, on which date, as known when, and because of which act.",
            "license": {"name": "Apache-2.0"},
        },
        "paths": paths,
        "components": {"schemas": schemas},
    }


def _plain(schema: Any) -> Any:
    """JSON Schema as OpenAPI 3.0 says it: a nullable type, not a union with null."""
    if isinstance(schema, list):
        return [_plain(entry) for entry in schema]
    if not isinstance(schema, dict):
        return schema
    options = schema.get("anyOf", [])
    kept = [option for option in options if option.get("type") != "null"]
    if len(kept) < len(options) and len(kept) == 1:
        rest = {key: value for key, value in schema.items() if key != "anyOf"}
        return {**_plain(rest), **_plain(kept[0]), "nullable": True}
    return {key: _plain(value) for key, value in schema.items()}


def _operation(primitive: Primitive) -> dict[str, Any]:
    reference: dict[str, Any] = {"type": "string"}
    if primitive.returns != "id":
        reference = {"$ref": f"#/components/schemas/{primitive.returns}"}
    schema = {"type": "array", "items": reference} if primitive.many else reference
    answers = (
        {"200": "The answer."}
        | {"400": "A wrong parameter."}
        | ({"404": "Nothing there."} if primitive.outcome else {})
    )
    operation: dict[str, Any] = {
        "operationId": primitive.operation_id,
        "summary": primitive.summary,
        "description": f"Source: {primitive.source}. Query: sha256:{primitive.identity}.",
        "tags": [primitive.group],
        "x-deterministic": True,
        "responses": {code: _response(code, text, schema) for code, text in answers.items()},
    }
    if primitive.returns == "Document":
        operation["responses"]["200"]["content"]["text/plain"] = {"schema": {"type": "string"}}
    if primitive.method == "POST":
        operation["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _body(primitive)}},
        }
        return operation
    subject = primitive.subject
    parameters: list[dict[str, Any]] = [
        {
            "name": use.param.wire,
            "in": "path" if use is subject else "query",
            "required": use.required,
            "description": use.param.doc,
            "schema": use.param.schema(),
            "example": use.param.example,
        }
        for use in primitive.uses
    ]
    if primitive.returns == "Document":
        parameters.append(
            {
                "name": "format",
                "in": "query",
                "required": False,
                "schema": {"type": "string", "enum": ["json", "text"]},
            }
        )
    operation["parameters"] = parameters
    return operation


def _response(code: str, text: str, schema: dict[str, Any]) -> dict[str, Any]:
    chosen = schema if code == "200" else {"$ref": "#/components/schemas/ErrorResponse"}
    return {"description": text, "content": {"application/json": {"schema": chosen}}}


def _body(primitive: Primitive) -> dict[str, Any]:
    return {
        "type": "object",
        "required": [use.param.wire for use in primitive.uses if use.required],
        "properties": {
            use.param.wire: {**use.param.schema(), "description": use.param.doc, "example": use.param.example}
            for use in primitive.uses
        },
        "additionalProperties": False,
    }
