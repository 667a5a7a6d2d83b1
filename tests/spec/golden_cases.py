"""Wire cases of our own reading of RFC 3986, 6570, 7578 and OAS 3.0.4, 3.1.1, 3.2.0: arguments, and the exact bytes."""

# ruff: noqa: E501 - a case is read as one line
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

ARRAY: dict[str, Any] = {"type": "array", "items": {"type": "string"}}
NUMBERS: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
TEXT: dict[str, Any] = {"type": "string"}
FREE: dict[str, Any] = {"type": "object", "additionalProperties": True}


@dataclass(frozen=True)
class Golden:
    """One call and what must leave."""

    id: str
    args: dict[str, Any]
    target: str
    """Path and query as bytes on the wire."""
    headers: dict[str, str] = field(default_factory=dict[str, str])
    body: bytes = b""
    path: str = "/t"
    method: str = "get"
    params: tuple[dict[str, Any], ...] = ()
    content: dict[str, Any] | None = None
    required: bool = True
    operation: dict[str, Any] = field(default_factory=dict[str, Any])
    root: dict[str, Any] = field(default_factory=dict[str, Any])
    url: str | None = None
    origin: str = "https://api.test"


def query(name: str, schema: Any = None, **rules: Any) -> dict[str, Any]:
    return {"name": name, "in": "query", "schema": TEXT if schema is None else schema, **rules}


def segment(name: str, schema: Any = None, **rules: Any) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": TEXT if schema is None else schema, **rules}


def header(name: str, schema: Any = None, **rules: Any) -> dict[str, Any]:
    return {"name": name, "in": "header", "schema": TEXT if schema is None else schema, **rules}


def cookie(name: str, schema: Any = None, **rules: Any) -> dict[str, Any]:
    return {"name": name, "in": "cookie", "schema": TEXT if schema is None else schema, **rules}


def q(name: str, args: Any, sent: str, schema: Any = None, **rules: Any) -> Golden:
    """A case of one query parameter `c`."""
    return Golden(f"query {name}", {"c": args}, f"/t?{sent}" if sent else "/t", params=(query("c", schema, **rules),))


def p(name: str, args: Any, sent: str, schema: Any = None, **rules: Any) -> Golden:
    """A case of one path parameter `c`."""
    return Golden(f"path {name}", {"c": args}, f"/t/{sent}", path="/t/{c}", params=(segment("c", schema, **rules),))


def b(name: str, media: str, args: dict[str, Any], body: bytes, schema: Any, sent: str = "", **entry: Any) -> Golden:
    """A case of one body."""
    return Golden(
        f"body {name}", args, "/t", {"content-type": sent or media}, body, method="post",
        content={media: {"schema": schema, **entry}},
    )  # fmt: skip


def form(name: str, args: dict[str, Any], body: bytes, schema: Any, **encoding: Any) -> Golden:
    """A case of a form whose field is `f`."""
    return b(
        f"form {name}", "application/x-www-form-urlencoded", args, body,
        {"type": "object", "properties": {"f": schema}}, encoding=encoding,
    )  # fmt: skip


def parts(name: str, args: dict[str, Any], *expected: bytes, fields: dict[str, Any], **encoding: Any) -> Golden:
    """A case of a multipart form; `BOUNDARY` stands for the boundary."""
    raw = b"".join(b"--BOUNDARY\r\n" + part + b"\r\n" for part in expected) + b"--BOUNDARY--\r\n"
    return b(
        f"multipart {name}", "multipart/form-data", args, raw, {"type": "object", "properties": fields},
        sent="multipart/form-data; boundary=BOUNDARY", encoding=encoding,
    )  # fmt: skip


def server(name: str, servers: Any, origin: str, target: str, url: str | None = None, **more: Any) -> Golden:
    """A case of where the request goes."""
    return Golden(f"server {name}", {}, target, root={"servers": servers}, url=url, origin=origin, **more)


NESTED = {"type": "object", "properties": {"a": FREE}}
BINARY = {"type": "string", "format": "binary"}
DISPOSITION = b'Content-Disposition: form-data; name="'

QUERIES = (
    q("form explode", ["a", "b"], "c=a&c=b", ARRAY),
    q("form one of an array", ["a"], "c=a", ARRAY),
    q("form empty array is undefined", [], "", ARRAY),
    q("form no explode, empty array is undefined", [], "", ARRAY, explode=False),
    q("form empty object is undefined", {}, "", FREE),
    q("form empty string is not undefined", "", "c="),
    q("form array with an empty string", ["", "a"], "c=&c=a", ARRAY),
    q("form no explode with an empty string", ["", "a"], "c=,a", ARRAY, explode=False),
    q("form null is undefined", None, "", {"type": ["string", "null"]}),
    q("form object member null is undefined", {"R": None, "G": 2}, "G=2", FREE),
    q("form object no explode", {"R": 100, "G": 200}, "c=R,100,G,200", FREE, explode=False),
    q("form object with reserved names", {"a b": "c&d", "é": "=", "x[y]": 1}, "a%20b=c%26d&%C3%A9=%3D&x%5By%5D=1", FREE),
    q("all reserved characters", ":/?#[]@!$&'()*+,;=", "c=%3A%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D"),
    q("unreserved characters stay", "AZaz09-._~", "c=AZaz09-._~"),
    q("percent is data", "100% %41", "c=100%25%20%2541"),
    q("unicode beyond the basic plane", "日本😀", "c=%E6%97%A5%E6%9C%AC%F0%9F%98%80"),
    q("line breaks and tabs", "a\r\n\tb", "c=a%0D%0A%09b"),
    q("space delimited, space in a value", ["a b", "c"], "c=a%20b%20c", ARRAY, style="spaceDelimited", explode=False),
    q("pipe delimited, pipe in a value", ["a|b", "c"], "c=a%7Cb%7Cc", ARRAY, style="pipeDelimited", explode=False),
    q("pipe delimited object", {"R": 1}, "c=R%7C1", FREE, style="pipeDelimited", explode=False),
    q("deepObject", {"R": 100, "G": "x y"}, "c%5BR%5D=100&c%5BG%5D=x%20y", FREE, style="deepObject"),
    q("deepObject nested three deep", {"a": {"b": {"d": 1}}}, "c%5Ba%5D%5Bb%5D%5Bd%5D=1", NESTED, style="deepObject"),
    q("deepObject array member", {"a": ["x", "y"]}, "c%5Ba%5D%5B0%5D=x&c%5Ba%5D%5B1%5D=y", FREE, style="deepObject"),
    q("deepObject empty members are undefined", {"a": {}, "b": [], "d": 0}, "c%5Bd%5D=0", FREE, style="deepObject"),
    q("deepObject null member is undefined", {"a": None, "b": False}, "c%5Bb%5D=false", FREE, style="deepObject"),
    q("deepObject name with brackets of its own", {"a.b": 1}, "c%5Ba.b%5D=1", FREE, style="deepObject"),
    q("allowReserved", "/a?b=c:d@e;f,g", "c=/a?b=c:d@e;f,g", allowReserved=True),
    q("allowReserved keeps triples and escapes the rest", "%20 %zz&#", "c=%20%20%25zz%26%23", allowReserved=True),
    q("allowReserved array", ["a/b", "c d"], "c=a/b&c=c%20d", ARRAY, allowReserved=True),
    q("float without a fraction", 2.0, "c=2", {"type": "number"}),
    q("small and large floats", [0.1, 1e-7, 1e21], "c=0.1&c=1e-07&c=1e%2B21", {"type": "array", "items": {"type": "number"}}),
    q("integer beyond 2^53", 9007199254740993, "c=9007199254740993", {"type": "integer"}),
    q("booleans", [True, False], "c=true&c=false", {"type": "array", "items": {"type": "boolean"}}),
    q("zero", 0, "c=0", {"type": "integer"}),
    q("array of objects as JSON", [{"a": 1}], "c=%7B%22a%22%3A1%7D", {"type": "array", "items": FREE}),
    Golden(
        "query order is that of the document", {"b": "2", "a": "1"}, "/t?a=1&b=2", params=(query("a"), query("b"))
    ),
    Golden("query name is encoded", {"$top": 5, "f[x]": "y"}, "/t?%24top=5&f%5Bx%5D=y",
           params=(query("$top", {"type": "integer"}), query("f[x]"))),
    Golden("query content JSON", {"c": {"a": [1, None, "ü"]}}, "/t?c=%7B%22a%22%3A%5B1%2Cnull%2C%22%C3%BC%22%5D%7D",
           params=({"name": "c", "in": "query", "content": {"application/json": {"schema": FREE}}},)),
    Golden("query content vendor JSON", {"c": [1]}, "/t?c=%5B1%5D",
           params=({"name": "c", "in": "query", "content": {"application/vnd.x+json": {"schema": NUMBERS}}},)),
    Golden("query content text", {"c": "a b"}, "/t?c=a%20b",
           params=({"name": "c", "in": "query", "content": {"text/plain": {"schema": TEXT}}},)),
    Golden("query content by reference", {"c": {"a": 1}}, "/t?c=%7B%22a%22%3A1%7D",
           params=({"name": "c", "in": "query", "content": {"application/json": {"$ref": "#/components/mediaTypes/F"}}},),
           root={"components": {"mediaTypes": {"F": {"schema": FREE}}}}),
    Golden("querystring form", {"c": {"a": "x y", "b": ["1", "2"], "d": {"e": 1}}},
           "/t?a=x+y&b=1&b=2&d=%7B%22e%22%3A1%7D",
           params=({"name": "c", "in": "querystring",
                    "content": {"application/x-www-form-urlencoded": {"schema": FREE}}},)),
    Golden("querystring form with encoding", {"c": {"a": ["1", "2"]}}, "/t?a=1,2",
           params=({"name": "c", "in": "querystring",
                    "content": {"application/x-www-form-urlencoded": {
                        "schema": FREE, "encoding": {"a": {"style": "form", "explode": False}}}}},)),
    Golden("querystring JSON", {"c": {"n": 1}}, "/t?%7B%22n%22%3A1%7D",
           params=({"name": "c", "in": "querystring", "content": {"application/json": {"schema": FREE}}},)),
    Golden("querystring text", {"c": "$.a.b[1:1]"}, "/t?%24.a.b%5B1%3A1%5D",
           params=({"name": "c", "in": "querystring", "content": {"application/jsonpath": {"schema": TEXT}}},)),
    Golden("query of the template is kept", {"c": "1"}, "/t?a=b&c=1", path="/t?a=b", params=(query("c"),)),
    Golden("query of the template without a value", {}, "/t?wsdl", path="/t?wsdl"),
    Golden("query of the template repeats a parameter", {"c": "x y"}, "/t?c=x%20y", path="/t?c={c}", params=(query("c"),)),
    Golden("query of the template repeats an absent parameter", {}, "/t?v=1", path="/t?v=1&c={c}", params=(query("c"),)),
    Golden("query of the template gives way to an argument", {"a": "z"}, "/t?a=z", path="/t?a=b", params=(query("a"),)),
)  # fmt: skip

PATHS = (
    p("reserved characters", "/?#[]@!$&'()*+,;=:", "%2F%3F%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A"),
    p("unicode", "ñ/日", "%C3%B1%2F%E6%97%A5"),
    p("percent triple is data", "%2F", "%252F"),
    p("dots in a name", "a.b..c", "a.b..c"),
    p("space at the ends", " a ", "%20a%20"),
    p("array", ["a", "b/c"], "a,b%2Fc", ARRAY),
    p("array explode", ["a", "b"], "a,b", ARRAY, explode=True),
    p("object", {"R": 100, "G": 200}, "R,100,G,200", FREE),
    p("object explode", {"R": 100, "G": 200}, "R=100,G=200", FREE, explode=True),
    p("label", "x", ".x", style="label"),
    p("label array", ["a", "b"], ".a,b", ARRAY, style="label"),
    p("label array explode", ["a", "b"], ".a.b", ARRAY, style="label", explode=True),
    p("label object explode", {"R": 1, "G": 2}, ".R=1.G=2", FREE, style="label", explode=True),
    p("matrix", "x", ";c=x", style="matrix"),
    p("matrix array", ["a", "b"], ";c=a,b", ARRAY, style="matrix"),
    p("matrix array explode", ["a", "b"], ";c=a;c=b", ARRAY, style="matrix", explode=True),
    p("matrix object", {"R": 1}, ";c=R,1", FREE, style="matrix"),
    p("matrix object explode", {"R": 1, "G": 2}, ";R=1;G=2", FREE, style="matrix", explode=True),
    p("zero", 0, "0", {"type": "integer"}),
    p("false", False, "false", {"type": "boolean"}),
    p("content JSON", {"a": 1}, "%7B%22a%22%3A1%7D", content={"application/json": {"schema": FREE}}),
    p("allowReserved", "a/b c?d", "a/b%20c%3Fd", allowReserved=True),
    Golden("path several variables in a segment", {"lat": 1.5, "lon": -2, "ext": "j n"}, "/t/1.5,-2.j%20n/x",
           path="/t/{lat},{lon}.{ext}/x",
           params=(segment("lat", {"type": "number"}), segment("lon", {"type": "number"}), segment("ext"))),
    Golden("path the same variable twice", {"c": "a b"}, "/t/a%20b/a%20b", path="/t/{c}/{c}", params=(segment("c"),)),
    Golden("path literal characters are encoded", {}, "/t%20x/%C3%A9/a:b@c;d=1,2", path="/t x/é/a:b@c;d=1,2"),
    Golden("path literal triples stay", {}, "/t/%2F", path="/t/%2F"),
    Golden("path trailing slash stays", {}, "/t/", path="/t/"),
    Golden("path name with dots, hyphens and dollars", {"a.b-c$": "x"}, "/t/x", path="/t/{a.b-c$}", params=(segment("a.b-c$"),)),
    Golden("path names collide by case", {"id": "1", "ID": "2"}, "/t/1/2", path="/t/{id}/{ID}", params=(segment("id"), segment("ID"))),
)  # fmt: skip

HEADERS = (
    Golden("header array", {"X-C": ["a", "b"]}, "/t", {"x-c": "a,b"}, params=(header("X-C", ARRAY),)),
    Golden("header object", {"X-C": {"R": 1, "G": 2}}, "/t", {"x-c": "R,1,G,2"}, params=(header("X-C", FREE),)),
    Golden("header object explode", {"X-C": {"R": 1, "G": 2}}, "/t", {"x-c": "R=1,G=2"},
           params=(header("X-C", FREE, explode=True),)),
    Golden("header is not percent-encoded", {"X-C": 'W/"a b%20"'}, "/t", {"x-c": 'W/"a b%20"'}, params=(header("X-C"),)),
    Golden("header boolean and number", {"X-B": True, "X-N": 1.5}, "/t", {"x-b": "true", "x-n": "1.5"},
           params=(header("X-B", {"type": "boolean"}), header("X-N", {"type": "number"}))),
    Golden("header content JSON", {"X-C": {"a": [1]}}, "/t", {"x-c": '{"a":[1]}'},
           params=({"name": "X-C", "in": "header", "content": {"application/json": {"schema": FREE}}},)),
    Golden("cookies several", {"a": "1", "b": "x y"}, "/t", {"cookie": "a=1; b=x%20y"}, params=(cookie("a"), cookie("b"))),
    Golden("cookie array no explode", {"c": ["a", "b"]}, "/t", {"cookie": "c=a,b"}, params=(cookie("c", ARRAY, explode=False),)),
    Golden("cookie array explode", {"c": ["a", "b"]}, "/t", {"cookie": "c=a; c=b"}, params=(cookie("c", ARRAY),)),
    Golden("cookie object explode", {"c": {"R": 1, "G": 2}}, "/t", {"cookie": "R=1; G=2"}, params=(cookie("c", FREE),)),
    Golden("cookie style of 3.2", {"c": {"R": 1, "G": 2}}, "/t", {"cookie": "R=1; G=2"},
           params=(cookie("c", FREE, style="cookie"),)),
    Golden("cookie keeps what a cookie may hold", {"c": "a/b=c+d%20:@"}, "/t", {"cookie": "c=a/b=c+d%20:@"}, params=(cookie("c"),)),
    Golden("cookie null is absent", {"a": None, "b": "1"}, "/t", {"cookie": "b=1"}, params=(cookie("a"), cookie("b"))),
    Golden("cookie content JSON", {"c": {"a": 1}}, "/t", {"cookie": "c=%7B%22a%22%3A1%7D"},
           params=({"name": "c", "in": "cookie", "content": {"application/json": {"schema": FREE}}},)),
    Golden("same name in four places", {"v_query": "q", "v_path": "p", "v_header": "h", "v_cookie": "c"}, "/t/p?v=q",
           {"v": "h", "cookie": "v=c"}, path="/t/{v}", params=(segment("v"), query("v"), header("v"), cookie("v"))),
)  # fmt: skip

OBJECT = {
    "type": "object",
    "required": ["a"],
    "properties": {"a": {"type": ["string", "null"]}, "n": {"type": "integer"}},
}
CAT = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "lives": {"type": "integer"}}}
DOG = {"type": "object", "required": ["kind"], "properties": {"kind": {"type": "string"}, "age": {"type": "number"}}}
PETS = {"components": {"schemas": {"Cat": CAT, "Dog": DOG}}}
PET = {
    "oneOf": [{"$ref": "#/components/schemas/Cat"}, {"$ref": "#/components/schemas/Dog"}],
    "discriminator": {"propertyName": "kind", "mapping": {"dog": "#/components/schemas/Dog"}},
}

BODIES = (
    b("null against absent", "application/json", {"a": None}, b'{"a":null}', OBJECT),
    b("JSON unicode as it is", "application/json", {"a": "é\u2028😀"}, '{"a":"é\u2028😀"}'.encode(), OBJECT),
    b("JSON keeps integers apart from floats", "application/json", {"a": "x", "n": "5"}, b'{"a":"x","n":5}', OBJECT),
    b("JSON vendor type", "application/vnd.api+json; charset=utf-8", {"a": "x"}, b'{"a":"x"}', OBJECT),
    b("JSON merge patch", "application/merge-patch+json", {"a": None}, b'{"a":null}', OBJECT),
    b("JSON patch", "application/json-patch+json", {"body": [{"op": "remove", "path": "/a"}]},
      b'[{"op":"remove","path":"/a"}]', {"type": "array", "items": FREE}),
    b("JSON string", "application/json", {"body": "x"}, b'"x"', TEXT),
    b("JSON number", "application/json", {"body": 0}, b"0", {"type": "number"}),
    b("JSON false", "application/json", {"body": False}, b"false", {"type": "boolean"}),
    b("JSON empty array", "application/json", {"body": []}, b"[]", ARRAY),
    b("JSON empty object", "application/json", {"body": {}}, b"{}", FREE),
    b("JSON null where it is a value", "application/json", {"body": None}, b"null", {"type": ["object", "null"]}),
    b("JSON map", "application/json", {"body": {"a": "1"}}, b'{"a":1}',
      {"type": "object", "additionalProperties": {"type": "integer"}}),
    b("JSON nested empties stay", "application/json", {"o": {}, "l": [], "s": ""}, b'{"o":{},"l":[],"s":""}',
      {"type": "object", "properties": {"o": FREE, "l": ARRAY, "s": TEXT}}),
    b("lines", "application/x-ndjson", {"body": [{"a": 1}, "x"]}, b'{"a":1}\n"x"\n', {"type": "array", "items": {}}),
    b("sequence (RFC 7464)", "application/json-seq", {"body": [1, 2]}, b"\x1e1\n\x1e2\n", NUMBERS),
    Golden("body item schema", {"body": [{"a": "1"}]}, "/t", {"content-type": "application/jsonl"}, b'{"a":1}\n',
           method="post", content={"application/jsonl": {
               "itemSchema": {"type": "object", "properties": {"a": {"type": "integer"}}}}}),
    b("text", "text/plain", {"body": "a\nü"}, "a\nü".encode(), TEXT),
    b("text in another charset", "text/plain; charset=iso-8859-1", {"body": "ü"}, b"\xfc", TEXT),
    b("octets from base64", "application/octet-stream", {"body": {"content_base64": "AP8="}}, b"\x00\xff", BINARY),
    b("octets name their own type", "application/octet-stream",
      {"body": {"content_base64": "AA==", "content_type": "image/png"}}, b"\x00", BINARY, sent="image/png"),
    b("picture", "image/png", {"body": {"content_base64": "iVBORw=="}}, b"\x89PNG", BINARY),
    b("any type is JSON", "*/*", {"a": "x"}, b'{"a":"x"}', OBJECT, sent="application/json"),
    Golden("body optional and absent", {}, "/t", method="post", content={"application/json": {"schema": OBJECT}}, required=False),
    Golden("body of a GET", {"a": "x"}, "/t", {"content-type": "application/json"}, b'{"a":"x"}',
           content={"application/json": {"schema": OBJECT}}),
    Golden("body of QUERY", {"a": "x"}, "/t", {"content-type": "application/json"}, b'{"a":"x"}', method="query",
           content={"application/json": {"schema": OBJECT}}),
    Golden("body and query of one name", {"a_query": "q", "a_body": "b"}, "/t?a=q", {"content-type": "application/json"},
           b'{"a":"b"}', method="post", params=(query("a"),), content={"application/json": {"schema": OBJECT}}),
    Golden("body discriminator by mapping", {"body": {"kind": "dog", "age": "3.5", "lives": "9"}}, "/t",
           {"content-type": "application/json"}, b'{"kind":"dog","age":3.5,"lives":"9"}', method="post",
           content={"application/json": {"schema": PET}}, root=PETS),
    Golden("body discriminator by name", {"body": {"kind": "Cat", "lives": "9"}}, "/t",
           {"content-type": "application/json"}, b'{"kind":"Cat","lives":9}', method="post",
           content={"application/json": {"schema": PET}}, root=PETS),
    b("allOf with a nullable", "application/json", {"a": None, "b": 1}, b'{"a":null,"b":1}',
      {"allOf": [{"type": "object", "properties": {"a": {"type": ["string", "null"]}}},
                 {"type": "object", "properties": {"b": {"type": "integer"}}}]}),
    b("const and enum of the other type", "application/json", {"v": "2", "k": "1"}, b'{"v":2,"k":1}',
      {"type": "object", "properties": {"v": {"const": 2}, "k": {"type": "integer", "enum": [1, 2]}}}),
)  # fmt: skip

FORMS = (
    form("scalars", {"f": "a b&c=d+ü"}, b"f=a+b%26c%3Dd%2B%C3%BC", TEXT),
    form("array is repeated", {"f": ["a", "b"]}, b"f=a&f=b", ARRAY),
    form("object is JSON", {"f": {"a": 1}}, b"f=%7B%22a%22%3A1%7D", FREE),
    form("null is absent", {"f": None}, b"", {"type": ["string", "null"]}),
    form("empty string", {"f": ""}, b"f=", TEXT),
    form("false and zero", {"f": [False, 0]}, b"f=false&f=0", {"type": "array", "items": {}}),
    form("deepObject", {"f": {"a": {"b": [1]}}}, b"f%5Ba%5D%5Bb%5D%5B0%5D=1", FREE, f={"style": "deepObject"}),
    form("deepObject of a list", {"f": [{"a": 1}, {"a": 2}]}, b"f%5B0%5D%5Ba%5D=1&f%5B1%5D%5Ba%5D=2",
         {"type": "array", "items": FREE}, f={"style": "deepObject", "explode": True}),
    form("no explode", {"f": ["a,b", "c"]}, b"f=a%2Cb,c", ARRAY, f={"explode": False}),
    form("pipe delimited", {"f": ["a", "b"]}, b"f=a%7Cb", ARRAY, f={"style": "pipeDelimited"}),
    form("allowReserved", {"f": "a/b:c&d"}, b"f=a/b:c%26d", TEXT, f={"allowReserved": True}),
    form("content type JSON of a list", {"f": ["a"]}, b"f=%5B%22a%22%5D", ARRAY, f={"contentType": "application/json"}),
    form("content type JSON of a text", {"f": "a"}, b"f=%22a%22", TEXT, f={"contentType": "application/json"}),
)  # fmt: skip

MULTIPART = (
    parts("text", {"f": "ü"}, DISPOSITION + 'f"\r\n\r\nü'.encode(), fields={"f": TEXT}),
    parts("number and boolean", {"f": 1.0, "g": True}, DISPOSITION + b'f"\r\n\r\n1', DISPOSITION + b'g"\r\n\r\ntrue',
          fields={"f": {"type": "number"}, "g": {"type": "boolean"}}),
    parts("object is JSON", {"f": {"a": 1}}, DISPOSITION + b'f"\r\nContent-Type: application/json\r\n\r\n{"a":1}',
          fields={"f": FREE}),
    parts("array is repeated", {"f": ["a", "b"]}, DISPOSITION + b'f"\r\n\r\na', DISPOSITION + b'f"\r\n\r\nb',
          fields={"f": ARRAY}),
    parts("array as one JSON part", {"f": ["a"]}, DISPOSITION + b'f"\r\nContent-Type: application/json\r\n\r\n["a"]',
          fields={"f": ARRAY}, f={"contentType": "application/json"}),
    parts("file", {"f": "x"}, DISPOSITION + b'f"; filename="f"\r\nContent-Type: application/octet-stream\r\n\r\nx',
          fields={"f": BINARY}),
    parts("file with a name and a type",
          {"f": {"content_base64": "AP8=", "filename": "ü \"1\".png", "content_type": "image/png"}},
          DISPOSITION + 'f"; filename="ü %221%22.png"\r\nContent-Type: image/png\r\n\r\n'.encode() + b"\x00\xff",
          fields={"f": BINARY}),
    parts("several files", {"f": [{"text": "a", "filename": "a.txt"}, "b"]},
          DISPOSITION + b'f"; filename="a.txt"\r\nContent-Type: text/csv\r\n\r\na',
          DISPOSITION + b'f"; filename="f"\r\nContent-Type: text/csv\r\n\r\nb',
          fields={"f": {"type": "array", "items": BINARY}}, f={"contentType": "text/csv"}),
    parts("first of several content types", {"f": "x"},
          DISPOSITION + b'f"; filename="f"\r\nContent-Type: image/png\r\n\r\nx',
          fields={"f": BINARY}, f={"contentType": "image/png, image/jpeg"}),
    parts("content type of a text", {"f": "<a/>"}, DISPOSITION + b'f"\r\nContent-Type: application/xml\r\n\r\n<a/>',
          fields={"f": TEXT}, f={"contentType": "application/xml"}),
    parts("header with its only value", {"f": "x"}, DISPOSITION + b'f"\r\nX-Kind: one\r\n\r\nx', fields={"f": TEXT},
          f={"headers": {"X-Kind": {"schema": {"const": "one"}}, "Content-Type": {"schema": {"const": "no/no"}}}}),
    parts("header that the file gives", {"f": {"text": "x", "headers": {"x-sum": "1", "X-Other": "2"}}},
          DISPOSITION + b'f"; filename="f"\r\nContent-Type: application/octet-stream\r\nX-Sum: 1\r\n\r\nx',
          fields={"f": BINARY}, f={"headers": {"X-Sum": {"required": True, "schema": TEXT}}}),
    parts("null is absent", {"f": "x", "g": None}, DISPOSITION + b'f"\r\n\r\nx', fields={"f": TEXT, "g": TEXT}),
    parts("name with quotes and line breaks", {'a"b\n': "x"}, DISPOSITION + b'a%22b%0A"\r\n\r\nx', fields={'a"b\n': TEXT}),
    Golden("multipart mixed by position", {"body": [{"a": 1}, {"content_base64": "AP8="}, "x"]}, "/t",
           {"content-type": "multipart/mixed; boundary=BOUNDARY"},
           b'--BOUNDARY\r\nContent-Type: application/json\r\n\r\n{"a":1}\r\n'
           b"--BOUNDARY\r\nContent-Type: image/png\r\n\r\n\x00\xff\r\n"
           b"--BOUNDARY\r\nContent-Type: text/csv\r\n\r\nx\r\n--BOUNDARY--\r\n", method="post",
           content={"multipart/mixed": {
               "schema": {"type": "array", "prefixItems": [FREE, {}], "items": TEXT},
               "prefixEncoding": [{"contentType": "application/json"}, {"contentType": "image/png"}],
               "itemEncoding": {"contentType": "text/csv"}}}),
)  # fmt: skip

V = {"region": {"default": "eu", "enum": ["eu", "us"]}, "base": {"default": "v2"}}

SERVERS = (
    server("no slash between", [{"url": "https://a.test/v1"}], "https://a.test", "/v1/t"),
    server("slash at its end", [{"url": "https://a.test/v1/"}], "https://a.test", "/v1/t"),
    server("host only", [{"url": "https://a.test"}], "https://a.test", "/t"),
    server("host and slash", [{"url": "https://a.test/"}], "https://a.test", "/t"),
    server("variables", [{"url": "https://{region}.a.test/{base}", "variables": V}], "https://eu.a.test", "/v2/t"),
    server("relative", [{"url": "/v1"}], "https://h.test", "/v1/t", url="https://h.test/docs/openapi.json"),
    server("relative without a slash", [{"url": "v1/"}], "https://h.test", "/docs/v1/t", url="https://h.test/docs/openapi.json"),
    server("relative up", [{"url": "../v1"}], "https://h.test", "/v1/t", url="https://h.test/docs/openapi.json"),
    server("dot", [{"url": "./"}], "https://h.test", "/docs/t", url="https://h.test/docs/openapi.json"),
    server("without a scheme", [{"url": "//o.test/x"}], "http://o.test", "/x/t", url="http://h.test/openapi.json"),
    server("none", [], "https://h.test", "/t", url="https://h.test/docs/openapi.json"),
    Golden("server $self is no place", {}, "/x/t", url="https://h.test/d", origin="https://h.test",
           root={"$self": "https://self.test/api", "servers": [{"url": "/x"}]}),
    server("port", [{"url": "http://127.0.0.1:8080/x"}], "http://127.0.0.1:8080", "/x/t"),
    server("default port and case", [{"url": "HTTPS://A.test:443/X"}], "https://a.test", "/X/t"),
    server("blank and unicode in the base path", [{"url": "https://a.test/é x"}], "https://a.test", "/%C3%A9%20x/t"),
    server("international name", [{"url": "https://bücher.test/x"}], "https://xn--bcher-kva.test", "/x/t"),
    server("IPv6", [{"url": "http://[::1]:9/x"}], "http://[::1]:9", "/x/t"),
    server("of the operation", [{"url": "https://a.test"}], "https://op.test", "/o/t",
           operation={"servers": [{"url": "https://op.test/o"}]}),
    server("of the operation, relative", [{"url": "https://a.test"}], "https://h.test", "/o/t",
           url="https://h.test/openapi.json", operation={"servers": [{"url": "/o"}]}),
)  # fmt: skip

COERCED = (
    q("coerced integer", "5", "c=5", {"type": "integer"}),
    q("coerced whole float", 5.0, "c=5", {"type": "integer"}),
    q("coerced float text", "1.50", "c=1.5", {"type": "number"}),
    q("coerced boolean", "True", "c=true", {"type": "boolean"}),
    q("coerced text from a number", 5, "c=5"),
    q("coerced text from a boolean", True, "c=true"),
    q("coerced one value to a list", 5, "c=5", NUMBERS),
    q("coerced text to a list of numbers", "1, 2,3", "c=1&c=2&c=3", NUMBERS),
    q("coerced text to a list of words that are allowed", "a,b", "c=a&c=b", {"type": "array", "items": {"enum": ["a", "b"]}}),
    q("coerced JSON text to a list", '["a,b", "c"]', "c=a%2Cb&c=c", ARRAY),
    q("coerced JSON text to an object", '{"a": 1}', "c%5Ba%5D=1", FREE, style="deepObject"),
    q("coerced by a nullable", "5", "c=5", {"type": ["integer", "null"]}),
    q("coerced by 3.0 nullable and enum", "B", "c=b", {"type": "string", "nullable": True, "enum": ["a", "b"]}),
    q("coerced by anyOf, the text wins", "5", "c=5", {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
    q("coerced by oneOf", "true", "c=true", {"oneOf": [{"type": "boolean"}, {"type": "integer"}]}),
)  # fmt: skip

GOLDEN = (*QUERIES, *PATHS, *HEADERS, *BODIES, *FORMS, *MULTIPART, *SERVERS, *COERCED)
