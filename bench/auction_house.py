"""The events of an auction house as Nexmark has them: persons, auctions and bids in one stream, the same for the same seed.

Of fifty events one is a person, three are auctions and the rest are bids. What an event refers to came before it. Half of the
bids go to one auction of the last hundred, and three of four come from one bidder in a hundred. Times grow by five
milliseconds and are out of order by less than three seconds, within the four that the scripts' watermark waits, so that no row is late:
which rows are late depends on when an engine looks.
"""

from __future__ import annotations

import string
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

import orjson

_PERSONS, _AUCTIONS, _ROUND = 1, 3, 50
_FIRST_ID = 1000
#: The first minute belongs to one day, what follows to the next.
_FIRST_TIME = datetime(2026, 3, 31, 23, 59)
_STEP, _DISORDER = 5, 3000
#: Who is still about: a bid refers to one of the last auctions and persons.
_OPEN_AUCTIONS, _ACTIVE_PERSONS, _HOT = 100, 1000, 100

_FIRST_NAMES = ("Zoë", "Paul", "Luke", "Jiří", "Saul", "Vicky", "Kate", "Julie", "Sarah", "小明", "Walter")
_LAST_NAMES = ("Shultz", "Abrams", "Spencer", "White", 'O"Hara', "Müller", "Jones", "Smith", "Noris")
_CITIES = ("Phoenix", "Los Angeles", "San Francisco", "Boise", "Portland", "Bend", "Redmond", "Seattle", "Cheyenne")
_STATES = ("AZ", "CA", "ID", "OR", "WA", "WY")
_CATEGORIES = (10, 11, 12, 13, 14)
_CHANNELS = ("Google", "Facebook", "Baidu", "apple")
_OTHER_CHANNELS = 10_000


@dataclass(frozen=True)
class AuctionHouse:
    """A number of events, not yet made."""

    events: int
    seed: int = 1

    def messages(self) -> Iterator[bytes]:
        """The events as JSON, as the table of the scripts in examples/nexmark reads them."""
        return (orjson.dumps(event) for event in self.rows())

    def rows(self) -> Iterator[dict[str, Any]]:
        dice = Random(self.seed)
        persons = auctions = 0
        for number in range(self.events):
            place = number % _ROUND
            time = _FIRST_TIME + timedelta(milliseconds=number * _STEP - dice.randrange(_DISORDER))
            if place < _PERSONS:
                yield {"event_type": 0, "person": _person(dice, _FIRST_ID + persons, time)}
                persons += 1
            elif place < _PERSONS + _AUCTIONS:
                seller = _known(dice, persons, _ACTIVE_PERSONS, hot=0.75)
                yield {"event_type": 1, "auction": _auction(dice, _FIRST_ID + auctions, seller, time)}
                auctions += 1
            else:
                auction = _known(dice, auctions, _OPEN_AUCTIONS, hot=0.5)
                bidder = _known(dice, persons, _ACTIVE_PERSONS, hot=0.75)
                yield {"event_type": 2, "bid": _bid(dice, auction, bidder, time)}


def _known(dice: Random, count: int, recent: int, hot: float) -> int:
    """One of the `count` ids so far: the one that is in vogue, or one of the recent ones."""
    if dice.random() < hot:
        return _FIRST_ID + (count - 1) // _HOT * _HOT
    return _FIRST_ID + dice.randrange(max(0, count - recent), count)


def _person(dice: Random, id: int, time: datetime) -> dict[str, Any]:
    return {
        "id": id,
        "name": f"{dice.choice(_FIRST_NAMES)} {dice.choice(_LAST_NAMES)}",
        "emailAddress": f"{_word(dice, 7)}@{_word(dice, 5)}.com",
        "creditCard": " ".join(f"{dice.randrange(10_000):04}" for _ in range(4)),
        "city": dice.choice(_CITIES),
        "state": dice.choice(_STATES),
        "dateTime": _told(time),
        "extra": _word(dice, 10),
    }


def _auction(dice: Random, id: int, seller: int, time: datetime) -> dict[str, Any]:
    first = _price(dice)
    return {
        "id": id,
        "itemName": _word(dice, 12),
        "description": f"{_word(dice, 8)}\n{_word(dice, 20)}",
        "initialBid": first,
        "reserve": first + _price(dice),
        "dateTime": _told(time),
        "expires": _told(time + timedelta(milliseconds=dice.randrange(1, 60_000))),
        "seller": seller,
        "category": dice.choice(_CATEGORIES),
        "extra": _word(dice, 10),
    }


def _bid(dice: Random, auction: int, bidder: int, time: datetime) -> dict[str, Any]:
    url = f"https://www.nexmark.com/{_word(dice, 5)}/{_word(dice, 5)}/{_word(dice, 5)}/item.htm?query=1"
    if dice.random() < 0.5:
        channel = dice.choice(_CHANNELS)
    else:
        number = dice.randrange(_OTHER_CHANNELS)
        channel = f"channel-{number}"
        # The others have no number at all, and only q21 asks.
        if dice.random() < 0.9:
            url += f"&channel_id={number * 7919}"
    return {
        "auction": auction,
        "bidder": bidder,
        "price": _price(dice),
        "channel": channel,
        "url": url,
        "dateTime": _told(time),
        "extra": _word(dice, 10),
    }


def _price(dice: Random) -> int:
    """Between a hundred and a hundred million. Some are round, so that the highest bids are often equal: then their order counts."""
    magnitude = dice.random() * 6
    return 10 ** (2 + round(magnitude)) if dice.random() < 0.1 else round(100 * 10**magnitude)


def _word(dice: Random, length: int) -> str:
    return "".join(dice.choices(string.ascii_lowercase, k=length))


def _told(time: datetime) -> str:
    return time.isoformat(" ", "milliseconds")
