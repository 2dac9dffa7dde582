//! `panel-server secrets rotate` and `panel-server secrets status`. The output contains the ids of keys and never a key.

use panel_kernel::error::Error;

use crate::app::App;
use crate::start::terminal::{print, print_message};
use panel_platform::secrets::SealedBy;
use panel_platform::secrets::rotation::{self, SealStatus};

/// Reseals all secrets with the current key.
pub(crate) async fn rotate(app: &App) -> Result<(), String> {
    let key = app.secrets.key_id();
    print_message(&format!("Resealing secrets with the key {key}; the panel can stay online."));
    let rotation_result =
        rotation::rotate(app, &|line| print_message(line)).await.map_err(operator_message)?;
    print_message(&format!(
        "Resealed {} values and {} documents.",
        rotation_result.values, rotation_result.documents
    ));
    if rotation_result.resealed_late > 0 {
        print_message(&format!(
            "{} of them were sealed with a former key meanwhile, by a process whose secret_key is not the new one. Give it the \
             new key, then rotate again.",
            rotation_result.resealed_late
        ));
    }
    if let Some(former_key) = rotation_result.retired {
        print_message(&format!("The key {former_key} is retired; this database is sealed with {key} now."));
    }
    finish(app).await
}

/// Prints how many values each key seals.
pub(crate) async fn status(app: &App) -> Result<(), String> {
    let status = rotation::count_values_by_key(app).await.map_err(operator_message)?;
    print(&status_text(&status))
}

/// The error text for the operator, with details that an API caller may not see.
fn operator_message(error: Error) -> String {
    match error {
        Error::Internal(text) => text,
        Error::Storage(error) => error.text,
        other => other.report("").message,
    }
}

/// Prints the counts. Returns an error if a former key is still needed.
async fn finish(app: &App) -> Result<(), String> {
    let status = rotation::count_values_by_key(app).await.map_err(operator_message)?;
    print(&status_text(&status))?;
    if needs_former_key(&status) {
        return Err("some values are still sealed with another key; rotate again before you remove it".into());
    }
    print_message(
        "The former keys are no longer needed: remove them from former_secret_keys and from secret.key.",
    );
    Ok(())
}

fn needs_former_key(status: &SealStatus) -> bool {
    let mut keys = status.values.keys().chain(status.documents.keys());
    keys.any(|key| !matches!(key, SealedBy::Current(_)))
}

fn status_text(status: &SealStatus) -> String {
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
            SealedBy::WithoutKeyId => "sealed without a key id".to_owned(),
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
    fn prints_counts_by_key() {
        let key = Secrets::new(&[7; 32]).key_id();
        let mut status = SealStatus { plain_documents: 3, ..SealStatus::default() };
        status.values.insert(SealedBy::Current(key), 2);
        assert!(!needs_former_key(&status));
        status.documents.insert(SealedBy::Former(key), 1);
        status.values.insert(SealedBy::WithoutKeyId, 4);
        assert!(needs_former_key(&status));
        let expected = format!(
            "{key} (current): 2 values, 0 documents\n{key} (former): 0 values, 1 documents\n\
             sealed without a key id: 4 values, 0 documents\nnot encrypted: 3 documents\n"
        );
        assert_eq!(status_text(&status), expected);
    }
}
