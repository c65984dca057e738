//! Tianchi's `app_interference.csv`: `app_1,app_2,k`, without a header.
//!
//! There a limit of an application on itself says how many more may join the
//! first one, so `k` becomes a cap of `k + 1`.

use bayplan_model::{Limit, LimitsBuilder, Names, ServiceId};

use crate::bytes::plain;
use crate::error::{Place, Sink, Source};
use crate::tables::table::rows;
use crate::text::whole;
use crate::{Errors, ReadOptions};

/// Adds the limits of such a file to those of the services named.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
    names: &Names,
    into: &mut LimitsBuilder,
) -> Result<(), Errors> {
    let bytes = plain(bytes, Source::Limits, options)?;
    let mut sink = Sink::new(Source::Limits);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .comment(Some(b'#'))
        .from_reader(bytes.as_ref());
    rows(&mut reader, 3, &mut sink, |row, sink| {
        let [of, on] = [0, 1].map(|column| {
            let found = find(names, row.text(column));
            if found.is_none() {
                sink.unknown(row.place(), "service", row.text(column), names);
            }
            found
        });
        // One is added to a self limit, so the largest value is one less.
        let highest = u64::from(u32::MAX) - 1;
        let max = whole(sink, || row.place(), "limit", row.text(2), 0, highest);
        if let (Some(of), Some(on), Some(max)) = (of, on, max) {
            let max = max as u32 + u32::from(of == on);
            if let Err(error) = into.push(Limit { of, on, max }) {
                sink.push("F022", row.place(), || {
                    (error.to_string(), "give each pair once")
                });
            }
        }
    });
    if into.is_empty() && sink.is_empty() {
        sink.push("F037", Place::File, || {
            ("no limit in the file", "leave the option out")
        });
    }
    sink.finish()
}

/// TClab drops the `app_` that Tianchi writes before each number.
fn find(names: &Names, name: &str) -> Option<ServiceId> {
    let found = names
        .find(name)
        .or_else(|| names.find(name.strip_prefix("app_")?));
    found.map(ServiceId)
}
