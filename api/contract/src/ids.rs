//! Ids of records, with one type per kind of record, so that the compiler rejects an order id where a customer id is expected. In
//! JSON and in the database an id is an integer. Ids have no arithmetic. A [`RecordId`] is an id whose kind of record is stored in
//! another field, as in the audit log.

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
    /// Creates an id from its number, in code that is generic over the kind of record.
    fn new(number: i64) -> Self;

    /// The number of the id.
    fn get(self) -> i64;

    /// The shard of this id, from 0 to `shard_count` - 1; consecutive ids spread evenly.
    fn shard(self, shard_count: u32) -> u32 {
        u32::try_from(self.get().rem_euclid(i64::from(shard_count.max(1)))).unwrap_or(0)
    }
}

/// Parses an id in a URL path; `None` unless the text has only digits and the number is above 0.
pub(crate) fn parse_path_id<I: Id>(text: &str) -> Option<I> {
    let is_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    is_digits.then(|| text.parse().ok()).flatten().filter(|id| *id > 0).map(I::new)
}

// `serde(transparent)`, so that error messages of serde mention an integer and not the type of the id.
macro_rules! id_type {
    ($(#[doc = $doc:literal])+ $name:ident) => {
        $(#[doc = $doc])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "sqlx", derive(sqlx::Type), sqlx(transparent))]
        pub struct $name(i64);

        impl $name {
            /// Creates an id from its number. The caller must know that the number is an id of this kind of record.
            #[must_use]
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// The number of the id, as in JSON and in the database.
            #[must_use]
            pub const fn get(self) -> i64 {
                self.0
            }

            /// The same id without its kind of record, for a row that stores the kind in another field.
            #[must_use]
            pub const fn as_record_id(self) -> RecordId {
                RecordId(self.0)
            }
        }

        impl Id for $name {
            fn new(number: i64) -> Self {
                Self(number)
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
            // The OpenAPI document inlines the integer, so all kinds have one name.
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
    /// An id of a record whose kind is stored in another field.
    RecordId
}

impl RecordId {
    /// The id 0, for entries that do not concern a single record, such as a change of settings. No record has the id 0.
    pub const NONE: Self = Self(0);

    /// The same id with its kind of record, which the caller has read from the other field.
    #[must_use]
    pub fn typed_as<I: Id>(self) -> I {
        I::new(self.0)
    }
}

ids! { $
    /// An affiliate assignment of a customer for a time range, a row of `user_affiliates`.
    AffiliateId;
    /// An entry of the audit log, a row of `audits`.
    AuditId;
    /// A seal, which is a hash over entries of the audit log that reveals later changes; a row of `audit_seals`.
    AuditSealId;
    /// A banner, a row of `banners`.
    BannerId;
    /// A bonus rule of a payment method, a row of `payment_method_bonuses`.
    BonusId;
    /// A customer's request to cancel an order.
    CancelRequestId;
    /// An entry of the change log of the catalogue.
    ChangeLogId;
    /// A group of URL patterns for the links of orders.
    CheckerGroupId;
    /// A combo order: one purchase of a package.
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
    /// An external order, by its number in this panel. The id at the external panel is a string.
    ExternalOrderId;
    /// An external panel, a row of `external_panels`.
    ExternalPanelId;
    /// A payment to an external panel.
    ExternalPanelPaymentId;
    /// A free trial that a customer requested.
    FreeTrialId;
    /// A quest that customers complete for a free trial.
    FreeTrialQuestId;
    /// A grade of the loyalty program.
    GradeId;
    /// A service of an external panel, by its number in this panel. The id at the external panel is a string.
    ImportableServiceId;
    /// An invoice, a row of `invoices`.
    InvoiceId;
    /// A background job, a row of `jobs`.
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
    /// An entry of the ledger, which the API calls a payment.
    PaymentId;
    /// A payment method, a row of `payment_methods`.
    PaymentMethodId;
    /// A modification of the price of an order, such as a discount.
    PriceModificationId;
    /// An entry of the auto-promotion, a row of `auto_promotions`.
    AutoPromotionServiceId;
    /// A provider, a row of `providers`.
    ProviderId;
    /// A package that an external panel sells.
    ProviderPackageId;
    /// A record that background work skips because it crashed a worker; a row of `quarantine`.
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
    /// A change that a synchronization with an external panel found.
    SyncChangeId;
    /// A run of the synchronization with an external panel.
    SyncRunId;
    /// A target, a row of `targets`.
    TargetId;
    /// A built-in kind of target.
    TargetTypeId;
    /// A customer or a staff member: both are rows of `users`.
    UserId;
    /// Individual price and refill settings of one customer for one service.
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
            "the type must accept negative ids, which validation rejects later"
        );
    }

    #[test]
    fn invalid_ids_have_the_error_messages_of_integers() {
        for invalid in ["\"7\"", "7.5", "null", "true", "99999999999999999999", "[7]", "{}"] {
            let message = serde_json::from_str::<i64>(invalid).unwrap_err().to_string();
            assert_eq!(serde_json::from_str::<UserId>(invalid).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn a_path_accepts_digits_only() {
        assert_eq!(parse_path_id("7"), Some(ServiceId::new(7)));
        for invalid in ["", "0", "-1", "+1", " 1", "1 ", "1.0", "x", "9223372036854775808"] {
            assert_eq!(parse_path_id::<ServiceId>(invalid), None, "{invalid}");
        }
    }

    #[test]
    fn formats_with_width_and_alignment() {
        assert_eq!(format!("{:>4}|{:<4}|", OrderId::new(7), OrderId::new(7)), "   7|7   |");
    }

    #[test]
    fn consecutive_ids_spread_evenly_over_shards() {
        let shards: Vec<u32> = (1..=6).map(|id| JobId::new(id).shard(3)).collect();
        assert_eq!(shards, [1, 2, 0, 1, 2, 0]);
    }
}
