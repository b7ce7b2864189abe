"""The facts: each has a source and a day, names features that exist, and can be asked for."""

import datetime as dt
from collections.abc import Sequence

import pytest

from deltaadm.clients import (
    CHECKPOINTED,
    CLIENTS,
    EVERY_OTHER,
    FORMS,
    STORED_VECTORS_OFF,
    VECTORS_OFF,
    Client,
    ClientRelease,
    Compatibility,
    Fact,
    newest_releases,
    parse_client,
    version_key,
)
from deltaadm.domain.features import FEATURES, Kind
from deltaadm.errors import RefusedError
from tests.support.rows import with_rows

NAMED = {EVERY_OTHER, CHECKPOINTED, VECTORS_OFF, STORED_VECTORS_OFF, *FORMS}
EVERY_CLIENT = pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)


def on_features(facts: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.highest is None]


def on_versions(facts: Sequence[Fact]) -> list[Fact]:
    return [fact for fact in facts if fact.highest is not None]


def facts(client: Client) -> list[Fact]:
    return [*client.reads, *client.writes, *client.checkpoints]


@EVERY_CLIENT
def test_every_fact_has_a_source_and_a_day(client: Client) -> None:
    for source in {fact.source for fact in facts(client)}:
        assert source.title.strip() == source.title
        assert source.title
        day = dt.date.fromisoformat(source.date)
        assert dt.date(2019, 4, 24) <= day <= dt.date(2026, 11, 27)


@EVERY_CLIENT
def test_facts_name_features_as_the_registry_spells_them(client: Client) -> None:
    for fact in on_features(facts(client)):
        assert fact.features
        for name in fact.features:
            assert name in NAMED or name in FEATURES


@EVERY_CLIENT
def test_facts_about_reading_name_only_features_that_concern_readers(client: Client) -> None:
    for fact in on_features(client.reads):
        for name in fact.features:
            assert name in NAMED or FEATURES[name].kind is Kind.READER_WRITER


@EVERY_CLIENT
def test_every_release_has_one_highest_version_for_reading_and_at_most_one_for_writing(
    client: Client,
) -> None:
    bounds = {bound for of in on_versions(facts(client)) for bound in (of.since, of.until)}
    for text in {client.oldest, client.newest} | (bounds - {""}):
        release = ClientRelease(client, text)
        if release.is_known:
            assert len(on_versions(release.reads)) == 1, text
            assert len(on_versions(release.writes)) <= 1, text


@EVERY_CLIENT
def test_spans_are_not_empty_and_within_what_is_known(client: Client) -> None:
    for fact in facts(client):
        if fact.since:
            assert version_key(client.oldest) <= version_key(fact.since)
            assert version_key(fact.since) <= version_key(client.newest), fact
        if fact.until:
            assert version_key(fact.since or client.oldest) < version_key(fact.until)
            assert version_key(fact.until) <= version_key(client.newest), fact
    assert version_key(client.oldest) <= version_key(client.newest)


@EVERY_CLIENT
def test_what_is_silently_wrong_says_what_goes_wrong(client: Client) -> None:
    for fact in facts(client):
        assert fact.note or fact.compatibility is not Compatibility.SILENTLY_WRONG


@EVERY_CLIENT
def test_using_a_feature_is_never_better_than_having_it(client: Client) -> None:
    for some in (client.reads, client.writes):
        for fact in some:
            conditional = fact.active or fact.listed
            assert not conditional or fact.compatibility.rank > Compatibility.UNKNOWN.rank


@EVERY_CLIENT
def test_every_client_can_be_named(client: Client) -> None:
    newest = "" if client.versioned_by == "days" else f"@{client.newest}"
    assert str(parse_client(client.id)) == f"{client.id}{newest}"
    assert parse_client(f"{client.id}@{client.oldest}").is_known
    assert parse_client(f" {client.id.upper()} @ {client.newest} ").client is client
    assert client.name
    assert client.versioned_by


def test_clients_are_in_alphabetical_order() -> None:
    assert list(CLIENTS) == sorted(CLIENTS)
    assert [release.client.id for release in newest_releases()] == list(CLIENTS)


@with_rows
def test_what_is_no_client_is_refused_with_a_suggestion(
    text: str, message: str, remedy: str
) -> None:
    with pytest.raises(RefusedError) as caught:
        parse_client(text)
    assert message in caught.value.message
    assert remedy in caught.value.remedy


@pytest.mark.parametrize(
    ("less", "more"),
    [("9", "10"), ("1.6", "1.6.2"), ("0.30", "1"), ("2026-01-31", "2026-03-02"), ("4", "4.0.1")],
)
def test_releases_compare_as_numbers(less: str, more: str) -> None:
    assert version_key(less) < version_key(more)


def test_missing_numbers_of_a_release_are_zeros() -> None:
    assert version_key("4") == version_key("4.0.0")


def test_a_release_before_what_is_known_says_so() -> None:
    assert not parse_client("trino@1").is_known
    assert parse_client("trino@999999").is_known
