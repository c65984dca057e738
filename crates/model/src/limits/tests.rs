use std::collections::BTreeMap;

use super::builder::duplicate;
use super::*;
use crate::ModelError;

fn limit(of: u32, on: u32, max: u32) -> Limit {
    Limit {
        of: ServiceId(of),
        on: ServiceId(on),
        max,
    }
}

fn build(services: usize, limits: &[Limit]) -> Result<Limits, ModelError> {
    let mut builder = LimitsBuilder::new(services);
    for limit in limits {
        builder.push(*limit)?;
    }
    builder.build()
}

#[test]
fn rows_in_any_order_equal_a_plain_map() {
    // A multiplicative generator is random enough to mix rows here.
    let mut state = 7u64;
    let mut next = |below: u64| {
        state = state
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for services in [1usize, 2, 7, 5000] {
        let mut plain = BTreeMap::new();
        let mut listed = Vec::new();
        for _ in 0..services * 4 {
            let (of, on) = (next(services as u64) as u32, next(services as u64) as u32);
            let max = [0, 1, 2, 254, 255, 256, 70_000][next(7) as usize];
            let max = *plain.entry((of, on)).or_insert(max);
            listed.push(limit(of, on, max));
        }
        let limits = build(services, &listed).unwrap();
        assert_eq!(limits.len(), plain.len());
        let mut found: Vec<Limit> = limits.iter().collect();
        found.sort();
        let wanted: Vec<Limit> = plain
            .iter()
            .map(|((of, on), max)| limit(*of, *on, *max))
            .collect();
        assert_eq!(found, wanted);
        for ((of, on), max) in plain {
            let (of, on) = (ServiceId(of), ServiceId(on));
            assert_eq!(limits.get(of, on), Some(max));
            if of != on {
                assert!(limits.imposed_on(on).any(|entry| entry == (of, max)));
            }
        }
        for s in (0..services).map(ServiceId::from) {
            assert_eq!(limits.imposed_on(s).count(), limits.in_degree(s));
            assert!(limits.imposed_on(s).is_sorted_by(|a, b| a.0 < b.0));
        }
    }
}

#[test]
fn contradictions_and_strangers_are_errors() {
    assert_eq!(
        build(3, &[limit(0, 1, 2), limit(2, 1, 0), limit(0, 1, 3)]),
        Err(duplicate(0, 1, 2, 3))
    );
    assert_eq!(
        build(3, &[limit(1, 1, 2), limit(1, 1, 5)]),
        Err(duplicate(1, 1, 2, 5))
    );
    assert!(matches!(
        build(3, &[limit(0, 3, 1)]),
        Err(ModelError::UnknownId { id: 3, .. })
    ));
    assert_eq!(
        build(3, &[limit(0, 1, 2), limit(0, 1, 2)]).unwrap().len(),
        1
    );
}
