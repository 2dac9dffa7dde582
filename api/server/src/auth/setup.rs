//! The first start of an empty panel: a one-time token, printed by the server, lets one person make the owner.

use panel_contract::hidden;
use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::session::{SetupInput, SignedIn};
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::auth::{login, password, sessions, store};
use crate::context::Ctx;
use crate::http::reply::WithToken;
use panel_contract::fields::FieldErrors;
use panel_platform::audit;
use panel_platform::audit::change::Change;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// The role that holds every permission.
pub const OWNER_ROLE: &str = "Owner";

/// Makes the one-time token of an empty panel; none when there are users.
pub async fn invite(app: &App) -> Result<Option<String>> {
    if store::has_users(&mut &app.db).await? {
        return Ok(None);
    }
    let token = app.random.token();
    let hash = panel_platform::db::sql::hex(&sessions::hash(&token));
    settings::put(&mut &app.db, settings::SETUP_TOKEN, &serde_json::json!(hash), app.clock.now()).await?;
    Ok(Some(token))
}

/// Whether a text can be an email address. Only an email shows whether the address has a reader.
#[must_use]
pub fn is_address(email: &str) -> bool {
    let (local, domain) = email.split_once('@').unwrap_or_default();
    let odd = |char: char| char.is_whitespace() || char.is_control() || char == '@';
    // What an erasure leaves in the place of an address.
    let is_erased = domain.eq_ignore_ascii_case("invalid");
    !local.is_empty()
        && !domain.is_empty()
        && !is_erased
        && !domain.contains(odd)
        && !local.contains(odd)
        && email.len() <= 254
}

/// Checks a name, an email address and a password for a new account on the panel of this name; an invited person has no
/// password yet.
pub fn check_account(
    panel_name: &str,
    name: &str,
    email: &str,
    password: Option<&str>,
) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    // The command line comes here without a request, whose names are checked where it is read.
    if name.trim().is_empty() || name.chars().count() > 100 || hidden::in_name(name.trim()).is_some() {
        errors.add("name", "Give a name of 1 to 100 visible characters.");
    }
    if !is_address(email) {
        errors.add("email", "Give an email address, such as anna@example.com.");
    }
    let context = password::Context::new(panel_name, email, name);
    if let Some(Err(message)) = password.map(|password| password::check_new(password, &context)) {
        errors.add("password", message);
    }
    errors.or(())
}

/// Makes an account with a role that holds all permissions; its id.
pub async fn make_owner(
    app: &App,
    db: &mut impl panel_platform::db::Source,
    name: &str,
    email: &str,
    password: &str,
) -> Result<UserId> {
    let email = email.trim().to_lowercase();
    let hash = app.passwords.hash(password).await?;
    let now = app.clock.now();
    let id =
        store::insert_user(db, name.trim(), &email, Some(&hash), now).await.map_err(|error| {
            match error.is_unique() {
                true => Error::invalid("email", "email_taken", "Another user has this email address."),
                false => error.into(),
            }
        })?;
    let all: Vec<&str> = Permission::ALL.iter().map(|permission| permission.as_str()).collect();
    store::give_role(db, id, OWNER_ROLE, &all, now).await?;
    Ok(id)
}

fn owner_made(id: UserId, name: &str, email: &str) -> Change {
    let new =
        serde_json::json!({ "name": name.trim(), "email": email.trim().to_lowercase(), "role": OWNER_ROLE });
    Change { id: id.record(), old: serde_json::json!({}), new }
}

/// Makes another owner from the command line; its id.
pub async fn create_admin(
    app: &App,
    name: &str,
    email: &str,
    password: &str,
) -> std::result::Result<UserId, String> {
    let panel_name = settings::text(&mut &app.db, settings::PANEL_NAME).await;
    let panel_name = panel_name.map_err(|error| error.report("admin create").message)?;
    check_account(&panel_name.unwrap_or_default(), name, email.trim(), Some(password))
        .map_err(|errors| errors.summary())?;
    let made = async {
        let mut work = Scope::system(app, "admin create").begin().await?;
        let id = make_owner(app, &mut work, name, email, password).await?;
        audit::record(&mut work, "user.created", "user", owner_made(id, name, email)).await?;
        work.finish(id).await
    };
    made.await.map_err(|error: Error| error.report("admin create").message)
}

/// Makes the owner and signs them in.
pub async fn setup(ctx: &Ctx, input: &SetupInput) -> Result<WithToken<SignedIn>> {
    check_account(&input.panel_name, &input.name, input.email.trim(), Some(&input.password))?;
    if input.panel_name.trim().is_empty() || input.panel_name.chars().count() > 60 {
        return Err(Error::invalid("panel_name", "invalid", "Give the panel a name of 1 to 60 characters."));
    }
    let over = || {
        Error::conflict(
            "already_set_up",
            "This panel has its owner already, or the set-up address is an old one; start the server again for a new one.",
        )
    };
    let given = serde_json::json!(panel_platform::db::sql::hex(&sessions::hash(&input.token)));
    // Strangers may call this: without the token they do not get as far as the writer.
    if settings::get(&mut ctx.db(), settings::SETUP_TOKEN).await?.is_none_or(|expected| expected != given) {
        return Err(over());
    }
    // The answer signs in, so it can neither be stored under a key nor be tried.
    let mut work = ctx.once().begin().await?;
    // The request that deletes the token creates the owner: of two at the same time only one does.
    if !settings::take(&mut work, settings::SETUP_TOKEN, &given).await? || store::has_users(&mut work).await?
    {
        return Err(over());
    }
    let id = make_owner(&ctx.app, &mut work, &input.name, &input.email, &input.password).await?;
    let now = work.now;
    settings::put(&mut work, settings::PANEL_NAME, &serde_json::json!(input.panel_name.trim()), now).await?;
    if input.require_second_factor {
        let on = serde_json::json!(true);
        settings::put(&mut work, settings::SECOND_FACTOR_FOR_ALL_STAFF, &on, now).await?;
    }
    audit::record(&mut work, "panel.set_up", "user", owner_made(id, &input.name, &input.email)).await?;
    work.finish(()).await?;
    let account = store::account(&mut ctx.db(), id).await?;
    let (account, caller) = login::staff(ctx, account)
        .await?
        .ok_or_else(|| Error::Fault("the owner just made cannot be found".into()))?;
    login::sign_in(ctx, &account, caller, &["password"]).await
}
