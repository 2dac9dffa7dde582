//! Secrets of payment methods: sealed under the panel's key, by name. Nothing here gives one back to a caller; the
//! gateways open them where they call out.

use std::collections::{BTreeMap, BTreeSet};

use panel_contract::fields::FieldErrors;
use panel_contract::ids::PaymentMethodId;
use panel_contract::payment_methods::PaymentMethodInput;
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::operations::payment_methods::store;
use panel_platform::work::Work;

const MOST: usize = 20;
const LONGEST_NAME: usize = 40;
const LONGEST: usize = 4_096;

/// What is wrong with the secrets of an input.
pub fn check(input: &PaymentMethodInput) -> Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    if input.secrets.len() > MOST {
        errors.add("secrets", format!("Give at most {MOST} secrets."));
    }
    for (name, secret) in &input.secrets {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
        if name.is_empty() || name.len() > LONGEST_NAME || !name.bytes().all(plain) {
            errors.add("secrets", "Name secrets with small letters, digits and _, such as api_key.");
        }
        if secret.len() > LONGEST {
            errors.add(format!("secrets.{name:.40}"), format!("A secret has at most {LONGEST} bytes."));
        }
    }
    errors.or(())
}

/// Seals what an input gives beside what there is; the names that changed, for the trail.
pub(super) async fn put(
    work: &mut Work,
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
    let place = format!("payment_methods|secrets|{id}");
    let fault = |error: String| Error::Fault(error);
    let mut all: BTreeMap<String, String> = match store::sealed(work, id).await? {
        None => BTreeMap::new(),
        Some(sealed) => {
            let opened = ctx.app.secrets.open(&sealed, &place).map_err(fault)?;
            serde_json::from_slice(&opened).map_err(|error| Error::Fault(error.to_string()))?
        }
    };
    all.retain(|name, _| !input.remove_secrets.contains(name));
    all.extend(set.map(|(name, secret)| (name.clone(), secret.clone())));
    if all.len() > MOST {
        return Err(FieldErrors::one("secrets", format!("Keep at most {MOST} secrets.")).into());
    }
    let bytes = serde_json::to_vec(&all).map_err(|error| Error::Fault(error.to_string()))?;
    let sealed = ctx.app.secrets.seal(&ctx.app.random, &bytes, &place).map_err(fault)?;
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
