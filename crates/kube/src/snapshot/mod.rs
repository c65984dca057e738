//! The cluster as it is now: every object a plan depends on.

mod kinds;
mod pages;
mod strip;

use std::sync::LazyLock;

use bayplan_formats::{Input, Objects, PodRef, ReadOptions, WorkloadRef, read};
use bayplan_model::{Problem, ServiceId};
use kube::Client;

use crate::Error;

/// How to take a snapshot.
#[derive(Clone, Debug)]
pub struct SnapshotOptions {
    /// Objects asked for at once.
    pub page: u32,
    /// How the list is read: the same options as for a file.
    pub read: ReadOptions,
}

impl Default for SnapshotOptions {
    fn default() -> Self {
        Self {
            page: 500,
            read: ReadOptions::default(),
        }
    }
}

/// The cluster at one moment.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// All objects as one list, as `kubectl get ... -o json` prints it, without
    /// what plans do not need (managed fields, environments of containers).
    pub list: Vec<u8>,
    /// The problem made of it, by the same importer that reads files.
    pub input: Input,
}

impl Snapshot {
    /// A snapshot from a list that is already there, such as a file.
    pub fn of_list(list: Vec<u8>, options: &ReadOptions) -> Result<Self, Error> {
        let input = read(&list, options)?;
        Ok(Self { list, input })
    }

    /// The problem.
    pub fn problem(&self) -> &Problem {
        &self.input.problem
    }

    /// The cluster's objects behind the problem.
    pub fn objects(&self) -> &Objects {
        static NONE: LazyLock<Objects> = LazyLock::new(Objects::default);
        self.input.objects.as_deref().unwrap_or(&NONE)
    }

    /// The pods of a service.
    pub fn pods(&self, service: ServiceId) -> &[PodRef] {
        let pods = self.objects().pods.get(service.index());
        pods.map_or(&[], Vec::as_slice)
    }

    /// What replaces the pods of a service.
    pub fn workload(&self, service: ServiceId) -> Option<&WorkloadRef> {
        self.objects().workloads.get(service.index())
    }
}

/// Reads the whole cluster and makes a problem of it. Only gets and lists.
pub async fn snapshot(client: &Client, options: &SnapshotOptions) -> Result<Snapshot, Error> {
    let list = raw_list(client, options.page).await?;
    let read_options = options.read.clone();
    // Reading a large list takes seconds of computing: not on the thread that
    // answers the network.
    let work = tokio::task::spawn_blocking(move || Snapshot::of_list(list, &read_options));
    work.await.map_err(|error| Error::Answer {
        what: "read the list".into(),
        message: error.to_string(),
    })?
}

/// The objects as one list.
///
/// Pods come first and what they refer to after them: an owner or a node that
/// appears in between is then found, and one that vanished is truly gone.
pub async fn raw_list(client: &Client, page: u32) -> Result<Vec<u8>, Error> {
    let mut list = br#"{"apiVersion":"v1","kind":"List","items":["#.to_vec();
    let empty = list.len();
    for kind in kinds::KINDS {
        pages::append(client, kind, page, &mut list, empty).await?;
    }
    list.extend_from_slice(b"]}\n");
    Ok(list)
}
