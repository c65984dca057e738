//! From the text of a limit's target to a service.

use bayplan_model::{Names, ServiceId};

const NONE: u32 = u32::MAX;

/// Names by text, and by number where names are plain numbers: 50 million
/// look-ups through a hash of text would take most of the time.
pub(crate) struct Targets<'a> {
    names: &'a Names,
    by_number: Vec<u32>,
}

impl<'a> Targets<'a> {
    pub fn new(names: &'a Names) -> Self {
        // Numbers up to a few times the count: a table indexed by them stays small.
        let largest = names.len() as u64 * 8 + 1024;
        let mut by_number = Vec::new();
        for (id, name) in names.iter().enumerate() {
            if let Some(number) = plain_number(name.as_bytes()).filter(|n| *n < largest) {
                let number = number as usize;
                if by_number.len() <= number {
                    by_number.resize(number + 1, NONE);
                }
                by_number[number] = id as u32;
            }
        }
        Self { names, by_number }
    }

    /// The service of this name.
    pub fn find(&self, text: &[u8]) -> Option<ServiceId> {
        if let Some(number) = plain_number(text) {
            let found = self.by_number.get(number as usize).copied();
            if let Some(id) = found.filter(|id| *id != NONE) {
                return Some(ServiceId(id));
            }
        }
        self.names
            .find(std::str::from_utf8(text).ok()?)
            .map(ServiceId)
    }
}

/// A number written the one way: no sign, no leading zero.
fn plain_number(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 10 || (text[0] == b'0' && text.len() > 1) {
        return None;
    }
    text.iter().try_fold(0u64, |number, byte| {
        byte.is_ascii_digit()
            .then(|| number * 10 + u64::from(byte - b'0'))
    })
}
