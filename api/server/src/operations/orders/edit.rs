//! Changing what an order says, not where it stands: url, comment, refill flags.

use panel_contract::fields::FieldErrors;
use panel_contract::ids::OrderId;
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::operations::orders::losses;
use crate::operations::orders::rules::{self, Action};
use crate::operations::orders::store;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::db::{Source, Sql, Val};
use panel_platform::work::Work;

/// Longest address of an order, in characters.
const LONGEST_URL: usize = 2_000;
/// Longest comment, in characters.
const LONGEST_COMMENT: usize = 5_000;

/// A field that can be edited: its column, its UPDATE, and the value.
pub struct Edit {
    name: &'static str,
    read: &'static str,
    write: &'static str,
    value: Val,
    shown: Value,
}

/// Another address; absolute and http(s).
pub fn url(url: &str) -> Result<Edit> {
    let url = url.trim();
    check_url(url)?;
    Ok(Edit {
        name: "url",
        read: "url",
        write: "UPDATE orders SET url = ?, updated_at = ? WHERE id = ? AND status = ?",
        value: url.into(),
        shown: json!(url),
    })
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
    Ok(Edit {
        name: "comment",
        read: "comment",
        write: "UPDATE orders SET comment = ?, updated_at = ? WHERE id = ? AND status = ?",
        value: comment.into(),
        shown: json!(comment),
    })
}

/// Whether a refill may be asked for.
#[must_use]
pub fn has_refill(value: bool) -> Edit {
    let write = "UPDATE orders SET has_refill = ?, updated_at = ? WHERE id = ? AND status = ?";
    Edit {
        name: "has_refill",
        read: "CASE WHEN has_refill THEN 'true' ELSE 'false' END",
        write,
        value: value.into(),
        shown: json!(value),
    }
}

/// Whether refills come by themselves.
#[must_use]
pub fn auto_refill(value: bool) -> Edit {
    Edit {
        name: "auto_refill_is_allowed",
        read: "CASE WHEN auto_refill_is_allowed THEN 'true' ELSE 'false' END",
        write: "UPDATE orders SET auto_refill_is_allowed = ?, updated_at = ? WHERE id = ? AND status = ?",
        value: value.into(),
        shown: json!(value),
    }
}

/// Writes it, with its audit entry. Refill flags of a completed order may still change: refills come after completion.
pub async fn apply(work: &mut Work, id: OrderId, edit: Edit) -> Result<()> {
    let facts = store::lock(work, &[id]).await?.pop().ok_or_else(|| Error::not_found("order", id))?;
    let concerns_refill = edit.name.contains("refill");
    if !(concerns_refill && facts.status == panel_contract::orders::OrderStatus::Completed) {
        rules::judge(Action::Edit, facts.state())?;
    }
    let sql = Sql::new("SELECT ").push(edit.read).push(" FROM orders WHERE id = ?").bind(id);
    let (old,): (Option<String>,) = work.one(sql).await?;
    let now = work.stamp();
    let sql = Sql::new(edit.write).bind(edit.value).bind(now).bind(id).bind(facts.status.as_str());
    if work.exec(sql).await? != 1 {
        return Err(Error::conflict(
            "order_changed_meanwhile",
            "The order changed meanwhile; reload and try again.",
        ));
    }
    if concerns_refill {
        losses::poll_again(work, id).await?;
    }
    let (name, shown) = (edit.name, edit.shown);
    audit::record(
        work,
        Action::Edit.event(),
        "order",
        Change { id: id.record(), old: json!({ name: old }), new: json!({ name: shown }) },
    )
    .await
}
