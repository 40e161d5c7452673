from sidings.api.exposition import Counter, Histogram, family, text


def test_a_family_is_told_with_its_help_and_type() -> None:
    samples = [({"pod": 'a"b\\c\nd'}, 1.0), ({"pod": "e"}, None), ({}, 2.5)]
    assert text(family("m", "gauge", "What.", samples)) == (
        '# HELP m What.\n# TYPE m gauge\nm{pod="a\\"b\\\\c\\nd"} 1\nm 2.5\n'
    )
    assert family("m", "gauge", "What.", [({}, None)]) == []


def test_a_counter_counts_by_labels() -> None:
    counter = Counter("requests_total", "Requests.", ("verb",))
    assert counter.lines() == []
    counter.add(("GET",))
    counter.add(("GET",), 2)
    counter.add(("PUT",))
    assert counter.lines()[2:] == ['requests_total{verb="GET"} 3', 'requests_total{verb="PUT"} 1']


def test_the_buckets_of_a_histogram_hold_all_that_is_not_above_them() -> None:
    histogram = Histogram("took_seconds", "Time.", ("verb",), (0.1, 1.0))
    assert histogram.lines() == []
    for seconds in (0.1, 0.5, 7):
        histogram.observe(("GET",), seconds)
    assert histogram.lines()[1:] == [
        "# TYPE took_seconds histogram",
        'took_seconds_bucket{verb="GET",le="0.1"} 1',
        'took_seconds_bucket{verb="GET",le="1"} 2',
        'took_seconds_bucket{verb="GET",le="+Inf"} 3',
        'took_seconds_sum{verb="GET"} 7.6',
        'took_seconds_count{verb="GET"} 3',
    ]
