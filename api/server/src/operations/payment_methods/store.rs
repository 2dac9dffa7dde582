//! Loads and writes payment methods. Each change locks all payment methods: they are few, and their positions depend on each other.

use panel_contract::amount::{Fraction, Money};
use panel_contract::ids::PaymentMethodId;
use panel_contract::moment::{Time, Timestamp};
use panel_contract::payment_methods::{
    ChargeType, PaymentMethod, PaymentMethodActions, PaymentMethodBonus, PaymentMethodStatus,
    PaymentMethodType, PaymentStrategy, PublicFields, SecretState, WithdrawalOptions,
};
use panel_contract::permission::Permission;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::operations::payment_methods::bonuses;
use crate::operations::payment_methods::rules::{PaymentMethodFields, TEXT_FIELDS, check_switch};
use crate::records::references::payment_method_reference;
use crate::records::texts;
use crate::texts_of;
use panel_platform::db::{DbResult, Sql, SqlExecutor, Val};
use panel_platform::scope::Scope;
use panel_platform::sql;
use panel_platform::work::UnitOfWork;

/// The columns of [`PaymentMethodRow`]. Each line of the column `bonuses` describes a bonus: id, minimum amount, bonus in
/// millionths, and 1 if the bonus is enabled.
pub const COLUMNS: &str = concat!(
    "m.id, m.name, m.type AS kind, m.icon, m.is_enabled, m.is_allowed_for_new_user, m.fee_ppm, m.min_amount,
  m.max_amount, m.charge_currency, m.charge_type, m.strategy, m.position, m.allow_qr_code, m.payment_qr_code, m.is_user_comment, m.shows_qr_code,
  m.available_for_withdrawal, m.withdrawal_min_amount, m.withdrawal_max_amount, m.withdrawal_min_fee, m.withdrawal_fee_ppm, m.secret_names,
  m.created_at, m.updated_at, EXISTS (",
    payment_method_reference!(widgets, "m.id"),
    ") AS is_used, (SELECT string_agg(CAST(b.id AS TEXT) || ':' || CAST(b.from_amount AS TEXT) || ':' || CAST(b.bonus_ppm AS TEXT) || ':' ||
    CASE WHEN b.is_enabled THEN '1' ELSE '0' END, '
') FROM payment_method_bonuses b WHERE b.payment_method_id = m.id) AS bonuses, ",
    texts_of!("payment_method", "m.id")
);

/// A row of `payment_methods`, with its bonuses and texts.
#[derive(Debug, sqlx::FromRow)]
#[expect(clippy::struct_excessive_bools, reason = "the table's columns")]
pub struct PaymentMethodRow {
    id: PaymentMethodId,
    name: String,
    kind: PaymentMethodType,
    pub(super) icon: Option<String>,
    texts: Option<String>,
    pub(super) is_enabled: bool,
    is_used: bool,
    is_allowed_for_new_user: bool,
    fee_ppm: Fraction,
    min_amount: Money,
    max_amount: Option<Money>,
    charge_currency: String,
    charge_type: ChargeType,
    strategy: PaymentStrategy,
    pub(super) position: i64,
    allow_qr_code: bool,
    pub(super) payment_qr_code: Option<String>,
    is_user_comment: bool,
    shows_qr_code: bool,
    available_for_withdrawal: bool,
    withdrawal_min_amount: Money,
    withdrawal_max_amount: Option<Money>,
    withdrawal_min_fee: Money,
    withdrawal_fee_ppm: Fraction,
    secret_names: String,
    created_at: Time,
    pub(super) updated_at: Timestamp,
    bonuses: Option<String>,
}

impl PaymentMethodRow {
    #[must_use]
    pub fn fields(&self) -> PaymentMethodFields {
        PaymentMethodFields {
            kind: self.kind,
            icon: self.icon.clone(),
            translations: texts::parse(self.texts.as_deref(), &self.name),
            is_allowed_for_new_users: self.is_allowed_for_new_user,
            fee_fraction: self.fee_ppm,
            min_amount: self.min_amount,
            max_amount: self.max_amount,
            currency: self.charge_currency.clone(),
            charge_type: self.charge_type,
            strategy: self.strategy,
            allow_qr_code: self.allow_qr_code,
            qr_code: self.payment_qr_code.clone(),
            withdrawal: WithdrawalOptions {
                available_for_withdrawal: self.available_for_withdrawal,
                min_amount: self.withdrawal_min_amount,
                max_amount: self.withdrawal_max_amount,
                min_fee: self.withdrawal_min_fee,
                fee_fraction: self.withdrawal_fee_ppm,
            },
            public_fields: PublicFields {
                is_user_comment: self.is_user_comment,
                qr_code: self.shows_qr_code,
            },
        }
    }

    #[must_use]
    pub fn secret_names(&self) -> Vec<String> {
        serde_json::from_str(&self.secret_names).unwrap_or_default()
    }

    /// The bonuses of the method, the lowest minimum amount first.
    #[must_use]
    pub fn bonuses(&self) -> Vec<PaymentMethodBonus> {
        let mut bonuses: Vec<_> = self
            .bonuses
            .as_deref()
            .unwrap_or_default()
            .lines()
            .filter_map(bonuses::parse_bonus_line)
            .collect();
        bonuses.sort_by_key(|bonus| bonus.from_amount);
        bonuses
    }

    #[must_use]
    pub fn into_response(self, scope: &Scope) -> PaymentMethod {
        let may_manage = scope.has_permission(Permission::ManagePaymentMethods);
        let (fields, secrets, bonuses) = (self.fields(), self.secret_names(), self.bonuses());
        let description = fields.translations.text("en", "description").map(str::to_owned);
        PaymentMethod {
            id: self.id,
            name: self.name,
            kind: self.kind,
            icon: self.icon,
            description,
            translations: fields.translations,
            is_enabled: self.is_enabled,
            is_allowed_for_new_user: self.is_allowed_for_new_user,
            fee_fraction: self.fee_ppm,
            min_amount: self.min_amount,
            max_amount: self.max_amount,
            charge_currency: self.charge_currency,
            charge_type: self.charge_type,
            strategy: self.strategy,
            status: if self.is_enabled { PaymentMethodStatus::Active } else { PaymentMethodStatus::Disabled },
            sorting: self.position,
            position: self.position,
            allow_qr_code: self.allow_qr_code,
            payment_qr_code: self.payment_qr_code,
            payment_method_bonuses: bonuses,
            secrets: secrets.into_iter().map(|name| SecretState { name, is_set: true }).collect(),
            withdrawal_options: fields.withdrawal,
            public_fields: fields.public_fields,
            created_at: self.created_at,
            updated_at: self.updated_at,
            actions: PaymentMethodActions {
                disable: may_manage && !self.is_used && check_switch(self.is_enabled, false).is_ok(),
                edit: may_manage,
                enable: may_manage && check_switch(self.is_enabled, true).is_ok(),
            },
        }
    }
}

/// Loads a payment method, or returns a 404.
pub async fn load_row(db: &mut impl SqlExecutor, id: PaymentMethodId) -> Result<PaymentMethodRow> {
    let sql = Sql::new("SELECT ").push(COLUMNS).push(" FROM payment_methods m WHERE m.id = ?").bind(id);
    db.fetch_optional(sql).await?.ok_or_else(|| Error::not_found("payment method", id))
}

/// Loads id, name and icon of the enabled payment methods, sorted by position.
pub async fn load_enabled_methods(
    db: &mut impl SqlExecutor,
) -> DbResult<Vec<(PaymentMethodId, String, Option<String>)>> {
    db.fetch_all(Sql::new(
        "SELECT id, name, icon FROM payment_methods WHERE is_enabled = TRUE ORDER BY position, id",
    ))
    .await
}

/// Locks all payment methods until the transaction ends, and returns their ids in their order.
pub async fn lock_order(work: &mut UnitOfWork) -> DbResult<Vec<PaymentMethodId>> {
    let rows: Vec<(PaymentMethodId, i64)> =
        work.fetch_all(Sql::new("SELECT id, position FROM payment_methods ORDER BY id").for_update()).await?;
    drop(rows);
    // The second query reads the current positions. On PostgreSQL the first query may return the positions that it read before it
    // waited for the lock.
    let rows: Vec<(PaymentMethodId,)> =
        work.fetch_all(Sql::new("SELECT id FROM payment_methods ORDER BY position, id")).await?;
    Ok(rows.into_iter().map(|(id,)| id).collect())
}

/// The INSERT and the UPDATE of [`PaymentMethodFields`].
fn insert_and_update_sql(fields: &PaymentMethodFields, timestamp: Timestamp) -> [Sql; 2] {
    let PaymentMethodFields {
        kind,
        icon,
        translations: _,
        is_allowed_for_new_users,
        fee_fraction,
        min_amount,
        max_amount,
        currency,
        charge_type,
        strategy,
        allow_qr_code,
        qr_code,
        withdrawal,
        public_fields,
    } = fields;
    sql!(
        [
            "INSERT INTO payment_methods (name, type, icon, is_allowed_for_new_user, fee_ppm, min_amount, max_amount, \
               charge_currency, charge_type, strategy, allow_qr_code, payment_qr_code, is_user_comment, shows_qr_code, \
               available_for_withdrawal, withdrawal_min_amount, withdrawal_max_amount, withdrawal_min_fee, \
               withdrawal_fee_ppm, is_enabled, position, created_at, updated_at)
             VALUES (@name, @type, @icon, @is_allowed_for_new_user, @fee_ppm, @min_amount, @max_amount, @charge_currency, \
               @charge_type, @strategy, @allow_qr_code, @payment_qr_code, @is_user_comment, @shows_qr_code, \
               @available_for_withdrawal, @withdrawal_min_amount, @withdrawal_max_amount, @withdrawal_min_fee, \
               @withdrawal_fee_ppm, @is_enabled, @position, @now, @timestamp) RETURNING id",
            "UPDATE payment_methods SET name = @name, type = @type, icon = @icon, \
               is_allowed_for_new_user = @is_allowed_for_new_user, fee_ppm = @fee_ppm, min_amount = @min_amount,
               max_amount = @max_amount, charge_currency = @charge_currency, charge_type = @charge_type, strategy = @strategy, \
               allow_qr_code = @allow_qr_code, payment_qr_code = @payment_qr_code, is_user_comment = @is_user_comment,
               shows_qr_code = @shows_qr_code, available_for_withdrawal = @available_for_withdrawal, \
               withdrawal_min_amount = @withdrawal_min_amount, withdrawal_max_amount = @withdrawal_max_amount, \
               withdrawal_min_fee = @withdrawal_min_fee,
               withdrawal_fee_ppm = @withdrawal_fee_ppm, updated_at = @timestamp WHERE id = @id",
        ],
        {
            name: fields.name(),
            type: kind.as_str(),
            icon: icon.as_deref(),
            is_allowed_for_new_user: is_allowed_for_new_users,
            fee_ppm: fee_fraction,
            min_amount,
            max_amount,
            charge_currency: currency.as_str(),
            charge_type: charge_type.as_str(),
            strategy: strategy.as_str(),
            allow_qr_code,
            payment_qr_code: qr_code.as_deref(),
            is_user_comment: public_fields.is_user_comment,
            shows_qr_code: public_fields.qr_code,
            available_for_withdrawal: withdrawal.available_for_withdrawal,
            withdrawal_min_amount: withdrawal.min_amount,
            withdrawal_max_amount: withdrawal.max_amount,
            withdrawal_min_fee: withdrawal.min_fee,
            withdrawal_fee_ppm: withdrawal.fee_fraction,
            timestamp,
        },
        bound_later: [is_enabled, position, now, id],
    )
}

/// Inserts a payment method at the last position. `count` is the number of existing methods.
pub async fn insert(
    work: &mut UnitOfWork,
    fields: &PaymentMethodFields,
    is_enabled: bool,
    count: usize,
) -> DbResult<PaymentMethodId> {
    let [insert_sql, _] = insert_and_update_sql(fields, work.timestamp());
    let position = i64::try_from(count).unwrap_or(i64::MAX - 1) + 1;
    let insert_sql = insert_sql
        .bind_named("is_enabled", is_enabled)
        .bind_named("position", position)
        .bind_named("now", work.now);
    let (id,) = work.fetch_one::<(PaymentMethodId,)>(insert_sql).await?;
    texts::write(work, &TEXT_FIELDS, id, &fields.translations).await?;
    Ok(id)
}

pub async fn update_row(
    work: &mut UnitOfWork,
    id: PaymentMethodId,
    fields: &PaymentMethodFields,
) -> DbResult<()> {
    let [_, update_sql] = insert_and_update_sql(fields, work.timestamp());
    work.execute(update_sql.bind_named("id", id)).await?;
    texts::write(work, &TEXT_FIELDS, id, &fields.translations).await
}

/// Stores the new positions, which start at 1. Returns the number of changed positions.
pub async fn reorder(
    work: &mut UnitOfWork,
    order: &[PaymentMethodId],
    new_order: &[PaymentMethodId],
) -> DbResult<u64> {
    let changes = order.iter().zip(new_order).zip(1_i64..).filter(|((old_id, new_id), _)| old_id != new_id);
    let rows: Vec<Vec<Val>> =
        changes.map(|((_, id), position)| vec![(*id).into(), position.into()]).collect();
    if rows.is_empty() {
        return Ok(0);
    }
    let sql = Sql::new("UPDATE payment_methods SET position = r.position FROM ")
        .rows("r", &["id", "position"], rows)
        .push(" WHERE payment_methods.id = r.id");
    work.execute(sql).await
}

/// Enables or disables a payment method. Returns 0 if another request has already done so.
pub async fn set_enabled(work: &mut UnitOfWork, id: PaymentMethodId, enable: bool) -> DbResult<u64> {
    let timestamp = work.timestamp();
    let sql = Sql::new(
        "UPDATE payment_methods SET is_enabled = ?, updated_at = ? WHERE id = ? AND is_enabled <> ?",
    );
    work.execute(sql.bind(enable).bind(timestamp).bind(id).bind(enable)).await
}

pub async fn load_sealed_secrets(work: &mut UnitOfWork, id: PaymentMethodId) -> DbResult<Option<Vec<u8>>> {
    Ok(work
        .fetch_one::<(Option<Vec<u8>>,)>(
            Sql::new("SELECT secrets FROM payment_methods WHERE id = ?").bind(id),
        )
        .await?
        .0)
}

/// Stores the encrypted secrets and their names.
pub async fn write_sealed_secrets(
    work: &mut UnitOfWork,
    id: PaymentMethodId,
    encrypted_secrets: Option<Vec<u8>>,
    names: &[&String],
) -> DbResult<u64> {
    let timestamp = work.timestamp();
    let sql =
        Sql::new("UPDATE payment_methods SET secrets = ?, secret_names = ?, updated_at = ? WHERE id = ?");
    work.execute(sql.bind(encrypted_secrets).bind(json!(names).to_string()).bind(timestamp).bind(id)).await
}
