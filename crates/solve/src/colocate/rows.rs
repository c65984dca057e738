//! Rows of different length, one after the other.

/// Entries by row.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Rows<T> {
    starts: Vec<usize>,
    all: Vec<T>,
}

impl<T: Copy> Rows<T> {
    /// So many rows from entries in any order; within a row the order stays.
    pub fn collect(count: usize, entries: impl Iterator<Item = (u32, T)>) -> Self {
        let mut rows: Vec<Vec<T>> = vec![Vec::new(); count];
        for (row, entry) in entries {
            rows[row as usize].push(entry);
        }
        let mut starts = vec![0];
        for row in &rows {
            starts.push(starts.last().unwrap_or(&0) + row.len());
        }
        Self {
            starts,
            all: rows.concat(),
        }
    }

    /// One row.
    #[inline]
    pub fn row(&self, index: usize) -> &[T] {
        &self.all[self.starts[index]..self.starts[index + 1]]
    }
}
