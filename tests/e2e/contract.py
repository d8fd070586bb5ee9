"""Compares the control plane's answers with its own openapi.json: status, headers, content type and every member.

    contract = Contract(json.loads(document))
    contract.check("GET", "/v1/jobs?limit=1", 200, {"content-type": "application/json"}, body)

It knows the keywords of JSON Schema that our document uses; an unknown keyword is an error, so none is passed over.
An answer has no member that its schema lacks.
"""
import json
import re

KNOWN = {"type", "description", "properties", "required", "items", "enum", "const", "format", "pattern", "minimum", "maximum", "minLength",
         "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "additionalProperties", "anyOf", "oneOf", "$ref", "examples",
         "default", "x-allowed", "contentMediaType", "contentSchema"}
TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "array": list, "object": dict, "null": type(None)}
HEADERS = {"etag", "location", "content-range", "idempotent-replayed", "retry-after", "x-fairlead-next-line"}  # beside those that each answer has
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


class Mismatch(AssertionError):
    pass


def need(is_good, at, what):
    if not is_good:
        raise Mismatch(f"{at}: {what}")


class Contract:
    def __init__(self, document):
        self.document, self.checked = document, set()
        self.paths = [(re.compile(re.sub(r"\\{[^}]*\\}|\{[^}]*\}", "[^/:]+", re.escape(path).replace(r"\{", "{").replace(r"\}", "}")) + "$"), path)
                      for path in document["paths"]]

    def schema(self, name):
        return self.document["components"]["schemas"][name]

    def route(self, method, path):
        """The operation, or None: the route is not described, and the answer must be a problem that says so."""
        path, method = path.split("?")[0], "get" if method == "HEAD" else method.lower()
        found = [name for pattern, name in self.paths if pattern.match(path)]
        found = [name for name in found if name == path] or found
        return self.document["paths"][found[0]].get(method) if found else None

    def check(self, method, path, status, headers, body):
        at, route = f"{method} {path}: {status}", self.route(method, path)
        if route is None:
            need(status >= 400, at, "no route, yet no problem")
            return
        answers = route["responses"]
        if status in (405, 501) or status == 408:
            return  # the HTTP server answers these, before any route
        need(str(status) in answers, at, f"a status that is not described: {sorted(answers)}")
        self.checked.add((route["operationId"], status))
        for name in HEADERS & set(headers) if status < 300 else ():
            need(name in (one.lower() for one in answers[str(status)].get("headers", {})), at, f"{name} is not described")
        content = answers[str(status)].get("content")
        if method == "HEAD" or content is None:
            need(not body, at, "a body where none is described")
            return
        content_type = headers.get("content-type", "").split(";")[0]
        need(content_type in content, at, f"{content_type} is not described: {sorted(content)}")
        schema = content[content_type]["schema"]
        if content_type in ("application/json", "application/problem+json"):
            self.match(json.loads(body), schema, at)
        elif "contentSchema" in schema:
            for piece in self.pieces(content_type, body):
                self.match(json.loads(piece), schema["contentSchema"], at)

    @staticmethod
    def pieces(content_type, body):
        text = body.decode()
        if content_type == "application/x-ndjson":
            return [line for line in text.splitlines() if line]
        return [line.removeprefix("data: ") for line in text.splitlines() if line.startswith("data: ") and line != "data: {}"]

    def match(self, value, schema, at):
        need(set(schema) <= KNOWN, at, f"words that this does not know: {set(schema) - KNOWN}")
        if "$ref" in schema:
            self.match(value, self.schema(schema["$ref"].rsplit("/", 1)[1]), at)
            return
        for word in ("anyOf", "oneOf"):
            if word in schema:
                self.match_some(value, schema[word], word, at)
        types = schema.get("type")
        if types:
            types = types if isinstance(types, list) else [types]
            need(any(isinstance(value, TYPES[one]) and (one == "boolean") >= isinstance(value, bool) for one in types), at, f"{value!r} is not {types}")
        need("const" not in schema or value == schema["const"], at, f"{value!r} is not {schema.get('const')!r}")
        need("enum" not in schema or value is None or value in schema["enum"], at, f"{value!r} is not among {schema.get('enum')}")
        if isinstance(value, str):
            need(schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value)), at, f"{len(value)} characters")
            need("pattern" not in schema or re.search(schema["pattern"], value), at, f"{value!r} is not like {schema.get('pattern')}")
            need(schema.get("format") != "date-time" or TIME.fullmatch(value), at, f"{value!r} is no time")
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            need(schema.get("minimum", value) <= value <= schema.get("maximum", value), at, f"{value} is out of range")
        elif isinstance(value, list):
            need(schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), at, f"{len(value)} items")
            for number, item in enumerate(value):
                self.match(item, schema.get("items", {}), f"{at}[{number}]")
        elif isinstance(value, dict):
            self.match_object(value, schema, at)

    def match_object(self, value, schema, at):
        properties, further = schema.get("properties", {}), schema.get("additionalProperties")
        for name in schema.get("required", []):
            need(name in value, at, f"lacks {name}")
        for name, member in value.items():
            if name in properties:
                self.match(member, properties[name], f"{at}.{name}")
            elif isinstance(further, dict):
                self.match(member, further, f"{at}.{name}")
            else:
                need(not properties, at, f"has {name}, which is not described")

    def match_some(self, value, choices, word, at):
        said, fitting = [], 0
        for choice in choices:
            try:
                self.match(value, choice, at)
                fitting += 1
            except Mismatch as error:
                said.append(str(error))
        need(fitting == 1 or (fitting and word == "anyOf"), at, f"fits {fitting} of {word}: {said[:3]}")
