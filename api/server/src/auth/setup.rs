//! Sets up an empty panel: the server prints a one-time token, with which the operator creates the first user, the owner.

use panel_contract::hidden_characters;
use panel_contract::ids::UserId;
use panel_contract::permission::Permission;
use panel_contract::session::{SetupInput, SignInResponse};
use panel_kernel::error::{Error, Result};

use crate::app::App;
use crate::auth::{login, password, sessions, store};
use crate::context::Ctx;
use crate::http::typed_response::WithToken;
use panel_contract::fields::FieldErrors;
use panel_platform::audit;
use panel_platform::audit::change::AuditChange;
use panel_platform::scope::Scope;
use panel_platform::settings;

/// The role that holds every permission.
pub const OWNER_ROLE: &str = "Owner";

/// Creates the one-time setup token. Returns `None` if the panel already has users.
pub async fn create_setup_token(app: &App) -> Result<Option<String>> {
    if store::has_users(&mut &app.db).await? {
        return Ok(None);
    }
    let token = app.random.token();
    let hash = panel_platform::db::sql::hex(&sessions::hash(&token));
    settings::put(&mut &app.db, settings::SETUP_TOKEN, &serde_json::json!(hash), app.clock.now()).await?;
    Ok(Some(token))
}

/// Whether a string has the form of an email address. Only the delivery of an email can show whether the address exists.
#[must_use]
pub fn is_email_address(email: &str) -> bool {
    let (local, domain) = email.split_once('@').unwrap_or_default();
    let is_forbidden = |char: char| char.is_whitespace() || char.is_control() || char == '@';
    // The server gives erased customers an address in the domain `invalid`.
    let is_reserved_domain = domain.eq_ignore_ascii_case("invalid");
    !local.is_empty()
        && !domain.is_empty()
        && !is_reserved_domain
        && !domain.contains(is_forbidden)
        && !local.contains(is_forbidden)
        && email.len() <= 254
}

/// Validates the name, the email address and the password of a new account. `panel_name` must not occur in the password. `password` is
/// `None` for an invited staff member, who has no password yet.
pub fn check_account(
    panel_name: &str,
    name: &str,
    email: &str,
    password: Option<&str>,
) -> std::result::Result<(), FieldErrors> {
    let mut errors = FieldErrors::default();
    // The request parser checks hidden characters, but the command line has no request parser.
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
    if let Some(Err(message)) = password.map(|password| password::check_new_password(password, &context)) {
        errors.add("password", message);
    }
    errors.into_result(())
}

/// Creates an account with the owner role, which has all permissions, and returns its id.
pub async fn create_owner(
    app: &App,
    db: &mut impl panel_platform::db::SqlExecutor,
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
    let all_permissions: Vec<&str> = Permission::ALL.iter().map(|permission| permission.as_str()).collect();
    store::grant_role(db, id, OWNER_ROLE, &all_permissions, now).await?;
    Ok(id)
}

fn owner_audit_change(id: UserId, name: &str, email: &str) -> AuditChange {
    let new =
        serde_json::json!({ "name": name.trim(), "email": email.trim().to_lowercase(), "role": OWNER_ROLE });
    AuditChange { id: id.as_record_id(), old: serde_json::json!({}), new }
}

/// Creates another account with the owner role, for `panel-server admin create`, and returns its id.
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
    let create_admin = async {
        let mut work = Scope::system(app, "admin create").begin().await?;
        let id = create_owner(app, &mut work, name, email, password).await?;
        audit::record(&mut work, "user.created", "user", owner_audit_change(id, name, email)).await?;
        work.finish(id).await
    };
    create_admin.await.map_err(|error: Error| error.report("admin create").message)
}

/// Creates the first owner, and signs this user in.
pub async fn set_up_panel(ctx: &Ctx, input: &SetupInput) -> Result<WithToken<SignInResponse>> {
    check_account(&input.panel_name, &input.name, input.email.trim(), Some(&input.password))?;
    if input.panel_name.trim().is_empty() || input.panel_name.chars().count() > 60 {
        return Err(Error::invalid("panel_name", "invalid", "Enter a panel name of 1 to 60 characters."));
    }
    let already_set_up_error = || {
        Error::conflict(
            "already_set_up",
            "This panel already has an owner, or this setup link is outdated. Sign in, or restart the server for a new link.",
        )
    };
    let token_hash = serde_json::json!(panel_platform::db::sql::hex(&sessions::hash(&input.token)));
    // This endpoint is public, so a caller without the token must not cause a write to the database.
    if settings::read_stored(&mut ctx.db(), settings::SETUP_TOKEN)
        .await?
        .is_none_or(|expected_hash| expected_hash != token_hash)
    {
        return Err(already_set_up_error());
    }
    // The response contains a token, so the server must not store the response under an idempotency key, and a dry run is impossible.
    let mut work = ctx.without_replay_and_dry_run().begin().await?;
    // Only the request that deletes the token creates the owner, so only one of two concurrent requests succeeds.
    if !settings::delete_if_equal(&mut work, settings::SETUP_TOKEN, &token_hash).await?
        || store::has_users(&mut work).await?
    {
        return Err(already_set_up_error());
    }
    let id = create_owner(&ctx.app, &mut work, &input.name, &input.email, &input.password).await?;
    let now = work.now;
    settings::put(&mut work, settings::PANEL_NAME, &serde_json::json!(input.panel_name.trim()), now).await?;
    if input.require_second_factor {
        let is_required = serde_json::json!(true);
        settings::put(&mut work, settings::SECOND_FACTOR_FOR_ALL_STAFF, &is_required, now).await?;
    }
    audit::record(&mut work, "panel.set_up", "user", owner_audit_change(id, &input.name, &input.email))
        .await?;
    work.finish(()).await?;
    let account = store::load_account(&mut ctx.db(), id).await?;
    let (account, caller) = login::load_staff_caller(ctx, account)
        .await?
        .ok_or_else(|| Error::Internal("the new owner was not found".into()))?;
    login::sign_in(ctx, &account, caller, &["password"]).await
}
