//! Ids of records, one type per kind of record, so that the compiler refuses an order's id where a customer's is expected. On the
//! wire and in the database an id is an integer. There is no arithmetic on ids. Where another field holds the kind, such as in
//! the audit trail, the id is a [`RecordId`].

use std::borrow::Cow;
use std::fmt::{self, Debug, Display};
use std::hash::Hash;
use std::str::FromStr;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;

/// An integer id of one kind of record.
pub trait Id:
    Copy + Eq + Ord + Hash + Debug + Display + Send + Sync + Serialize + DeserializeOwned + 'static
{
    /// The id with this number, for code that is generic over the kind.
    fn new(raw: i64) -> Self;

    /// The number, for text and for storage without a kind.
    fn get(self) -> i64;

    /// The shard of this id, from 0 to `parts` - 1; consecutive ids spread evenly.
    fn shard(self, parts: u32) -> u32 {
        u32::try_from(self.get().rem_euclid(i64::from(parts.max(1)))).unwrap_or(0)
    }
}

/// Parses an id in a path: digits only and above 0, without a sign or spaces.
pub(crate) fn of_path<I: Id>(text: &str) -> Option<I> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok()).flatten().filter(|id| *id > 0).map(I::new)
}

// Transparent: serde reads and writes an `i64`, so its error messages name an integer.
macro_rules! id_type {
    ($(#[doc = $doc:literal])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        pub struct $name(i64);

        impl $name {
            /// The id with this number; the caller is responsible for the kind.
            #[must_use]
            pub const fn new(raw: i64) -> Self {
                Self(raw)
            }

            /// The number, as on the wire and in the database.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }

            /// The same id without its kind, for a row that stores the kind in another field.
            #[must_use]
            pub const fn record(self) -> RecordId {
                RecordId(self.0)
            }
        }

        impl Id for $name {
            fn new(raw: i64) -> Self {
                Self(raw)
            }
            fn get(self) -> i64 {
                self.0
            }
        }

        impl Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                Display::fmt(&self.0, f)
            }
        }

        impl FromStr for $name {
            type Err = std::num::ParseIntError;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }

        impl utoipa::PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                <i64 as utoipa::PartialSchema>::schema()
            }
        }

        impl utoipa::ToSchema for $name {
            // One name for all kinds: the OpenAPI document inlines the integer.
            fn name() -> Cow<'static, str> {
                Cow::Borrowed("Id")
            }
        }
    };
}

macro_rules! ids {
    ($d:tt $($(#[doc = $doc:literal])+ $name:ident;)+) => {
        $(
            id_type! { $(#[doc = $doc])+ $name }

            impl From<$name> for RecordId {
                fn from(id: $name) -> Self {
                    Self(id.0)
                }
            }
        )+

        /// Calls `$then! { AffiliateId AuditId … }` with every id type, to implement traits of other crates.
        #[macro_export]
        macro_rules! for_each_id {
            ($d then:ident) => { $d then! { $($name)+ RecordId } };
        }
    };
}

id_type! {
    /// An id whose kind another field holds.
    RecordId
}

impl RecordId {
    /// The id in entries that concern no single record, such as a change of settings: the column is NOT NULL, and no record has
    /// id 0.
    pub const NONE: Self = Self(0);

    /// The id as an id of the kind that the caller read from the other field.
    #[must_use]
    pub fn typed_as<I: Id>(self) -> I {
        I::new(self.0)
    }
}

ids! { $
    /// An affiliate assignment of a customer for a time range, a row of `user_affiliates`.
    AffiliateId;
    /// An entry of the audit trail, a row of `audits`.
    AuditId;
    /// A seal over entries of the audit trail, a row of `audit_seals`.
    AuditSealId;
    /// A banner, a row of `banners`.
    BannerId;
    /// A bonus rule of a payment method, a row of `payment_method_bonuses`.
    BonusId;
    /// A customer's request to cancel an order.
    CancelRequestId;
    /// An entry of the public change log.
    ChangeLogId;
    /// A group of checkers of promotable targets.
    CheckerGroupId;
    /// A package order of a customer.
    ComboOrderId;
    /// A coupon, a row of `coupons`.
    CouponId;
    /// One use of a coupon, a row of `coupon_usages`.
    CouponUsageId;
    /// A menu item that staff added.
    CustomMenuItemId;
    /// A discount, a row of `discounts`.
    DiscountId;
    /// An identity document that a customer uploaded.
    DocumentId;
    /// A drip-feed, a row of `drip_feeds`.
    DripFeedId;
    /// An external order, by the number in this panel; the external panel's own id is a string.
    ExternalOrderId;
    /// An external panel, a row of `external_panels`.
    ExternalPanelId;
    /// A payment to an external panel.
    ExternalPanelPaymentId;
    /// A free trial that a customer requested.
    FreeTrialId;
    /// A quest that gives a free trial.
    FreeTrialQuestId;
    /// A grade of customers.
    GradeId;
    /// A service of an external panel, by the number in this panel; the external panel's own id is a string.
    ImportableServiceId;
    /// An invoice, a row of `invoices`.
    InvoiceId;
    /// A job of the background workers, a row of `jobs`.
    JobId;
    /// A label of services.
    LabelId;
    /// A transaction of the ledger.
    LedgerTxnId;
    /// A built-in menu item.
    MenuItemId;
    /// A social network, a row of `networks`.
    NetworkId;
    /// An order, a row of `orders`.
    OrderId;
    /// An order widget, a row of `order_widgets`.
    OrderWidgetId;
    /// A package, a row of `packages`.
    PackageId;
    /// A content page of the panel.
    PageId;
    /// A passkey, a row of `passkeys`.
    PasskeyId;
    /// An entry of the ledger; lists call it a payment.
    PaymentId;
    /// A payment method, a row of `payment_methods`.
    PaymentMethodId;
    /// A change of an order's price.
    PriceModificationId;
    /// A service of the auto-promotion (`auto_promotions`).
    PromotedServiceId;
    /// A provider, a row of `providers`.
    ProviderId;
    /// A package that a provider sells.
    ProviderPackageId;
    /// A record in quarantine.
    QuarantineId;
    /// A request to refill an order.
    RefillRequestId;
    /// A role of staff.
    RoleId;
    /// A saved view of a list.
    SavedViewId;
    /// A service that the panel sells.
    ServiceId;
    /// A service type, a row of `service_types`.
    ServiceTypeId;
    /// A session of a staff member.
    SessionId;
    /// A slide of a banner.
    SlideId;
    /// A special offer, a row of `special_offers`.
    SpecialOfferId;
    /// A post that a subscription found.
    SubscriptionContentId;
    /// A subscription, a row of `subscriptions`.
    SubscriptionId;
    /// A difference that the synchronisation with an external panel found.
    SyncChangeId;
    /// A run of the synchronisation with an external panel.
    SyncRunId;
    /// A target, a row of `targets`.
    TargetId;
    /// A type of targets.
    TargetTypeId;
    /// A customer or a staff member: both are rows of `users`.
    UserId;
    /// A customer's individual prices and limits for a service.
    UserServiceId;
    /// A delivery of a webhook.
    WebhookDeliveryId;
    /// An event to deliver to webhooks.
    WebhookEventId;
    /// A webhook, a row of `webhooks`.
    WebhookId;
    /// A withdrawal, a row of `withdrawals`.
    WithdrawalId;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serializes_an_id_as_its_number() {
        let ids = [OrderId::new(7), OrderId::new(i64::MAX)];
        let text = serde_json::to_string(&ids).unwrap();
        assert_eq!(text, "[7,9223372036854775807]");
        assert_eq!(serde_json::from_str::<[OrderId; 2]>(&text).unwrap(), ids);
        assert_eq!(
            serde_json::from_str::<OrderId>("-1").unwrap().get(),
            -1,
            "rules check the value, not the type"
        );
    }

    #[test]
    fn invalid_ids_have_the_error_messages_of_integers() {
        for wrong in ["\"7\"", "7.5", "null", "true", "99999999999999999999", "[7]", "{}"] {
            let number = serde_json::from_str::<i64>(wrong).unwrap_err().to_string();
            assert_eq!(serde_json::from_str::<UserId>(wrong).unwrap_err().to_string(), number);
        }
    }

    #[test]
    fn a_path_accepts_digits_only() {
        assert_eq!(of_path("7"), Some(ServiceId::new(7)));
        for wrong in ["", "0", "-1", "+1", " 1", "1 ", "1.0", "x", "9223372036854775808"] {
            assert_eq!(of_path::<ServiceId>(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn formats_with_width_and_alignment() {
        assert_eq!(format!("{:>4}|{:<4}|", OrderId::new(7), OrderId::new(7)), "   7|7   |");
    }

    #[test]
    fn ids_are_spread_evenly() {
        let shards: Vec<u32> = (1..=6).map(|id| JobId::new(id).shard(3)).collect();
        assert_eq!(shards, [1, 2, 0, 1, 2, 0]);
    }
}
