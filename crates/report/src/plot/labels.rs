//! Labels beside points, never over each other.

use std::fmt::Write;

use super::style::{escape, shortened};

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

    fn text(left: f64, base: f64, wide: f64) -> Self {
        Self {
            left,
            right: left + wide,
            top: base - 10.0,
            bottom: base + 2.0,
        }
    }

    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

/// Where labels may stand.
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

/// A point with its name, if it has one.
pub(super) struct Named<'a> {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) name: Option<&'a str>,
}

/// Labels of all points of a picture: right, left, above or below the point,
/// the first that is free; a label beside somebody else's point would be worse
/// than none.
pub(super) fn draw(svg: &mut String, points: &[Named], frame: &Frame) {
    let around = |point: &Named| Area::around(point.x, point.y, 5.0);
    let mut taken: Vec<Area> = points.iter().map(around).collect();
    for (nth, point) in points.iter().enumerate() {
        let Some(name) = point.name else { continue };
        let label = shortened(name, 26);
        // Generous, since the reader's font is not known.
        let wide = 6.9 * label.chars().count() as f64;
        let (a, b) = (point.x, point.y);
        let (right, left, middle) = (a + 8.0, a - 8.0 - wide, a - wide / 2.0);
        let tries = [
            (right, b + 4.0, "start"),
            (left, b + 4.0, "end"),
            (middle, b - 9.0, "middle"),
            (middle, b + 17.0, "middle"),
            (right, b - 8.0, "start"),
            (right, b + 16.0, "start"),
            (left, b - 8.0, "end"),
            (left, b + 16.0, "end"),
        ];
        let free = tries.into_iter().find(|(from, base, _)| {
            let area = Area::text(*from, *base, wide);
            let mut others = taken.iter().enumerate().filter(|(other, _)| *other != nth);
            area.left >= frame.left + 2.0
                && area.right <= frame.right
                && area.top >= frame.top
                && area.bottom <= frame.bottom
                && others.all(|(_, other)| !area.meets(other))
        });
        if let Some((from, base, anchor)) = free {
            taken.push(Area::text(from, base, wide));
            let at = match anchor {
                "start" => from,
                "end" => from + wide,
                _ => from + wide / 2.0,
            };
            let _ = writeln!(
                svg,
                "<text x=\"{at:.1}\" y=\"{base:.1}\" text-anchor=\"{anchor}\" class=\"small\">{}</text>",
                escape(&label)
            );
        }
    }
}
