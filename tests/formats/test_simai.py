"""Files of SimAI, SimCCL and AICB as scenarios."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import examples
from foreign_files import COLLECTIVES, SERVERS, SYSTEM, TOPOLOGY, TWO_LINKS, WORKLOAD, imported
from xoff import InputError, Scenario, formats

if TYPE_CHECKING:
    from pathlib import Path


def rows(folder: Path, of: formats.Imported) -> list[str]:
    """Rows of the only CSV."""
    return of.save(folder / "out", force=True)[1].read_text().splitlines()[1:]


def test_flows_of_simccl_wait_for_their_parents_and_for_the_collective_before(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=SERVERS, flows=COLLECTIVES)
    assert [file.content for file in of.found] == ["4 hosts, 1 switch, 4 links", "7 flows of 2 collectives"]
    assert rows(tmp_path, of) == [
        "line2,host0,host2,32,3,,9300,,",  # a ring with LL between servers
        "line3,host2,host3,32,3,,7200,,",  # and inside one
        "line4,host3,host0,32,3,,9300,,",
        "line5,host2,host3,32,3,line2,7200,,",
        "line6,host3,host0,32,3,line3,9300,,",
        "line7,host0,host1,4,3,line4 line6,6000,,",  # without a protocol
        "line8,host1,host0,1,3,,6000,,",
    ]
    assert [str(left) for left in of.left_out[1:]] == [
        "flows.txt:1: algorithm, protocol: each flow waits 6, 7.2, 9.3 us before it is sent (delay_ns), "
        "as in SimAI's code without AS_SEND_LAT",
        "flows.txt:2: times of 2 collectives: the file has none; on each rank one begins when the one before is done",
        "flows.txt:8: flows of 0 B: of 1 B, as flows have bytes",
    ]
    of.check()


def test_files_of_simccl_before_2_30_have_no_protocols(tmp_path: Path) -> None:
    lines = [line.split(",") for line in COLLECTIVES.splitlines()]
    older = "\n".join(",".join(line[:3] + line[5:]) for line in lines)
    delays = {row.split(",")[6] for row in rows(tmp_path, imported(tmp_path, topology=SERVERS, flows=older))}
    assert delays == {"6000"}


def test_many_flows_of_simccl_are_waited_for_by_one_operation(tmp_path: Path) -> None:
    head = COLLECTIVES.partition("\n")[0]
    pairs = [(one, other) for one in range(4) for other in range(4) if one != other]
    flows = "".join(f"A,4,8,1,0,0,{at},{one},{other},2,0,1,RING,,\n" for at, (one, other) in enumerate(pairs))
    of = imported(tmp_path, topology=SERVERS, flows=f"{head}\n{flows}{flows.replace('A,', 'B,')}")
    fields = {row.split(",")[0]: row for row in rows(tmp_path, of)}
    others = "line2 line3 line4 line5 line8 line11"
    assert fields["line14.0.before"] == f"line14.0.before,host0,host0,0,3,{others},0,,"
    assert fields["line14"] == "line14,host0,host1,2,3,line14.0.before,7200,,"
    of.check()


def test_later_chunks_without_parents_follow_the_one_before(tmp_path: Path) -> None:
    head = COLLECTIVES.partition("\n")[0]
    chunks = "".join(
        f"TP,1,8,0,0,{channel},{flow},0,2,4,{flow // 2},2,NET,,\n" for flow in range(4) for channel in (flow % 2,)
    )
    of = imported(tmp_path, topology=SERVERS, flows=f"{head}\n{chunks}")
    assert [row.split(",")[5] for row in rows(tmp_path, of)] == ["", "", "line2", "line3"]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("0,3,2,3,32,0,1,RING,0", "0,3,2,3,32,0,1,RING,2", "line 5: waits for flow 2, which is between other GPUs"),
        ("RING,0,0", "RING,9,0", "line 5: there is no flow 9 in this collective; expected parent_flow_ids of one"),
        (",0,4,3,0,", ",0,3,3,0,", "line 6: flow 3 of this collective is there already; expected one; line 5 is it"),
        ("0,0,0,2,32", "0,0,0,5,32", "line 2: there is no GPU 5 in the topology; expected ranks 0 to 3; NVSwitches do"),
        ("0,0,0,2,32", "0,0,0,0,32", "line 2: GPU 0 would send to itself"),
        ("channel_id", "channel", "line 1: there is no column channel_id; expected collective, channel_id"),
        ("RING,,3", "RING", "line 2: has 13 fields; expected 15, as line 1 has columns"),
    ],
)
def test_wrong_flows_of_simccl_are_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        imported(tmp_path, topology=SERVERS, flows=COLLECTIVES.replace(old, new, 1))


def test_a_training_pass_goes_forward_and_back(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=SERVERS, workload=WORKLOAD)
    assert of.found[1].content == "2 layers, 3 collectives, 16 flows of 4 GPUs (TP 2, DP 2, EP 1)"
    assert rows(tmp_path, of) == [
        # forward, 1000 ns, and 6 us before each flow: all-reduce of TP groups, two steps of 50 B
        "line3.forward.0.0,host0,host1,50,3,,7000,,",
        "line3.forward.1.0,host1,host0,50,3,,7000,,",
        "line3.forward.0.1,host0,host1,50,3,line3.forward.1.0,6000,,",
        "line3.forward.1.1,host1,host0,50,3,line3.forward.0.0,6000,,",
        "line3.forward.2.0,host2,host3,50,3,,7000,,",
        "line3.forward.3.0,host3,host2,50,3,,7000,,",
        "line3.forward.2.1,host2,host3,50,3,line3.forward.3.0,6000,,",
        "line3.forward.3.1,host3,host2,50,3,line3.forward.2.0,6000,,",
        # 7 ns behind it, 400 ns forward, and back 50 ns: 11 B scattered over two
        "line4.input.0.0,host0,host1,6,3,line3.forward.0.1 line3.forward.1.1,6457,,",
        "line4.input.1.0,host1,host0,6,3,line3.forward.0.1 line3.forward.1.1,6457,,",
        "line4.input.2.0,host2,host3,6,3,line3.forward.2.1 line3.forward.3.1,6457,,",
        "line4.input.3.0,host3,host2,6,3,line3.forward.2.1 line3.forward.3.1,6457,,",
        # 9 ns behind it, 60 + 2000 + 300 ns: all-gather of DP groups
        "line3.weights.0.0,host0,host2,32,3,line4.input.0.0 line4.input.1.0,8369,,",
        "line3.weights.2.0,host2,host0,32,3,line4.input.2.0 line4.input.3.0,8369,,",
        "line3.weights.1.0,host1,host3,32,3,line4.input.0.0 line4.input.1.0,8369,,",
        "line3.weights.3.0,host3,host1,32,3,line4.input.2.0 line4.input.3.0,8369,,",
    ]
    assert of.scenario().run().summary["flows"]["unfinished"] == 0


def test_collectives_of_weights_go_on_beside_the_pass_one_after_another(tmp_path: Path) -> None:
    layer = "name -1 0 NONE 0 10 ALLTOALL 8 20 ALLREDUCE 8 0\n"
    text = f"HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n2\n{layer}{layer}"
    of = imported(tmp_path, topology=SERVERS, workload=text)
    fields = {row.split(",")[0]: row.split(",")[1:] for row in rows(tmp_path, of)}
    assert fields["line4.weights.0.0"][4:6] == ["line4.input.0.0 line4.input.1.0", "6020"]
    assert fields["line3.input.0.0"][4:6] == ["line4.input.0.0 line4.input.1.0", "6030"]
    # The second one waits for its computation and for the first; the computation does not wait for the first.
    assert fields["line3.weights.0.compute"] == ["host0", "", "", "", "line3.input.0.0 line3.input.1.0", "0", "20", "3"]
    behind = "line3.weights.0.compute line4.weights.0.1 line4.weights.2.1"
    assert fields["line3.weights.0.0"][4:6] == [behind, "6000"]
    of.check()


def test_an_all_to_all_ends_in_one_operation_of_each_rank(tmp_path: Path) -> None:
    text = "MICRO\n2\na -1 0 NONE 0 0 NONE 0 5 ALLTOALL 40 0\na -1 0 NONE 0 0 NONE 0 7 ALLGATHER 40 0\n"
    fields = {row.split(",")[0]: row for row in rows(tmp_path, imported(tmp_path, topology=SERVERS, workload=text))}
    others = "line3.weights.0.1 line3.weights.0.2 line3.weights.1.2 line3.weights.2.1 line3.weights.3.0"
    assert fields["line3.weights.0.all"] == f"line3.weights.0.all,host0,host0,0,3,line3.weights.0.0 {others},0,,"
    assert fields["line4.weights.0.0"] == "line4.weights.0.0,host0,host1,10,3,line3.weights.0.all,6007,,"


def test_computation_behind_the_last_collective_is_of_the_job(tmp_path: Path) -> None:
    text = "HYBRID_TRANSFORMER model_parallel_NPU_group: 4\n2\na -1 0 ALLGATHER 40 0 NONE 0 9 NONE 0 1\n"
    of = imported(tmp_path, topology=SERVERS, workload=f"{text}a -1 0 NONE 0 0 NONE 0 50000 NONE 0 1\n")
    assert rows(tmp_path, of)[-1] == "end.3,host3,,,,line3.forward.2.2 line3.forward.3.2,0,50010,0"
    of.check()


def test_a_workload_says_what_is_not_carried(tmp_path: Path) -> None:
    head = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 ep: 1 pp: 2 all_gpus: 8"
    text = f"""{head} checkpoints: 1 0 pp_comm 99 new: 3
2
a -1 0 BROADCAST 8 0 ALLREDUCE 8 0 ALLREDUCE 16 0
b -1 0 NONE 0 0 NONE 0 0 NONE 0 0
c -1 0 NONE 0 0 NONE 0 0 NONE 0 0
"""
    of = imported(tmp_path, topology=SERVERS, workload=text)
    assert [str(left).partition(" ")[2] for left in of.left_out[1:]] == [
        "all_gpus 8: the topology has 4, which take its place as in SimAI",
        "pp 2, pp_comm 99: pipeline stages do not send, as in SimAI's simulation: all GPUs have all layers",
        "checkpoints 1: no layer goes forward again on the way back",
        "new 3: means nothing in SimAI's simulation",
        "lines beyond the 2 layers that line 2 announces: not read, as SimAI does not read them",
        "BROADCAST: nothing is sent, as in SimAI's simulation",
        "latencies of flows: each waits 6 us before it is sent (delay_ns), as in SimAI with AS_SEND_LAT=6",
        "1 collective of one GPU: nothing is sent in groups of TP 4, DP 1, EP 1",
    ]


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        (
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD",
            "HYBRID_DLRM",
            'line 1: the kind of training is "HYBRID_DLRM"; expected one',
        ),
        ("group: 2", "group: 3", r"line 1: 4 GPUs do not divide into groups of 3 \(TP\), and those into 1 \(EP\)"),
        ("ep: 1", "ep: x", 'line 1: ep is "x"; expected a whole number'),
        ("\n2\n", "\n3\n", "line 4: the file ends after 2 of 3 layers; expected as many as line 2 announces"),
        ("ALLREDUCE", "ALLSHUFFLE", 'line 3: there is no collective "ALLSHUFFLE"; expected NONE, ALLREDUCE'),
        ("ALLREDUCE", "ALLREDUCE_PP", 'line 3: there is no collective "ALLREDUCE_PP"; expected NONE, ALLREDUCE'),
        ("\t100\t", "\t-100\t", 'line 3: the size of forward is "-100"'),
        ("  9\n", "", "line 4: has 11 fields; expected NAME NUMBER"),
        ("\t1000\t", f"\t{10**14}\t", "line 3: computes for more than 100,000 s up to here"),
        ("group: 2", "group: 1", "workload.txt: has no collective of several of the 4 GPUs; expected some"),
    ],
)
def test_wrong_workloads_are_refused(tmp_path: Path, old: str, new: str, problem: str) -> None:
    text = WORKLOAD.replace(old, new, 1)
    if "group: 1" in new:
        text = text.replace("ALLGATHER", "NONE")
    with pytest.raises(InputError, match=problem):
        imported(tmp_path, topology=SERVERS, workload=text.replace(" 9\n", "\n") if old == "  9\n" else text)


def test_a_pass_takes_as_long_as_simai_says(tmp_path: Path) -> None:
    # SimAI's docs/getting_started/quickstart.md: 1,772 us for example/microAllReduce.txt on a server of eight GPUs with
    # AS_SEND_LAT=6: two layers forward, and payloads of 9,000 B.
    layers = "".join(f"embedding -1 556000 ALLREDUCE {size} 1 NONE 0 1 NONE 0 1\n" for size in (1 << 24, 1 << 26))
    links = [
        f"{gpu} {switch} {wire} 0\n"
        for switch, wire in ((8, "2400Gbps 25ns"), (9, "200Gbps 500ns"))
        for gpu in range(8)
    ]
    of = imported(
        tmp_path,
        topology=f"10 8 1 1 16 H20\n8 9\n{''.join(links)}",
        workload=f"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8\n2\n{layers}",
        config="CC_MODE 1\nENABLE_QCN 1\nPACKET_PAYLOAD_SIZE 9000\n",
    )
    assert max(of.scenario().run().flows["finish_ns"].to_pylist()) == pytest.approx(1_772_000, rel=0.005)


@pytest.mark.parametrize("operation", ["ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL"])
def test_collectives_are_those_of_xoff(tmp_path: Path, operation: str) -> None:
    star = "".join(f"{host} 4 100Gbps 1us 0\n" for host in range(4))
    workload = f"MICRO\n1\na -1 0 NONE 0 0 NONE 0 0 {operation} 4000000 0\n"
    of = imported(tmp_path, topology=f"5 1 4\n4\n{star}", workload=workload)
    ours = tomllib.loads(of.text)
    name = {"ALLREDUCE": "all_reduce", "ALLGATHER": "all_gather", "REDUCESCATTER": "reduce_scatter"}
    ours["workload"] = [
        {
            "kind": "collective",
            "transport": "rdma",
            "operation": name.get(operation, "all_to_all"),
            "size": "4MB",
            "priority": 3,
        }
    ]
    steps = {"ALLREDUCE": 6, "ALLTOALL": 1}.get(operation, 3)
    theirs = max(of.scenario().run().flows["received_ns"].to_pylist()) - steps * 6000
    assert theirs == pytest.approx(max(Scenario.from_dict(ours).run().flows["received_ns"].to_pylist()), rel=0.002)


def test_jobs_that_memory_would_not_hold_are_refused(tmp_path: Path) -> None:
    links = "".join(f"{host} 2400 100Gbps 1us 0\n" for host in range(2400))
    text = "MICRO\n1\na -1 0 NONE 0 0 NONE 0 0 ALLTOALL 8 0\n"
    problem = (
        "workload.txt: comes to 5,757,600 flows, which wait for 11,515,200; expected up to 5,000,000 of each; lower the"
    )
    with pytest.raises(InputError, match=problem):
        imported(tmp_path, topology=f"2401 1 2400\n2400\n{links}", workload=text)


def test_ranks_with_two_links_send_half_over_each(tmp_path: Path) -> None:
    text = "MICRO\n1\na -1 0 NONE 0 0 NONE 0 5 ALLREDUCE 10 0\n"
    of = imported(tmp_path, topology=TWO_LINKS, workload=text)
    assert rows(tmp_path, of) == [
        "line3.weights.0.0,host0,host1,3,3,,6005,,",
        "line3.weights.0.0_2,host0_2,host1_2,3,3,,6005,,",
        "line3.weights.1.0,host1,host0,3,3,,6005,,",
        "line3.weights.1.0_2,host1_2,host0_2,3,3,,6005,,",
        "line3.weights.0.1,host0,host1,3,3,line3.weights.1.0,6000,,",
        "line3.weights.0.1_2,host0_2,host1_2,3,3,line3.weights.1.0_2,6000,,",
        "line3.weights.1.1,host1,host0,3,3,line3.weights.0.0,6000,,",
        "line3.weights.1.1_2,host1_2,host0_2,3,3,line3.weights.0.0_2,6000,,",
    ]
    of.check()


def test_a_server_of_nccl_joins_hosts_of_a_topology(tmp_path: Path) -> None:
    of = imported(tmp_path, topology=TOPOLOGY, server=SYSTEM)
    # NCCL counts 20.6 GB/s for each NVLink of sm 90: 18 * 20.6 * 8 = 2966.4 Gb/s.
    assert "[scale_up]\nhosts_per_server = 2" in of.text
    assert 'link = { rate = "2966400Mbps", delay = "25ns" }  # server.txt:4 18 NVLinks of 164800Mbps' in of.text
    assert [str(left) for left in of.left_out] == [
        "server.txt:1: PCI, CPUs and memory: not simulated; a flow leaves its GPU at the rate of a link"
    ]
    assert of.scenario().topology.switches == ("switch0", "server0", "server1")


def test_a_server_of_nccl_alone_is_on_one_switch(tmp_path: Path) -> None:
    of = imported(tmp_path, server=SYSTEM.replace("0000:07:00.0", "0000:19:00.0"))
    assert of.found[0].content == "2 GPUs, 2 ports of network adapters"
    assert [left.content for left in of.left_out] == [
        "no topology: one switch, and 400Gbps for each GPU, an equal part of its server's adapters",
        "NVLinks from one GPU to another",
        "PCI, CPUs and memory",
    ]
    assert of.scenario().topology.hosts == ("gpu0", "gpu1")


@pytest.mark.parametrize(
    ("texts", "problem"),
    [
        (
            {"server": SYSTEM.replace("<system", "<!DOCTYPE x []>\n<system")},
            "line 1: has a document type; expected NCCL",
        ),
        ({"server": SYSTEM.replace("</cpu>", "")}, "line 14: is no XML: mismatched tag"),
        ({"server": '<system version="1">\n<cpu/></system>'}, "has 0 GPUs with 0 NVLinks; expected a dump of NCCL"),
        (
            {"server": SYSTEM.replace('"13"', '"many"')},
            'line 6: count is "many"; expected a whole number from 1 to 1,000',
        ),
        ({"server": SYSTEM.replace("<net", "<nest")}, "has no network adapter; expected some, or a topology beside it"),
        (
            {"topology": SERVERS, "server": SYSTEM},
            "server.txt: is a second scale-up network; expected one; .*topology.txt",
        ),
        (
            {"topology": TOPOLOGY.replace("5 1 4", "4 1 3"), "server": SYSTEM},
            "the topology's 3 hosts are no servers of 2",
        ),
    ],
)
def test_wrong_servers_of_nccl_are_refused(tmp_path: Path, texts: dict[str, str], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        imported(tmp_path, **texts)


parts = st.tuples(
    st.integers(0, 5000),
    st.sampled_from(["NONE", "ALLREDUCE", "ALLGATHER", "REDUCESCATTER", "ALLTOALL", "ALLTOALL_EP", "ALLREDUCE_DP_EP"]),
    st.integers(1, 20_000),
)
TURNS = {"ALLREDUCE": 2, "ALLGATHER": 1, "REDUCESCATTER": 1, "ALLTOALL": 1}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all examples share."""
    return tmp_path_factory.mktemp("simai")


@given(st.lists(st.tuples(parts, parts, parts), min_size=1, max_size=4), st.sampled_from([1, 2, 4]))
@settings(max_examples=examples(40))
def test_every_collective_moves_its_bytes(
    folder: Path, layers: list[tuple[tuple[int, str, int], ...]], tensor: int
) -> None:
    data = 4 // tensor
    expert = min(data, 2)
    sizes = {"": tensor, "_EP": expert, "_DP_EP": data // expert}
    lines, moved = [], 0
    for layer in layers:
        fields = "".join(f" {compute} {kind} {size}" for compute, kind, size in layer)
        lines.append(f"layer -1{fields} 100\n")
        for at, (_, kind, size) in enumerate(layer):
            operation, _, group = kind.partition("_")
            ranks = data if at == 2 and not group else sizes[f"_{group}" if group else ""]
            moved += TURNS.get(operation, 0) * 4 * (ranks - 1) * -(-size // ranks)
    head = f"HYBRID_TRANSFORMER model_parallel_NPU_group: {tensor} ep: {expert}\n{len(layers)}\n"
    texts = {"topology": SERVERS, "workload": head + "".join(lines)}
    if not moved:
        with pytest.raises(InputError, match="has no collective"):
            imported(folder, **texts)
        return
    result = imported(folder, **texts).scenario().run()
    assert sum(flow["size_bytes"] for flow in result.flows.to_pylist()) == moved
    assert result.summary["flows"]["unfinished"] == 0
