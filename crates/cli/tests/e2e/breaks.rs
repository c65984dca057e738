//! The same journey while things break: nothing is lost, the end is legal, the report true.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::json;

use crate::faults::Held;
use crate::journey::planned;
use crate::lab::with_lab;
use crate::workload::Size;

const KILLS: usize = 10;

#[test]
fn killed_ten_times_and_resumed_it_arrives_all_the_same() {
    with_lab("killed", async |lab| {
        let mut planned = planned(lab, Size::chosen(), 21).await;
        let proxy = planned.behind_proxy(0, 21).await;
        let mut random = Xoshiro256PlusPlus::seed_from_u64(21);
        let moves = planned.said["moves"].as_u64().unwrap() as usize;
        for kill in 0..KILLS {
            // Every other one falls deep into the work, while half of it is left: what follows
            // cannot complete it. The others fall into the start: records, gates, what is left.
            let deep = kill % 2 == 0 && planned.watch.stopped() < moves / 2;
            let changes = if deep { moves / 3..moves * 2 / 3 } else { 0..8 };
            let point = random.random_range(changes);
            let held = [Held::Done, Held::Undone][random.random_range(0..2)];
            proxy.hold_after(point, held);
            let mut apply = planned.go_on(&["--hard"]).await;
            proxy.holding(&mut apply).await;
            apply.kill();
            let stopped = planned.watch.stopped();
            eprintln!(
                "kill {}: at change {point}, {stopped} pods stopped",
                kill + 1
            );
        }
        proxy.hold_after(usize::MAX, Held::Undone); // never
        planned.go_on(&["--hard"]).await.end().exits(0);
        planned.assert_reached(0.01).await;
    });
}

#[test]
fn failing_calls_and_a_restart_of_the_api_server_only_delay_it() {
    with_lab("faults", async |lab| {
        let mut planned = planned(lab, Size::chosen(), 22).await;
        let proxy = planned.behind_proxy(100, 22).await;
        let mut apply = planned.start(&["--hard"]);
        let moves = planned.said["moves"].as_u64().unwrap() as usize;
        assert!(
            planned.until_stopped(moves / 3, &mut apply).await,
            "{}",
            apply.end().err
        );
        planned.lab.plane.kill_api();
        tokio::time::sleep(Duration::from_secs(2)).await;
        planned.lab.plane.start_api().await;
        assert!(
            apply.runs(),
            "it gave up when the API server went away: {}",
            apply.end().err
        );
        apply.end().exits(0);
        let (calls, failed) = proxy.counts();
        eprintln!("{failed} of {calls} calls failed on purpose");
        assert!(failed * 15 > calls, "too few faults to mean anything");
        planned.assert_reached(0.01).await;
    });
}

#[test]
fn a_node_that_goes_and_a_scaled_deployment_are_taken_in() {
    with_lab("changes", async |lab| {
        let mut planned = planned(lab, Size::chosen(), 23).await;
        let proxy = planned.behind_proxy(0, 23).await;
        let moves = planned.said["moves"].as_u64().unwrap() as usize;
        let mut apply = planned.start(&["--hard"]);
        assert!(
            planned.until_stopped(moves / 4, &mut apply).await,
            "{}",
            apply.end().err
        );
        // In the middle of it, whatever the machine's pace.
        proxy.hold_after(0, Held::Undone);
        proxy.holding(&mut apply).await;
        let node = "node-003";
        planned.watch.excuse(node);
        planned.lab.delete(&format!("/api/v1/nodes/{node}")).await;
        let app = planned
            .workload
            .apps
            .iter_mut()
            .find(|app| !app.batch && !app.spread)
            .unwrap();
        app.replicas += 3;
        let scaled = app.id();
        let path = format!(
            "/apis/apps/v1/namespaces/{}/deployments/{}",
            app.namespace, app.name
        );
        planned
            .lab
            .patch(&path, &json!({"spec": {"replicas": app.replicas}}))
            .await;
        proxy.let_go();
        // Not all of the plan can be reached any more, and it must say so or adapt.
        let said = apply.end();
        assert!(
            matches!(said.code, Some(0 | 1)),
            "{:?}\n{}",
            said.code,
            said.err
        );
        let report = format!("{}{}", said.out, said.err);
        for changed in [node, &scaled] {
            assert!(
                report.contains(&format!("{changed}: ")),
                "{changed}: {report}"
            );
        }
        planned.lab.assert_tidy(&planned.workload).await;
        let findings = planned.watch.end();
        assert!(findings.broken.is_empty(), "{:#?}", findings.broken);
    });
}

#[test]
fn every_way_to_end_leaves_nothing_behind() {
    with_lab("ends", async |lab| {
        let planned = planned(lab, Size::chosen(), 24).await;
        // Told to stop, it tidies up by itself ...
        let mut apply = planned.start(&["--hard"]);
        assert!(
            planned.until_stopped(2, &mut apply).await,
            "{}",
            apply.end().err
        );
        apply.signal("TERM");
        apply.end();
        planned.lab.assert_tidy(&planned.workload).await;
        // ... killed, it cannot: `cleanup` does.
        let mut apply = planned.go_on(&["--hard"]).await;
        let stopped = planned.watch.stopped();
        assert!(
            planned.until_stopped(stopped + 2, &mut apply).await,
            "{}",
            apply.end().out
        );
        apply.kill();
        planned.applier.run(&["cleanup"]).exits(0);
        planned.lab.assert_tidy(&planned.workload).await;
        // And back to where it all began.
        let back = ["apply", "--rollback", "--name", "test", "--yes", "--hard"];
        planned.applier.run(&back).exits(0);
        planned.lab.assert_tidy(&planned.workload).await;
        let back = planned.lab.gained(&planned.workload).await;
        assert!(
            (back - planned.before).abs() < 1e-9,
            "{} at first, {back} now",
            planned.before
        );
        let findings = planned.watch.end();
        assert!(findings.broken.is_empty(), "{:#?}", findings.broken);
    });
}
