//! Schemes from outside of the crate: what is built in, handed in under another name, gives the same digest.

use xoff::internals::congestion_control::dcqcn::Dcqcn;
use xoff::internals::congestion_control::dctcp::Dctcp;
use xoff::internals::congestion_control::hpcc::Hpcc;
use xoff::internals::switch::buffer_policy::abm::Abm;
use xoff::internals::switch::buffer_policy::dynamic_threshold::DynamicThreshold;
use xoff::internals::switch::marking::pi::Pi;
use xoff::internals::switch::marking::red::Red;
use xoff::schemes::{Schemes, buffer_policy, congestion_control, marker};
use xoff::{Files, Scenario, ScenarioError};

fn schemes() -> Schemes {
    let mut schemes = Schemes::default();
    schemes.add("my_dctcp", congestion_control::<Dctcp, _>("my_dctcp", Dctcp::new));
    schemes.add("my_dcqcn", congestion_control::<Dcqcn, _>("my_dcqcn", Dcqcn::new));
    schemes.add("my_hpcc", congestion_control::<Hpcc, _>("my_hpcc", Hpcc::new));
    schemes.add("my_threshold", buffer_policy::<DynamicThreshold>("my_threshold"));
    schemes.add("my_abm", buffer_policy::<Abm>("my_abm"));
    schemes.add("my_red", marker::<Red>("my_red"));
    schemes.add("my_pi", marker::<Pi>("my_pi"));
    schemes
}

/// Eight hosts that send to one another and to one of them.
const TEXT: &str = r#"
    topology = { kind = "leaf_spine", leaves = 2, spines = 2, hosts_per_leaf = 4, host_link = { rate = "10Gbps", delay = "1us" }, fabric_link = { rate = "10Gbps", delay = "1us" } }
    switch = [{ total = "300kB" }]
    transport.tcp = { kind = "tcp", f_rto = true, congestion_control.algorithm = "dctcp" }
    transport.roce = { kind = "roce", congestion_control.algorithm = "dcqcn" }
    workload = [
        { kind = "incast", transport = "tcp", fan_in = 6, size = "200kB", groups = 1 },
        { kind = "permutation", transport = "roce", size = "300kB" },
    ]"#;

fn digest(changes: &[String], threads: usize) -> Result<String, ScenarioError> {
    let scenario = Scenario::with_schemes(TEXT, changes, &schemes())?;
    Ok(xoff::run(&scenario, &Files::new(), threads, &mut |_| true)?.digest)
}

#[test]
fn what_is_built_in_gives_the_same_digest_from_outside() {
    for (key, name, own, rest) in [
        ("transport.tcp.congestion_control", "algorithm", ["dctcp", "my_dctcp"], "gain = \"1/4\""),
        ("transport.roce.congestion_control", "algorithm", ["dcqcn", "my_dcqcn"], "gain = \"1/8\""),
        ("transport.roce.congestion_control", "algorithm", ["hpcc", "my_hpcc"], "maximum_stages = 3"),
        ("switch.buffer", "policy", ["dynamic_threshold", "my_threshold"], "alpha = \"1/2\""),
        ("switch.buffer", "policy", ["abm", "my_abm"], "alpha = \"1/2\""),
        (
            "switch.marking.queue",
            "kind",
            ["red", "my_red"],
            "minimum = \"10kB\", maximum = \"40kB\", probability = 0.3",
        ),
        ("switch.marking.queue", "kind", ["pi", "my_pi"], "reference = \"20kB\""),
    ] {
        let of = |own: &str, rest: &str| [format!("{key}={{ {name} = \"{own}\"{rest} }}")];
        let rest = format!(", {rest}");
        let [built_in, from_outside] = own.map(|own| digest(&of(own, &rest), 1).unwrap());
        assert_eq!(built_in, from_outside, "{own:?}");
        assert_eq!(digest(&of(own[1], &rest), 2).unwrap(), built_in, "{own:?} on two threads");
    }
}

#[test]
fn a_file_that_nobody_has_looked_into_can_be_read_about_but_not_run() {
    let change =
        [r#"transport.tcp.congestion_control={ algorithm = "a/my.py:Mine", strength = 3 }"#.to_owned()];
    let refused = Scenario::from_toml(TEXT, &change).unwrap_err().to_string();
    assert!(
        refused.starts_with("transport.tcp.congestion_control.algorithm: unknown algorithm"),
        "{refused}"
    );
    let scenario = Scenario::with_schemes(TEXT, &change, &Schemes::default().with_unknown_files()).unwrap();
    let files: Vec<_> = scenario.files().into_iter().map(|file| (file.key, file.path)).collect();
    let key = "transport.tcp.congestion_control.algorithm";
    assert_eq!(files, [(key.to_owned(), "a/my.py".to_owned())]);
    let moved = scenario.to_toml_with(&[("a/my.py".to_owned(), "inputs/my.py".to_owned())].into());
    assert!(moved.contains("algorithm = \"inputs/my.py:Mine\"\nstrength = 3\n"), "{moved}");
}
