//! Changes the URL, the comment and the refill flags of an order. Never changes the status of the order.

use panel_contract::fields::FieldErrors;
use panel_contract::ids::OrderId;
use panel_domain::orders::{self, OrderAction};
use panel_kernel::error::{Error, Result};
use serde_json::{Value, json};

use crate::operations::orders::losses;
use crate::operations::orders::store;
use crate::stores::orders::fields::{self, OrderField};
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::db::Val;
use panel_platform::work::UnitOfWork;

const MAX_URL_CHARS: usize = 2_000;
const MAX_COMMENT_CHARS: usize = 5_000;

/// A field with its new value: `value` for the database, `audit_value` for the audit trail.
pub struct OrderEdit {
    field: OrderField,
    value: Val,
    audit_value: Value,
}

/// Validates a URL and returns the edit that sets it.
pub fn url_edit(url: &str) -> Result<OrderEdit> {
    let url = url.trim();
    check_url(url)?;
    Ok(OrderEdit { field: OrderField::Url, value: url.into(), audit_value: json!(url) })
}

/// Rejects a URL that is not an absolute http or https URL.
pub fn check_url(url: &str) -> Result<(), FieldErrors> {
    let url = url.trim();
    let parsed_url = url::Url::parse(url)
        .ok()
        .filter(|parsed| matches!(parsed.scheme(), "http" | "https") && parsed.has_host());
    if parsed_url.is_none() || url.chars().count() > MAX_URL_CHARS || url.chars().any(char::is_control) {
        return Err(FieldErrors::single(
            "url",
            "Enter an absolute address that starts with http:// or https:// and has at most 2,000 characters.",
        ));
    }
    Ok(())
}

/// Validates a comment and returns the edit that sets it. An empty comment removes the current comment.
pub fn comment_edit(comment: Option<&str>) -> Result<OrderEdit> {
    let comment = comment.map(str::trim).filter(|comment| !comment.is_empty());
    if comment.is_some_and(|comment| comment.chars().count() > MAX_COMMENT_CHARS) {
        return Err(FieldErrors::single("comment", "Enter at most 5,000 characters.").into());
    }
    Ok(OrderEdit { field: OrderField::Comment, value: comment.into(), audit_value: json!(comment) })
}

/// Returns the edit that sets whether refills can be requested.
#[must_use]
pub fn has_refill_edit(has_refill: bool) -> OrderEdit {
    OrderEdit { field: OrderField::HasRefill, value: has_refill.into(), audit_value: json!(has_refill) }
}

#[must_use]
pub fn auto_refill_edit(is_allowed: bool) -> OrderEdit {
    OrderEdit {
        field: OrderField::AutoRefillIsAllowed,
        value: is_allowed.into(),
        audit_value: json!(is_allowed),
    }
}

pub async fn apply_edit(work: &mut UnitOfWork, id: OrderId, edit: OrderEdit) -> Result<()> {
    let order = store::lock(work, &[id]).await?.pop().ok_or_else(|| Error::not_found("order", id))?;
    let OrderEdit { field, value, audit_value } = edit;
    let concerns_refill = matches!(field, OrderField::HasRefill | OrderField::AutoRefillIsAllowed);
    let permission_by_rules = match concerns_refill {
        true => orders::check_refill_flags_editable(order.snapshot()),
        false => orders::plan_change(OrderAction::Edit, order.snapshot()).map(|_| ()),
    };
    permission_by_rules?;
    let old_value = fields::read_field(work, id, field).await?;
    let timestamp = work.timestamp();
    let transition = fields::write_field(work, (id, order.status), (field, value), timestamp).await?;
    transition.or_conflict(
        "order_changed_meanwhile",
        "Another request changed the order. Reload it and try again.",
    )?;
    if concerns_refill {
        losses::resume_polling(work, id).await?;
    }
    let field_name = field.name();
    audit::record(
        work,
        OrderAction::Edit.event(),
        "order",
        AuditChange {
            id: id.as_record_id(),
            old: json!({ field_name: old_value }),
            new: json!({ field_name: audit_value }),
        },
    )
    .await
}
