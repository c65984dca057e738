//! Published values: facts with their source, in tables of the project.

use std::collections::BTreeMap;

/// One published value.
#[derive(Clone, PartialEq, Debug)]
pub struct Fact {
    /// The value.
    pub value: f64,
    /// Figure, table or section it stands in.
    pub source: String,
}

/// Published values by study, x, series and metric.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Facts {
    all: BTreeMap<[String; 4], Fact>,
}

impl Facts {
    /// Reads a table of the project: `study,x,series,metric,value,source`.
    ///
    /// # Panics
    /// When the table, which is compiled in, is malformed.
    pub fn from_table(text: &str) -> Self {
        let mut facts = Self::default();
        for line in text.lines().skip(1).filter(|line| !line.is_empty()) {
            let mut parts = line.splitn(6, ',');
            let mut next = || parts.next().expect("six columns").to_string();
            let key = [next(), next(), next(), next()];
            let value = next().parse().expect("a number");
            let source = next();
            facts.all.insert(key, Fact { value, source });
        }
        facts
    }

    /// Adds or replaces a value.
    pub fn set(&mut self, place: [&str; 4], value: f64, source: &str) {
        let fact = Fact {
            value,
            source: source.into(),
        };
        self.all.insert(place.map(String::from), fact);
    }

    /// A published value.
    pub fn get(&self, study: &str, x: &str, series: &str, metric: &str) -> Option<&Fact> {
        self.all.get(&[study, x, series, metric].map(String::from))
    }

    /// A published value as a number.
    pub fn value(&self, study: &str, x: &str, series: &str, metric: &str) -> Option<f64> {
        Some(self.get(study, x, series, metric)?.value)
    }
}
