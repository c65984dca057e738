//! Writing services as a TClab table, row by row.

use std::io::{self, Write};

use bayplan_model::{Cluster, Resource, ServiceId, Services, format_units};

/// What the table cannot say.
pub(crate) fn fault(cluster: &Cluster, services: &Services) -> Option<&'static str> {
    let resources = cluster
        .resources
        .iter()
        .map(|resource| resource.name.as_str());
    if !resources.eq(["cpu", "memory"]) {
        return Some("resources but cpu and memory");
    }
    let plain = |name: &str| {
        let marks = |byte: u8| b"\t\n\r\"',()[]".contains(&byte);
        !name.is_empty() && name.trim() == name && !name.bytes().any(marks)
    };
    (!services.names.iter().all(plain)).then_some("names with separators, quotes or brackets")
}

/// Writes the table; the caller has checked that it can hold the services.
pub(crate) fn write(
    services: &Services,
    resources: &[Resource],
    out: &mut dyn Write,
) -> io::Result<()> {
    out.write_all(b"app_id\tnb_instances\tcore\tmemory\tinter_degree\tinter_aff\n")?;
    let mut line = Vec::new();
    for service in services.ids() {
        line.clear();
        row(services, resources, service, &mut line);
        out.write_all(&line)?;
    }
    Ok(())
}

fn row(services: &Services, resources: &[Resource], service: ServiceId, line: &mut Vec<u8>) {
    line.extend_from_slice(services.names.get(service.index()).as_bytes());
    line.push(b'\t');
    number(services.replicas[service.index()], line);
    for (units, resource) in services.row(service).chunks(services.epochs).zip(resources) {
        line.push(b'\t');
        if services.epochs == 1 {
            line.extend_from_slice(format_units(units[0], resource.scale).as_bytes());
            continue;
        }
        for (at, units) in units.iter().enumerate() {
            line.extend_from_slice(if at == 0 { b"[" } else { b", " });
            line.extend_from_slice(format_units(*units, resource.scale).as_bytes());
        }
        line.push(b']');
    }
    let cap = services.limits.cap(service).map(|max| (service, max));
    let degree = services.limits.out_degree(service) + usize::from(cap.is_some());
    line.push(b'\t');
    number(degree as u32, line);
    line.extend_from_slice(b"\t[");
    for (at, (on, max)) in cap
        .into_iter()
        .chain(services.limits.imposed_by(service))
        .enumerate()
    {
        line.extend_from_slice(if at == 0 { b"(" } else { b", (" });
        line.extend_from_slice(services.names.get(on.index()).as_bytes());
        line.extend_from_slice(b", ");
        number(max, line);
        line.push(b')');
    }
    line.extend_from_slice(b"]\n");
}

/// Decimal digits without an allocation: there may be 50 million.
fn number(mut number: u32, line: &mut Vec<u8>) {
    let mut digits = [0u8; 10];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    line.extend_from_slice(&digits[at..]);
}
