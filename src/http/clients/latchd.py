"""A client for the HTTP API of latchd, a gateway for door locks.

One file, the standard library alone, Python 3.9 or newer. Copy it beside your program::

    import os
    from latchd import Client

    gateway = Client(os.environ["GATEWAY"], os.environ["LATCHD_TOKEN"])
    for lock in gateway.locks():
        state = gateway.state(lock["lockId"])
        print(lock["lockAlias"], state.state, "" if state.sure else "(not sure)")

``GATEWAY`` is such as ``http://127.0.0.1:8080``, or ``https://gateway.local:8443`` with ``ca_file="ca.crt"``.

**It repeats nothing by itself.** An unlock that is sent twice may open a door that somebody has locked meanwhile. So each request has a
connection of its own and is sent once, redirections are not followed, and proxies of the environment are not used. Live events alone are
asked for again, because that moves nothing.

A call returns when it is done, and raises what derives from :class:`LatchdError` when it is not. Dates are milliseconds since
1970 (UTC), as in the API; where a date is given, an aware :class:`datetime.datetime` will do as well. A :class:`Client` may be used by several
threads at once.
"""

from __future__ import annotations

import http.client
import json
import random
import ssl
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from email.utils import parsedate_to_datetime
from typing import Any, Dict, Generator, Iterator, List, Mapping, Optional, TypedDict, Union
from urllib.parse import quote, urlencode, urlsplit

__all__ = [
    "Card", "Client", "Event", "LatchdError", "Lock", "LockRefused", "NoAnswer", "Problem", "Record", "State", "Unreachable",
]

Date = Union[int, datetime]
"""Milliseconds since 1970 (UTC), or an aware datetime."""

_PAGE_SIZE = 100
_SILENCE_SECONDS = 40.0
_WAIT_SECONDS = (1.0, 30.0)


class Lock(TypedDict):
    """A lock as in ``GET /api/v1/lock/list``; ``electricQuantity`` is the percent of its battery, -1 while nobody knows."""

    lockId: int
    lockName: str
    lockAlias: str
    lockMac: str
    electricQuantity: int
    featureValue: str
    hasGateway: int
    lockData: str
    groupId: int
    groupName: str
    date: int


class Record(TypedDict):
    """What happened at a door, as in ``GET /api/v1/lock/records``; ``success`` is 1 or 0, ``lockDate`` when it happened."""

    recordId: int
    lockId: int
    serverDate: int
    recordType: str
    success: int
    keyboardPwd: str
    lockDate: int
    username: str


class Card(TypedDict):
    """An identity card on a lock, as in ``GET /api/v1/identity-card/list``; ``endDate`` 0 is an open end."""

    cardId: int
    lockId: int
    cardNumber: str
    cardName: str
    startDate: int
    endDate: int
    createDate: int
    senderUsername: str


@dataclass(frozen=True)
class State:
    """Where the bolt of a lock is."""

    state: str
    """``locked`` or ``unlocked``, as the lock last said."""
    sure: bool
    """Whether it is so now. False while the lock is away, and after a command whose outcome is open."""
    online: bool
    said_at: Optional[datetime]
    """When the lock said so, to the second."""


@dataclass(frozen=True)
class Event:
    """A live event: ``type`` is such as ``record`` or ``state``, ``data`` what the API page says of it."""

    type: str
    data: Dict[str, Any]
    id: str
    """Give it to :meth:`Client.events` as ``last_id`` to go on behind this event; store it once you have handled the event."""


class LatchdError(Exception):
    """What all errors of this client have in common."""


class Unreachable(LatchdError):
    """No connection came about. Nothing was sent, so nothing has happened."""


class NoAnswer(LatchdError):
    """The request was sent and no whole answer came. What it asked for may have happened, or may happen yet: see
    :meth:`Client.sure_state`."""


class LockRefused(LatchdError):
    """The lock got the command and could not do it. ``reason`` is such as ``jammed``, ``low-battery``, ``privacy-lock`` or ``expired``."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"the lock refused: {reason}")
        self.reason = reason


@dataclass(eq=False)
class Problem(LatchdError):
    """The gateway refused (RFC 9457). Decide by ``code``; ``detail`` is for people and may change."""

    status: int
    code: str
    """Such as ``lock-offline``. Empty when the answer is none of latchd's, as that of a proxy."""
    title: str
    detail: str = ""
    request_id: str = ""
    """Quote it when you ask for help: it names the request in the log of the gateway."""
    errors: List[Dict[str, str]] = field(default_factory=list)
    """Of wrong parameters: ``{"parameter": "pageSize", "message": "must be between 10 and 1000"}``."""
    retry_after: Optional[float] = None
    """Seconds, when the gateway says when to come again."""

    def __str__(self) -> str:
        return f"{self.status} {self.code or self.title}: {self.detail or self.title}"

    @property
    def outcome_unknown(self) -> bool:
        """True for ``lock-timeout``: the command was sent to the lock, and may have happened or may happen yet."""
        return self.code == "lock-timeout"


class Client:
    """The gateway, as the account of one token sees it.

    :param base_url: such as ``https://gateway.local:8443``.
    :param token: that of an account; without the word Bearer.
    :param ca_file: the certificate of the gateway's authority (``ca.crt``); without it those that this machine trusts.
    :param timeout: seconds until a request without an answer is given up as :class:`NoAnswer`. The gateway itself waits 10 s for a
        lock, or as long as ``commands.timeoutMs`` says; stay well above.
    """

    def __init__(self, base_url: str, token: str, *, ca_file: Optional[str] = None, timeout: float = 30.0) -> None:
        address = urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.hostname:
            raise ValueError("base_url must be http://HOST or https://HOST, with a port if need be")
        self._host, self._port, self._prefix = address.hostname, address.port, address.path.rstrip("/")
        self._tls = ssl.create_default_context(cafile=ca_file) if address.scheme == "https" else None
        self._token = token.strip()
        self._timeout = timeout

    def locks(self, alias: Optional[str] = None) -> Iterator[Lock]:
        """The locks on which the account has a role, page by page as you go on. ``alias``: only those whose alias has it."""
        return self._pages("/api/v1/lock/list", {"lockAlias": alias})

    def state(self, lock_id: int) -> State:
        """What the lock last said of its bolt, and whether that is sure."""
        answer = self._send("GET", "/api/v1/lock/state", {"lockId": lock_id})
        said_at = answer.headers.get("Last-Modified")
        return State(
            state=answer.body["state"],
            sure=answer.headers.get("Latchd-State-Sure") == "true",
            online=answer.headers.get("Latchd-Lock-Online") == "true",
            said_at=None if said_at is None else parsedate_to_datetime(said_at),
        )

    def sure_state(self, lock_id: int, within: float = 60.0) -> State:
        """Asks once a second until the state is sure, and at most for ``within`` seconds: see ``sure`` of what it returns. This is what to
        do after :class:`NoAnswer`, or a :class:`Problem` with ``outcome_unknown``::

            from latchd import NoAnswer, Problem

            lock_id = next(gateway.locks())["lockId"]
            try:
                gateway.unlock(lock_id)
            except (NoAnswer, Problem) as error:
                if isinstance(error, Problem) and not error.outcome_unknown:
                    raise
                print("it is", gateway.sure_state(lock_id).state)
        """
        end = time.monotonic() + within
        while True:
            state = self.state(lock_id)
            if state.sure or time.monotonic() >= end:
                return state
            time.sleep(1.0)

    def unlock(self, lock_id: int) -> None:
        """Unlocks, and returns when the lock has said that it has. Sent once: after :class:`NoAnswer` the door may be open or open yet.

        :raises LockRefused: the lock could not, or it was too late.
        :raises Problem: ``lock-offline`` and ``lock-busy``: nothing was sent to the lock; ``lock-timeout``: see ``outcome_unknown``.
        """
        self._move("/api/v1/lock/unlock", lock_id)

    def lock(self, lock_id: int) -> None:
        """Locks; all that :meth:`unlock` says holds for it."""
        self._move("/api/v1/lock/lock", lock_id)

    def battery(self, lock_id: int) -> int:
        """Percent. :raises Problem: ``state-unknown`` while the lock has never said it."""
        percent: int = self._send("GET", "/api/v1/lock/battery", {"lockId": lock_id}).body["BatteryPercentage"]
        return percent

    def records(self, lock_id: int, *, since: Optional[Date] = None, until: Optional[Date] = None) -> Iterator[Record]:
        """What happened at the door, newest first, page by page as you go on; both ends included. For managers of the lock::

            from datetime import datetime, timedelta, timezone

            lock_id = next(gateway.locks())["lockId"]
            yesterday = datetime.now(timezone.utc) - timedelta(days=1)
            for record in gateway.records(lock_id, since=yesterday):
                print(record["lockDate"], record["recordType"], record["username"])
        """
        asked = {"lockId": lock_id, "startDate": _millis(since), "endDate": _millis(until)}
        oldest: Optional[int] = None
        for record in self._pages("/api/v1/lock/records", asked):
            # A record that comes meanwhile moves the others on: those at the seam of two pages come twice.
            if oldest is None or record["recordId"] < oldest:
                oldest = record["recordId"]
                yield record

    def cards(self, lock_id: int) -> Iterator[Card]:
        """The identity cards of the lock. For its managers."""
        return self._pages("/api/v1/identity-card/list", {"lockId": lock_id})

    def add_card(
        self, lock_id: int, number: str, *, name: str = "", start: Date = 0, end: Date = 0, reverse: bool = False, queue: bool = False
    ) -> int:
        """Adds a card by its number (decimal digits, as text) and returns its cardId when the lock has it. Without dates it is valid for ever.

        :param reverse: for readers that read the bytes the other way round.
        :param queue: do not wait for the lock: it gets the card now or when it is back.
        """
        asked = {
            "lockId": lock_id, "cardNumber": number, "cardName": name or None, "startDate": _millis(start), "endDate": _millis(end),
            "method": "reverse" if reverse else "regular", "addType": 2, "queue": 1 if queue else None,
        }
        card_id: int = self._send("POST", "/api/v1/identity-card/add", asked).body["keyboardPwdId"]
        return card_id

    def change_card(self, lock_id: int, card_id: int, *, start: Date = 0, end: Date = 0, queue: bool = False) -> None:
        """Gives a card other dates."""
        asked = {"lockId": lock_id, "cardId": card_id, "startDate": _millis(start), "endDate": _millis(end)}
        self._send("PUT", "/api/v1/identity-card/change-validity", {**asked, "changeType": 2, "queue": 1 if queue else None})

    def rename_card(self, lock_id: int, card_id: int, name: str) -> None:
        """Gives a card another name. The lock has nothing to do with it."""
        self._send("PUT", "/api/v1/identity-card/rename", {"lockId": lock_id, "cardId": card_id, "cardName": name, "changeType": 2})

    def remove_card(self, lock_id: int, card_id: int, *, queue: bool = False) -> None:
        """Removes a card from the lock."""
        asked = {"lockId": lock_id, "cardId": card_id, "deleteType": 2, "queue": 1 if queue else None}
        self._send("DELETE", "/api/v1/identity-card/delete", asked)

    def events(self, last_id: str = "") -> Iterator[Event]:
        """What happens at the locks, as it happens, without end. A stream that breaks off is asked for again, with the id of the last
        event that your loop has finished with: no record is left out, and none comes twice. With ``last_id``, the ``id`` of an event that you have
        stored, that holds over a restart of your program, too::

            for event in gateway.events():
                if event.type == "ready":
                    break
                print(event.type, event.data)

        :raises Problem: when asking again would not help, such as ``token-invalid``.
        """
        wait, most = _WAIT_SECONDS
        while True:
            pause = 0.0
            try:
                with closing(self._stream(last_id)) as stream:
                    for event in stream:
                        if event.type:
                            yield event
                        last_id, wait = event.id, _WAIT_SECONDS[0]
            except Problem as problem:
                if problem.status < 500 and problem.status != 429:
                    raise
                pause = problem.retry_after or 0.0
            except (Unreachable, NoAnswer):
                pass
            time.sleep(max(pause, wait * random.uniform(0.5, 1.0)))
            wait = min(most, wait * 2)

    def request(
        self, method: str, path: str, query: Optional[Mapping[str, Any]] = None, body: Optional[Mapping[str, Any]] = None
    ) -> Any:
        """Any other endpoint of the API: returns the JSON of its answer. Parameters that are None are left out::

            status = gateway.request("GET", "/api/v1/gateway/status")
            print(status["locks"])
        """
        return self._send(method, path, query or {}, body).body

    def _move(self, path: str, lock_id: int) -> None:
        answer = self._send("POST", path, {"lockId": lock_id}).body
        if not answer["success"]:
            raise LockRefused(answer["reason"])

    def _pages(self, path: str, query: Mapping[str, Any]) -> Iterator[Any]:
        page_no = pages = 1
        while page_no <= pages:
            page = self._send("GET", path, {**query, "pageNo": page_no, "pageSize": _PAGE_SIZE}).body
            yield from page["list"]
            page_no, pages = page_no + 1, page["pages"]

    def _send(self, method: str, path: str, query: Mapping[str, Any], body: Optional[Mapping[str, Any]] = None) -> _Answer:
        with closing(self._connected(self._timeout)) as connection:
            try:
                response = self._asked(connection, method, path, query, body, {"Accept": "application/json"})
                text = response.read()
            except (OSError, http.client.HTTPException) as error:
                raise NoAnswer(f"no answer to {method} {path}: {_reason(error)}") from error
            if not 200 <= response.status < 300:
                raise _problem(response, text)
            try:
                return _Answer(json.loads(text), response.headers)
            except ValueError as error:
                raise NoAnswer(f"the answer to {method} {path} is not JSON: is it latchd that answers there?") from error

    def _connected(self, timeout: float) -> http.client.HTTPConnection:
        connection = (
            http.client.HTTPConnection(self._host, self._port, timeout=timeout)
            if self._tls is None
            else http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)
        )
        connection.auto_open = 0  # it would connect, and send, a second time
        try:
            connection.connect()
        except OSError as error:
            connection.close()
            raise Unreachable(f"cannot connect to {connection.host} port {connection.port}: {_reason(error)}") from error
        return connection

    def _asked(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        path: str,
        query: Mapping[str, Any],
        body: Optional[Mapping[str, Any]],
        headers: Mapping[str, str],
    ) -> http.client.HTTPResponse:
        given = urlencode({name: value for name, value in query.items() if value is not None})
        sent = {"Authorization": f"Bearer {self._token}", **headers}
        if body is not None:
            sent["Content-Type"] = "application/json"
        target = self._prefix + quote(path, safe="/%") + (f"?{given}" if given else "")
        connection.request(method, target, None if body is None else json.dumps(body), sent)
        return connection.getresponse()

    def _stream(self, last_id: str) -> Generator[Event, None, None]:
        """The events of one connection; an id without an event comes as one whose type is empty."""
        headers = {"Accept": "text/event-stream", **({"Last-Event-ID": last_id} if last_id else {})}
        with closing(self._connected(_SILENCE_SECONDS)) as connection:
            try:
                response = self._asked(connection, "GET", "/api/v1/events", {}, None, headers)
                if response.status != 200:
                    raise _problem(response, response.read())
                kind = data = ""
                for raw in response:
                    line = raw.decode().rstrip("\r\n")
                    name, _, value = line.partition(":")
                    value = value[1:] if value.startswith(" ") else value
                    if name == "id":
                        last_id = value
                    elif name == "event":
                        kind = value
                    elif name == "data":
                        data += value
                    elif line == "":
                        yield Event(kind if data else "", json.loads(data) if data else {}, last_id)
                        kind = data = ""
            except (OSError, http.client.HTTPException) as error:
                raise NoAnswer(f"the live events broke off: {_reason(error)}") from error


@dataclass(frozen=True)
class _Answer:
    body: Any
    headers: http.client.HTTPMessage


def _millis(date: Optional[Date]) -> Optional[int]:
    if not isinstance(date, datetime):
        return date
    if date.tzinfo is None:
        raise ValueError("a date must know its time zone, such as datetime.now(timezone.utc)")
    return round(date.timestamp() * 1000)


def _reason(error: Exception) -> str:
    return str(error) or type(error).__name__


def _problem(response: http.client.HTTPResponse, text: bytes) -> Problem:
    is_ours = response.headers.get_content_type() == "application/problem+json"
    said = json.loads(text) if is_ours else {}
    retry_after = response.headers.get("Retry-After", "")
    return Problem(
        status=response.status,
        code=said.get("code", ""),
        title=said.get("title", response.reason),
        detail=said.get("detail", ""),
        request_id=said.get("requestId", ""),
        errors=said.get("errors", []),
        retry_after=float(retry_after) if retry_after.isdigit() else None,
    )
