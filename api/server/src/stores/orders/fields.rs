//! Writes fields of an order that are not part of its state: the fields that staff edit, and the fields that are computed from the
//! customer's answers to targets.

use panel_contract::ids::OrderId;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::orders::{AutoRefillParamsInput, OrderStatus};
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::sql;

/// A field that staff edit with a separate endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderField {
    Url,
    Comment,
    HasRefill,
    /// Whether the server requests refills automatically.
    AutoRefillIsAllowed,
}

impl OrderField {
    /// The name of the field in requests, which is also the name of its column.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Comment => "comment",
            Self::HasRefill => "has_refill",
            Self::AutoRefillIsAllowed => "auto_refill_is_allowed",
        }
    }

    const fn select_as_text_sql(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Comment => "comment",
            Self::HasRefill => "CASE WHEN has_refill THEN 'true' ELSE 'false' END",
            Self::AutoRefillIsAllowed => "CASE WHEN auto_refill_is_allowed THEN 'true' ELSE 'false' END",
        }
    }

    const fn update_sql(self) -> &'static str {
        match self {
            Self::Url => "UPDATE orders SET url = ?, updated_at = ? WHERE id = ? AND status = ?",
            Self::Comment => "UPDATE orders SET comment = ?, updated_at = ? WHERE id = ? AND status = ?",
            Self::HasRefill => "UPDATE orders SET has_refill = ?, updated_at = ? WHERE id = ? AND status = ?",
            Self::AutoRefillIsAllowed => {
                "UPDATE orders SET auto_refill_is_allowed = ?, updated_at = ? WHERE id = ? AND status = ?"
            }
        }
    }
}

/// Returns the value of a field as text; `None` if it is NULL.
pub async fn read_field(
    db: &mut impl SqlExecutor,
    id: OrderId,
    field: OrderField,
) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT ").push(field.select_as_text_sql()).push(" FROM orders WHERE id = ?").bind(id);
    Ok(db.fetch_one::<(Option<String>,)>(sql).await?.0)
}

/// Sets a field if the order still has `status`, for which the caller has checked the edit.
pub async fn write_field(
    db: &mut impl SqlExecutor,
    (id, status): (OrderId, OrderStatus),
    (field, value): (OrderField, Val),
    timestamp: Timestamp,
) -> DbResult<Transition> {
    let sql = Sql::new(field.update_sql()).bind(value).bind(timestamp).bind(id).bind(status.as_str());
    transition(db, sql).await
}

/// Columns of an order that are computed from the customer's answers to targets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnswerFields {
    /// The first answer to a target that is a keyword.
    pub keyword: Option<String>,
    /// The first answer to a target that is a keyword of search engines.
    pub seo_keyword: Option<String>,
    /// ISO codes of the countries to which the order is limited, in ascending order.
    pub countries: Vec<&'static str>,
}

/// Stores the columns that are computed from the answers, and the id that the order has in the child panel.
pub async fn write_answer_fields(
    db: &mut impl SqlExecutor,
    id: OrderId,
    fields: AnswerFields,
    child_id: Option<i64>,
) -> DbResult<()> {
    let countries = serde_json::to_string(&fields.countries).unwrap_or_else(|_| "[]".to_owned());
    let sql = sql!(
        "UPDATE orders SET keyword = @keyword, seo_keyword = @seo_keyword, countries = @countries, child_id = @child_id \
           WHERE id = @id",
        { keyword: fields.keyword, seo_keyword: fields.seo_keyword, countries, child_id, id },
    );
    db.execute(sql).await.map(drop)
}

/// Changes the settings of an order's automatic refills. Fields that `input` omits stay unchanged.
pub async fn write_auto_refill(
    db: &mut impl SqlExecutor,
    id: OrderId,
    input: &AutoRefillParamsInput,
    now: Timestamp,
) -> DbResult<()> {
    let sql = sql!(
        "UPDATE orders SET auto_refill_is_allowed = COALESCE(@auto_refill_is_allowed, auto_refill_is_allowed), \
           broken_pipes = COALESCE(@broken_pipes, broken_pipes),
           drop_quantity = COALESCE(@drop_quantity, drop_quantity), refill_quantity = COALESCE(@refill_quantity, \
           refill_quantity), updated_at = @now WHERE id = @id",
        {
            auto_refill_is_allowed: input.auto_refill_is_allowed,
            broken_pipes: input.broken_pipes,
            drop_quantity: input.drop_quantity,
            refill_quantity: input.refill_quantity,
            now,
            id,
        },
    );
    db.execute(sql).await.map(drop)
}

/// Sets `updated_at` of orders, because a record that belongs to them changed, such as a placement attempt.
pub async fn set_updated_at(db: &mut impl SqlExecutor, ids: &[OrderId], now: Time) -> DbResult<()> {
    db.execute(Sql::new("UPDATE orders SET updated_at = ? WHERE id IN ").bind(now).ids(ids)).await.map(drop)
}

/// Like [`set_updated_at`], but changes nothing unless the order still has `status`, for which the caller has checked the change.
pub async fn set_updated_at_in_status(
    db: &mut impl SqlExecutor,
    (id, status): (OrderId, OrderStatus),
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE orders SET updated_at = ? WHERE id = ? AND status = ?");
    transition(db, sql.bind(now).bind(id).bind(status.as_str())).await
}
