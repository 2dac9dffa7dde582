//! Services as they cross the wire: what is sold, at which price and within which bounds.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Named, Translations};
use crate::moment::{Stamp, Time};

/// One row of the services list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ServiceRow {
    /// The service's id.
    pub id: i64,
    /// English name.
    pub name: String,
    /// Its type.
    pub service_type: Named,
    /// Its network.
    pub network: Named,
    /// Price per `pricing_per` units.
    pub default_price: Money,
    /// The lowest price a customer may get.
    pub min_price: Money,
    /// Units that prices are for.
    pub pricing_per: i64,
    /// Smallest order.
    pub min_quantity: i64,
    /// Largest order.
    pub max_quantity: i64,
    /// Steps between.
    pub quantity_step: i64,
    /// Whether it is on sale.
    pub is_enabled: bool,
    /// Whether it is archived.
    pub is_archived: bool,
    /// Whether new orders wait for moderation.
    pub moderation_is_enabled: bool,
    /// Whether it is refilled.
    pub has_refill: bool,
    /// Whether it may be drip-fed.
    pub drip_feed_is_allowed: bool,
    /// Whether no provider of it is active.
    pub has_no_active_providers: bool,
    /// When it was made.
    pub created_at: Time,
}

/// One service with everything about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Service {
    /// What the list shows.
    #[serde(flatten)]
    pub row: ServiceRow,
    /// A word among staff.
    pub admin_note: Option<String>,
    /// Refills come by themselves.
    pub auto_refill_is_allowed: bool,
    /// Hours after completion.
    pub auto_refill_after_hours: Option<i64>,
    /// Share refilled at once.
    pub auto_refill_once_fill_percent: Option<Fraction>,
    /// Smallest loss that is refilled.
    pub auto_refill_min_drop_percent: Option<Fraction>,
    /// Largest loss that is refilled.
    pub auto_refill_max_drop_percent: Option<Fraction>,
    /// Most that is refilled in all.
    pub auto_refill_max_total_refilled_percent: Option<Fraction>,
    /// Units ordered at providers per unit sold.
    pub order_quantity_ratio: Option<Fraction>,
    /// Sold by the API.
    pub api_access: bool,
    /// Sold only to chosen customers.
    pub restricted_access: bool,
    /// May be sped up.
    pub can_speedup: bool,
    /// Undelivered shares are not returned.
    pub no_refund: bool,
    /// An address must be given.
    pub url_is_required: bool,
    /// Completes when the real counter is reached.
    pub real_counter_complete_is_enabled: bool,
    /// Customers may cancel.
    pub cancel_by_client_is_allowed: bool,
    /// Canceled when nobody can deliver.
    pub auto_cancel: bool,
    /// Whether the counter is watched.
    pub gather_statistic: bool,
    /// Refuses a second open order with the same address.
    pub forbids_orders_with_same_url: bool,
    /// `header` or `footer`.
    pub full_description_location: String,
    /// Part of its address.
    pub slug: Option<String>,
    /// Its own page.
    pub buy_page_url: Option<String>,
    /// Margin on imports.
    pub resale_margin_percent: Option<Fraction>,
    /// Label ids.
    pub labels: Vec<i64>,
    /// Providers in the order they are tried.
    pub providers: Vec<Named>,
    /// ISO codes.
    pub countries: Vec<String>,
    /// Locale → field → text.
    pub translations: Translations,
    /// When it last changed.
    pub updated_at: Stamp,
}

crate::wire!(Service);
