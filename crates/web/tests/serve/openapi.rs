//! The document names what is served, no more and no less.

use std::collections::BTreeSet;

use bayplan_web::{openapi, route_list};

#[test]
fn the_document_names_exactly_the_routes() {
    let document = openapi();
    let mut described = BTreeSet::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            described.insert((method.clone(), path.clone()));
            assert!(
                operation["responses"]
                    .as_object()
                    .is_some_and(|all| !all.is_empty())
            );
            assert!(operation["tags"].is_array(), "{path}");
            let named = path.split('/').filter(|part| part.starts_with('{')).count();
            let parameters = operation["parameters"].as_array();
            let in_path = parameters
                .into_iter()
                .flatten()
                .filter(|p| p["in"] == "path");
            assert_eq!(in_path.count(), named, "{method} {path}");
        }
    }
    let served = route_list().into_iter();
    let served: BTreeSet<_> = served
        .map(|(m, p)| (m.to_string(), p.to_string()))
        .collect();
    assert_eq!(described, served);
}

#[test]
fn every_reference_leads_somewhere() {
    let document = openapi();
    let text = document.to_string();
    let mut rest = text.as_str();
    let mut count = 0;
    while let Some(at) = rest.find("\"#/components/schemas/") {
        let name = rest[at + 22..].split('"').next().unwrap();
        assert!(
            document["components"]["schemas"][name].is_object(),
            "{name}"
        );
        rest = &rest[at + 22..];
        count += 1;
    }
    assert!(count > 30);
}
