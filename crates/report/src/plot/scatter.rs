//! Points with error bars: the mean of all values at one x, and one standard
//! deviation to both sides.

use std::fmt::Write;

use super::labels::Named;
use super::scale::Scale;
use super::style::Look;
use super::{Series, groups};

pub(super) fn draw<'a>(
    svg: &mut String,
    series: &'a Series,
    x: &Scale,
    y: &Scale,
    look: Look,
    shift: f64,
    named: &mut Vec<Named<'a>>,
) {
    for group in groups(series, x, y) {
        let count = group.len() as f64;
        let mean = group.iter().map(|(_, _, b)| b).sum::<f64>() / count;
        let squares: f64 = group.iter().map(|(_, _, b)| (b - mean).powi(2)).sum();
        let deviation = (squares / (count - 1.0).max(1.0)).sqrt();
        let at = x.place(group[0].1) + shift;
        if deviation > 0.0 {
            let low = if y.shows(mean - deviation) {
                (mean - deviation).max(y.low)
            } else {
                y.low
            };
            let (low, high) = (y.place(low), y.place((mean + deviation).min(y.high)));
            let _ = writeln!(
                svg,
                "<path stroke=\"{}\" stroke-width=\"1.5\" fill=\"none\" d=\"M{at:.1} {low:.1}V{high:.1}m-4 0h8M{:.1} {low:.1}h8\"/>",
                look.colour,
                at - 4.0
            );
        }
        look.marker(svg, at, y.place(mean));
        named.push(Named {
            x: at,
            y: y.place(mean),
            name: series.labels.get(group[0].0).map(String::as_str),
        });
    }
}
