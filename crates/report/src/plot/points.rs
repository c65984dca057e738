//! Points, named where the series has labels.

use super::labels::{self, Frame};
use super::scale::Scale;
use super::style::Look;
use super::{Series, drawable};

pub(super) fn draw(
    svg: &mut String,
    series: &Series,
    x: &Scale,
    y: &Scale,
    look: Look,
    frame: &Frame,
) {
    let places: Vec<(usize, f64, f64)> = drawable(series, x, y).collect();
    for (_, a, b) in &places {
        look.marker(svg, *a, *b);
    }
    let label = |(at, _, _): &(usize, f64, f64)| series.labels.get(*at).map(String::as_str);
    let names: Vec<Option<&str>> = places.iter().map(label).collect();
    let places: Vec<(f64, f64)> = places.iter().map(|(_, a, b)| (*a, *b)).collect();
    labels::draw(svg, &places, &names, frame);
}
