"""Small files of HPCC's ns-3, of SimAI, and GraphML, as several tests read them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from xoff import formats

if TYPE_CHECKING:
    from pathlib import Path

TOPOLOGY = """5 1 4
0
0 1 100Gbps 0.001ms 0
0 2 100Gbps 1000ns 0.000000
0 3 25000000000.0 1us 0.01
0 4 100Gb/s 1us 0
"""
FLOWS = """3
1 2 3 100 5000000 2
2 1 3 200 1000 2.000000125
4 1 1 100 64 2.5

First line: number of flows
"""
CONFIG = """ENABLE_QCN 1
PACKET_PAYLOAD_SIZE 1000
CC_MODE 1
ALPHA_RESUME_INTERVAL 1
RATE_DECREASE_INTERVAL 4
CLAMP_TARGET_RATE 0
RP_TIMER 900
EWMA_GAIN 0.00390625
FAST_RECOVERY_TIMES 1
RATE_AI 50Mb/s
RATE_HAI 100Mb/s
MIN_RATE 100Mb/s
KMAX_MAP 2 25000000000 400 100000000000 1600
KMIN_MAP 2 25000000000 100 100000000000 400
PMAX_MAP 2 25000000000 0.2 100000000000 0.2
BUFFER_SIZE 32
SIMULATOR_STOP_TIME 4.00
FCT_OUTPUT_FILE mix/fct.txt
HAS_WIN 1
VAR_WIN 1
GLOBAL_T 1
NEW_KEY 7
"""
TWO_LINKS = """4 2 5
2 3
2 3 400Gbps 1us 0
0 2 100Gbps 1us 0
0 3 100Gbps 1us 0
1 2 100Gbps 1us 0
1 3 100Gbps 1us 0
"""
"""Topology of two hosts, each with a link to either switch."""
SERVERS = """7 2 2 1 8 H100
4 5 6
0 4 2880Gbps 25ns 0
1 4 2880Gbps 25ns 0
2 5 2880Gbps 25ns 0
3 5 2880Gbps 25ns 0
0 6 400Gbps 500ns 0
1 6 400Gbps 500ns 0
2 6 400Gbps 500ns 0
3 6 400Gbps 500ns 0
"""
"""Topology of SimAI: two servers of two GPUs and one NVSwitch each, and one switch."""
WORKLOAD = """HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 1 pp: 1 all_gpus: 4
2
first	-1	1000	ALLREDUCE	100	2000	NONE	0	300	ALLGATHER	64	7
second  -1  400  NONE 0  50 REDUCESCATTER 11 60 NONE 0 9
"""
"""Workload of AICB for its GPUs."""
COLLECTIVES = """collective,op,data_size,algorithm,protocol,channel_id,flow_id,src,dest,flow_size,chunk_id,chunk_count,\
conn_type,parent_flow_ids,prev_flow_ids
DP_0_3_96,3,96,1,0,0,0,0,2,32,0,1,RING,,3
DP_0_3_96,3,96,1,0,0,1,2,3,32,0,1,RING,,0
DP_0_3_96,3,96,1,0,0,2,3,0,32,0,1,RING,,2
DP_0_3_96,3,96,1,0,0,3,2,3,32,0,1,RING,0,0
DP_0_3_96,3,96,1,0,0,4,3,0,32,0,1,RING,1,2
TP_1_4_8,4,8,1,-1,0,0,0,1,4,0,1,RING,,1
TP_1_4_8,4,8,1,-1,0,1,1,0,0,0,1,RING,,0
"""
"""Flows of SimCCL between them: part of a ring, and an all-to-all of other ranks."""
SYSTEM = """<system version="1">
  <cpu numaid="0" arch="x86_64">
    <pci busid="0000:18:00.0" class="0x030200" link_width="16">
      <gpu dev="0" sm="90" rank="0" gdr="1">
        <nvlink target="0000:07:00.0" count="5" tclass="0x068000"/>
        <nvlink target="0000:08:00.0" count="13" tclass="0x068000"/>
      </gpu>
    </pci>
    <pci busid="0000:19:00.0" class="0x030200" link_width="16">
      <gpu dev="1" sm="90" rank="1" gdr="1"><nvlink target="0000:07:00.0" count="18" tclass="0x068000"/></gpu>
    </pci>
    <nic><net name="mlx5_0" dev="0" speed="400000" port="1"/><net name="mlx5_1" dev="1" speed="400000" port="1"/></nic>
  </cpu>
</system>
"""
"""Server of NCCL: two GPUs with 18 NVLinks each, and two adapters."""
ZOO = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="d42" />
<key attr.name="label" attr.type="string" for="node" id="d33" />
<key attr.name="Longitude" attr.type="double" for="node" id="d32" />
<key attr.name="Latitude" attr.type="double" for="node" id="d29" />
<key attr.name="NetworkDate" attr.type="string" for="graph" id="d24" />
<graph edgedefault="undirected">
<data key="d24">2011</data>
<node id="0"><data key="d33">Sankt Ort</data><data key="d29">0.0</data><data key="d32">0.0</data></node>
<node id="1"><data key="d33">Sankt-Ort</data><data key="d29">0.0</data><data key="d32">90.0</data></node>
<node id="2"><data key="d33">Far away</data></node>
<node id="3"><data key="d33">Alone</data></node>
<edge source="0" target="1"><data key="d42">100000000000.0</data></edge>
<edge source="1" target="2"/>
<edge source="1" target="1"/>
</graph></graphml>
"""
"""Graph of the Internet Topology Zoo: a quarter of the equator, a link to an unknown place, a point without links."""
STAR = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="r" for="edge" attr.name="rate" attr.type="string"/>
<key id="d" for="edge" attr.name="delay_ns" attr.type="double"/>
<graph edgedefault="undirected">
<node id="s"/><node id="web"/><node id="store"/>
<edge source="s" target="web"><data key="r">100Gbps</data><data key="d">500</data></edge>
<edge source="s" target="store"><data key="r">25Gbps</data><data key="d">1000.5</data></edge>
</graph></graphml>
"""
ASTRA_NETWORK = """# two dimensions
topology: [ Ring, Switch ]
npus_count: [ 2, 2 ]  # NPUs
bandwidth: [ 50.0, 12.5 ]  # GB/s
latency: [ 500.0, 2000.0 ]  # ns
"""
"""Network of ASTRA-sim's analytical backend: two pairs, and a switch for the first and the second of each."""
ASTRA_SYSTEM = """{
  "scheduling-policy": "LIFO",
  "all-reduce-implementation": ["direct", "direct"],
  "all-gather-implementation": ["doubleBinaryTree"],
  "all-to-all-implementation": ["ring"],
  "endpoint-delay": 10
}
"""
ASTRA_TRACES = {
    f"job_{rank}_json": '{"workload_graph": [{"Id": 1, "NodeType": 7, "comm_type": 0, "comm_size": 4000}]}'
    for rank in range(4)
}
"""Traces of its four ranks, an all-reduce of 4,000 B."""


def written(folder: Path, **texts: str) -> list[Path]:
    """Writes files, and returns their paths."""
    paths = []
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def imported(folder: Path, **texts: str) -> formats.Imported:
    """Reads files of these texts."""
    return formats.read(written(folder, **texts))


SCHEDULE = """num_ranks 3

rank 0 {
c1: calc 5000 cpu 1
s1: send 3000b to 1 tag 7
s1 requires c1
s2: send 10b to 1 tag 7 cpu 0 nic 0
s2 irequires s1
}

/* the middle
   passes on */
rank 1 {
r2: recv 3000b from 0 tag 7
r1: recv 10b from 0 tag 7 // the second
r1 requires r2
out: send 3000b to 2
out requires r1
}
rank 2 {
in: recv 3000b from 1
calc 7
last: calc 9 cpu 3
last requires in
}
"""
