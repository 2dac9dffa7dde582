//! Grades of the loyalty program and their benefits. A customer reaches a grade by the amount that they have spent.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{ArchiveAndRestoreActions, Translations};
use crate::ids::GradeId;
use crate::moment::{Time, Timestamp};
use crate::upload::ImageInput;

/// A grade of the loyalty program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grade {
    /// Id of the grade.
    pub id: GradeId,
    /// English name of the grade.
    pub name: String,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// When the grade was created.
    pub created_at: Time,
    /// Number of customers with the grade.
    pub users_count: i64,
    /// Discount on every order, as a fraction: `"0.05"` is five percent.
    pub discount_fraction: Fraction,
    /// Days between two free thumbnails; null without this benefit.
    pub thumbnail_period: Option<i64>,
    /// Days between two consultations by chat; null without this benefit.
    pub consultation_chat_period: Option<i64>,
    /// Whether customers with the grade can take part in closed sales.
    pub available_closed_sales: bool,
    /// Whether customers with the grade have a personal manager.
    pub available_personal_manager: bool,
    /// Spending at which a customer reaches the grade, in the panel's currency.
    pub spending_goal: Money,
    /// Names by locale; English is always present.
    pub translations: Translations,
    /// Whether the record is archived.
    pub is_archived: bool,
    /// When the record last changed.
    pub updated_at: Timestamp,
    /// Actions that the caller's permissions and the state of the record allow.
    pub actions: ArchiveAndRestoreActions,
}

/// Body of `POST grades` and `PATCH grades/{id}`. Absent fields of an update keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GradeInput {
    /// Names by locale, at most 100 characters; English is required for a new grade.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Icon image of the grade.
    #[serde(default, skip_serializing_if = "ImageInput::is_unchanged")]
    pub icon: ImageInput,
    /// Discount on every order, `"0"` to `"1"` with at most three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_fraction: Option<Fraction>,
    /// Days between two free thumbnails, 1 to 3,650; 0 removes the benefit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnail_period: Option<i64>,
    /// Days between two consultations by chat, 1 to 3,650; 0 removes the benefit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consultation_chat_period: Option<i64>,
    /// Whether customers with the grade can take part in closed sales.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_closed_sales: Option<bool>,
    /// Whether customers with the grade have a personal manager.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_personal_manager: Option<bool>,
    /// Spending at which a customer reaches the grade, 0 or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spending_goal: Option<Money>,
    /// On update: `updated_at` of the record that the editor read; 409 `stale_record` if the record has changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// A grade that a customer can have, for selection fields in user interfaces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableGrade {
    /// Id of the grade.
    pub id: GradeId,
    /// English name of the grade.
    pub name: String,
    /// URL of the icon; null if there is none.
    pub icon: Option<String>,
    /// Discount on every order, as a fraction.
    pub discount_fraction: Fraction,
    /// Spending at which a customer reaches the grade, in the panel's currency.
    pub spending_goal: Money,
}

crate::json_bodies!(Grade, GradeInput);
