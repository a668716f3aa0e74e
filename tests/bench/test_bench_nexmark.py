"""The events of the Nexmark queries, and the comparison of two answers: what needs no engine."""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from bench.auction_house import AuctionHouse
from bench.nexmark import Answer, Outcome, Query, differences, find_queries, refusal, render_table

KINDS = ("person", "auction", "bid")
EVENTS = list(AuctionHouse(5_000).rows())


def test_the_same_seed_gives_the_same_events() -> None:
    assert list(AuctionHouse(200).messages()) == list(AuctionHouse(200).messages())
    assert list(AuctionHouse(200).messages()) != list(AuctionHouse(200, seed=2).messages())
    assert list(AuctionHouse(400).messages())[:200] == list(AuctionHouse(200).messages())


def test_there_are_one_person_and_three_auctions_to_46_bids() -> None:
    assert Counter(event["event_type"] for event in EVENTS) == {0: 100, 1: 300, 2: 4600}


def test_events_refer_to_earlier_ones() -> None:
    persons, auctions = set[int](), set[int]()
    for event in EVENTS:
        match event:
            case {"person": {"id": id}}:
                persons.add(id)
            case {"auction": {"id": id, "seller": seller}}:
                assert seller in persons
                auctions.add(id)
            case {"bid": {"auction": auction, "bidder": bidder}}:
                assert auction in auctions and bidder in persons


def test_no_event_is_late_and_many_are_out_of_order() -> None:
    times = [datetime.fromisoformat(event[KINDS[event["event_type"]]]["dateTime"]) for event in EVENTS]
    latest, out_of_order = times[0], 0
    for time in times:
        assert time > latest - timedelta(seconds=4)
        out_of_order += time < latest
        latest = max(latest, time)
    assert out_of_order > len(times) // 2


def test_equal_ranks_occur() -> None:
    bids = [event["bid"] for event in EVENTS if event["event_type"] == 2]
    last = Counter((bid["auction"], bid["bidder"], bid["dateTime"]) for bid in bids)
    prices = Counter((bid["auction"], bid["price"]) for bid in bids)
    assert max(last.values()) > 1 and max(prices.values()) > 1


def test_a_script_gets_its_broker_and_its_topics() -> None:
    for query in find_queries([]):
        text = query.bind("127.0.0.1:1", "sink", 100)
        assert (text.count("127.0.0.1:1'"), text.count("'topic' = 'sink'"), text.count("= '100'")) == (2, 1, 1)
    assert [query.name for query in find_queries([]) if refusal(query)] == ["q12"]


def test_answers_are_compared_with_how_often_a_row_occurs() -> None:
    expected: Answer = {(None, b"a"): 2, (None, b"b"): 1}
    assert differences(expected, {(None, b"b"): 1, (None, b"a"): 2}) == ""
    assert differences(expected, {(None, b"a"): 1, (b"k", b"v"): 1}) == "2 missing, such as a; 1 extra, such as k v"


def test_the_table_says_what_differs() -> None:
    queries = [Query("q0", ""), Query("q1", ""), Query("q12", "")]
    one, other = Outcome({(None, b"a"): 1000}), Outcome(problem="exit 1: | no")
    outcomes = {"firesteel": {"q0": one, "q1": one}, "flink": {"q0": one, "q1": other}}
    table, all_equal = render_table(queries, {"q12": "Not here."}, ["firesteel", "flink"], outcomes)
    assert not all_equal
    assert table.splitlines()[2:] == [
        "| q0 | 1,000 | 1,000 | yes |  |",
        "| q1 | 1,000 |  | no | Flink 2.3.0: exit 1: / no |",
        "| q12 | | | refused | Not here. |",
    ]
    assert render_table(queries[:1], {}, ["firesteel", "flink"], outcomes)[1]
