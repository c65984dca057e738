//! Colours, dashes and shapes: told apart by any eye, in light and in dark.

use std::fmt::Write;

/// Okabe and Ito's palette less black and yellow, which one background hides,
/// with grey and wine: told apart by people with any colour vision.
const COLOURS: [&str; 8] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F7F7F", "#AA4466",
];

const DASHES: [&str; 4] = ["", "6 3", "2 3", "8 3 2 3"];

/// How the n-th series looks. Colours repeat after eight, shapes after five,
/// so that no two of the first 40 look alike.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub(super) colour: &'static str,
    pub(super) dash: &'static str,
    shape: usize,
}

impl Look {
    pub(super) fn of(nth: usize) -> Self {
        Self {
            colour: COLOURS[nth % COLOURS.len()],
            dash: DASHES[nth % DASHES.len()],
            shape: nth % 5,
        }
    }

    /// A circle, square, triangle, diamond or cross.
    pub(super) fn marker(&self, svg: &mut String, x: f64, y: f64) {
        let path = match self.shape {
            0 => {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{}\"/>",
                    self.colour
                );
                return;
            }
            1 => format!("M{:.1} {:.1}h7.2v7.2h-7.2z", x - 3.6, y - 3.6),
            2 => format!("M{x:.1} {:.1}l4.6 8h-9.2z", y - 5.0),
            3 => format!("M{x:.1} {:.1}l5 5l-5 5l-5 -5z", y - 5.0),
            _ => {
                let _ = writeln!(
                    svg,
                    "<path d=\"M{:.1} {:.1}l7.2 7.2m0 -7.2l-7.2 7.2\" stroke=\"{}\" stroke-width=\"2.4\"/>",
                    x - 3.6,
                    y - 3.6,
                    self.colour
                );
                return;
            }
        };
        let _ = writeln!(svg, "<path d=\"{path}\" fill=\"{}\"/>", self.colour);
    }
}

/// Inside the document, so that it follows the reader's choice wherever it is shown.
pub(super) const STYLE: &str = "<style>text{font:13px system-ui,sans-serif;fill:#222}\
.grid{stroke:#ddd}.axis{stroke:#666}.title{font-size:15px;font-weight:600}.small{font-size:11px}\
@media(prefers-color-scheme:dark){text{fill:#eee}.grid{stroke:#444}.axis{stroke:#aaa}}\
</style>\n";

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

pub(super) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_string();
    }
    text.chars().take(most - 1).chain(['…']).collect()
}

/// About how wide a text is at 13 px: capitals are wide, and the reader's font
/// is not known.
pub(super) fn width(text: &str) -> f64 {
    let of = |c: char| {
        if c.is_ascii_uppercase() || "%@mwMW+=".contains(c) {
            9.6
        } else {
            7.4
        }
    };
    text.chars().map(of).sum()
}
