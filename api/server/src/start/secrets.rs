//! `panel-server secrets rotate` and `panel-server secrets status`. The output contains the ids of keys and must never contain a
//! key.

use panel_kernel::error::Error;

use crate::app::App;
use crate::start::terminal::{print_message, print_output};
use panel_platform::secrets::SealedBy;
use panel_platform::secrets::rotation::{self, SealStatus};

/// Reseals all secrets with the current key.
pub(crate) async fn rotate(app: &App) -> Result<(), String> {
    let current_key_id = app.secrets.key_id();
    print_message(&format!("Resealing secrets with the key {current_key_id}. The panel can stay online."));
    let rotation_counts =
        rotation::rotate(app, &|line| print_message(line)).await.map_err(operator_message)?;
    print_message(&format!(
        "Resealed {} values and {} documents.",
        rotation_counts.values, rotation_counts.documents
    ));
    if rotation_counts.resealed_in_last_pass > 0 {
        print_message(&format!(
            "Another process sealed {} of them with a former key during the rotation, because its secret_key is not the current key. Set \
             the current key for every process, then rotate again.",
            rotation_counts.resealed_in_last_pass
        ));
    }
    if let Some(former_key_id) = rotation_counts.retired {
        print_message(&format!(
            "The key {former_key_id} is retired. This database is now sealed with {current_key_id}."
        ));
    }
    check_former_keys(app).await
}

/// Prints how many values each key seals.
pub(crate) async fn print_status(app: &App) -> Result<(), String> {
    let status = rotation::count_values_by_key(app).await.map_err(operator_message)?;
    print_output(&format_status(&status))
}

/// The error message for the operator, with details that the API must not show.
fn operator_message(error: Error) -> String {
    match error {
        Error::Internal(text) => text,
        Error::Storage(error) => error.text,
        other => other.report("").message,
    }
}

/// Prints how many values each key seals. Returns an error if a former key is still needed.
async fn check_former_keys(app: &App) -> Result<(), String> {
    let status = rotation::count_values_by_key(app).await.map_err(operator_message)?;
    print_output(&format_status(&status))?;
    if needs_former_key(&status) {
        return Err("some values are still sealed with a former key. Run `panel-server secrets rotate` again before you remove that key".into());
    }
    print_message(
        "The former keys are no longer needed: remove them from former_secret_keys and from secret.key.",
    );
    Ok(())
}

fn needs_former_key(status: &SealStatus) -> bool {
    let mut sealing_keys = status.values.keys().chain(status.documents.keys());
    sealing_keys.any(|key| !matches!(key, SealedBy::Current(_)))
}

fn format_status(status: &SealStatus) -> String {
    let mut text = String::new();
    let mut sealing_keys: Vec<&SealedBy> = status.values.keys().chain(status.documents.keys()).collect();
    sealing_keys.sort_unstable();
    sealing_keys.dedup();
    for key in sealing_keys {
        let count =
            |counts: &std::collections::BTreeMap<SealedBy, u64>| counts.get(key).copied().unwrap_or(0);
        let (value_count, document_count) = (count(&status.values), count(&status.documents));
        let key_name = match key {
            SealedBy::Current(id) => format!("{id} (current)"),
            SealedBy::Former(id) => format!("{id} (former)"),
            SealedBy::Unknown(id) => format!("{id} (not configured: cannot be opened)"),
            SealedBy::WithoutKeyId => "sealed without a key id".to_owned(),
        };
        text.push_str(&format!("{key_name}: {value_count} values, {document_count} documents\n"));
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
        let key_id = Secrets::new(&[7; 32]).key_id();
        let mut status = SealStatus { plain_documents: 3, ..SealStatus::default() };
        status.values.insert(SealedBy::Current(key_id), 2);
        assert!(!needs_former_key(&status));
        status.documents.insert(SealedBy::Former(key_id), 1);
        status.values.insert(SealedBy::WithoutKeyId, 4);
        assert!(needs_former_key(&status));
        let expected_output = format!(
            "{key_id} (current): 2 values, 0 documents\n{key_id} (former): 0 values, 1 documents\n\
             sealed without a key id: 4 values, 0 documents\nnot encrypted: 3 documents\n"
        );
        assert_eq!(format_status(&status), expected_output);
    }
}
