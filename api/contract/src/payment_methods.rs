//! Payment methods: the ways in which customers pay the panel and are paid by it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Choice, Patch, Translations};
use crate::ids::{BonusId, PaymentMethodId};
use crate::moment::{Stamp, Time};
use crate::upload::Picture;

crate::words! {
    /// What a payment method is.
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

crate::words! {
    /// How the panel learns that money came: staff say so, or the gateway calls.
    PaymentStrategy { Manual = "manual", Gateway = "gateway" }
}

crate::words! {
    /// Who carries the fee: the customer pays it on top, or it is taken off what they get.
    ChargeType { OnTop = "on_top", Deducted = "deducted" }
}

crate::words! {
    /// Whether customers can use it.
    PaymentMethodStatus { Active = "active", Disabled = "disabled" }
}

/// A payment method, as lists and editors have it. Secrets are never in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethod {
    /// Its id.
    pub id: PaymentMethodId,
    /// Its English name.
    pub name: String,
    /// What it is.
    #[serde(rename = "type")]
    pub kind: PaymentMethodType,
    /// The address of its icon.
    pub icon: Option<String>,
    /// Its English description.
    pub description: Option<String>,
    /// By language its `name`, `description`, `withdrawal_description` and `additional_information`; English is always there.
    pub translations: Translations,
    /// Whether customers can use it.
    pub is_enabled: bool,
    /// Whether new customers are offered it.
    pub is_allowed_for_new_user: bool,
    /// Of each payment, as a fraction: "0.025" is 2.5 percent.
    pub fee_percent: Fraction,
    /// Smallest payment.
    pub min_amount: Money,
    /// Largest payment; none without a bound.
    pub max_amount: Option<Money>,
    /// What the gateway charges in, such as `USD`.
    pub charge_currency: String,
    /// Who carries the fee.
    pub charge_type: ChargeType,
    /// How the panel learns that money came.
    pub strategy: PaymentStrategy,
    /// `is_enabled` as a word.
    pub status: PaymentMethodStatus,
    /// Its place in the list, from 1.
    pub sorting: i64,
    /// The same.
    pub position: i64,
    /// Whether it may have a QR code.
    pub allow_qr_code: bool,
    /// The address of its QR code.
    pub payment_qr_code: Option<String>,
    /// Its bonuses, the smallest `from_amount` first.
    pub payment_method_bonuses: Vec<PaymentMethodBonus>,
    /// Which secrets are set, by name.
    pub secrets: Vec<SecretState>,
    /// What holds when a customer is paid by it.
    pub withdrawal_options: WithdrawalOptions,
    /// What its customers see and fill in.
    pub public_fields: PublicFields,
    /// When it was made.
    pub created_at: Time,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: PaymentMethodActions,
}

/// A secret of a payment method: that it is set, never what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SecretState {
    /// Its name, such as `api_key`.
    pub name: String,
    /// Always true: names without a secret are not listed.
    pub is_set: bool,
}

/// What holds when a customer is paid by a method.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct WithdrawalOptions {
    /// Whether customers can be paid by it.
    #[serde(default)]
    pub available_for_withdrawal: bool,
    /// Smallest withdrawal.
    #[serde(default)]
    pub min_amount: Money,
    /// Largest withdrawal; none without a bound.
    #[serde(default)]
    pub max_amount: Option<Money>,
    /// Smallest fee.
    #[serde(default)]
    pub min_fee: Money,
    /// Of each withdrawal, as a fraction.
    #[serde(default)]
    pub fee_percent: Fraction,
}

/// What customers of a method see and fill in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PublicFields {
    /// They can write a word with their payment.
    #[serde(default)]
    pub is_user_comment: bool,
    /// They see the QR code.
    #[serde(default)]
    pub qr_code: bool,
}

/// What the caller may do with a payment method.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethodActions {
    /// `POST payment-methods/{id}/disable`.
    pub disable: bool,
    /// `POST payment-methods/{id}`.
    pub edit: bool,
    /// `POST payment-methods/{id}/enable`.
    pub enable: bool,
}

/// Body of create and update, as JSON or multipart; an update takes what is absent as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PaymentMethodInput {
    /// English name, 1 to 100 characters; required for a new one, here or among the translations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it is; required for a new one.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<PaymentMethodType>,
    /// Its icon.
    #[serde(default, skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// English description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// By language `name` (100 characters), `description`, `withdrawal_description` and `additional_information` (5,000); empty ones are dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Whether customers can use a new one, at once unless this says false. Changed by enable and disable.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_enabled: Option<bool>,
    /// Whether new customers are offered it; a new one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_allowed_for_new_user: Option<bool>,
    /// "0" to "1", at most three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fee_percent: Option<Fraction>,
    /// Not below zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_amount: Option<Money>,
    /// Not below `min_amount`; null for no bound.
    #[serde(default, skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<Money>)]
    pub max_amount: Patch<Money>,
    /// One of the collections.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge_currency: Option<String>,
    /// Who carries the fee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub charge_type: Option<ChargeType>,
    /// How the panel learns that money came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strategy: Option<PaymentStrategy>,
    /// Its place, from 1; a new one is the last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub position: Option<i64>,
    /// Whether it may have a QR code.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_qr_code: Option<bool>,
    /// Its QR code.
    #[serde(default, skip_serializing_if = "Picture::is_unchanged")]
    pub payment_qr_code: Picture,
    /// All of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub withdrawal_options: Option<WithdrawalOptions>,
    /// Both of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub public_fields: Option<PublicFields>,
    /// New secrets by name (small letters, digits, `_`); an empty text leaves one as it is. They are never shown again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub secrets: BTreeMap<String, String>,
    /// Names of secrets to forget.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remove_secrets: Vec<String>,
    /// On update: the record as the editor read it; a newer one is a 409.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// Body of `POST payment-methods/sort`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SortPaymentMethodsInput {
    /// All payment methods' ids in their new order.
    pub payment_methods: Vec<PaymentMethodId>,
}

/// What pickers of payment methods offer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethodCollections {
    /// What a method can be.
    pub types: Vec<Choice>,
    /// How the panel learns that money came.
    pub strategies: Vec<Choice>,
    /// Who carries the fee.
    pub charge_types: Vec<Choice>,
    /// What gateways charge in.
    pub currencies: Vec<Choice>,
}

/// A payment method for pickers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailablePaymentMethod {
    /// Its id.
    pub id: PaymentMethodId,
    /// Its English name.
    pub name: String,
    /// The address of its icon.
    pub icon: Option<String>,
}

/// A bonus on payments by a method: the highest enabled one that is reached is paid.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PaymentMethodBonus {
    /// Its id.
    pub id: BonusId,
    /// The payment from which on it is paid.
    pub from_amount: Money,
    /// In percent: "5" is five percent.
    pub bonus_percent: Fraction,
    /// Whether it is paid.
    pub is_enabled: bool,
}

/// A bonus to make, or to change when it has an id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BonusInput {
    /// Which one to change; none makes a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<BonusId>,
    /// Not below zero; unique among the method's bonuses.
    #[serde(default)]
    pub from_amount: Money,
    /// 0 to 100, at most three decimals.
    #[serde(default)]
    pub bonus_percent: Fraction,
    /// A new one is not paid unless this says so.
    #[serde(default)]
    pub is_enabled: bool,
}

/// Body of `POST payment-method-bonuses`: those not named stay.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct BonusesInput {
    /// The payment method.
    pub payment_method_id: PaymentMethodId,
    /// 1 to 100 bonuses.
    pub bonuses: Vec<BonusInput>,
}

crate::wire!(BonusesInput, PaymentMethod, PaymentMethodCollections, SortPaymentMethodsInput);
crate::upload!(PaymentMethodInput);
