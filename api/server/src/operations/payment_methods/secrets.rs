//! Stores the secrets of payment methods, by name, encrypted with the key of the server. No endpoint returns a secret; only the
//! payment gateways decrypt the secrets for their requests.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::PaymentMethodId;
use panel_contract::payment_methods::PaymentMethodInput;
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::operations::payment_methods::store;
use panel_platform::work::UnitOfWork;

const MAX_SECRETS: usize = 20;
const MAX_NAME_CHARS: usize = 40;
const MAX_SECRET_CHARS: usize = 4_096;

/// Validates the secrets of an input.
pub fn validate(input: &PaymentMethodInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.secrets.len() > MAX_SECRETS {
        errors.add("secrets", format!("Send at most {MAX_SECRETS} secrets."));
    }
    for (name, secret) in &input.secrets {
        let is_allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.bytes().all(is_allowed) {
            errors.add(
                "secrets",
                "Use lowercase letters, digits and _ in the name of a secret, such as api_key.",
            );
        }
        if secret.len() > MAX_SECRET_CHARS {
            errors.add(
                format!("secrets.{name:.40}"),
                format!("A secret has at most {MAX_SECRET_CHARS} bytes."),
            );
        }
    }
    errors.into_result(())
}

/// Merges the secrets of an input into the stored secrets, encrypts and stores them. Returns the names of the changed secrets for
/// the audit trail.
pub(super) async fn merge_and_store(
    work: &mut UnitOfWork,
    ctx: &Ctx,
    id: PaymentMethodId,
    input: &PaymentMethodInput,
    stored_names: &[String],
) -> Result<Vec<String>> {
    let new_secrets = input.secrets.iter().filter(|(_, secret)| !secret.is_empty());
    let mut changed_names: BTreeSet<&String> = new_secrets.clone().map(|(name, _)| name).collect();
    changed_names.extend(input.remove_secrets.iter().filter(|name| stored_names.contains(name)));
    if changed_names.is_empty() {
        return Ok(Vec::new());
    }
    let context = format!("payment_methods|secrets|{id}");
    let internal_error = |error: String| Error::Internal(error);
    let mut secrets: BTreeMap<String, String> = match store::load_sealed_secrets(work, id).await? {
        None => BTreeMap::new(),
        Some(encrypted_secrets) => {
            let decrypted = ctx.app.secrets.open(&encrypted_secrets, &context).map_err(internal_error)?;
            serde_json::from_slice(&decrypted).map_err(|error| Error::Internal(error.to_string()))?
        }
    };
    secrets.retain(|name, _| !input.remove_secrets.contains(name));
    secrets.extend(new_secrets.map(|(name, secret)| (name.clone(), secret.clone())));
    if secrets.len() > MAX_SECRETS {
        return Err(FieldErrors::single("secrets", format!("Keep at most {MAX_SECRETS} secrets.")).into());
    }
    let secrets_json = serde_json::to_vec(&secrets).map_err(|error| Error::Internal(error.to_string()))?;
    let encrypted_secrets =
        ctx.app.secrets.seal(&ctx.app.random, &secrets_json, &context).map_err(internal_error)?;
    let names: Vec<&String> = secrets.keys().collect();
    store::write_sealed_secrets(work, id, (!secrets.is_empty()).then_some(encrypted_secrets), &names).await?;
    Ok(changed_names.into_iter().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejects_invalid_names_and_long_secrets() {
        let is_rejected = |name: &str, secret: String| {
            let input = PaymentMethodInput {
                secrets: BTreeMap::from([(name.to_owned(), secret)]),
                ..Default::default()
            };
            validate(&input).is_err()
        };
        assert!(!is_rejected("api_key", "x".into()));
        assert!(
            is_rejected("", "x".into()) && is_rejected("Api key", "x".into()) && is_rejected("é", "x".into())
        );
        assert!(is_rejected("api_key", "x".repeat(5_000)));
    }
}
