//! `panel-server secrets rotate` and `panel-server secrets status`: what a person reads of them. Keys are named by their ids.

use panel_kernel::error::Error;

use crate::app::App;
use crate::start::terminal::{print, tell};
use panel_platform::secrets::SealedBy;
use panel_platform::secrets::rotation::{self, Status};

/// Seals everything anew with the current key.
pub(crate) async fn rotate(app: &App) -> Result<(), String> {
    let key = app.secrets.key_id();
    tell(&format!("Sealing secrets with the key {key}; the panel may serve meanwhile."));
    let rotated = rotation::rotate(app, &|line| tell(line)).await.map_err(in_words)?;
    tell(&format!("{} values and {} documents were sealed anew.", rotated.values, rotated.documents));
    if rotated.late > 0 {
        tell(&format!(
            "{} of them were sealed with a former key meanwhile, by a process whose secret_key is not the new one. Give it the \
             new key, then rotate again.",
            rotated.late
        ));
    }
    if let Some(former) = rotated.retired {
        tell(&format!("The key {former} is retired; this database is sealed with {key} now."));
    }
    finish(app).await
}

/// Prints which key sealed how much.
pub(crate) async fn status(app: &App) -> Result<(), String> {
    let status = rotation::status(app).await.map_err(in_words)?;
    print(&text(&status))
}

/// An error as the operator reads it, who may know what a caller of the API may not.
fn in_words(error: Error) -> String {
    match error {
        Error::Fault(text) => text,
        Error::Storage(error) => error.text,
        other => other.report("").message,
    }
}

/// Prints the counts; an error where a former key is still needed.
async fn finish(app: &App) -> Result<(), String> {
    let status = rotation::status(app).await.map_err(in_words)?;
    print(&text(&status))?;
    if needs_former(&status) {
        return Err("some values are still sealed with another key; rotate again before you remove it".into());
    }
    tell("The former keys are not needed any more: remove them from former_secret_keys and from secret.key.");
    Ok(())
}

fn needs_former(status: &Status) -> bool {
    let mut keys = status.values.keys().chain(status.documents.keys());
    keys.any(|key| !matches!(key, SealedBy::Current(_)))
}

fn text(status: &Status) -> String {
    let mut text = String::new();
    let mut keys: Vec<&SealedBy> = status.values.keys().chain(status.documents.keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    for key in keys {
        let count =
            |counts: &std::collections::BTreeMap<SealedBy, u64>| counts.get(key).copied().unwrap_or(0);
        let (values, documents) = (count(&status.values), count(&status.documents));
        let name = match key {
            SealedBy::Current(id) => format!("{id} (current)"),
            SealedBy::Former(id) => format!("{id} (former)"),
            SealedBy::Unknown(id) => format!("{id} (not configured: cannot be opened)"),
            SealedBy::Unmarked => "sealed without a key id".to_owned(),
        };
        text.push_str(&format!("{name}: {values} values, {documents} documents\n"));
    }
    if status.plain_documents > 0 {
        text.push_str(&format!("not encrypted: {} documents\n", status.plain_documents));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use panel_platform::secrets::Secrets;

    #[test]
    fn counts_are_told_by_key() {
        let key = Secrets::new(&[7; 32]).key_id();
        let mut status = Status { plain_documents: 3, ..Status::default() };
        status.values.insert(SealedBy::Current(key), 2);
        assert!(!needs_former(&status));
        status.documents.insert(SealedBy::Former(key), 1);
        status.values.insert(SealedBy::Unmarked, 4);
        assert!(needs_former(&status));
        let expected = format!(
            "{key} (current): 2 values, 0 documents\n{key} (former): 0 values, 1 documents\n\
             sealed without a key id: 4 values, 0 documents\nnot encrypted: 3 documents\n"
        );
        assert_eq!(text(&status), expected);
    }
}
