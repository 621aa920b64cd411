"""The command line: ``satgraph``."""

from __future__ import annotations

import argparse
import ipaddress
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from api import tables
from api.arguments import add_params, example, given
from api.routes import plain_text
from satgraph_rdf import __version__
from satgraph_rdf.engine import wall_clock
from satgraph_rdf.errors import AccessDenied, InvalidParameter, SatGraphError, Unauthorized
from satgraph_rdf.ingest.adapters import ADAPTERS
from satgraph_rdf.load_report import Report
from satgraph_rdf.loading import load, unload
from satgraph_rdf.preparation import Request
from satgraph_rdf.registry import Registry
from satgraph_rdf.revisions import Revisions
from satgraph_rdf.wiring import Service, store_settings

# A pipe has no width: ids must come out whole.
_WIDTH: Final = None if sys.stdout.isatty() else 1000
_OUT: Final = Console(highlight=False, soft_wrap=True, width=_WIDTH)
_ERR: Final = Console(stderr=True, highlight=False, soft_wrap=True)

EXIT_CODES: Final = {400: 2, 401: 3, 403: 3, 404: 4, 405: 2, 413: 2, 422: 5, 503: 6, 500: 1}
"""HTTP status -> exit code: 2 wrong input, 3 not allowed, 4 nothing there, 5 load refused, 6 store."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit code says how it went."""
    registry = Registry.load()
    arguments = _parser(registry).parse_args(argv)
    try:
        code: int = arguments.run(arguments, registry)
    except SatGraphError as fault:
        _complain(fault, getattr(arguments, "json", False))
        return EXIT_CODES.get(fault.status, 1)
    except BrokenPipeError:
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def run() -> None:
    """The console script."""
    sys.exit(main())


def _complain(fault: SatGraphError, as_json: bool) -> None:
    if as_json:
        print(json.dumps(fault.body(), ensure_ascii=False, indent=2), file=sys.stderr)
        return
    _ERR.print(f"{fault.code}: {fault.message}", markup=False)
    for finding in fault.details.get("findings", [])[:50]:
        _ERR.print(tables.finding_line(finding), markup=False)
    rest = {key: value for key, value in fault.details.items() if key != "findings"}
    if rest:
        _ERR.print(json.dumps(rest, ensure_ascii=False), markup=False)


# Arguments -------------------------------------------------------------------------------------


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 <= int(text) < 2**16:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 to 65535")
    return int(text)


def _parser(registry: Registry) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="satgraph",
        description="What the law said, on which date, as known when, and because of which act.",
    )
    parser.add_argument("--version", action="version", version=f"satgraph-rdf {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, run: Any, help_text: str, store: bool = True) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=help_text, description=help_text)
        made.set_defaults(run=run)
        if store:
            made.add_argument(
                "--store", type=Path, help="folder of the store (default: SATGRAPH_STORE or ./store)"
            )
        made.add_argument("--json", action="store_true", help="print JSON")
        return made

    made = command("load", _load, "Load sources into a new revision, all or none.")
    made.add_argument("sources", nargs="+", type=Path, metavar="SOURCE", help="a file or folder")
    made.add_argument("--adapter", choices=sorted(ADAPTERS), help="the format, where it is not recognised")
    made.add_argument("--source", metavar="NAME", help="name of the data source (default: the file's name)")
    made.add_argument("--overlay", metavar="SOURCE", help="the source that this one adds to")
    made.add_argument("--base", metavar="IRI", help="base IRI of a new store, ending in /")
    made.add_argument("--title", default="")
    made.add_argument("--publisher", default="")
    made.add_argument("--license", default="")
    made.add_argument("--dry-run", action="store_true", help="check everything, publish nothing")

    made = command("unload", _unload, "Remove a source in a new revision.")
    made.add_argument("name", metavar="NAME")
    command("status", _status, "What the store holds and who is writing to it.")
    command("revisions", _revisions, "The revisions still there, newest first.")

    made = command("text", _text, "The text of a work or a part on a date.")
    made.add_argument("item", metavar="ID")
    add_params(made, registry["getDocumentText"], skip=("item",))

    for name, run_it, help_text in (
        ("call", _call, "Call a primitive."),
        ("show", _show, "Print the exact SPARQL of a primitive, its terms bound, and its hash."),
    ):
        group = commands.add_parser(name, help=help_text, description=help_text)
        primitives = group.add_subparsers(dest="primitive", required=True, metavar="PRIMITIVE")
        for primitive in registry:
            names = {primitive.camel_name, primitive.operation_id, primitive.command} - {primitive.command}
            one = primitives.add_parser(
                primitive.command,
                aliases=sorted(names),
                help=primitive.summary,
                description=primitive.summary,
                epilog=example(primitive),
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
            one.set_defaults(run=run_it, name=primitive.name)
            one.add_argument(
                "--store", type=Path, help="folder of the store (default: SATGRAPH_STORE or ./store)"
            )
            one.add_argument("--json", action="store_true", help="print JSON")
            add_params(one, primitive, optional=run_it is _show)

    made = command("serve", _serve, "Serve the store over REST.")
    made.add_argument("--open", action="store_true", help="without keys, on a loopback address only")
    made.add_argument("--host", default="127.0.0.1")
    made.add_argument("--port", type=_port, default=8000)

    made = command("demo", _demo, "Load the bundled sample and serve it on this machine.", store=False)
    made.add_argument("--once", action="store_true", help="run the sample requests and end")
    made.add_argument("--port", type=_port, default=8000)
    return parser


# Commands --------------------------------------------------------------------------------------


def _print_json(value: Any) -> None:
    print(json.dumps(value, ensure_ascii=False, indent=2))


def _bar() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    return Progress(*columns, console=_ERR, transient=True)


def _finish_load(report: Report, as_json: bool) -> int:
    if as_json:
        _print_json(report.as_dict())
        return 0
    for line in tables.report_lines(report):
        _OUT.print(line, markup=False)
    return 0


def _load(arguments: argparse.Namespace, _registry: Registry) -> int:
    if arguments.source is not None and len(arguments.sources) > 1:
        raise InvalidParameter("--source names one source; give one SOURCE with it.")
    requests = [
        Request(
            path,
            arguments.adapter,
            arguments.source,
            arguments.overlay,
            arguments.title,
            arguments.publisher,
            arguments.license,
        )
        for path in arguments.sources
    ]
    with _bar() as bar:
        task = bar.add_task("loading", total=None)

        def progress(what: str, step: int, steps: int) -> None:
            bar.update(task, description=what, completed=step, total=steps)

        folder = store_settings(arguments.store).store
        report = load(folder, requests, wall_clock(), arguments.base, arguments.dry_run, progress=progress)
    return _finish_load(report, arguments.json)


def _unload(arguments: argparse.Namespace, _registry: Registry) -> int:
    return _finish_load(
        unload(store_settings(arguments.store).store, arguments.name, wall_clock()), arguments.json
    )


def _status(arguments: argparse.Namespace, _registry: Registry) -> int:
    status = tables.status(Revisions(store_settings(arguments.store).store))
    if arguments.json:
        _print_json(status)
    else:
        for line in tables.status_lines(status):
            _OUT.print(line, markup=False)
    return 0


def _revisions(arguments: argparse.Namespace, _registry: Registry) -> int:
    manifests = Revisions(store_settings(arguments.store).store).published()
    rows = [
        {
            "revision": manifest.revision,
            "loaded": manifest.loaded,
            "quads": manifest.quads,
            "sources": [source.name for source in manifest.sources],
            "digest": manifest.digest,
        }
        for manifest in manifests
    ]
    if arguments.json:
        _print_json(rows)
    else:
        _OUT.print(tables.table(rows))
    return 0


def _text(arguments: argparse.Namespace, registry: Registry) -> int:
    primitive = registry["getDocumentText"]
    values = {"itemId": arguments.item, **given(arguments, primitive)}
    service = Service(store_settings(arguments.store, once=True))
    answer = service.run(primitive.name, values, "cli")
    if arguments.json:
        _print_json(answer.value)
    else:
        print(plain_text(answer.value["rows"]))
    return 0


def _call(arguments: argparse.Namespace, registry: Registry) -> int:
    primitive = registry[arguments.name]
    service = Service(store_settings(arguments.store, once=True))
    answer = service.run(primitive.name, given(arguments, primitive), "cli")
    if arguments.json:
        _print_json(answer.value)
        return 0
    for table in tables.answer_tables(answer.value):
        _OUT.print(table)
    instants = "".join(
        f", {name} {value}"
        for name, value in (("at", answer.at), ("observer", answer.observer_time))
        if value
    )
    _ERR.print(f"revision {answer.revision}{instants}, record {answer.record}", markup=False)
    return 0


def _show(arguments: argparse.Namespace, registry: Registry) -> int:
    primitive = registry[arguments.name]
    values = given(arguments, primitive)
    examples = {use.param.wire: use.param.example for use in primitive.uses if use.required}
    served = Service(store_settings(arguments.store, once=True)).served()
    text = served.engine.show(primitive.name, {**examples, **values})
    hydrator = registry[primitive.hydrate] if primitive.hydrate else None
    if arguments.json:
        _print_json({"primitive": primitive.operation_id, "sha256": primitive.identity, "query": text})
        return 0
    print(f"# {primitive.operation_id} sha256:{primitive.identity}")
    print(text)
    if hydrator is not None:
        print(f"\n# What has these ids is then read by {hydrator.operation_id} sha256:{hydrator.identity}")
        print(served.engine.show_reader(primitive.name, {**examples, **values}))
    return 0


def check_open(host: str, is_open: bool) -> None:
    """Until keys exist a server must be open, and an open one stays on the machine."""
    if not is_open:
        raise Unauthorized(
            "There are no keys yet, so nobody could call this server. "
            "Start it with --open to serve everyone on this machine (loopback only)."
        )
    try:
        loopback = host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = False
    if not loopback:
        raise AccessDenied(
            f"--open serves without keys, so it is allowed on a loopback address only, not {host}."
        )


def _serve(arguments: argparse.Namespace, _registry: Registry) -> int:
    check_open(arguments.host, arguments.open)
    from api.server import serve

    service = Service(store_settings(arguments.store))
    _ERR.print(
        f"OPEN: every program on this machine can read {service.revisions.folder} "
        f"at http://{arguments.host}:{arguments.port}",
        markup=False,
    )
    serve(service, arguments.host, arguments.port)
    return 0


def _demo(arguments: argparse.Namespace, _registry: Registry) -> int:
    from api import demo

    return demo.run(arguments.port, arguments.once)


if __name__ == "__main__":
    run()
