//! What survives: inputs and finished runs in one file, or in memory.
//!
//! Every change is one transaction, on disk before it is answered; a process
//! killed at any moment finds its last state again.

use std::io::{self, Read, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use redb::backends::InMemoryBackend;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};

type Table = TableDefinition<'static, &'static str, &'static [u8]>;

/// Records, JSON by id.
const INPUTS: Table = TableDefinition::new("inputs");
const RUNS: Table = TableDefinition::new("runs");
/// Compressed texts: `ID/name`.
const TEXTS: Table = TableDefinition::new("texts");
/// The last number of an id, and what sets this store's ids apart.
const NUMBERS: TableDefinition<&str, u64> = TableDefinition::new("numbers");

/// redb's own cache of pages.
const CACHE: usize = 16 << 20;

/// The largest text ever decompressed.
const LARGEST: u64 = 2 << 30;

/// Which records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// Inputs.
    Input,
    /// Finished runs.
    Run,
}

impl Kind {
    fn table(self) -> Table {
        match self {
            Self::Input => INPUTS,
            Self::Run => RUNS,
        }
    }
}

/// The store.
pub struct Store {
    database: Database,
}

/// A failure of the store.
#[derive(Debug, thiserror::Error)]
#[error("the store failed: {0}")]
pub struct StoreError(String);

fn failed(error: impl std::fmt::Display) -> StoreError {
    StoreError(error.to_string())
}

impl Store {
    /// Opens or creates the file, readable by its owner only; `None`: memory.
    pub fn open(path: Option<&Path>) -> Result<Self, StoreError> {
        let mut builder = Database::builder();
        builder.set_cache_size(CACHE);
        let database = match path {
            Some(path) => builder.create_file(private_file(path).map_err(failed)?),
            None => builder.create_with_backend(InMemoryBackend::new()),
        };
        let store = Self {
            database: database.map_err(failed)?,
        };
        // The tables are there from the start, so that reading never misses one.
        let write = store.database.begin_write().map_err(failed)?;
        for table in [INPUTS, RUNS, TEXTS] {
            write.open_table(table).map_err(failed)?;
        }
        write.open_table(NUMBERS).map_err(failed)?;
        write.commit().map_err(failed)?;
        Ok(store)
    }

    /// A number never given before, and the id made of it: `i12-4f09ac`. The
    /// end belongs to this store, so that an id from before a restart that kept
    /// nothing, in a page or a bookmark, never names something else.
    pub fn next_id(&self, letter: char) -> Result<(u64, String), StoreError> {
        let write = self.database.begin_write().map_err(failed)?;
        let (next, mark) = {
            let mut table = write.open_table(NUMBERS).map_err(failed)?;
            let kept = |name: &str| -> Result<Option<u64>, StoreError> {
                Ok(table.get(name).map_err(failed)?.map(|n| n.value()))
            };
            let next = kept("last")?.unwrap_or(0) + 1;
            let mark = kept("mark")?.unwrap_or_else(fresh_mark);
            table.insert("last", next).map_err(failed)?;
            table.insert("mark", mark).map_err(failed)?;
            (next, mark)
        };
        write.commit().map_err(failed)?;
        Ok((next, format!("{letter}{next}-{mark:06x}")))
    }

    /// All records of a kind.
    pub fn records(&self, kind: Kind) -> Result<Vec<Vec<u8>>, StoreError> {
        let read = self.database.begin_read().map_err(failed)?;
        let table = read.open_table(kind.table()).map_err(failed)?;
        let rows = table.iter().map_err(failed)?;
        rows.map(|row| row.map(|(_, value)| value.value().to_vec()).map_err(failed))
            .collect()
    }

    /// Writes a record and its texts, all or nothing.
    pub fn put(
        &self,
        kind: Kind,
        id: &str,
        record: &[u8],
        texts: &[(String, Vec<u8>)],
    ) -> Result<(), StoreError> {
        let write = self.database.begin_write().map_err(failed)?;
        {
            let mut records = write.open_table(kind.table()).map_err(failed)?;
            records.insert(id, record).map_err(failed)?;
            let mut table = write.open_table(TEXTS).map_err(failed)?;
            for (name, packed) in texts {
                let key = format!("{id}/{name}");
                table
                    .insert(key.as_str(), packed.as_slice())
                    .map_err(failed)?;
            }
        }
        write.commit().map_err(failed)
    }

    /// Removes a record and its texts.
    pub fn remove(&self, kind: Kind, id: &str) -> Result<(), StoreError> {
        let write = self.database.begin_write().map_err(failed)?;
        {
            let mut records = write.open_table(kind.table()).map_err(failed)?;
            records.remove(id).map_err(failed)?;
            let mut table = write.open_table(TEXTS).map_err(failed)?;
            // `0` follows `/`: all keys that begin with the id and a slash.
            let (from, to) = (format!("{id}/"), format!("{id}0"));
            table
                .retain_in(from.as_str()..to.as_str(), |_, _| false)
                .map_err(failed)?;
        }
        write.commit().map_err(failed)
    }

    /// A text of a record.
    pub fn text(&self, id: &str, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let read = self.database.begin_read().map_err(failed)?;
        let table = read.open_table(TEXTS).map_err(failed)?;
        let found = table.get(format!("{id}/{name}").as_str()).map_err(failed)?;
        found
            .map(|packed| unpack(packed.value()).map_err(failed))
            .transpose()
    }
}

/// 24 bits by chance, which tell stores apart. Not secret: the token is what keeps people out.
#[allow(clippy::disallowed_types)] // it names a store and reaches no plan
fn fresh_mark() -> u64 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(()) >> 40
}

/// Compressed, as texts are kept.
pub fn pack(text: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Writing to memory does not fail.
    let _ = encoder.write_all(text);
    encoder.finish().unwrap_or_default()
}

fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    GzDecoder::new(packed)
        .take(LARGEST)
        .read_to_end(&mut text)?;
    Ok(text)
}

#[cfg(unix)]
fn private_file(path: &Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    let file = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)?;
    // A file that was there before may be open to others.
    file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    Ok(file)
}

#[cfg(not(unix))]
fn private_file(path: &Path) -> io::Result<std::fs::File> {
    std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_belong_to_their_record() {
        let store = Store::open(None).unwrap();
        let text = |name: &str| (name.to_string(), pack(name.as_bytes()));
        store
            .put(Kind::Run, "r1", b"{}", &[text("0/plan")])
            .unwrap();
        store
            .put(Kind::Run, "r10", b"{}", &[text("0/plan")])
            .unwrap();
        store.remove(Kind::Run, "r1").unwrap();
        assert_eq!(store.text("r1", "0/plan").unwrap(), None);
        assert_eq!(store.text("r10", "0/plan").unwrap().unwrap(), b"0/plan");
        assert_eq!(store.records(Kind::Run).unwrap().len(), 1);
        assert!(store.records(Kind::Input).unwrap().is_empty());
    }

    #[test]
    fn ids_count_up_and_belong_to_their_store() {
        let ids = |store: &Store| {
            let (first, input) = store.next_id('i').unwrap();
            let (second, run) = store.next_id('r').unwrap();
            assert_eq!((first, second), (1, 2));
            let (input, run) = (input.strip_prefix("i1-"), run.strip_prefix("r2-"));
            assert!(input.is_some() && input == run);
            input.unwrap_or_default().to_string()
        };
        let open = || Store::open(None).unwrap();
        assert_ne!(ids(&open()), ids(&open()));
    }
}
