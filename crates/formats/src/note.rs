//! What a format says that a problem cannot.

use std::fmt;

/// Something the input holds that the problem cannot express exactly, and how
/// it was treated: on the safe side, never as if it were absent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// The code that `bayplan explain` knows.
    pub code: &'static str,
    /// The objects concerned: the first few by name.
    pub objects: Vec<String>,
    /// How many objects are concerned.
    pub count: usize,
    /// What cannot be expressed and how it was treated.
    pub text: String,
}

impl Note {
    /// Objects listed by name.
    pub const LISTED: usize = 20;

    /// About the input as a whole.
    pub fn general(code: &'static str, text: impl Into<String>) -> Self {
        Self {
            code,
            objects: Vec::new(),
            count: 0,
            text: text.into(),
        }
    }

    /// About these objects; only the first few names are kept.
    pub fn about(
        code: &'static str,
        text: impl Into<String>,
        objects: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let mut note = Self::general(code, text);
        for object in objects {
            note.add(object);
        }
        note
    }

    /// One more object.
    pub fn add(&mut self, object: impl Into<String>) {
        if self.objects.len() < Self::LISTED {
            self.objects.push(object.into());
        }
        self.count += 1;
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.text)?;
        if !self.objects.is_empty() {
            write!(f, ": {}", self.objects.join(", "))?;
            if self.count > self.objects.len() {
                write!(f, " and {} more", self.count - self.objects.len())?;
            }
        }
        Ok(())
    }
}
