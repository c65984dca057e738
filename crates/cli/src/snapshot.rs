//! `bayplan snapshot`: the live cluster into a file that every verb reads.

use anyhow::Result;
use bayplan_formats::ReadOptions;
use clap::Args;

use crate::failure::Verdict;
use crate::files;
use crate::live::ConnectionArgs;

/// What to read and where to write it.
#[derive(Args)]
pub struct SnapshotArgs {
    #[command(flatten)]
    connection: ConnectionArgs,
    /// Where to write the list; `.gz` is compressed.
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: String,
}

impl SnapshotArgs {
    /// Reads, checks that it can be planned with, writes.
    pub fn run(self) -> Result<Verdict> {
        let snapshot = self.connection.snapshot(ReadOptions::default())?;
        for note in &snapshot.input.notes {
            eprintln!("note: {note}");
        }
        files::write(&self.out, |out| out.write_all(&snapshot.list))?;
        if let Some(services) = snapshot.problem().services() {
            eprintln!(
                "{} nodes, {} services, {} pods",
                snapshot.problem().cluster().nodes.len(),
                services.len(),
                services.placement.replicas()
            );
        }
        Ok(Verdict::Holds)
    }
}
