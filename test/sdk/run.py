"""Runs tasks of the tests with the Python client: reads them as JSON, and prints what each came to as JSON."""

import json
import sys
from concurrent.futures import ThreadPoolExecutor

from atumpan import Atumpan, AtumpanError, Page, TransportError, WebhookVerificationError


def run(task):
    warned = []
    try:
        if "verify" in task:
            given = task["verify"]
            within = {"toleranceSeconds": given["toleranceSeconds"]} if "toleranceSeconds" in given else {}
            return {"data": Atumpan.webhooks.verify(given["body"], given["headers"], given["secret"], **within)}
        client = Atumpan(
            **task["options"],
            onWarning=lambda warnings, path: warned.append({"warnings": warnings, "path": path}),
        )
        called = client
        for part in task["operation"].split("."):
            called = getattr(called, part)
        answer = called(task.get("argument"))
        if task.get("rows"):
            return {"data": list(answer)}
        if isinstance(answer, Page):
            names = ("data", "totalCount", "count", "page", "totalPage")
            answer = {name: getattr(answer, name) for name in names}
        return {"data": answer, "warned": warned}
    except AtumpanError as error:
        names = ("code", "path", "outcome", "details", "warnings", "retryAfterSeconds", "errorId", "requestId")
        return {"refused": {name: getattr(error, name) for name in names}}
    except TransportError as error:
        return {"trouble": {name: getattr(error, name) for name in ("kind", "path", "neverSent", "status")}}
    except WebhookVerificationError:
        return {"unverified": True}
    except Exception as error:
        return {"failed": repr(error)}


with ThreadPoolExecutor(64) as pool:
    print(json.dumps(list(pool.map(run, json.load(sys.stdin)))))
