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

/// Right, left, above or below its point, the first that is free; a label
/// beside somebody else's point would be worse than none.
pub(super) fn draw(
    svg: &mut String,
    places: &[(f64, f64)],
    labels: &[Option<&str>],
    frame: &Frame,
) {
    let mut taken: Vec<Area> = places
        .iter()
        .map(|(a, b)| Area::around(*a, *b, 5.0))
        .collect();
    for (nth, ((a, b), label)) in places.iter().zip(labels).enumerate() {
        let Some(label) = label else { continue };
        let label = shortened(label, 24);
        let wide = 6.4 * label.chars().count() as f64;
        let tries = [
            (a + 8.0, b + 4.0),
            (a - 8.0 - wide, b + 4.0),
            (a - wide / 2.0, b - 9.0),
            (a - wide / 2.0, b + 17.0),
            (a + 8.0, b - 8.0),
            (a + 8.0, b + 16.0),
            (a - 8.0 - wide, b - 8.0),
            (a - 8.0 - wide, b + 16.0),
        ];
        let free = tries.into_iter().find(|(left, base)| {
            let area = Area::text(*left, *base, wide);
            let mut others = taken.iter().enumerate().filter(|(other, _)| *other != nth);
            area.left >= frame.left + 2.0
                && area.right <= frame.right
                && area.top >= frame.top
                && area.bottom <= frame.bottom
                && others.all(|(_, other)| !area.meets(other))
        });
        if let Some((left, base)) = free {
            taken.push(Area::text(left, base, wide));
            let _ = writeln!(
                svg,
                "<text x=\"{left:.1}\" y=\"{base:.1}\" textLength=\"{wide:.1}\" class=\"small\">{}</text>",
                escape(&label)
            );
        }
    }
}
