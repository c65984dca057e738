//! Axes, ticks, grid and their words.

use std::fmt::Write;

use super::Chart;
use super::labels::Frame;
use super::scale::{Scale, tick_text};
use super::style::{escape, shortened};

/// The most characters of a category's name.
const NAME: usize = 26;

/// Names that would run into each other are turned, the more the less room
/// there is: degrees, and how far they reach below the axis.
pub(super) fn turn(ticks: &[(f64, String)], plot: f64) -> (f64, f64) {
    let room = plot / ticks.len().max(1) as f64;
    let longest = ticks.iter().map(|(_, name)| name.chars().count().min(NAME));
    let longest = longest.max().unwrap_or(0) as f64;
    if longest * 7.4 <= room {
        return (0.0, 24.0);
    }
    // Two turned lines stand room * sin(angle) apart, and need 12.
    let degrees: f64 = if room >= 40.0 { 25.0 } else { 50.0 };
    (degrees, 18.0 + longest * 6.6 * degrees.to_radians().sin())
}

#[allow(clippy::too_many_arguments, reason = "what one picture is made of")]
pub(super) fn draw(
    svg: &mut String,
    chart: &Chart,
    x: &Scale,
    y: &Scale,
    frame: &Frame,
    ticks: &[(f64, String)],
    turn: f64,
    height: f64,
) {
    let Frame {
        left,
        right,
        top,
        bottom,
    } = frame;
    for tick in y.ticks() {
        let at = y.place(tick);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{left}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 8.0,
            at + 4.0,
            tick_text(tick)
        );
    }
    for (value, name) in ticks {
        let at = x.place(*value);
        let place = if turn > 0.0 {
            format!(
                "class=\"small\" text-anchor=\"end\" transform=\"rotate(-{turn} {at:.1} {:.1})\"",
                bottom + 15.0
            )
        } else {
            "text-anchor=\"middle\"".into()
        };
        let _ = writeln!(
            svg,
            "<line class=\"axis\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{bottom}\" y2=\"{:.1}\"/>\
             <text x=\"{at:.1}\" y=\"{:.1}\" {place}>{}</text>",
            bottom + 5.0,
            bottom + if turn > 0.0 { 15.0 } else { 20.0 },
            escape(&shortened(name, NAME))
        );
    }
    let (across, down) = (f64::midpoint(*left, *right), f64::midpoint(*top, *bottom));
    let _ = writeln!(
        svg,
        "<path class=\"axis\" fill=\"none\" d=\"M{left} {top}V{bottom}H{right}\"/>\
         <text x=\"{across:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text x=\"18\" y=\"{down:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {down:.1})\">{}</text>",
        height - 10.0,
        escape(&chart.x.label),
        escape(&chart.y.label)
    );
}
