//! Points, named where the series has labels.

use super::labels::Named;
use super::scale::Scale;
use super::style::Look;
use super::{Series, drawable};

pub(super) fn draw<'a>(
    svg: &mut String,
    series: &'a Series,
    x: &Scale,
    y: &Scale,
    look: Look,
    named: &mut Vec<Named<'a>>,
) {
    for (at, a, b) in drawable(series, x, y) {
        look.marker(svg, a, b);
        named.push(Named {
            x: a,
            y: b,
            name: series.labels.get(at).map(String::as_str),
        });
    }
}
