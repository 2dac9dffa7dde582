//! The setup of an empty panel: the server prints a one-time token, with which one person creates the owner.

use panel_contract::hidden_characters;
use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::session::{SetupInput, SignInResponse};
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::auth::{login, password, sessions, store};
use crate::context::Ctx;
use crate::http::reply::WithToken;
use panel_contract::fields::FieldErrors;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// The role that holds every permission.
pub const OWNER_ROLE: &str = "Owner";

/// Creates the one-time setup token; `None` if the panel has users.
pub async fn create_setup_token(app: &App) -> Result<Option<String>> {
    if store::has_users(&mut &app.db).await? {
        return Ok(None);
    }
    let token = app.random.token();
    let hash = panel_platform::db::sql::hex(&sessions::hash(&token));
    settings::put(&mut &app.db, settings::SETUP_TOKEN, &serde_json::json!(hash), app.clock.now()).await?;
    Ok(Some(token))
}

/// Whether a text can be an email address. Only sending an email can show whether it exists.
#[must_use]
pub fn is_email_address(email: &str) -> bool {
    let (local, domain) = email.split_once('@').unwrap_or_default();
    let is_forbidden = |char: char| char.is_whitespace() || char.is_control() || char == '@';
    // An erased customer gets an address in the domain `invalid`.
    let is_erased = domain.eq_ignore_ascii_case("invalid");
    !local.is_empty()
        && !domain.is_empty()
        && !is_erased
        && !domain.contains(is_forbidden)
        && !local.contains(is_forbidden)
        && email.len() <= 254
}

/// Checks the name, the email address and the password of a new account on the panel `panel_name`. An invited staff member has no
/// password yet.
pub fn check_account(
    panel_name: &str,
    name: &str,
    email: &str,
    password: Option<&str>,
) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    // Hidden characters are checked here too, because the command line has no request parser that checks them.
    if name.trim().is_empty()
        || name.chars().count() > 100
        || hidden_characters::find_in_name(name.trim()).is_some()
    {
        errors.add("name", "Enter a name of 1 to 100 visible characters.");
    }
    if !is_email_address(email) {
        errors.add("email", "Enter an email address, such as anna@example.com.");
    }
    let context = password::Context::new(panel_name, email, name);
    if let Some(Err(message)) = password.map(|password| password::check_new(password, &context)) {
        errors.add("password", message);
    }
    errors.into_result(())
}

/// Creates an account with the role of all permissions and returns its id.
pub async fn create_owner(
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
                true => Error::invalid(
                    "email",
                    "email_taken",
                    "Another user has this email address. Enter another one.",
                ),
                false => error.into(),
            }
        })?;
    let all: Vec<&str> = Permission::ALL.iter().map(|permission| permission.as_str()).collect();
    store::grant_role(db, id, OWNER_ROLE, &all, now).await?;
    Ok(id)
}

fn owner_change(id: UserId, name: &str, email: &str) -> AuditChange {
    let new =
        serde_json::json!({ "name": name.trim(), "email": email.trim().to_lowercase(), "role": OWNER_ROLE });
    AuditChange { id: id.as_record_id(), old: serde_json::json!({}), new }
}

/// Creates another owner for the command line and returns its id.
pub async fn create_admin(
    app: &App,
    name: &str,
    email: &str,
    password: &str,
) -> std::result::Result<UserId, String> {
    let panel_name = settings::read_text(&mut &app.db, settings::PANEL_NAME).await;
    let panel_name = panel_name.map_err(|error| error.report("admin create").message)?;
    check_account(&panel_name.unwrap_or_default(), name, email.trim(), Some(password))
        .map_err(|errors| errors.summary())?;
    let create = async {
        let mut work = Scope::system(app, "admin create").begin().await?;
        let id = create_owner(app, &mut work, name, email, password).await?;
        audit::record(&mut work, "user.created", "user", owner_change(id, name, email)).await?;
        work.finish(id).await
    };
    create.await.map_err(|error: Error| error.report("admin create").message)
}

/// Creates the owner and signs them in.
pub async fn setup(ctx: &Ctx, input: &SetupInput) -> Result<WithToken<SignInResponse>> {
    check_account(&input.panel_name, &input.name, input.email.trim(), Some(&input.password))?;
    if input.panel_name.trim().is_empty() || input.panel_name.chars().count() > 60 {
        return Err(Error::invalid("panel_name", "invalid", "Enter a panel name of 1 to 60 characters."));
    }
    let already_set_up = || {
        Error::conflict(
            "already_set_up",
            "This panel already has an owner, or this setup link is outdated. Sign in, or restart the server for a new link.",
        )
    };
    let token_hash = serde_json::json!(panel_platform::db::sql::hex(&sessions::hash(&input.token)));
    // This endpoint is public: a caller without the token must not reach the database's writer.
    if settings::read_stored(&mut ctx.db(), settings::SETUP_TOKEN)
        .await?
        .is_none_or(|expected| expected != token_hash)
    {
        return Err(already_set_up());
    }
    // The response has a token, so it must not be stored under an idempotency key, and a dry run is impossible.
    let mut work = ctx.once().begin().await?;
    // The request that deletes the token creates the owner, so that of two concurrent requests only one succeeds.
    if !settings::delete_if_equal(&mut work, settings::SETUP_TOKEN, &token_hash).await?
        || store::has_users(&mut work).await?
    {
        return Err(already_set_up());
    }
    let id = create_owner(&ctx.app, &mut work, &input.name, &input.email, &input.password).await?;
    let now = work.now;
    settings::put(&mut work, settings::PANEL_NAME, &serde_json::json!(input.panel_name.trim()), now).await?;
    if input.require_second_factor {
        let enabled = serde_json::json!(true);
        settings::put(&mut work, settings::SECOND_FACTOR_FOR_ALL_STAFF, &enabled, now).await?;
    }
    audit::record(&mut work, "panel.set_up", "user", owner_change(id, &input.name, &input.email)).await?;
    work.finish(()).await?;
    let account = store::account(&mut ctx.db(), id).await?;
    let (account, caller) = login::staff_caller(ctx, account)
        .await?
        .ok_or_else(|| Error::Internal("the new owner was not found".into()))?;
    login::sign_in(ctx, &account, caller, &["password"]).await
}
