"""Scenarios from Python."""

import tomllib
from pathlib import Path

import numpy as np
import pytest

import xoff
from conftest import SCENARIOS, SMALL


def test_all_there_is_is_listed_before_it_is_brought() -> None:
    assert set(xoff.__all__) <= set(dir(xoff))


def test_text_and_dictionary_are_one_scenario() -> None:
    from_dict = xoff.Scenario.from_dict(tomllib.loads(SMALL))
    assert from_dict.to_toml() == xoff.Scenario.from_text(SMALL).to_toml()


def test_a_byte_order_mark_is_no_part_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "marked.toml"
    path.write_text(SMALL, encoding="utf-8-sig")
    assert xoff.Scenario.load(path).to_toml() == xoff.Scenario.from_text(SMALL).to_toml()


def test_the_resolved_scenario_reads_back_as_itself() -> None:
    resolved = xoff.Scenario.from_text(SMALL).to_toml()
    assert xoff.Scenario.from_text(resolved).to_toml() == resolved
    assert "minimum_rto" in resolved


def test_switch_tables_of_a_resolved_scenario_stand_one_over_another_as_written() -> None:
    over = SMALL.replace("[transport", "[[switch]]\nnodes = 'switch0'\nchip = 'tomahawk'\n[transport", 1)
    first, second = tomllib.loads(xoff.Scenario.from_text(over).to_toml())["switch"]
    assert first.keys() == {"nodes", "total", "buffer", "marking"}
    assert second == {"nodes": "switch0", "chip": "tomahawk"}
    assert tomllib.loads(xoff.Scenario.from_text(SMALL).with_value("switch", []).to_toml())["switch"] == []


def test_a_value_is_changed_in_a_copy() -> None:
    scenario = xoff.Scenario.from_text(SMALL)
    changed = scenario.with_value("workload.fan_in", 3).with_value("switch.total", "2MB").with_value("title", 'a "b"')
    resolved = tomllib.loads(changed.to_toml())
    assert resolved["workload"][0]["fan_in"] == 3
    assert resolved["switch"][0]["total"] == "2MB"
    assert changed.title == 'a "b"'
    assert scenario.title == "Small"


def test_none_leaves_a_key_out_and_an_empty_table_replaces_another() -> None:
    scenario = xoff.Scenario.from_text(SMALL)
    resolved = tomllib.loads(scenario.to_toml())
    assert resolved["observe"]
    assert "queues" not in tomllib.loads(scenario.with_value("observe", {}).to_toml())["observe"]
    marked = scenario.with_value("switch.marking.queue", {"kind": "threshold", "threshold": "5kB"})
    without = tomllib.loads(marked.with_value("switch.marking", None).to_toml())["switch"][0]
    assert "marking" not in without or "queue" not in without["marking"]


def test_a_number_of_numpy_is_a_value() -> None:
    scenario = xoff.Scenario.from_text(SMALL)
    for key, value, same in (("workload.fan_in", np.int64(3), 3), ("switch.buffer.alpha", np.float32(0.5), 0.5)):
        assert scenario.with_value(key, value) == scenario.with_value(key, same)


def test_what_cannot_be_set_is_said_without_options_of_commands() -> None:
    scenario = xoff.Scenario.from_text(SMALL)
    with pytest.raises(
        xoff.ScenarioError, match=r'^key "workload\[x\]\.load": malformed; expected one such as workload'
    ):
        scenario.with_value("workload[x].load", 0.5)
    with pytest.raises(
        xoff.ScenarioError, match=r"^seed: .* is too large; expected a value .* at most 9223372036854775807"
    ):
        scenario.with_value("seed", 2**64)


def test_a_table_can_be_the_value() -> None:
    policy = {"policy": "static_partition"}
    changed = xoff.Scenario.from_text(SMALL).with_value("switch.buffer", policy)
    assert tomllib.loads(changed.to_toml())["switch"][0]["buffer"] == policy


def test_an_error_carries_its_parts(tmp_path: Path) -> None:
    path = tmp_path / "bad.toml"
    path.write_text(SMALL.replace('"10Gbps"', '"10us"'))
    with pytest.raises(xoff.ScenarioError) as caught:
        xoff.Scenario.load(path)
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.file, error.key) == (str(path), "topology.host_link.rate")
    assert error.problem
    assert error.expected.startswith("expected a rate")
    assert str(error) == f"{path}: topology.host_link.rate: {error.problem}; {error.expected}"


def test_a_run_has_a_thread() -> None:
    with pytest.raises(ValueError, match="threads: 0 run nothing; expected at least 1"):
        xoff.Scenario.from_text(SMALL).run(threads=0)


def test_a_scenario_without_title_goes_by_its_file(tmp_path: Path) -> None:
    path = tmp_path / "plain.toml"
    path.write_text(SMALL.replace('title = "Small"', ""))
    assert xoff.Scenario.load(path).title == "plain"


def test_files_are_found_beside_the_scenario(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    files = xoff.Scenario.load(SCENARIOS / "trace.toml").read_files()
    assert list(files) == ["trace.csv"]
    assert files["trace.csv"].startswith("source,destination,size_bytes,start_ns,priority\n")


def test_a_portable_scenario_names_its_files_under_inputs() -> None:
    scenario = xoff.Scenario.load(SCENARIOS / "trace.toml")
    resolved, inputs = scenario.portable(scenario.read_files())
    assert tomllib.loads(resolved)["workload"][0]["file"] == "inputs/trace.csv"
    assert list(inputs) == ["inputs/trace.csv"]


def test_a_scenario_and_its_result_say_what_they_are_in_a_line() -> None:
    scenario = xoff.Scenario(SMALL, "small.toml", ("observe={}",)).with_value("workload.fan_in", 3)
    assert repr(scenario) == "<xoff.Scenario 'Small', small.toml, observe={}, workload.fan_in=3>"
    result = scenario.run()
    finished = f"{result.flows.num_rows} flows finished, 0 unfinished, digest {result.summary['digest'][:16]}"
    assert repr(result) == f"<xoff.Result 'Small', seed 3, {finished}>"
    assert repr(xoff.compare([scenario], seeds=2)) == "<xoff.Comparison of small; seeds 3, 4>"


def test_a_notebook_shows_the_resolved_scenario() -> None:
    html = xoff.Scenario.from_text(SMALL).with_value("title", "<b>")._repr_html_()
    assert "&lt;b&gt;" in html
    assert "minimum_rto" in html


def test_a_transport_that_becomes_tcp_needs_what_decides_its_window() -> None:
    roce = 'transport.roce = { kind = "roce" }\n' + SMALL
    with pytest.raises(
        xoff.ScenarioError,
        match=r"^transport\.roce\.congestion_control: missing, as transport\.roce\.kind=\"tcp\" replaces the table;",
    ):
        xoff.Scenario.from_text(roce).with_value("transport.roce.kind", "tcp")
