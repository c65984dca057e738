//! One plotting module for every picture: lines, points, points with error
//! bars, boxes and bars, as SVG that reads in light and dark and without
//! colour vision. One file per kind of mark.

mod axes;
mod bars;
mod boxes;
mod labels;
mod line;
mod points;
mod scale;
mod scatter;
mod style;

use std::fmt::Write;

use labels::{Frame, Named};
use scale::Scale;
use style::{Look, STYLE, shortened};

pub(crate) use style::escape;

const HEIGHT: f64 = 420.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 46.0;
/// How much wider the letters of a title are than others.
const TITLE: f64 = 1.35;
/// Width of the drawing itself, without legend.
const PLOT: f64 = 560.0;

/// An axis: what it shows, with its unit.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Axis {
    /// The label, unit included.
    pub label: String,
    /// Logarithmic; values of zero or less are left out.
    pub log: bool,
    /// Names of positions 0, 1, 2 ... instead of numbers.
    pub categories: Vec<String>,
}

/// How a series is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mark {
    /// A line through the points.
    Line,
    /// Points only, named when the series has labels.
    Points,
    /// All points with the same x as their mean with an error bar of one
    /// standard deviation, named by the label of the first of them.
    Scatter,
    /// All points with the same x as one box: quartiles, median, extremes.
    Boxes,
    /// A bar from zero to each point.
    Bars,
}

/// Points that belong together.
#[derive(Clone, PartialEq, Debug)]
pub struct Series {
    /// The name in the legend; empty: not in the legend.
    pub name: String,
    /// How it is drawn.
    pub mark: Mark,
    /// The points.
    pub points: Vec<(f64, f64)>,
    /// A label beside each point; empty: none.
    pub labels: Vec<String>,
}

/// A picture.
#[derive(Clone, PartialEq, Debug)]
pub struct Chart {
    /// The title: what is to be seen.
    pub title: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// What is drawn.
    pub series: Vec<Series>,
}

/// The most characters of a name in the legend.
const LEGEND_NAME: usize = 34;

impl Chart {
    /// The picture as an SVG document.
    pub fn svg(&self) -> String {
        let names = self
            .series
            .iter()
            .map(|s| style::width(&shortened(&s.name, LEGEND_NAME)));
        let longest = names.fold(0.0, f64::max);
        // Many categories need room, each for its box and its name.
        let plot = PLOT.max(23.0 * self.x.categories.len() as f64);
        let right = LEFT + plot;
        let legend = if longest == 0.0 { 24.0 } else { 48.0 + longest };
        let width = (right + legend).max(LEFT + TITLE * style::width(&self.title) + 12.0);
        let named = self.series.iter().filter(|s| !s.name.is_empty()).count();
        // A legend longer than the drawing makes the drawing taller.
        let tall = HEIGHT.max(TOP + 30.0 + 22.0 * named as f64);
        let x = self.scale(&self.x, |point| point.0, LEFT, right, false);
        let ticks = self.x_ticks(&x);
        let (turn, foot) = axes::turn(&ticks, plot);
        let bottom = tall - 64.0;
        let height = bottom + 40.0 + foot;
        let from_zero = self.series.iter().any(|series| series.mark == Mark::Bars);
        let y = self.scale(&self.y, |point| point.1, bottom, TOP, from_zero);
        let title = escape(&self.title);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             aria-label=\"{title}\">\n{STYLE}<text class=\"title\" x=\"{LEFT}\" y=\"24\">{title}</text>\n",
        );
        let frame = Frame {
            left: LEFT,
            right,
            top: TOP,
            bottom,
        };
        axes::draw(&mut svg, self, &x, &y, &frame, &ticks, turn, height);
        self.draw_series(&mut svg, &x, &y, &frame);
        self.draw_legend(&mut svg, right);
        svg.push_str("</svg>\n");
        svg
    }

    fn draw_series(&self, svg: &mut String, x: &Scale, y: &Scale, frame: &Frame) {
        let count = |mark: Mark| self.series.iter().filter(|s| s.mark == mark).count();
        let (bars, scatters) = (count(Mark::Bars), count(Mark::Scatter));
        let (mut bar, mut scatter) = (0, 0);
        let mut named: Vec<Named> = Vec::new();
        for (at, series) in self.series.iter().enumerate() {
            let look = Look::of(at);
            match series.mark {
                Mark::Line => line::draw(svg, series, x, y, look),
                Mark::Points => points::draw(svg, series, x, y, look, &mut named),
                Mark::Scatter => {
                    // A little apart, so that bars at one x do not hide each
                    // other; a single series, or one with names, stays exact.
                    let apart = match (series.labels.is_empty(), self.x.categories.is_empty()) {
                        (false, _) => 0.0,
                        (true, true) => 2.0,
                        (true, false) => 4.0,
                    };
                    let shift = apart * (scatter as f64 - (scatters as f64 - 1.0) / 2.0);
                    scatter::draw(svg, series, x, y, look, shift, &mut named);
                    scatter += 1;
                }
                Mark::Boxes => boxes::draw(svg, series, x, y, look, 0.0),
                Mark::Bars => {
                    bars::draw(svg, series, x, y, look, (bar, bars));
                    bar += 1;
                }
            }
        }
        labels::draw(svg, &named, frame);
    }

    fn draw_legend(&self, svg: &mut String, right: f64) {
        let named = self
            .series
            .iter()
            .enumerate()
            .filter(|(_, s)| !s.name.is_empty());
        for (line, (at, series)) in named.enumerate() {
            let (left, middle) = (right + 18.0, TOP + 6.0 + 22.0 * line as f64);
            let look = Look::of(at);
            match series.mark {
                Mark::Boxes | Mark::Bars => {
                    let _ = writeln!(
                        svg,
                        "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{}\"/>",
                        middle - 6.0,
                        look.colour
                    );
                }
                Mark::Line => {
                    let _ = writeln!(
                        svg,
                        "<path d=\"M{:.1} {middle:.1}h22\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
                        left - 5.0,
                        look.colour,
                        look.dash
                    );
                    look.marker(svg, left + 6.0, middle);
                }
                Mark::Points | Mark::Scatter => look.marker(svg, left + 6.0, middle),
            }
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                left + 22.0,
                middle + 4.5,
                escape(&shortened(&series.name, LEGEND_NAME))
            );
        }
    }

    /// Ticks of the horizontal axis with their words.
    fn x_ticks(&self, x: &Scale) -> Vec<(f64, String)> {
        if self.x.categories.is_empty() {
            let ticks = x.ticks().into_iter();
            return ticks.map(|tick| (tick, scale::tick_text(tick))).collect();
        }
        let names = self.x.categories.iter().enumerate();
        names.map(|(at, name)| (at as f64, name.clone())).collect()
    }

    fn scale(
        &self,
        axis: &Axis,
        of: impl Fn(&(f64, f64)) -> f64,
        from: f64,
        to: f64,
        from_zero: bool,
    ) -> Scale {
        if !axis.categories.is_empty() {
            let high = axis.categories.len() as f64 - 0.5;
            return Scale {
                low: -0.5,
                high,
                log: false,
                from,
                to,
            };
        }
        let values = self.series.iter().flat_map(|series| &series.points).map(of);
        let values = values.filter(|value| value.is_finite() && (!axis.log || *value > 0.0));
        let (mut low, mut high) = values.fold((f64::MAX, f64::MIN), |(low, high), v| {
            (low.min(v), high.max(v))
        });
        if low > high {
            (low, high) = (if axis.log { 1.0 } else { 0.0 }, 10.0);
        }
        if axis.log {
            (low, high) = (low / 1.3, high * 1.3);
        } else {
            let margin = if high > low {
                0.06 * (high - low)
            } else {
                0.5 * high.abs().max(1.0)
            };
            let starts_at_zero = low >= 0.0 && (from_zero || low - margin < 0.0);
            low = if starts_at_zero { 0.0 } else { low - margin };
            high += margin;
        }
        Scale {
            low,
            high,
            log: axis.log,
            from,
            to,
        }
    }
}

fn drawable<'a>(
    series: &'a Series,
    x: &'a Scale,
    y: &'a Scale,
) -> impl Iterator<Item = (usize, f64, f64)> + 'a {
    let points = series.points.iter().enumerate();
    points
        .filter(move |(_, (a, b))| x.shows(*a) && y.shows(*b))
        .map(move |(at, (a, b))| (at, x.place(*a), y.place(*b)))
}

/// Points with the same x together, by x: place in the series, x and y.
fn groups(series: &Series, x: &Scale, y: &Scale) -> Vec<Vec<(usize, f64, f64)>> {
    let points = series.points.iter().enumerate();
    let shown = points.filter(|(_, (a, b))| x.shows(*a) && y.shows(*b));
    let mut shown: Vec<(usize, f64, f64)> = shown.map(|(at, (a, b))| (at, *a, *b)).collect();
    shown.sort_by(|p, q| p.1.total_cmp(&q.1).then(p.0.cmp(&q.0)));
    shown
        .chunk_by(|p, q| p.1 == q.1)
        .map(<[_]>::to_vec)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(mark: Mark, points: Vec<(f64, f64)>, log: bool) -> String {
        let axis = |label: &str| Axis {
            label: label.into(),
            log,
            categories: Vec::new(),
        };
        let series = Series {
            name: "one <two>".into(),
            mark,
            points,
            labels: vec!["a".into()],
        };
        let (x, y) = (axis("seconds"), axis("nodes"));
        Chart {
            title: "A & B".into(),
            x,
            y,
            series: vec![series],
        }
        .svg()
    }

    #[test]
    fn every_mark_survives_hostile_points() {
        for mark in [
            Mark::Line,
            Mark::Points,
            Mark::Scatter,
            Mark::Boxes,
            Mark::Bars,
        ] {
            for log in [false, true] {
                for points in [
                    vec![],
                    vec![(1.0, 1.0)],
                    vec![
                        (0.0, -1.0),
                        (f64::NAN, 2.0),
                        (3.0, f64::INFINITY),
                        (1e9, 1e-9),
                    ],
                ] {
                    let svg = chart(mark, points, log);
                    assert!(svg.contains("A &amp; B") && svg.contains("one &lt;two&gt;"));
                    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
                }
            }
        }
    }
}
