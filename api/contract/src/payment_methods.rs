//! Payment methods for deposits and withdrawals of customers.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Choice, Patch, Translations};
use crate::ids::{BonusId, PaymentMethodId};
use crate::moment::{Time, Timestamp};
use crate::upload::ImageInput;

crate::string_enum! {
    /// Type of a payment method.
    PaymentMethodType {
        Card = "card",
        Bank = "bank",
        Crypto = "crypto",
        Paypal = "paypal",
        Wallet = "wallet",
        Cash = "cash",
        Other = "other",
    }
}

crate::string_enum! {
    /// How payments are confirmed: `manual` by staff, `gateway` by a request from the payment gateway.
    PaymentStrategy { Manual = "manual", Gateway = "gateway" }
}

crate::string_enum! {
    /// How the fee is charged: `on_top` of the deposit, or `deducted` from the credited amount.
    ChargeType { OnTop = "on_top", Deducted = "deducted" }
}

crate::string_enum! {
    /// Whether customers can use a payment method.
    PaymentMethodStatus { Active = "active", Disabled = "disabled" }
}

/// A payment method, without its secrets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethod {
    /// Id of the payment method.
    pub id: PaymentMethodId,
    /// English name of the payment method.
    pub name: String,
    /// Type of the payment method.
    #[serde(rename = "type")]
    pub kind: PaymentMethodType,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// English description for customers; null if there is none.
    pub description: Option<String>,
    /// Texts by locale and field: `name`, `description`, `withdrawal_description`, `additional_information`. English is always
    /// present.
    pub translations: Translations,
    /// Whether customers can use the payment method.
    pub is_enabled: bool,
    /// Whether new customers can use the payment method.
    pub is_allowed_for_new_user: bool,
    /// Fee as a fraction of each payment: `"0.025"` is 2.5 percent.
    pub fee_fraction: Fraction,
    /// Minimum payment in the panel's currency.
    pub min_amount: Money,
    /// Maximum payment in the panel's currency; null for no limit.
    pub max_amount: Option<Money>,
    /// Currency code that the gateway charges in, such as `USD`.
    pub charge_currency: String,
    /// How the fee is charged.
    pub charge_type: ChargeType,
    /// How payments are confirmed.
    pub strategy: PaymentStrategy,
    /// The same as `is_enabled`, as an enum.
    pub status: PaymentMethodStatus,
    /// Sort position among the payment methods, from 1.
    pub sorting: i64,
    /// The same value as `sorting`; the specification has both names.
    pub position: i64,
    /// Whether the payment method supports a QR code; `public_fields.qr_code` is whether customers see it.
    pub allow_qr_code: bool,
    /// URL of the image with the QR code for payments; null if there is none.
    pub payment_qr_code: Option<String>,
    /// Bonuses on deposits, smallest `from_amount` first.
    pub payment_method_bonuses: Vec<PaymentMethodBonus>,
    /// Names of the secrets that are set.
    pub secrets: Vec<SecretState>,
    /// Options for withdrawals by this payment method.
    pub withdrawal_options: WithdrawalOptions,
    /// Fields that customers see and fill in.
    pub public_fields: PublicFields,
    /// When the payment method was created.
    pub created_at: Time,
    /// When the record last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: PaymentMethodActions,
}

/// Whether a secret of a payment method is set; the secret itself is never returned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretState {
    /// Name of the secret, such as `api_key`.
    pub name: String,
    /// Always true; unset secrets are not listed.
    pub is_set: bool,
}

/// Options for withdrawals by a payment method.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WithdrawalOptions {
    /// Whether customers can withdraw money by this payment method.
    #[serde(default)]
    pub available_for_withdrawal: bool,
    /// Minimum withdrawal in the panel's currency.
    #[serde(default)]
    pub min_amount: Money,
    /// Maximum withdrawal in the panel's currency; null for no limit.
    #[serde(default)]
    pub max_amount: Option<Money>,
    /// Minimum fee of a withdrawal in the panel's currency.
    #[serde(default)]
    pub min_fee: Money,
    /// Fee as a fraction of each withdrawal.
    #[serde(default)]
    pub fee_fraction: Fraction,
}

/// Fields of a payment method that customers see and fill in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PublicFields {
    /// Whether customers can add a comment to a payment.
    #[serde(default)]
    pub is_user_comment: bool,
    /// Whether customers see the QR code.
    #[serde(default)]
    pub qr_code: bool,
}

/// Actions that the caller's permissions and the state of the record allow.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethodActions {
    /// Whether the caller can send `POST payment-methods/{id}/disable`.
    pub disable: bool,
    /// Whether the caller can send `POST payment-methods/{id}`.
    pub edit: bool,
    /// Whether the caller can send `POST payment-methods/{id}/enable`.
    pub enable: bool,
}

/// Body of `POST payment-methods` and `POST payment-methods/{id}`, as JSON or multipart. Absent fields of an update keep their
/// value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PaymentMethodInput {
    /// English name, 1 to 100 characters; required for a new payment method, in this field or in `translations`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Type of the payment method; required for a new payment method.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<PaymentMethodType>,
    /// Icon file of the payment method.
    #[serde(default, skip_serializing_if = "ImageInput::is_unchanged")]
    pub icon: ImageInput,
    /// English description for customers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Texts by locale and field: `name` (up to 100 characters), `description`, `withdrawal_description`, `additional_information`
    /// (up to 5,000 characters). Empty texts are removed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Whether customers can use a new payment method; defaults to true. Later, use the endpoints `enable` and `disable`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether new customers can use the payment method; defaults to true.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_new_user: Option<bool>,
    /// Fee as a fraction, `"0"` to `"1"` with at most three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee_fraction: Option<Fraction>,
    /// Minimum payment in the panel's currency, 0 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_amount: Option<Money>,
    /// Maximum payment, at least `min_amount`; null for no limit.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub max_amount: Patch<Money>,
    /// Currency code, one of `currencies` of the collections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge_currency: Option<String>,
    /// How the fee is charged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge_type: Option<ChargeType>,
    /// How payments are confirmed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<PaymentStrategy>,
    /// Sort position, from 1; a new payment method is last by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
    /// Whether the payment method supports a QR code; `public_fields.qr_code` is whether customers see it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_qr_code: Option<bool>,
    /// Image file with the QR code for payments.
    #[serde(default, skip_serializing_if = "ImageInput::is_unchanged")]
    pub payment_qr_code: ImageInput,
    /// Options for withdrawals, which replace all current options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawal_options: Option<WithdrawalOptions>,
    /// Fields that customers see and fill in, which replace all current fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_fields: Option<PublicFields>,
    /// New secrets by name. A name consists of lowercase letters, digits and `_`. An empty string keeps the current secret. Secrets
    /// are write-only.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, String>,
    /// Names of secrets to delete.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_secrets: Vec<String>,
    /// On update: `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// Body of `POST payment-methods/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortPaymentMethodsInput {
    /// Ids of all payment methods, in their new order.
    pub payment_methods: Vec<PaymentMethodId>,
}

/// Response of `GET payment-methods/collections`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethodCollections {
    /// Values of `type`.
    pub types: Vec<Choice>,
    /// Values of `strategy`.
    pub strategies: Vec<Choice>,
    /// Values of `charge_type`.
    pub charge_types: Vec<Choice>,
    /// Values of `charge_currency`.
    pub currencies: Vec<Choice>,
}

/// An enabled payment method, for selection fields in user interfaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailablePaymentMethod {
    /// Id of the payment method.
    pub id: PaymentMethodId,
    /// English name of the payment method.
    pub name: String,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
}

/// A bonus on deposits by a payment method. A deposit gets at most one bonus: the enabled bonus with the highest `from_amount` that
/// is not above the deposit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethodBonus {
    /// Id of the bonus.
    pub id: BonusId,
    /// Minimum deposit for the bonus, in the panel's currency.
    pub from_amount: Money,
    /// Bonus as a fraction of the deposit: `"0.05"` is 5 %.
    pub bonus_fraction: Fraction,
    /// Whether the bonus is granted.
    pub is_enabled: bool,
}

/// A bonus to create, or to update if it has an id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BonusInput {
    /// Id of the bonus to update; absent to create one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<BonusId>,
    /// Minimum deposit for the bonus, 0 or more; unique per payment method.
    #[serde(default)]
    pub from_amount: Money,
    /// Bonus as a fraction of the deposit, 0 to 1 with at most five decimals: `"0.05"` is 5 %.
    #[serde(default)]
    pub bonus_fraction: Fraction,
    /// Whether the bonus is granted; defaults to false.
    #[serde(default)]
    pub is_enabled: bool,
}

/// Body of `POST payment-method-bonuses`. Bonuses that are not listed stay unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BonusesInput {
    /// Id of the payment method.
    pub payment_method_id: PaymentMethodId,
    /// Bonuses to create or update, 1 to 100.
    pub bonuses: Vec<BonusInput>,
}

crate::json_bodies!(BonusesInput, PaymentMethod, PaymentMethodCollections, SortPaymentMethodsInput);
crate::image_bodies!(PaymentMethodInput);
