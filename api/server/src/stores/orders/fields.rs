//! Fields of an order besides its state: those that staff edit, and those that its customer's answers decide.

use panel_contract::ids::OrderId;
use panel_contract::moment::{Stamp, Time};
use panel_contract::orders::{AutoRefillParamsInput, OrderStatus};
use panel_platform::db::state::{Transition, transition};
use panel_platform::db::{DbResult, Source, Sql, Val};
use panel_platform::sql;

/// A field that staff edit on its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OrderField {
    Url,
    Comment,
    HasRefill,
    /// Whether the system requests refills by itself.
    AutoRefillIsAllowed,
}

impl OrderField {
    /// Its name on the wire and of its column.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Comment => "comment",
            Self::HasRefill => "has_refill",
            Self::AutoRefillIsAllowed => "auto_refill_is_allowed",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::Url => "url",
            Self::Comment => "comment",
            Self::HasRefill => "CASE WHEN has_refill THEN 'true' ELSE 'false' END",
            Self::AutoRefillIsAllowed => "CASE WHEN auto_refill_is_allowed THEN 'true' ELSE 'false' END",
        }
    }

    const fn update(self) -> &'static str {
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
pub async fn read_field(db: &mut impl Source, id: OrderId, field: OrderField) -> DbResult<Option<String>> {
    let sql = Sql::new("SELECT ").push(field.text()).push(" FROM orders WHERE id = ?").bind(id);
    Ok(db.one::<(Option<String>,)>(sql).await?.0)
}

/// Sets a field, while the order still has the status that the edit was checked against.
pub async fn write_field(
    db: &mut impl Source,
    (id, status): (OrderId, OrderStatus),
    (field, value): (OrderField, Val),
    stamp: Stamp,
) -> DbResult<Transition> {
    let sql = Sql::new(field.update()).bind(value).bind(stamp).bind(id).bind(status.as_str());
    transition(db, sql).await
}

/// Columns of an order that its customer's answers decide.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AnsweredFields {
    /// The first answer to a target that is a keyword.
    pub keyword: Option<String>,
    /// The first answer to a target that is a keyword of search engines.
    pub seo_keyword: Option<String>,
    /// ISO codes of the countries that the order is limited to, ascending.
    pub countries: Vec<&'static str>,
}

/// Stores the columns that the answers decide, and the id that the child panel gave the order.
pub async fn record_answered(
    db: &mut impl Source,
    id: OrderId,
    fields: AnsweredFields,
    child_id: Option<i64>,
) -> DbResult<()> {
    let countries = serde_json::to_string(&fields.countries).unwrap_or_else(|_| "[]".to_owned());
    let sql = sql!(
        "UPDATE orders SET keyword = @keyword, seo_keyword = @seo_keyword, countries = @countries, child_id = @child_id \
           WHERE id = @id",
        { keyword: fields.keyword, seo_keyword: fields.seo_keyword, countries, child_id, id },
    );
    db.exec(sql).await.map(drop)
}

/// Changes how the system refills an order by itself. Absent fields stay unchanged.
pub async fn write_auto_refill(
    db: &mut impl Source,
    id: OrderId,
    input: &AutoRefillParamsInput,
    now: Stamp,
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
    db.exec(sql).await.map(drop)
}

/// Sets `updated_at`: something that belongs to these orders changed, such as a placement attempt.
pub async fn mark_changed(db: &mut impl Source, ids: &[OrderId], now: Time) -> DbResult<()> {
    db.exec(Sql::new("UPDATE orders SET updated_at = ? WHERE id IN ").bind(now).ids(ids)).await.map(drop)
}

/// As [`mark_changed`], while the order still has the status that the change was checked against.
pub async fn mark_changed_in(
    db: &mut impl Source,
    (id, status): (OrderId, OrderStatus),
    now: Time,
) -> DbResult<Transition> {
    let sql = Sql::new("UPDATE orders SET updated_at = ? WHERE id = ? AND status = ?");
    transition(db, sql.bind(now).bind(id).bind(status.as_str())).await
}
