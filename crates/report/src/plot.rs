//! One plotting module for every picture: lines, points, boxes and bars, as
//! SVG that reads in light and dark and without colour vision.

use std::fmt::Write;

use crate::numbers::significant;

/// Okabe and Ito's palette: told apart by people with any colour vision.
const COLOURS: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F",
];

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 76.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 64.0;
const LEGEND: f64 = 190.0;

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

/// From values to positions.
struct Scale {
    low: f64,
    high: f64,
    log: bool,
    from: f64,
    to: f64,
}

impl Scale {
    /// Whether a value has a place: finite, and above zero where logarithmic.
    fn shows(&self, value: f64) -> bool {
        value.is_finite() && (!self.log || value > 0.0)
    }

    fn place(&self, value: f64) -> f64 {
        let t = |value: f64| if self.log { value.log10() } else { value };
        let share = (t(value) - t(self.low)) / (t(self.high) - t(self.low));
        self.from + share * (self.to - self.from)
    }

    fn ticks(&self) -> Vec<f64> {
        if self.log {
            let (first, last) = (
                self.low.log10().ceil() as i32,
                self.high.log10().floor() as i32,
            );
            let step = ((last - first) / 6).max(1);
            return (first..=last)
                .step_by(step as usize)
                .map(|power| 10f64.powi(power))
                .collect();
        }
        let raw = (self.high - self.low) / 5.0;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .map(|m| m * power)
            .into_iter()
            .find(|s| *s >= raw);
        let step = step.unwrap_or(raw);
        let first = (self.low / step).ceil() as i64;
        (first..)
            .map(|k| k as f64 * step)
            .take_while(|tick| *tick <= self.high * 1.000_001)
            .collect()
    }
}

impl Chart {
    /// The picture as an SVG document.
    pub fn svg(&self) -> String {
        let named = self.series.iter().any(|series| !series.name.is_empty());
        let right = WIDTH - if named { LEGEND } else { 24.0 };
        let x = self.scale(&self.x, |point| point.0, LEFT, right, false);
        let from_zero = self.series.iter().any(|series| series.mark == Mark::Bars);
        let y = self.scale(&self.y, |point| point.1, HEIGHT - BOTTOM, TOP, from_zero);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
             aria-label=\"{}\">\n<style>text{{font:13px system-ui,sans-serif;fill:#222}}\
             .grid{{stroke:#ddd}}.axis{{stroke:#666}}.title{{font-size:15px;font-weight:600}}\
             @media(prefers-color-scheme:dark){{text{{fill:#eee}}.grid{{stroke:#444}}.axis{{stroke:#aaa}}}}\
             </style>\n",
            escape(&self.title)
        );
        let _ = writeln!(
            svg,
            "<text class=\"title\" x=\"{LEFT}\" y=\"24\">{}</text>",
            escape(&self.title)
        );
        self.draw_axes(&mut svg, &x, &y, right);
        for (at, series) in self.series.iter().enumerate() {
            let colour = COLOURS[at % COLOURS.len()];
            match series.mark {
                Mark::Line => draw_line(&mut svg, series, &x, &y, colour, at),
                Mark::Points => draw_points(&mut svg, series, &x, &y, colour, right),
                Mark::Boxes => draw_boxes(&mut svg, series, &x, &y, colour),
                Mark::Bars => draw_bars(&mut svg, series, &x, &y, colour),
            }
        }
        let legend = self
            .series
            .iter()
            .enumerate()
            .filter(|(_, series)| !series.name.is_empty());
        for (line, (at, series)) in legend.enumerate() {
            let (left, top) = (right + 18.0, TOP + 10.0 + 22.0 * line as f64);
            let colour = COLOURS[at % COLOURS.len()];
            let _ = writeln!(
                svg,
                "<rect x=\"{left}\" y=\"{:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                top - 10.0,
                left + 18.0,
                top + 1.0,
                escape(&shortened(&series.name, 22))
            );
        }
        svg.push_str("</svg>\n");
        svg
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

    fn draw_axes(&self, svg: &mut String, x: &Scale, y: &Scale, right: f64) {
        let bottom = HEIGHT - BOTTOM;
        for tick in y.ticks() {
            let at = y.place(tick);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{at:.1}\" y2=\"{at:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                at + 4.0,
                tick_text(tick)
            );
        }
        let names = self.x.categories.iter().enumerate();
        let named: Vec<(f64, String)> = names.map(|(at, name)| (at as f64, name.clone())).collect();
        let ticks = if named.is_empty() {
            x.ticks()
                .into_iter()
                .map(|tick| (tick, tick_text(tick)))
                .collect()
        } else {
            named
        };
        // Long or many names are turned, so that they do not run into each other.
        let room = (right - LEFT) / ticks.len().max(1) as f64;
        let turned = ticks.iter().any(|(_, name)| name.len() as f64 * 7.5 > room);
        for (value, name) in &ticks {
            let at = x.place(*value);
            let place = if turned {
                format!(
                    "text-anchor=\"end\" transform=\"rotate(-30 {at:.1} {:.1})\"",
                    bottom + 16.0
                )
            } else {
                "text-anchor=\"middle\"".into()
            };
            let _ = writeln!(
                svg,
                "<line class=\"axis\" x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{bottom}\" y2=\"{:.1}\"/>\
                 <text x=\"{at:.1}\" y=\"{:.1}\" {place}>{}</text>",
                bottom + 5.0,
                bottom + 20.0,
                escape(&shortened(name, 18))
            );
        }
        let _ = writeln!(
            svg,
            "<path class=\"axis\" fill=\"none\" d=\"M{LEFT} {TOP}V{bottom}H{right}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text x=\"18\" y=\"{:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 18 {:.1})\">{}</text>",
            f64::midpoint(LEFT, right),
            HEIGHT - 10.0,
            escape(&self.x.label),
            f64::midpoint(TOP, bottom),
            f64::midpoint(TOP, bottom),
            escape(&self.y.label)
        );
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

fn draw_line(svg: &mut String, series: &Series, x: &Scale, y: &Scale, colour: &str, nth: usize) {
    let points: Vec<String> = drawable(series, x, y)
        .map(|(_, a, b)| format!("{a:.1},{b:.1}"))
        .collect();
    // Dashes tell lines apart where colour does not.
    let dash = ["", "6 3", "2 3", "8 3 2 3"][nth % 4];
    let _ = writeln!(
        svg,
        "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dash}\" points=\"{}\"/>",
        points.join(" ")
    );
}

fn draw_points(svg: &mut String, series: &Series, x: &Scale, y: &Scale, colour: &str, right: f64) {
    let places: Vec<(usize, f64, f64)> = drawable(series, x, y).collect();
    for (_, a, b) in &places {
        let _ = writeln!(
            svg,
            "<circle cx=\"{a:.1}\" cy=\"{b:.1}\" r=\"4\" fill=\"{colour}\"/>"
        );
    }
    let mut taken: Vec<Area> = places
        .iter()
        .map(|(_, a, b)| Area::around(*a, *b, 5.0))
        .collect();
    for (nth, (at, a, b)) in places.iter().enumerate() {
        let Some(label) = series.labels.get(*at) else {
            continue;
        };
        let label = shortened(label, 24);
        let wide = 6.4 * label.chars().count() as f64;
        // Right, left, above or below its point, the first that is free; a
        // label beside somebody else's point would be worse than none.
        let tries = [
            (a + 8.0, b + 4.0),
            (a - 8.0 - wide, b + 4.0),
            (a - wide / 2.0, b - 9.0),
            (a - wide / 2.0, b + 17.0),
        ];
        let free = tries.into_iter().find(|(left, base)| {
            let area = Area {
                left: *left,
                right: left + wide,
                top: base - 10.0,
                bottom: base + 2.0,
            };
            let others = taken.iter().enumerate().filter(|(other, _)| *other != nth);
            *left >= LEFT + 2.0
                && area.right <= right
                && others.into_iter().all(|(_, other)| !area.meets(other))
        });
        if let Some((left, base)) = free {
            taken.push(Area {
                left,
                right: left + wide,
                top: base - 10.0,
                bottom: base + 2.0,
            });
            let _ = writeln!(
                svg,
                "<text x=\"{left:.1}\" y=\"{base:.1}\" textLength=\"{wide:.1}\" style=\"font-size:11px\">{}</text>",
                escape(&label)
            );
        }
    }
}

/// A part of the picture that is taken.
#[derive(Clone, Copy)]
struct Area {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Area {
    fn around(x: f64, y: f64, half: f64) -> Self {
        Self {
            left: x - half,
            right: x + half,
            top: y - half,
            bottom: y + half,
        }
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

fn draw_boxes(svg: &mut String, series: &Series, x: &Scale, y: &Scale, colour: &str) {
    let mut points = series.points.clone();
    points.retain(|(a, b)| x.shows(*a) && y.shows(*b));
    points.sort_by(|p, q| p.0.total_cmp(&q.0).then(p.1.total_cmp(&q.1)));
    for group in points.chunk_by(|p, q| p.0 == q.0) {
        let quantile = |share: f64| {
            let at = share * (group.len() - 1) as f64;
            let (below, above) = (group[at.floor() as usize].1, group[at.ceil() as usize].1);
            y.place(below + (above - below) * at.fract())
        };
        let at = x.place(group[0].0);
        let (low, first, middle, third, high) = (
            quantile(0.0),
            quantile(0.25),
            quantile(0.5),
            quantile(0.75),
            quantile(1.0),
        );
        let half = 7.0;
        let _ = writeln!(
            svg,
            "<path stroke=\"{colour}\" d=\"M{at:.1} {low:.1}V{high:.1}\"/>\
             <rect x=\"{:.1}\" y=\"{third:.1}\" width=\"{}\" height=\"{:.1}\" fill=\"{colour}\" fill-opacity=\"0.45\" stroke=\"{colour}\"/>\
             <path stroke=\"{colour}\" stroke-width=\"2\" d=\"M{:.1} {middle:.1}h{}\"/>",
            at - half,
            2.0 * half,
            (first - third).max(0.5),
            at - half,
            2.0 * half
        );
    }
}

fn draw_bars(svg: &mut String, series: &Series, x: &Scale, y: &Scale, colour: &str) {
    let width = 0.6 * (x.to - x.from) / (x.high - x.low).max(1.0);
    let floor = y.place(y.low.max(0.0));
    for (_, a, b) in drawable(series, x, y) {
        let _ = writeln!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{colour}\"/>",
            a - width / 2.0,
            b.min(floor),
            (floor - b).abs()
        );
    }
}

fn tick_text(value: f64) -> String {
    let rounded = (value * 1e9).round() / 1e9;
    if rounded != 0.0 && rounded.abs() < 0.001 {
        return format!("{rounded:e}");
    }
    let text = significant(rounded);
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text,
    }
}

fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// Text for SVG and HTML.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            other if other.is_control() => safe.push(' '),
            other => safe.push(other),
        }
    }
    safe
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
        for mark in [Mark::Line, Mark::Points, Mark::Boxes, Mark::Bars] {
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

    #[test]
    fn ticks_are_round_and_inside() {
        let scale = Scale {
            low: 0.0,
            high: 5300.0,
            log: false,
            from: 0.0,
            to: 1.0,
        };
        assert_eq!(scale.ticks(), [0.0, 2000.0, 4000.0]);
        let log = Scale {
            low: 0.02,
            high: 2000.0,
            log: true,
            from: 0.0,
            to: 1.0,
        };
        assert_eq!(log.ticks(), [0.1, 1.0, 10.0, 100.0, 1000.0]);
    }
}
