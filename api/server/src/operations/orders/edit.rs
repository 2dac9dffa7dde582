//! Changing what an order says, not where it stands: url, comment, refill flags.

use panel_contract::fields::FieldErrors;
use panel_contract::ids::OrderId;
use panel_domain::orders::{self, Action};
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::operations::orders::losses;
use crate::operations::orders::store;
use crate::stores::orders::fields::{self, OrderField};
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::Val;
use panel_platform::work::Work;

/// Longest address of an order, in characters.
const LONGEST_URL: usize = 2_000;
/// Longest comment, in characters.
const LONGEST_COMMENT: usize = 5_000;

/// A field that can be edited, and its value as it is stored and as the audit trail shows it.
pub struct Edit {
    field: OrderField,
    value: Val,
    shown: Value,
}

/// Another address; absolute and http(s).
pub fn url(url: &str) -> Result<Edit> {
    let url = url.trim();
    check_url(url)?;
    Ok(Edit { field: OrderField::Url, value: url.into(), shown: json!(url) })
}

/// Whether an order can go to an address.
pub fn check_url(url: &str) -> Result<(), FieldErrors> {
    let url = url.trim();
    let parsed = url::Url::parse(url)
        .ok()
        .filter(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host());
    if parsed.is_none() || url.chars().count() > LONGEST_URL || url.chars().any(char::is_control) {
        return Err(FieldErrors::one(
            "url",
            "Give an absolute address that begins with http:// or https://, of at most 2,000 characters.",
        ));
    }
    Ok(())
}

/// Another comment; empty removes it.
pub fn comment(comment: Option<&str>) -> Result<Edit> {
    let comment = comment.map(str::trim).filter(|comment| !comment.is_empty());
    if comment.is_some_and(|comment| comment.chars().count() > LONGEST_COMMENT) {
        return Err(FieldErrors::one("comment", "Write at most 5,000 characters.").into());
    }
    Ok(Edit { field: OrderField::Comment, value: comment.into(), shown: json!(comment) })
}

/// Whether a refill may be asked for.
#[must_use]
pub fn has_refill(value: bool) -> Edit {
    Edit { field: OrderField::HasRefill, value: value.into(), shown: json!(value) }
}

/// Whether refills come by themselves.
#[must_use]
pub fn auto_refill(value: bool) -> Edit {
    Edit { field: OrderField::AutoRefillIsAllowed, value: value.into(), shown: json!(value) }
}

/// Writes it, with its audit entry.
pub async fn apply(work: &mut Work, id: OrderId, edit: Edit) -> Result<()> {
    let facts = store::lock(work, &[id]).await?.pop().ok_or_else(|| Error::not_found("order", id))?;
    let Edit { field, value, shown } = edit;
    let concerns_refill = matches!(field, OrderField::HasRefill | OrderField::AutoRefillIsAllowed);
    let judged = match concerns_refill {
        true => orders::judge_refill_flags(facts.state()),
        false => orders::judge(Action::Edit, facts.state()).map(|_| ()),
    };
    judged?;
    let old = fields::read_field(work, id, field).await?;
    let stamp = work.stamp();
    let written = fields::write_field(work, (id, facts.status), (field, value), stamp).await?;
    written.or_conflict("order_changed_meanwhile", "The order changed meanwhile; reload and try again.")?;
    if concerns_refill {
        losses::poll_again(work, id).await?;
    }
    let name = field.name();
    audit::record(
        work,
        Action::Edit.event(),
        "order",
        Change { id: id.record(), old: json!({ name: old }), new: json!({ name: shown }) },
    )
    .await
}
