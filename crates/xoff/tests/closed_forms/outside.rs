//! Schemes from outside of the crate: what is built in, handed in under another name, gives the same digest.

use xoff::internals::congestion_control;
use xoff::internals::switch::{buffer_policy, marking};
use xoff::schemes::Schemes;
use xoff::{Files, Scenario, ScenarioError};

/// Schemes of this crate as ones from outside, each under its name and `my_` before it.
fn schemes() -> Schemes {
    let mut schemes = Schemes::default();
    let mut add = |name, scheme| schemes.add(name, scheme);
    macro_rules! congestion_controls {
        ($($module:ident::$name:ident),*) => { $({
            use congestion_control::$module::$name;
            let name = concat!("my_", stringify!($module));
            add(name, congestion_control::scheme::<$name, _>(name, $name::new));
        })* };
    }
    macro_rules! buffer_policies {
        ($($module:ident::$name:ident),*) => { $({
            let name = concat!("my_", stringify!($module));
            add(name, buffer_policy::scheme::<buffer_policy::$module::$name>(name));
        })* };
    }
    macro_rules! markers {
        ($($module:ident::$name:ident),*) => { $({
            let name = concat!("my_", stringify!($module));
            add(name, marking::scheme::<marking::$module::$name>(name));
        })* };
    }
    congestion_controls!(reno::Reno, cubic::Cubic, dctcp::Dctcp, ecn_star::EcnStar, dcqcn::Dcqcn, hpcc::Hpcc);
    congestion_controls!(power_tcp::PowerTcp, theta_power_tcp::ThetaPowerTcp, timely::Timely, swift::Swift);
    congestion_controls!(nscc::Nscc, rccc::Rccc);
    buffer_policies!(complete_sharing::CompleteSharing, static_partition::StaticPartition);
    buffer_policies!(dynamic_threshold::DynamicThreshold, static_threshold::StaticThreshold, abm::Abm);
    buffer_policies!(longest_queue_drop::LongestQueueDrop, occamy::Occamy);
    markers!(threshold::Threshold, red::Red, pi::Pi, codel::Codel, bcc::Bcc);
    schemes
}

/// Eight hosts that send to one another and to one of them.
const TEXT: &str = r#"
    topology = { kind = "leaf_spine", leaves = 2, spines = 2, hosts_per_leaf = 4, host_link = { rate = "10Gbps", delay = "1us" }, fabric_link = { rate = "10Gbps", delay = "1us" } }
    switch = [{ total = "300kB" }]
    transport.tcp = { kind = "tcp", f_rto = true, congestion_control.algorithm = "dctcp" }
    transport.roce = { kind = "roce", congestion_control.algorithm = "dcqcn" }
    workload = [
        { kind = "incast", transport = "tcp", fan_in = 6, size = "100kB", groups = 1 },
        { kind = "permutation", transport = "roce", size = "150kB" },
    ]"#;

fn digest(changes: &[String], threads: usize) -> Result<String, ScenarioError> {
    let scenario = Scenario::with_schemes(TEXT, changes, &schemes())?;
    Ok(xoff::run(&scenario, &Files::new(), threads, &mut |_| true)?.digest)
}

/// Keys that say which scheme is used, the key that names it, and names with other keys of the scheme.
type Cases = [(&'static str, &'static str, &'static [(&'static str, &'static str)])];

const CASES: &Cases = &[
    (
        "transport.tcp.congestion_control",
        "algorithm",
        &[("reno", ""), ("cubic", ""), ("dctcp", ", gain = '1/4'"), ("ecn_star", "")],
    ),
    (
        "transport.roce.congestion_control",
        "algorithm",
        &[
            ("dcqcn", ", gain = '1/8'"),
            ("hpcc", ", maximum_stages = 3"),
            ("power_tcp", ""),
            ("theta_power_tcp", ""),
            ("timely", ", low_rtt = '10us', high_rtt = '20us'"),
            ("swift", ", base_target = '10us', target_range = '10us'"),
            ("nscc", ", target_delay = '3us'"),
            ("rccc", ", credit_rate = '1/2'"),
        ],
    ),
    (
        "switch.buffer",
        "policy",
        &[
            ("complete_sharing", ""),
            ("static_partition", ""),
            ("dynamic_threshold", ", alpha = '1/2'"),
            ("static_threshold", ", threshold = '30kB'"),
            ("abm", ", alpha = '1/2'"),
            ("longest_queue_drop", ""),
            ("occamy", ", alpha = 4"),
        ],
    ),
    (
        "switch.marking.queue",
        "kind",
        &[
            ("threshold", ", threshold = '20kB', when = 'dequeue'"),
            ("red", ", minimum = '10kB', maximum = '40kB', probability = 0.3"),
            ("pi", ", reference = '20kB'"),
            ("codel", ", target = '10us', interval = '100us'"),
        ],
    ),
    ("switch.marking.pool", "kind", &[("bcc", ", lambda = '1/4', ramp = '2us'")]),
];

/// Half of the flows cannot carry marks.
#[test]
fn what_is_built_in_gives_the_same_digest_from_outside() {
    for &(key, tag, schemes) in CASES {
        for (name, rest) in schemes {
            let mut changes = vec![format!("{key}={{ {tag} = '{name}'{rest} }}")];
            if key.starts_with("switch.marking") {
                changes.push("transport.tcp.congestion_control.algorithm=reno".to_owned());
            }
            let built_in = digest(&changes, 1).unwrap();
            changes[0] = format!("{key}={{ {tag} = 'my_{name}'{rest} }}");
            for threads in [1, 2] {
                assert_eq!(digest(&changes, threads).unwrap(), built_in, "{name} on {threads} threads");
            }
        }
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
