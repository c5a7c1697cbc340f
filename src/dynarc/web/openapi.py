"""The OpenAPI document, and the schemas by which requests are checked."""

from typing import Any

from dynarc.systems import systems
from dynarc.web.limits import Limits
from dynarc.web.service import version

Json = dict[str, Any]

MOST_TREES = 50


def _object(*required: str, **properties: Json) -> Json:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def schemas(limits: Limits) -> dict[str, Json]:
    """What bodies of requests may hold, by name."""
    words = {
        "type": "array",
        "items": {"type": "string", "minLength": 1},
        "minItems": 1,
        "description": "The words of a sentence.",
    }
    model = {"type": ["string", "null"], "description": "Its name in /v1/models; the first one if left out."}
    conllu = {"type": ["string", "null"], "description": "CoNLL-U; heads and labels in it are kept only if asked for."}
    head = {"type": ["integer", "null"], "minimum": 0, "maximum": limits.words}
    label = {"type": ["string", "null"], "minLength": 1}
    gold = {
        **_object(
            "heads",
            heads={"type": "array", "items": head, "description": "Of each word; 0 is ROOT, null is unknown."},
            deprels={"type": ["array", "null"], "items": label},
        ),
        "type": ["object", "null"],
        "description": "The tree that costs are counted against.",
    }
    fixed = {
        "type": ["array", "null"],
        "description": "Arcs that the tree must have; a head or label that is null is left to the parser.",
        "items": _object(
            "word",
            sentence={"type": "integer", "minimum": 1, "description": "Which of the sentences; 1 if left out."},
            word={"type": "integer", "minimum": 1, "maximum": limits.words},
            head=head,
            label=label,
        ),
    }
    one: dict[str, Json] = {"tokens": {**words, "type": ["array", "null"]}, "conllu": conllu, "model": model}
    player: dict[str, Json] = {
        **one,
        "system": {
            "type": ["string", "null"],
            "enum": [None, *systems()],
            "description": "The transition system. Probabilities are there if a model has that system.",
        },
        "root": {"type": ["string", "null"], "enum": [None, "first", "last"], "description": "Where ROOT stands."},
        "gold": gold,
        "follow": {
            "type": ["string", "null"],
            "enum": [None, "parser", "oracle"],
            "description": "Whom the derivation follows: the parser, or at every step a transition of least cost.",
        },
    }
    return {
        "ParseRequest": _object(
            text={"type": ["string", "null"], "description": "Raw text; the model must have a tokenizer."},
            tokens={"type": ["array", "null"], "items": words, "description": "Sentences, as lists of words."},
            conllu=conllu,
            model=model,
            fixed=fixed,
            keep_heads={"type": ["boolean", "null"], "description": "Keep heads and labels that are in conllu."},
            confidence={
                "type": ["boolean", "null"],
                "description": "With the probability that each head is right, and that head and label are.",
            },
            format={"type": ["string", "null"], "enum": [None, "json", "jsonl", "conllu"]},
        ),
        "StepRequest": _object(
            **player,
            history={
                "type": ["array", "null"],
                "items": {"type": "string", "minLength": 1},
                "description": "The transitions taken so far, as in SHIFT, LEFT(nsubj), RIGHT@3(obj).",
            },
            losses={
                "type": ["boolean", "null"],
                "description": "With the loss at every position of the whole derivation: where it rises is a mistake.",
            },
        ),
        "TraceRequest": _object(**player),
        "BestTreesRequest": _object(
            **one,
            k={"type": "integer", "minimum": 1, "maximum": MOST_TREES},
            limit={"type": "integer", "minimum": 1, "maximum": 20_000, "description": "Steps of the search."},
        ),
    }


_NUMBERS = {"type": "array", "items": {"type": ["integer", "null"]}}
_TEXTS = {"type": "array", "items": {"type": ["string", "null"]}}
_PROBS = {"type": ["array", "null"], "items": {"type": ["number", "null"]}}


def _answers() -> dict[str, Json]:
    sentence = {
        "type": "object",
        "required": ["forms", "heads", "deprels"],
        "properties": {
            "sent_id": {"type": ["string", "null"]},
            "text": {"type": "string"},
            **dict.fromkeys(("forms", "lemmas", "upos", "xpos", "feats", "deprels"), _TEXTS),
            "heads": _NUMBERS,
            "ranges": {"type": "array", "description": "Multiword tokens: first word, last word, form."},
            "arc_prob": _PROBS,
            "label_prob": _PROBS,
            "tree_prob": {"type": ["number", "null"]},
        },
    }
    option = {
        "type": "object",
        "properties": {
            "transition": {"type": "string"},
            "move": {"type": "string"},
            "label": {"type": ["string", "null"]},
            "node": {"type": ["integer", "null"], "description": "Of easy-first: the word that becomes the head."},
            "arc": {"type": ["array", "null"], "items": {"type": "integer"}, "description": "Head and dependent."},
            "prob": {"type": ["number", "null"]},
            "cost": {"type": ["number", "null"], "description": "How many gold arcs it loses."},
        },
    }
    position = {
        "type": "object",
        "properties": {
            "system": {"type": "string"},
            "stack": _NUMBERS,
            "buffer": _NUMBERS,
            "heads": _NUMBERS,
            "deprels": _TEXTS,
            "options": {"type": "array", "items": option},
            "left_out": {"type": "integer", "description": "Improbable labels that are not listed."},
            "loss": {"type": ["number", "null"], "description": "Gold arcs that can no longer be had."},
            "best": {"type": ["array", "null"], "description": "Head and label of each word in the best such tree."},
            "exact": {"type": "boolean"},
            "note": {"type": "string"},
        },
    }
    return {
        "Problem": {
            "type": "object",
            "required": ["title", "status", "detail"],
            "properties": {
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string", "description": "What is wrong, and what to do about it."},
            },
        },
        "Sentence": sentence,
        "Parsed": {
            "type": "object",
            "required": ["model", "sentences"],
            "properties": {
                "model": {"type": "string"},
                "sentences": {"type": "array", "items": {"$ref": "#/components/schemas/Sentence"}},
            },
        },
        "Position": position,
        "Object": {"type": "object"},
    }


PROBLEMS = {
    400: "The body is not what its content type says.",
    403: "Another site asked, which this server does not allow.",
    404: "There is no such thing.",
    405: "This address is asked in another way.",
    408: "The body did not come in time.",
    413: "The body, or a sentence in it, is longer than this server takes.",
    415: "The content type is not known.",
    422: "What is asked for cannot be done, and why.",
    429: "The server has its hands full: ask again after Retry-After seconds.",
    503: "It took too long.",
}


def _responses(schema: str, *, statuses: tuple[int, ...], media: str = "application/json") -> Json:
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    good = {"$ref": f"#/components/schemas/{schema}"} if schema else {"type": "string"}
    found: Json = {"200": {"description": "As asked for.", "content": {media: {"schema": good}}}}
    for status in statuses:
        found[str(status)] = {"description": PROBLEMS[status], "content": problem}
    return found


POSTED = (400, 403, 408, 413, 415, 422, 429, 503)
ASKED = (403, 404, 422, 429, 503)


def _post(summary: str, request: str, answer: str, tag: str = "api") -> Json:
    body = {"application/json": {"schema": {"$ref": f"#/components/schemas/{request}"}}}
    return {
        "post": {
            "summary": summary,
            "tags": [tag],
            "requestBody": {"required": True, "content": body},
            "responses": _responses(answer, statuses=POSTED),
        }
    }


def _get(summary: str, *, tag: str, schema: str = "Object", media: str = "application/json", **paths: Json) -> Json:
    parameters = [{"name": name, "in": "path", "required": True, "schema": schema} for name, schema in paths.items()]
    statuses = ASKED if tag == "page" else (403,)
    return {
        "get": {
            "summary": summary,
            "tags": [tag],
            "parameters": parameters,
            "responses": _responses(schema, statuses=statuses, media=media),
        }
    }


def _query(name: str, schema: Json, description: str) -> Json:
    return {"name": name, "in": "query", "required": False, "schema": schema, "description": description}


def document(limits: Limits, *, page: bool) -> Json:
    """The OpenAPI document of a server."""
    parse = _post(
        "Parse text, tokens or CoNLL-U. Bodies of text/plain and text/x-conllu may be large: answers to them are sent "
        "while they are made.",
        "ParseRequest",
        "Parsed",
    )
    operation = parse["post"]
    text = {"schema": {"type": "string"}}
    operation["requestBody"]["content"] |= {"text/plain": text, "text/x-conllu": text}
    operation["responses"]["200"]["content"] |= {
        "application/x-ndjson": {"schema": {"$ref": "#/components/schemas/Sentence"}},
        "text/x-conllu": text,
    }
    flag = {"type": "string", "enum": ["true", "false"]}
    operation["parameters"] = [
        _query("format", {"type": "string", "enum": ["json", "jsonl", "conllu"]}, "Of text and CoNLL-U: what to give."),
        _query("model", {"type": "string"}, "Of text and CoNLL-U: the model."),
        _query("confidence", flag, "Of text and CoNLL-U: with probabilities."),
        _query("keep_heads", flag, "Of CoNLL-U: keep heads that are there."),
    ]
    name = {"type": "string", "minLength": 1}
    number = {"type": "integer", "minimum": 0}
    paths = {
        "/v1/parse": parse,
        "/v1/step": _post("One position of a derivation, wherever its history leads.", "StepRequest", "Position"),
        "/v1/trace": _post("All positions of a derivation.", "TraceRequest", "Object"),
        "/v1/kbest": _post("The most probable trees of a sentence.", "BestTreesRequest", "Object"),
        "/v1/models": _get("The models that are loaded.", tag="api"),
        "/healthz": _get("Whether the server is up.", tag="operations"),
        "/metrics": _get("Counters for Prometheus.", tag="operations", schema="", media="text/plain"),
        "/openapi.json": _get("This document.", tag="operations"),
    }
    if page:
        upload = _post("A file to look at.", "ParseRequest", "Object", "page")
        upload["post"]["requestBody"]["content"] = {"text/x-conllu": text}
        upload["post"]["parameters"] = [_query("name", {"type": "string"}, "What it is called.")]
        place = "/page/files/{file}"
        paths |= {
            "/page/start": _get("What the page begins with.", tag="page"),
            "/page/drawn": _post("Parsed sentences, as the page draws them.", "ParseRequest", "Object", "page"),
            "/page/files": upload,
            f"{place}/index": _get("All sentences, shortly.", tag="page", file=name),
            f"{place}/sentences/{{number}}": _get("One sentence.", tag="page", file=name, number=number),
            f"{place}/errors": _get("Scores and confusions.", tag="page", file=name),
            f"{place}/cells/{{cell}}": _get("The words behind a confusion.", tag="page", file=name, cell=name),
            f"{place}/reliability": _get("How far probabilities hold.", tag="page", file=name),
            f"{place}/bins/{{number}}": _get("The words of a bin.", tag="page", file=name, number=number),
        }
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "dynarc",
            "version": version(),
            "description": "Greedy dependency parsing with exact dynamic oracles.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "paths": paths,
        "components": {"schemas": {**schemas(limits), **_answers()}},
    }
