//! The command line of `panel-server`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, Parser, Subcommand};
use panel_kernel::clock::{Clock as _, SystemClock};
use panel_kernel::random::Random;

use crate::app::App;
use crate::auth::setup;
use crate::background::quarantine_retry;
use crate::doctor;
use crate::start::demo;
use crate::start::folder_lock::{self, FolderLock};
use crate::start::listener::{StopSignals, listen, serve_until_signal};
use crate::start::telemetry::Telemetry;
use crate::start::terminal::{print_message, print_output};
use crate::start::{backup, restore, secrets};
use panel_platform::config::Config;
use panel_platform::db::{Db, facts, open};
use panel_platform::private_files;
use panel_platform::secrets::keys;

#[derive(Parser)]
#[command(name = "panel-server", version, about)]
pub struct Cli {
    /// Configuration file [default: panel.toml in the current folder, if it exists].
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Starts the server (the default command).
    Serve,
    /// Runs the database migrations and exits.
    Migrate,
    /// Checks all invariants of the data and prints violations. Exits with code 1 if the check finds violations.
    Doctor {
        /// Data folder to check, instead of the configured one.
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Backs up the database and the uploaded files to a new folder. The panel can stay online.
    Backup {
        /// Folder to create for the backup; must not exist yet.
        folder: PathBuf,
        /// Encrypts the backup's files with the panel's key, like the setting backup.encrypt.
        #[arg(long)]
        encrypt: bool,
    },
    /// Verifies and restores a backup. The panel must be stopped. Exits with code 1 if the doctor finds violations.
    Restore(restore::RestoreOptions),
    /// Starts a demo panel with invented records, on this machine only.
    Demo(demo::DemoOptions),
    /// Manages the keys that encrypt secrets in the database and in documents.
    #[command(subcommand)]
    Secrets(SecretsCommand),
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Prints the OpenAPI document.
    Openapi,
    /// Retries records that may have crashed a server. Only the server runs this command; it writes the records to standard input.
    #[command(hide = true)]
    RetryClaimed,
}

#[derive(Subcommand)]
enum SecretsCommand {
    /// Encrypts every secret again with the current key. The panel can stay online. You can interrupt and repeat this command.
    Rotate,
    /// Counts the values that each key encrypts, without changing them.
    Status,
}

#[derive(Subcommand)]
enum AdminCommand {
    /// Creates a staff account with the role Owner; reads the password from standard input.
    Create(AdminCreateArgs),
}

#[derive(Args)]
struct AdminCreateArgs {
    #[arg(long)]
    name: String,
    #[arg(long)]
    email: String,
}

/// Runs the command. Prints an error as one sentence to standard error.
pub async fn main(cli: Cli) -> ExitCode {
    private_files::restrict_new_files();
    match run_command(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_message(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run_command(cli: Cli) -> Result<(), String> {
    let command = cli.command.unwrap_or(Command::Serve);
    let load_config = || {
        let (config, warnings) = Config::load(cli.config.as_deref())?;
        warnings.iter().for_each(|warning| print_message(warning));
        Ok::<_, String>(config)
    };
    match command {
        Command::Serve => serve(load_config()?).await,
        Command::Migrate => migrate(load_config()?).await,
        Command::Backup { folder, encrypt } => backup::run(&load_config()?, &folder, encrypt).await,
        Command::Restore(options) => restore::run(&load_config()?, &options).await,
        Command::Demo(options) => demo::run(load_config()?, options).await,
        Command::Doctor { data } => run_doctor(load_config()?, data).await,
        Command::Secrets(command) => run_secrets_command(load_config()?, command).await,
        Command::Admin(AdminCommand::Create(account)) => create_admin(load_config()?, account).await,
        // This command reads the server's configuration from standard input.
        Command::RetryClaimed => quarantine_retry::run().await,
        Command::Openapi => print_output(&format!("{:#}\n", crate::router::routes::openapi_document())),
    }
}

async fn open_app(config: Config) -> Result<App, String> {
    App::start(config, Arc::new(SystemClock), Random::system()).await
}

async fn migrate(config: Config) -> Result<(), String> {
    let _lock = folder_lock::acquire(&config)?;
    open_app(config).await.map(drop)
}

async fn serve(config: Config) -> Result<(), String> {
    let telemetry = Telemetry::init(&config)?;
    let result = serve_until_stopped(config).await;
    telemetry.shutdown().await;
    result
}

async fn serve_until_stopped(mut config: Config) -> Result<(), String> {
    let _lock = folder_lock::acquire(&config)?;
    let listener = listen(&mut config).await?;
    let address = config.address();
    let app = open_app(config).await?;
    let setup_token = setup::create_setup_token(&app).await.map_err(|error| format!("{error:?}"))?;
    let stop_signals = StopSignals::register()?;
    print_message(&format!("The panel listens on {address}"));
    if let Some(token) = setup_token {
        // Browsers do not send the fragment (after `#`), so no request line and no proxy log contains the token.
        print_message(&format!(
            "The panel has no owner account yet. Open this link to create it (the link works once):\n  {address}/setup#token={token}"
        ));
    }
    serve_until_signal(app, listener, stop_signals).await
}

/// Runs the doctor. It must never migrate or create a database.
async fn run_doctor(mut config: Config, data_dir: Option<PathBuf>) -> Result<(), String> {
    config.data_dir = data_dir.unwrap_or(config.data_dir);
    let database = config.database();
    if database.url.is_none() && !database.path.exists() {
        return Err(format!("{}: no database found", database.path.display()));
    }
    let db = Db::connect(&database).await.map_err(|error| error.to_string())?;
    let secrets = keys::load_existing(&config)?;
    let report = doctor::run_all(&db, secrets.as_ref(), SystemClock.now())
        .await
        .map_err(|error| error.report("").message)?;
    db.close().await;
    print_output(&doctor::format_report(&report))?;
    if report.healthy { Ok(()) } else { Err("the doctor found violations; see the report above".into()) }
}

/// Acquires the folder's lock. Returns `None` if a running server holds the lock and the schema is current: then this command runs
/// no migration and needs no lock.
async fn acquire_lock_if_needed(config: &Config) -> Result<Option<FolderLock>, String> {
    let lock_error = match folder_lock::acquire(config) {
        Ok(lock) => return Ok(Some(lock)),
        Err(lock_error) => lock_error,
    };
    let db = Db::connect(&config.database()).await.map_err(|error| error.to_string())?;
    let migration = facts::load_facts(&db).await.map(|facts| facts.migration);
    db.close().await;
    if migration.is_ok_and(|migration| migration == open::newest_migration()) {
        Ok(None)
    } else {
        Err(lock_error)
    }
}

async fn run_secrets_command(config: Config, command: SecretsCommand) -> Result<(), String> {
    let _lock = acquire_lock_if_needed(&config).await?;
    let app = open_app(config).await?;
    let result = match command {
        SecretsCommand::Rotate => secrets::rotate(&app).await,
        SecretsCommand::Status => secrets::print_status(&app).await,
    };
    app.db.close().await;
    result
}

async fn create_admin(config: Config, account: AdminCreateArgs) -> Result<(), String> {
    let mut password = String::new();
    std::io::stdin().read_line(&mut password).map_err(|error| error.to_string())?;
    let password = password.trim_end_matches(['\n', '\r']);
    let _lock = acquire_lock_if_needed(&config).await?;
    let app = open_app(config).await?;
    let id = setup::create_admin(&app, &account.name, &account.email, password).await?;
    print_message(&format!(
        "Created user {id}, who can now sign in as {}.",
        account.email.trim().to_lowercase()
    ));
    Ok(())
}
