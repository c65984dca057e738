//! A bar from zero to each point; series stand side by side.

use std::fmt::Write;

use super::Series;
use super::drawable;
use super::scale::Scale;
use super::style::Look;

pub(super) fn draw(
    svg: &mut String,
    series: &Series,
    x: &Scale,
    y: &Scale,
    look: Look,
    (nth, of): (usize, usize),
) {
    let room = 0.8 * (x.to - x.from) / (x.high - x.low).max(1.0);
    let width = room / of.max(1) as f64;
    let floor = y.place(y.low.max(0.0));
    for (_, a, b) in drawable(series, x, y) {
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\"/>",
            a - room / 2.0 + nth as f64 * width,
            b.min(floor),
            0.92 * width,
            (floor - b).abs(),
            look.colour
        );
    }
}
