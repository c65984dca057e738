//! All points with the same x as one box: quartiles, median, extremes.

use std::fmt::Write;

use super::scale::Scale;
use super::style::Look;
use super::{Series, groups};

pub(super) fn draw(
    svg: &mut String,
    series: &Series,
    x: &Scale,
    y: &Scale,
    look: Look,
    shift: f64,
) {
    let colour = look.colour;
    for group in groups(series, x, y) {
        let mut values: Vec<f64> = group.iter().map(|(_, _, b)| *b).collect();
        values.sort_by(f64::total_cmp);
        let quantile = |share: f64| {
            let at = share * (values.len() - 1) as f64;
            let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
            y.place(below + (above - below) * at.fract())
        };
        let at = x.place(group[0].1) + shift;
        let [low, first, middle, third, high] = [0.0, 0.25, 0.5, 0.75, 1.0].map(quantile);
        let half = 7.0;
        let _ = writeln!(
            svg,
            "<path stroke=\"{colour}\" d=\"M{at:.1} {low:.1}V{high:.1}\"/>\
             <rect x=\"{:.1}\" y=\"{third:.1}\" width=\"{}\" height=\"{:.1}\" fill=\"{colour}\" fill-opacity=\"0.45\" stroke=\"{colour}\"/>\
             <path stroke=\"{colour}\" stroke-width=\"2.5\" d=\"M{:.1} {middle:.1}h{}\"/>",
            at - half,
            2.0 * half,
            (first - third).max(0.5),
            at - half,
            2.0 * half
        );
    }
}
