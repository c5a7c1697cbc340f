"""The server as an ASGI application. Parsing is done in threads; the event loop only passes things on."""

import asyncio
import json
import logging
import tempfile
import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import IO, Any, Literal, TypeVar
from urllib.parse import urlsplit

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Match, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dynarc.conllu import read_conllu
from dynarc.errors import DynarcError
from dynarc.parser import cores
from dynarc.treebank import Treebank
from dynarc.web import openapi, page, schema
from dynarc.web.limits import MEGABYTE, Limits, TooLargeError, check_words
from dynarc.web.metrics import Metrics
from dynarc.web.service import Kind, Service, checked_name, describe_systems, version
from dynarc.web.shown import Json, parsed_json
from dynarc.web.workspace import Workspace

T = TypeVar("T")
Format = Literal["json", "jsonl", "conllu"]
FORMATS: dict[Format, str] = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "conllu": "text/x-conllu; charset=utf-8",
}
# What bodies may be called, and what is in them.
STREAMED: dict[str, Kind] = {
    "text/plain": "text",
    "text/x-conllu": "conllu",
    "application/x-conllu": "conllu",
    "text/conllu": "conllu",
}
LOOPBACK = ("127.0.0.1", "localhost", "::1")
# Seconds to wait for more of a body, and what a client is told to wait when there is too much to do.
BODY_PAUSE = 15.0
RETRY = 1
log = logging.getLogger("dynarc.web")

HEADERS = {
    "Content-Security-Policy": page.POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """How a server is reached. With `hosts`, requests must name one of these; `origins` are other sites whose pages may
    ask it (* for all)."""

    limits: Limits = field(default_factory=Limits)
    hosts: tuple[str, ...] = LOOPBACK
    origins: tuple[str, ...] = ()
    page: bool = True
    workers: int = field(default_factory=cores)


class Problem(HTTPException):
    """An answer that says what is wrong."""


class Server:
    """What all requests share: models, files, threads, counters."""

    def __init__(self, service: Service, settings: Settings, file: Workspace | None = None) -> None:
        self.service = service
        self.settings = settings
        self.limits = settings.limits
        self.metrics = Metrics()
        self.schemas = openapi.schemas(self.limits)
        self.document = openapi.document(self.limits, page=settings.page)
        self.threads = ThreadPoolExecutor(settings.workers, "dynarc")
        self.first = file
        self.files: OrderedDict[str, Workspace] = OrderedDict()
        self._number = 0

    async def work(self, task: Callable[[], T]) -> T:
        """The result of a task, made in a thread. One that takes too long is given up, though not stopped."""
        running = asyncio.get_running_loop().run_in_executor(self.threads, task)
        try:
            return await asyncio.wait_for(running, self.limits.seconds)
        except TimeoutError:
            raise Problem(503, f"it took longer than the {self.limits.seconds:g} s that this server allows") from None

    # Bodies.

    async def spooled(self, request: Request, most: int) -> IO[bytes]:
        """The body of a request, in memory if it is small and else in a file that nobody sees."""
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > most:
            raise too_large(most)
        body: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=MEGABYTE)  # noqa: SIM115 - the caller closes it
        size = 0
        stream = request.stream()
        try:
            while True:
                part = await asyncio.wait_for(anext(stream, None), BODY_PAUSE)
                if part is None:
                    break
                size += len(part)
                if size > most:
                    raise too_large(most)
                body.write(part)
        except TimeoutError:
            body.close()
            raise Problem(408, f"nothing more of the body came for {BODY_PAUSE:g} s") from None
        except BaseException:
            body.close()
            raise
        body.seek(0)
        return body

    async def json(self, request: Request, name: str) -> Json:
        """The body of a request, which is JSON that the schema of that name allows."""
        if media_type(request) != "application/json":
            raise Problem(415, "send application/json")
        body = await self.spooled(request, self.limits.json)
        with body:
            data = body.read()
        try:
            value = json.loads(data, parse_constant=_no_constant)
        except RecursionError:
            raise Problem(400, "the body is nested too deeply") from None
        except ValueError as error:
            raise Problem(400, f"the body is no JSON: {error}") from None
        schema.check(value, self.schemas[name])
        found: Json = value
        return found

    # Files of the page.

    def add(self, space: Workspace) -> str:
        self._number += 1
        name = f"f{self._number}"
        self.files[name] = space
        while len(self.files) > self.limits.files:
            self.files.popitem(last=False)
        return name

    def file(self, request: Request) -> Workspace:
        name = request.path_params["file"]
        if name == "first" and self.first is not None:
            return self.first
        if name not in self.files:
            raise Problem(404, "this file is no longer in memory: open it again")
        self.files.move_to_end(name)
        return self.files[name]


def too_large(most: int) -> Problem:
    size = f"{most / MEGABYTE:,.3g} MB" if most >= MEGABYTE else f"{most:,} bytes"
    return Problem(
        413, f"the body is larger than {size}: send it in parts, or as text/plain or text/x-conllu, which may be larger"
    )


def media_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON")


# Routes.


async def parse(request: Request) -> Response:
    server: Server = request.app.state.server
    kind = STREAMED.get(media_type(request))
    if kind is not None:
        return await parse_stream(server, request, kind)
    if media_type(request) != "application/json":
        raise Problem(415, f"send application/json, or {', '.join(STREAMED)}")
    wanted = await server.json(request, "ParseRequest")
    form: Format = wanted.get("format") or "json"
    name, found = await server.work(lambda: server.service.parse(wanted))
    count(server, found)
    text = await server.work(lambda: b"".join(written(form, name, iter([found]))))
    return Response(text, media_type=FORMATS[form])


async def parse_stream(server: Server, request: Request, kind: Kind) -> Response:
    """Answers to text and CoNLL-U are sent part by part, while later ones are made."""
    query = request.query_params
    accepts = request.headers.get("accept", "")
    by_header: Format = "conllu" if "conllu" in accepts else "jsonl" if "ndjson" in accepts else "json"
    form = query.get("format", by_header)
    if form not in FORMATS:
        raise Problem(422, f"format is {form!r}, but must be one of {', '.join(FORMATS)}")
    flags = {name: _flag(query, name) for name in ("confidence", "keep_heads")}
    if all(flags.values()):
        raise Problem(422, "how sure the parser is of fixed arcs is not known: leave out confidence or keep_heads")
    name, parser = server.service.model(query.get("model"))
    body = await server.spooled(request, server.limits.body)
    try:
        if kind == "conllu":
            await server.work(lambda: server.service.check_stream(body))
            body.seek(0)
        elif flags["keep_heads"]:
            raise Problem(422, "raw text has no heads to keep")
        trees = server.service.stream(body, kind, parser, **flags, marked=form == "conllu")
        parts = written(form, name, counted(server, trees))
        first = await server.work(lambda: next(parts, b""))  # what is wrong from the start is said by a status
    except BaseException:
        body.close()
        raise

    async def answer() -> AsyncIterator[bytes]:
        with body:
            yield first
            try:
                while (part := await server.work(lambda: next(parts, None))) is not None:
                    yield part
            except (DynarcError, HTTPException) as error:
                detail = error.detail if isinstance(error, HTTPException) else str(error)
                yield broken_off(form, detail)
                raise

    return StreamingResponse(answer(), media_type=FORMATS[form])


def _flag(query: Mapping[str, str], name: str) -> bool:
    value = query.get(name, "false").lower()
    if value not in ("true", "false", "1", "0", ""):
        raise Problem(422, f"{name} is {value!r}, but must be true or false")
    return value in ("true", "1")


def written(form: Format, name: str, parts: Iterator[Treebank]) -> Iterator[bytes]:
    """Treebanks as the answer has them. Nothing is written before there is a first part: that may be an error."""
    begin = b'{"model": ' + json.dumps(name).encode() + b', "sentences": ['
    for part in parts:
        if form == "conllu":
            yield part.to_bytes()
            continue
        texts = [json.dumps(parsed_json(sentence), ensure_ascii=False).encode() for sentence in part]
        if texts and form == "jsonl":
            yield b"".join(text + b"\n" for text in texts)
        elif texts:
            yield begin + b", ".join(texts)
            begin = b", "
    if form == "json":
        yield b"]}" if begin == b", " else begin + b"]}"


def broken_off(form: Format, detail: str) -> bytes:
    """The last line of an answer that cannot be finished. The connection is closed after it."""
    text = json.dumps({"error": detail})
    return f"# error = {text}\n".encode() if form == "conllu" else f"\n{text}\n".encode()


def count(server: Server, treebank: Treebank) -> None:
    server.metrics.sentences += len(treebank)
    server.metrics.words += treebank.words


def counted(server: Server, parts: Iterator[Treebank]) -> Iterator[Treebank]:
    for part in parts:
        count(server, part)
        yield part


def posted(schema_name: str, answer: Callable[[Service, Json], Json]) -> Callable[[Request], Awaitable[Response]]:
    """A route that takes JSON and gives JSON."""

    async def route(request: Request) -> Response:
        server: Server = request.app.state.server
        wanted = await server.json(request, schema_name)
        return Answer(await server.work(lambda: answer(server.service, wanted)))

    return route


def asked(answer: Callable[[Workspace, Request], Any]) -> Callable[[Request], Awaitable[Response]]:
    """A route that says something of a file."""

    async def route(request: Request) -> Response:
        server: Server = request.app.state.server
        space = server.file(request)
        return Answer(await server.work(lambda: answer(space, request)))

    return route


class Answer(JSONResponse):
    """JSON that browsers do not keep."""

    def render(self, content: Any) -> bytes:
        return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()


async def models(request: Request) -> Response:
    return Answer(request.app.state.server.service.describe())


async def health(request: Request) -> Response:
    return Answer({"status": "ok", "version": version()})


async def metrics(request: Request) -> Response:
    text = request.app.state.server.metrics.text()
    return PlainTextResponse(text, media_type="text/plain; version=0.0.4; charset=utf-8")


async def api_document(request: Request) -> Response:
    return Answer(request.app.state.server.document)


async def start(request: Request) -> Response:
    server: Server = request.app.state.server
    file = None
    if server.first is not None:
        first = server.first
        file = {"id": "first", **await server.work(lambda: first.prepare().info())}
    return Answer({**page.start(server.service), "systems": describe_systems(), "file": file})


async def open_file(request: Request) -> Response:
    """Keeps a file that was opened on the page, parsed by the first model if there is one."""
    server: Server = request.app.state.server
    if STREAMED.get(media_type(request)) != "conllu":
        raise Problem(415, "send text/x-conllu")
    name = checked_name(request.query_params.get("name"))
    body = await server.spooled(request, server.limits.body)
    models = server.service.models

    def read() -> Workspace:
        with body:
            treebank = read_conllu(body.read(), name=name, check_trees=False)
        parser = next(iter(models.values()), None)
        return Workspace(check_words(treebank, server.limits), name=name, parser=parser).prepare()

    space = await server.work(read)
    return Answer({"id": server.add(space), **space.info()})


async def static(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    found = page.files().get(name)
    if found is None:
        raise Problem(404, "there is no such file")
    content, media = found
    return Response(content, media_type=media, headers={"Cache-Control": "no-cache"})


def _number(request: Request, name: str = "number") -> int:
    text = request.path_params[name]
    if not text.isascii() or not text.isdigit() or len(text) > 9:
        raise Problem(404, f"{name} must be a whole number")
    return int(text)


def application(service: Service, settings: Settings, file: Workspace | None = None) -> Starlette:
    """The server, ready to be run by uvicorn or any other ASGI server."""
    place = "/page/files/{file}"
    routes = [
        Route("/v1/parse", parse, methods=["POST"]),
        Route("/v1/step", posted("StepRequest", Service.step), methods=["POST"]),
        Route("/v1/trace", posted("TraceRequest", Service.trace), methods=["POST"]),
        Route("/v1/kbest", posted("BestTreesRequest", Service.kbest), methods=["POST"]),
        Route("/v1/models", models),
        Route("/healthz", health),
        Route("/metrics", metrics),
        Route("/openapi.json", api_document),
    ]
    if settings.page:
        routes += [
            Route("/page/start", start),
            Route("/page/drawn", posted("ParseRequest", Service.drawn), methods=["POST"]),
            Route("/page/files", open_file, methods=["POST"]),
            Route(f"{place}/index", asked(lambda space, _: space.prepare().index)),
            Route(f"{place}/sentences/{{number}}", asked(lambda space, r: space.sentence(_number(r)))),
            Route(f"{place}/errors", asked(lambda space, _: space.errors())),
            Route(f"{place}/cells/{{cell:path}}", asked(lambda space, r: space.cell(r.path_params["cell"]))),
            Route(f"{place}/reliability", asked(lambda space, _: space.reliability())),
            Route(f"{place}/bins/{{number}}", asked(lambda space, r: space.bin(_number(r)))),
            Route("/", static),
            Route("/{name}", static),
        ]
    server = Server(service, settings, file)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        server.threads.shutdown(wait=False, cancel_futures=True)

    app = Starlette(
        routes=routes,
        exception_handlers={
            HTTPException: _http_problem,
            TooLargeError: _dynarc_problem,
            DynarcError: _dynarc_problem,
            ClientDisconnect: _gone,
        },
        lifespan=lifespan,
    )
    app.state.server = server
    app.add_middleware(Guard, server=server, routes=routes)
    return app


# Problems.


def problem(status: int, detail: str, headers: Mapping[str, str] | None = None) -> Response:
    body = {"title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return Response(
        json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"),
        status,
        headers=headers,
        media_type="application/problem+json",
    )


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    details = {404: "there is no such address; /openapi.json lists those that are", 405: openapi.PROBLEMS[405]}
    plain = error.detail == HTTPStatus(error.status_code).phrase
    detail = details.get(error.status_code, error.detail) if plain else error.detail
    return problem(error.status_code, detail, error.headers)


async def _dynarc_problem(request: Request, error: Exception) -> Response:
    return problem(413 if isinstance(error, TooLargeError) else 422, str(error))


async def _gone(request: Request, error: Exception) -> Response:
    return problem(400, "the connection was closed")


class Guard:
    """What every request passes: who may ask, how many at once, headers of every answer, counters."""

    def __init__(self, app: ASGIApp, *, server: Server, routes: list[Route]) -> None:
        self.app = app
        self.server = server
        self.routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        metrics, began = self.server.metrics, time.perf_counter()
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        route = self._route(scope)
        status = 500

        async def guarded(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._finish_headers(MutableHeaders(scope=message), origin, route)
            await send(message)

        waits = route.startswith(("/v1/parse", "/v1/step", "/v1/trace", "/v1/kbest", "/page/"))
        metrics.in_progress += waits
        try:
            if refusal := self._refusal(scope, headers, origin, waits):
                await refusal(scope, receive, guarded)
            else:
                await self.app(scope, receive, guarded)
        except Exception as error:
            if status != 500:  # the answer has begun: it ends here, broken off, so that nobody takes it for whole
                known = isinstance(error.__cause__, DynarcError | HTTPException)
                log.warning("an answer was broken off: %s", error.__cause__ if known else error, exc_info=not known)
                return
            log.exception("unexpected error")
            await problem(500, "an error of the server, which its log tells of")(scope, receive, guarded)
        finally:
            metrics.in_progress -= waits
            metrics.finished(route, scope["method"] if route != "other" else "any", status, time.perf_counter() - began)

    def _refusal(self, scope: Scope, headers: Headers, origin: str | None, waits: bool) -> Response | None:
        settings = self.server.settings
        host = headers.get("host", "")
        if settings.hosts and _host_name(host) not in settings.hosts:
            self.server.metrics.refused["host"] += 1
            return problem(403, f"this server is not called {host!r}: start it with --allow-host to call it so")
        if origin is not None and not self._own(scope, origin, host) and not self._allowed(origin):
            self.server.metrics.refused["origin"] += 1
            return problem(403, f"pages of {origin} may not ask: start the server with --cors {origin} to allow it")
        if origin is not None and scope["method"] == "OPTIONS" and "access-control-request-method" in headers:
            return Response(status_code=204)
        if waits and self.server.metrics.in_progress > settings.limits.requests:
            self.server.metrics.refused["busy"] += 1
            detail = f"{settings.limits.requests} requests are being worked on, and no more are taken: ask again soon"
            return problem(429, detail, {"Retry-After": str(RETRY)})
        return None

    def _own(self, scope: Scope, origin: str, host: str) -> bool:
        return urlsplit(origin).netloc == host

    def _allowed(self, origin: str) -> bool:
        return "*" in self.server.settings.origins or origin in self.server.settings.origins

    def _finish_headers(self, headers: MutableHeaders, origin: str | None, route: str) -> None:
        for name, value in HEADERS.items():
            headers[name] = value
        if origin is not None and self._allowed(origin):
            headers["Access-Control-Allow-Origin"] = origin
            headers["Access-Control-Allow-Methods"] = "GET, POST"
            headers["Access-Control-Allow-Headers"] = "Content-Type"
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            headers["Vary"] = "Origin"
        if "cache-control" not in headers:
            headers["Cache-Control"] = "no-store"

    def _route(self, scope: Scope) -> str:
        """The pattern that an address follows; what strangers ask for has one name."""
        for route in self.routes:
            if route.matches(scope)[0] is not Match.NONE:
                return "/{name}" if route.path in ("/", "/{name}") else route.path
        return "other"


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""
