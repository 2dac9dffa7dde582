//! Loads the properties of the service and of the customer that decide about a new order, and checks whether they allow the order.

use panel_contract::amount::{Fraction, Money};
use panel_contract::fields::FieldErrors;
use panel_contract::ids::UserId;
use panel_contract::orders::{Approval, OrderStatus};
use panel_kernel::error::{Error, Result};
use panel_kernel::field_error_collector::FieldErrorCollector;

use super::NewOrder;
use crate::catalogue::targets::checkers;
use crate::operations::orders::commission::{self, Affiliate};
use crate::operations::orders::edit;
use crate::operations::users::CHILD_PANEL;
use panel_platform::db::{Sql, SqlExecutor as _, names};
use panel_platform::settings;
use panel_platform::work::UnitOfWork;

/// Returns the initial status of an order. An unpaid order is moderated after the customer has paid.
pub(super) fn first_status(is_paid: bool, is_moderated: bool) -> (OrderStatus, Option<Approval>) {
    match (is_paid, is_moderated) {
        (false, _) => (OrderStatus::Unpaid, None),
        (true, true) => (OrderStatus::InModeration, Some(Approval::Pending)),
        (true, false) => (OrderStatus::InProcessing, None),
    }
}

/// The columns of the service and of the customer that decide about a new order.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct OrderTerms {
    pub(super) name: String,
    pub(super) min_quantity: i64,
    pub(super) max_quantity: i64,
    pub(super) quantity_step: i64,
    pub(super) price: Money,
    pub(super) pricing_per: i64,
    pub(super) is_on_sale: bool,
    pub(super) url_is_required: bool,
    pub(super) moderation_is_enabled: bool,
    pub(super) forbids_orders_with_same_url: bool,
    pub(super) has_active_providers: bool,
    pub(super) checkers: String,
    pub(super) countries: String,
    pub(super) has_refill: bool,
    pub(super) can_speedup: bool,
    pub(super) auto_refill_is_allowed: bool,
    pub(super) customer_status: String,
    pub(super) is_child_panel: bool,
    pub(super) affiliate_id: Option<UserId>,
    pub(super) referral_program_ppm: Option<Fraction>,
    #[sqlx(flatten)]
    pub(super) settings: OrderSettings,
}

/// The stored values of the settings that apply to every order, loaded by the same statement.
#[derive(Debug, sqlx::FromRow)]
pub(super) struct OrderSettings {
    rounding: Option<String>,
    cost_limit: Option<String>,
}

impl OrderSettings {
    /// Number of decimals to which the cost is rounded.
    pub(super) fn decimals(&self) -> u8 {
        settings::parse_precision(&settings::parse_stored(
            settings::ROUNDING_PRECISION,
            self.rounding.as_deref(),
        ))
    }

    /// An order that costs more than this amount needs moderation; `None` if there is no limit.
    pub(super) fn moderation_limit(&self) -> Option<Money> {
        let key = settings::MAX_COST_WITHOUT_APPROVAL;
        settings::parse_money(&settings::parse_stored(key, self.cost_limit.as_deref()))
    }
}

impl OrderTerms {
    /// Returns the affiliate who gets a commission for the orders of the customer.
    pub(super) fn affiliate(&self) -> Option<Affiliate> {
        let referral_program_ppm = self.referral_program_ppm;
        self.affiliate_id.map(|affiliate_id| Affiliate { affiliate_id, referral_program_ppm })
    }
}

// Rules

/// Rejects an order that the service does not allow for this customer.
pub(super) fn check_allowed(new: &NewOrder, terms: &OrderTerms) -> Result<()> {
    if terms.customer_status != "active" {
        let message = format!("The customer is {}. Activate the customer first.", terms.customer_status);
        return Err(Error::conflict("user_not_active", message));
    }
    let mut errors = FieldErrors::default();
    if !terms.is_on_sale {
        errors.add("service_id", "This service is not on sale. Choose another service.");
    }
    let (min, max, step) = (terms.min_quantity, terms.max_quantity, terms.quantity_step);
    let is_allowed_quantity = (min..=max).contains(&new.quantity) && (new.quantity - min) % step.max(1) == 0;
    if !is_allowed_quantity || new.quantity < 1 {
        errors.add("quantity", format!("Order {min} to {max} in steps of {step}, counted from {min}."));
    }
    let allowed_countries: Vec<String> = serde_json::from_str(&terms.countries).unwrap_or_default();
    let is_rejected_country =
        |code: &String| !allowed_countries.is_empty() && !allowed_countries.contains(code);
    if new.country.as_ref().is_some_and(is_rejected_country) {
        let message =
            format!("This service is sold only for these countries: {}.", allowed_countries.join(", "));
        errors.add("country", message);
    }
    if new.speedup && !terms.can_speedup {
        errors.add("speedup", "This service cannot be sped up.");
    }
    if new.guarantee && terms.has_refill {
        errors.add("guarantee", "This service already includes refills. Remove the guarantee.");
    }
    if terms.url_is_required || !new.url.trim().is_empty() {
        let checkers: Vec<String> = serde_json::from_str(&terms.checkers).unwrap_or_default();
        match edit::check_url(&new.url) {
            Err(url_errors) => errors.extend(url_errors),
            Ok(()) if !checkers::matches_any(&checkers, &new.url) => {
                errors.add(
                    "url",
                    format!("Enter an address that this service accepts, such as {}.", checkers.join(", ")),
                );
            }
            Ok(()) => {}
        }
    }
    Ok(errors.into_result(())?)
}

// Store

/// Loads the terms of an order. Returns a 422 if the customer or the service is unknown.
pub(super) async fn load_terms(work: &mut UnitOfWork, new: &NewOrder) -> Result<OrderTerms> {
    let sql = Sql::new(
        "SELECT s.name, s.min_quantity, s.max_quantity, s.quantity_step, COALESCE(own.default_price, s.default_price) AS price, s.pricing_per,
           s.is_enabled AND NOT s.is_archived AND NOT s.is_deactivated AS is_on_sale, s.url_is_required, s.moderation_is_enabled,
           s.forbids_orders_with_same_url, s.has_active_providers, COALESCE(g.checkers, '[]') AS checkers, s.countries, s.has_refill OR COALESCE(own.has_refill, FALSE) AS has_refill, s.can_speedup,
           s.auto_refill_is_allowed OR COALESCE(own.auto_refill_is_allowed, FALSE) AS auto_refill_is_allowed, u.status AS customer_status, u.account_type = ? AS is_child_panel,
           a.id AS affiliate_id, a.referral_program_ppm, (SELECT value FROM settings WHERE key = ?) AS rounding,
           (SELECT value FROM settings WHERE key = ?) AS cost_limit
         FROM services s JOIN users u ON u.id = ? ",
    )
    .bind(CHILD_PANEL)
    .bind(settings::ROUNDING_PRECISION)
    .bind(settings::MAX_COST_WITHOUT_APPROVAL)
    .bind(new.user_id)
    .append(commission::join_affiliate("LEFT JOIN", work.now))
    .push(
        "LEFT JOIN user_services own ON own.service_id = s.id AND own.user_id = u.id
           LEFT JOIN promotable_checker_groups g ON g.id = s.promotable_checker_group_id WHERE s.id = ?",
    );
    let terms: Option<OrderTerms> = work.fetch_optional(sql.bind(new.service_id)).await?;
    match terms {
        Some(terms) => Ok(terms),
        None => Err(unknown_user_or_service(work, new).await?),
    }
}

/// The error for an unknown customer, an unknown service, or both.
async fn unknown_user_or_service(work: &mut UnitOfWork, new: &NewOrder) -> Result<Error> {
    let user = names::load_name(work, "users", new.user_id).await?;
    let service = names::load_name(work, "services", new.service_id).await?;
    let user_error = || {
        let message = format!("There is no user {}. Choose another user.", new.user_id);
        Error::invalid("user_id", "user_unknown", message)
    };
    let service_error = || {
        let message = format!("There is no service {}. Choose another service.", new.service_id);
        Error::invalid("service_id", "service_unknown", message)
    };
    let mut field_errors = FieldErrorCollector::default();
    if user.is_none() {
        field_errors.collect(Err::<(), _>(user_error()))?;
    }
    Ok(if service.is_none() { field_errors.finish_with(service_error()) } else { user_error() })
}
