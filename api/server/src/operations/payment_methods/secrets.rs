//! Secrets of payment methods, by name, encrypted with the panel's key. No API call returns a secret; only the payment gateways
//! decrypt them for their calls.

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
pub fn check(input: &PaymentMethodInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.secrets.len() > MAX_SECRETS {
        errors.add("secrets", format!("Send at most {MAX_SECRETS} secrets."));
    }
    for (name, secret) in &input.secrets {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.is_empty() || name.len() > MAX_NAME_CHARS || !name.bytes().all(plain) {
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
    errors.or(())
}

/// Merges the secrets of an input into the stored ones and encrypts them. Returns the changed names for the audit trail.
pub(super) async fn seal(
    work: &mut UnitOfWork,
    ctx: &Ctx,
    id: PaymentMethodId,
    input: &PaymentMethodInput,
    names: &[String],
) -> Result<Vec<String>> {
    let set = input.secrets.iter().filter(|(_, secret)| !secret.is_empty());
    let mut changed: BTreeSet<&String> = set.clone().map(|(name, _)| name).collect();
    changed.extend(input.remove_secrets.iter().filter(|name| names.contains(name)));
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    let context = format!("payment_methods|secrets|{id}");
    let fault = |error: String| Error::Fault(error);
    let mut all: BTreeMap<String, String> = match store::sealed(work, id).await? {
        None => BTreeMap::new(),
        Some(sealed) => {
            let opened = ctx.app.secrets.open(&sealed, &context).map_err(fault)?;
            serde_json::from_slice(&opened).map_err(|error| Error::Fault(error.to_string()))?
        }
    };
    all.retain(|name, _| !input.remove_secrets.contains(name));
    all.extend(set.map(|(name, secret)| (name.clone(), secret.clone())));
    if all.len() > MAX_SECRETS {
        return Err(FieldErrors::one("secrets", format!("Keep at most {MAX_SECRETS} secrets.")).into());
    }
    let bytes = serde_json::to_vec(&all).map_err(|error| Error::Fault(error.to_string()))?;
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &bytes, &context).map_err(fault)?;
    let names: Vec<&String> = all.keys().collect();
    store::seal(work, id, (!all.is_empty()).then_some(sealed), &names).await?;
    Ok(changed.into_iter().cloned().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_secrets_short() {
        let wrong = |name: &str, secret: String| {
            let input = PaymentMethodInput {
                secrets: BTreeMap::from([(name.to_owned(), secret)]),
                ..Default::default()
            };
            check(&input).is_err()
        };
        assert!(!wrong("api_key", "x".into()));
        assert!(wrong("", "x".into()) && wrong("Api key", "x".into()) && wrong("é", "x".into()));
        assert!(wrong("api_key", "x".repeat(5_000)));
    }
}
