//! Names of a kind of object, by id and back.

use rustc_hash::FxHashMap;

/// The names of all objects of one kind, unique, in id order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names {
    names: Vec<Box<str>>,
    index: FxHashMap<Box<str>, u32>,
}

impl Names {
    /// Adds a name; `Err` gives the id of the object that already has it.
    pub fn add(&mut self, name: &str) -> Result<u32, u32> {
        if let Some(&id) = self.index.get(name) {
            return Err(id);
        }
        let id = u32::try_from(self.names.len()).expect("more than 2^32 names");
        self.names.push(name.into());
        self.index.insert(name.into(), id);
        Ok(id)
    }

    /// Names `prefix0`, `prefix1`, ... for generated objects.
    pub fn numbered(prefix: &str, count: usize) -> Self {
        let mut names = Self::default();
        for i in 0..count {
            names.add(&format!("{prefix}{i}")).expect("numbers differ");
        }
        names
    }

    /// The id of a name.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.index.get(name).copied()
    }

    /// The name of an id.
    pub fn get(&self, id: usize) -> &str {
        &self.names[id]
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// All names in id order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(AsRef::as_ref)
    }

    /// The known name nearest to a misspelt one, for "did you mean".
    pub fn nearest(&self, wanted: &str) -> Option<&str> {
        let budget = wanted.chars().count() / 3 + 1;
        // A bound on the work: a hint is not worth a scan of a huge table.
        let candidates = self.names.iter().take(20_000);
        candidates
            .map(|name| (edit_distance(wanted, name, budget), name))
            .filter(|(distance, _)| *distance <= budget)
            .min_by_key(|(distance, _)| *distance)
            .map(|(_, name)| name.as_ref())
    }
}

/// Edit distance, given up above `budget`.
fn edit_distance(a: &str, b: &str, budget: usize) -> usize {
    if a.len().abs_diff(b.len()) > budget * 4 || a.len() > 100 || b.len() > 100 {
        return budget + 1;
    }
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_finds_its_neighbour() {
        let mut names = Names::default();
        for name in ["checkout", "cart", "payments"] {
            names.add(name).unwrap();
        }
        assert_eq!(names.nearest("chekout"), Some("checkout"));
        assert_eq!(names.nearest("zebra-crossing"), None);
        assert_eq!(names.add("cart"), Err(1));
    }
}
