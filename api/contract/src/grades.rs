//! Grades of the loyalty program: what a customer reaches by spending, and what it gives them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::amount::{Fraction, Money};
use crate::common::{Translations, UnarchivableActions};
use crate::ids::GradeId;
use crate::moment::{Stamp, Time};
use crate::upload::Picture;

/// A grade.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Grade {
    /// Its id.
    pub id: GradeId,
    /// Its English name.
    pub name: String,
    /// The address of its picture.
    pub icon: Option<String>,
    /// When it was made.
    pub created_at: Time,
    /// Customers who have it.
    pub users_count: i64,
    /// Off every order, as a fraction: "0.05" is five percent.
    pub discount_percent: Fraction,
    /// Days between two free thumbnails; none without them.
    pub thumbnail_period: Option<i64>,
    /// Days between two consultations by chat; none without them.
    pub consultation_chat_period: Option<i64>,
    /// Whether closed sales are open to them.
    pub available_closed_sales: bool,
    /// Whether they have a manager of their own.
    pub available_personal_manager: bool,
    /// What a customer must have spent to reach it.
    pub spending_goal: Money,
    /// By language its `name`; English is always there.
    pub translations: Translations,
    /// Whether it is put away.
    pub is_archived: bool,
    /// When it last changed.
    pub updated_at: Stamp,
    /// What the caller may do with it.
    pub actions: UnarchivableActions,
}

/// Body of create and update; an update takes what is absent as it was.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct GradeInput {
    /// By language its `name`, at most 100 characters; English is required for a new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
    /// Its picture.
    #[serde(default, skip_serializing_if = "Picture::is_unchanged")]
    pub icon: Picture,
    /// "0" to "1", at most three decimals.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discount_percent: Option<Fraction>,
    /// 1 to 3,650 days; 0 for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thumbnail_period: Option<i64>,
    /// 1 to 3,650 days; 0 for none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consultation_chat_period: Option<i64>,
    /// Whether closed sales are open to them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_closed_sales: Option<bool>,
    /// Whether they have a manager of their own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_personal_manager: Option<bool>,
    /// Not below zero.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spending_goal: Option<Money>,
    /// On update: the record as the editor read it; a newer one is a 409.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// A grade for pickers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AvailableGrade {
    /// Its id.
    pub id: GradeId,
    /// Its English name.
    pub name: String,
    /// The address of its picture.
    pub icon: Option<String>,
    /// Off every order, as a fraction.
    pub discount_percent: Fraction,
    /// What a customer must have spent to reach it.
    pub spending_goal: Money,
}

crate::wire!(Grade, GradeInput);
