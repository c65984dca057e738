//! One kind's objects, page by page.

use std::time::Duration;

use http::Request;
use kube::Client;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::kinds::Kind;
use super::strip::write_item;
use crate::Error;
use crate::prometheus::escaped;

/// A page is small; a server that takes longer is not answering.
const PATIENCE: Duration = Duration::from_secs(120);

/// Tries of one page, and of one list whose pages expired.
const TRIES: u32 = 5;
const LISTS: u32 = 3;

#[derive(Deserialize)]
struct Page<'a> {
    metadata: Option<Meta>,
    #[serde(borrow)]
    items: Option<Vec<&'a RawValue>>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(rename = "continue")]
    next: Option<String>,
}

/// Appends all objects of a kind to a list that was `empty` bytes long without any.
pub(crate) async fn append(
    client: &Client,
    kind: &'static Kind,
    page: u32,
    list: &mut Vec<u8>,
    empty: usize,
) -> Result<(), Error> {
    let start = list.len();
    for _ in 0..LISTS {
        match whole(client, kind, page, list, empty).await {
            // The server forgot the state the pages are of: from the start.
            Err(Error::Api { code: 410, .. }) => list.truncate(start),
            // An API group that the server does not have has no objects.
            Err(Error::Api { code: 404, .. }) => return Ok(()),
            other => return other,
        }
    }
    Err(Error::Expired(kind.plural))
}

async fn whole(
    client: &Client,
    kind: &Kind,
    page: u32,
    list: &mut Vec<u8>,
    empty: usize,
) -> Result<(), Error> {
    let mut next: Option<String> = None;
    loop {
        let text = patiently(client, kind, page, next.as_deref()).await?;
        let unreadable = |error: serde_json::Error| Error::Answer {
            what: format!("list {}", kind.plural),
            message: error.to_string(),
        };
        let page: Page<'_> = serde_json::from_str(&text).map_err(unreadable)?;
        for item in page.items.unwrap_or_default() {
            if list.len() > empty {
                list.push(b',');
            }
            list.push(b'\n');
            write_item(kind, item, list).map_err(unreadable)?;
        }
        next = page.metadata.and_then(|meta| meta.next);
        next = next.filter(|token| !token.is_empty());
        if next.is_none() {
            return Ok(());
        }
    }
}

/// One page, asked for again after a pause when the trouble may pass.
async fn patiently(
    client: &Client,
    kind: &Kind,
    page: u32,
    next: Option<&str>,
) -> Result<String, Error> {
    let mut pause = Duration::from_millis(200);
    for attempt in 1.. {
        match ask(client, kind, page, next).await {
            Err(error) if error.is_passing() && attempt < TRIES => {
                tokio::time::sleep(pause).await;
                pause *= 3;
            }
            other => return other,
        }
    }
    unreachable!("the last try returns")
}

async fn ask(client: &Client, kind: &Kind, page: u32, next: Option<&str>) -> Result<String, Error> {
    let what = format!("list {}", kind.plural);
    let mut uri = format!("{}?limit={page}", kind.path());
    if let Some(next) = next {
        uri.push_str("&continue=");
        uri.push_str(&escaped(next));
    }
    let request = Request::get(uri).body(Vec::new()).map_err(|error| {
        let error = kube::Error::HttpError(error);
        Error::from_client(&what, error)
    })?;
    match tokio::time::timeout(PATIENCE, client.request_text(request)).await {
        Ok(answer) => answer.map_err(|error| Error::from_client(&what, error)),
        Err(_) => Err(Error::Unreachable(format!(
            "no answer to {what} within {} s",
            PATIENCE.as_secs()
        ))),
    }
}
