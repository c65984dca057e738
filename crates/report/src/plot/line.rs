//! A line through the points.

use std::fmt::Write;

use super::Series;
use super::drawable;
use super::scale::Scale;
use super::style::Look;

/// Dashes tell lines apart where colour does not; up to 15 points get a marker.
pub(super) fn draw(svg: &mut String, series: &Series, x: &Scale, y: &Scale, look: Look) {
    let places: Vec<(f64, f64)> = drawable(series, x, y).map(|(_, a, b)| (a, b)).collect();
    let points: Vec<String> = places
        .iter()
        .map(|(a, b)| format!("{a:.1},{b:.1}"))
        .collect();
    let _ = writeln!(
        svg,
        "<polyline fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\" points=\"{}\"/>",
        look.colour,
        look.dash,
        points.join(" ")
    );
    if places.len() <= 15 {
        for (a, b) in places {
            look.marker(svg, a, b);
        }
    }
}
