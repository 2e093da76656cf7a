"""What a run costs."""

from xoff.measured import Cost


def test_cpu_time_and_added_memory_are_measured() -> None:
    cost = Cost()
    block = bytearray(64_000_000)
    assert sum(block[::4096]) == 0
    cost.stop()
    assert cost.cpu_seconds > 0
    assert cost.added_rss_mb is not None
    assert 50 < cost.added_rss_mb < 200


def test_memory_of_an_earlier_run_does_not_count() -> None:
    block = bytearray(64_000_000)
    assert sum(block[::4096]) == 0
    del block
    cost = Cost().stop()
    assert cost.added_rss_mb is not None
    assert cost.added_rss_mb < 30
