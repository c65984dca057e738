//! A row's list of limits: `[(8382, 2), (1449, 0)]`.

use bayplan_model::{ModelError, Names, ServiceId};

use super::rows::Rows;
use super::targets::Targets;
use crate::error::{Place, Sink, clip};

/// Faults of lists; texts are made only once all threads are done.
#[derive(Default)]
pub(crate) struct Faults {
    kept: Vec<(u64, Fault)>,
    more: usize,
}

enum Fault {
    Syntax { at: usize },
    Unknown(String),
    Value(String),
    Degree { said: u64, found: usize },
    Contradiction(String),
}

impl Faults {
    fn push(&mut self, line: u64, fault: impl FnOnce() -> Fault) {
        if self.kept.len() < 100 {
            self.kept.push((line, fault()));
        } else {
            self.more += 1;
        }
    }

    /// A pair given twice with different values.
    pub fn contradiction(&mut self, line: u64, error: &ModelError) {
        self.push(line, || Fault::Contradiction(error.to_string()));
    }

    /// Hands the faults on with their texts.
    pub fn report(self, names: &Names, sink: &mut Sink) {
        for (line, fault) in self.kept {
            let place = Place::line(line);
            match fault {
                Fault::Syntax { at } => sink.push("F007", place, || {
                    (
                        format!("the list of limits breaks off at byte {at}"),
                        "write [(id, max), ...]",
                    )
                }),
                Fault::Unknown(name) => sink.unknown(place, "service", &name, names),
                Fault::Value(text) => sink.push("F015", place, || {
                    let found = format!("limit `{}` is not a whole number below 2^32", clip(&text));
                    (found, "write a whole number such as 2")
                }),
                Fault::Degree { said, found } => sink.push("F032", place, || {
                    let found = format!("inter_degree {said} and {found} limits");
                    (found, "the list may be cut off: compare with the source")
                }),
                Fault::Contradiction(text) => {
                    sink.push("F022", place, || (text, "give each pair once"));
                }
            }
        }
        sink.count_more(self.more);
    }
}

/// Reads one row's list.
pub(crate) fn parse(
    rows: &Rows<'_>,
    row: usize,
    targets: &Targets<'_>,
    into: &mut Vec<(ServiceId, u32)>,
    faults: &mut Faults,
) {
    let (line, text) = (rows.lines[row], rows.lists[row]);
    let mut cursor = Cursor { text, at: 0 };
    let mut found = 0;
    if !cursor.take(b'[') {
        faults.push(line, || Fault::Syntax { at: cursor.at });
        return;
    }
    loop {
        if cursor.take(b']') {
            break;
        }
        let Some((name, value)) = cursor.pair() else {
            faults.push(line, || Fault::Syntax { at: cursor.at });
            return;
        };
        found += 1;
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match (targets.find(name), number(value)) {
            (Some(target), Some(max)) => into.push((target, max)),
            (None, _) => faults.push(line, || Fault::Unknown(lossy(name))),
            (_, None) => faults.push(line, || Fault::Value(lossy(value))),
        }
        if !cursor.take(b',') && cursor.peek() != Some(b']') {
            faults.push(line, || Fault::Syntax { at: cursor.at });
            return;
        }
    }
    cursor.skip();
    if cursor.at < text.len() {
        faults.push(line, || Fault::Syntax { at: cursor.at });
    }
    match rows.degrees[row] {
        Some(said) if said != found as u64 => faults.push(line, || Fault::Degree { said, found }),
        _ => {}
    }
}

struct Cursor<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    fn skip(&mut self) {
        while self
            .text
            .get(self.at)
            .is_some_and(|byte| *byte == b' ' || *byte == b'\r')
        {
            self.at += 1;
        }
    }

    fn peek(&mut self) -> Option<u8> {
        self.skip();
        self.text.get(self.at).copied()
    }

    fn take(&mut self, wanted: u8) -> bool {
        let found = self.peek() == Some(wanted);
        self.at += usize::from(found);
        found
    }

    /// `(name, value)`
    fn pair(&mut self) -> Option<(&'a [u8], &'a [u8])> {
        self.take(b'(').then_some(())?;
        let name = self.until(b',')?;
        let value = self.until(b')')?;
        let name = match name {
            [b'\'', inner @ .., b'\''] => inner,
            _ => name,
        };
        (!name.is_empty()).then_some((name, value))
    }

    fn until(&mut self, end: u8) -> Option<&'a [u8]> {
        self.skip();
        let start = self.at;
        while let Some(byte) = self.text.get(self.at) {
            if *byte == end {
                let token = self.text[start..self.at].trim_ascii_end();
                self.at += 1;
                return Some(token);
            }
            if matches!(byte, b'(' | b')' | b'[' | b']' | b',') {
                return None;
            }
            self.at += 1;
        }
        None
    }
}

fn number(text: &[u8]) -> Option<u32> {
    if text.is_empty() || text.len() > 10 {
        return None;
    }
    let number = text.iter().try_fold(0u64, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + u64::from(byte - b'0'))
    })?;
    u32::try_from(number).ok()
}
