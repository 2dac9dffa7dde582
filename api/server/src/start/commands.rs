//! The commands of the program.

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
use crate::start::terminal::{print, print_message};
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
    /// Starts the server (the default).
    Serve,
    /// Runs the database migrations and exits.
    Migrate,
    /// Checks all invariants of the data and prints violations. Exits with 1 if it finds any.
    Doctor {
        /// Data folder to check, instead of the configured one.
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Backs up the database and the uploaded files to a new folder, while the panel runs.
    Backup {
        /// Folder of the backup; must not exist.
        folder: PathBuf,
        /// Encrypts the files with the panel's key, as backup.encrypt does.
        #[arg(long)]
        encrypt: bool,
    },
    /// Verifies and restores a backup; the panel must be stopped. Exits with 1 if the doctor finds violations.
    Restore(restore::Options),
    /// Starts a demo panel with invented records, on this machine only.
    Demo(demo::Options),
    /// Manages the keys that encrypt secrets in the database and in documents.
    #[command(subcommand)]
    Secrets(SecretsCommand),
    #[command(subcommand)]
    Admin(AdminCommand),
    /// Prints the OpenAPI document.
    Openapi,
    /// Retries records that may have crashed a server. Only the server starts it, and writes the records to its standard input.
    #[command(hide = true)]
    RetryClaimed,
}

#[derive(Subcommand)]
enum SecretsCommand {
    /// Encrypts every secret again with the current key. Can be interrupted and repeated, also while the panel runs.
    Rotate,
    /// Counts the values that each key encrypts; changes nothing.
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

/// Runs the program. Prints an error to standard error as one sentence.
pub async fn main(cli: Cli) -> ExitCode {
    private_files::restrict_new_files();
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            print_message(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<(), String> {
    let command = cli.command.unwrap_or(Command::Serve);
    let config = || {
        let (config, warnings) = Config::load(cli.config.as_deref())?;
        warnings.iter().for_each(|warning| print_message(warning));
        Ok::<_, String>(config)
    };
    match command {
        Command::Serve => serve(config()?).await,
        Command::Migrate => migrate(config()?).await,
        Command::Backup { folder, encrypt } => backup::run(&config()?, &folder, encrypt).await,
        Command::Restore(options) => restore::run(&config()?, &options).await,
        Command::Demo(options) => demo::run(config()?, options).await,
        Command::Doctor { data } => run_doctor(config()?, data).await,
        Command::Secrets(command) => run_secrets_command(config()?, command).await,
        Command::Admin(AdminCommand::Create(account)) => create_admin(config()?, account).await,
        // It reads the server's configuration from standard input.
        Command::RetryClaimed => quarantine_retry::run().await,
        Command::Openapi => print(&format!("{:#}\n", crate::router::routes::document())),
    }
}

async fn start(config: Config) -> Result<App, String> {
    App::start(config, Arc::new(SystemClock), Random::system()).await
}

async fn migrate(config: Config) -> Result<(), String> {
    let _lock = folder_lock::acquire(&config)?;
    start(config).await.map(drop)
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
    let app = start(config).await?;
    let setup_token = setup::create_setup_token(&app).await.map_err(|error| format!("{error:?}"))?;
    let stop = StopSignals::register()?;
    print_message(&format!("The panel listens on {address}"));
    if let Some(token) = setup_token {
        // The token is in the fragment (after `#`), so that no request line and no proxy log contains it.
        print_message(&format!(
            "It has no owner yet. Open this address to create the owner account; it works once:\n  {address}/setup#token={token}"
        ));
    }
    serve_until_signal(app, listener, stop).await
}

/// Runs the doctor. Never migrates, and never creates a database.
async fn run_doctor(mut config: Config, data: Option<PathBuf>) -> Result<(), String> {
    config.data_dir = data.unwrap_or(config.data_dir);
    let database = config.database();
    if database.url.is_none() && !database.path.exists() {
        return Err(format!("{}: there is no database here", database.path.display()));
    }
    let db = Db::connect(&database).await.map_err(|error| error.to_string())?;
    let secrets = keys::load_existing(&config)?;
    let report = doctor::run_all(&db, secrets.as_ref(), SystemClock.now())
        .await
        .map_err(|error| error.report("").message)?;
    db.close().await;
    print(&doctor::report_text(&report))?;
    if report.healthy { Ok(()) } else { Err("the doctor found violated invariants; see above".into()) }
}

/// Acquires the folder's lock. Returns `None` if a running server holds it and the schema is current: then this command runs no
/// migration and needs no lock.
async fn lock_unless_current(config: &Config) -> Result<Option<FolderLock>, String> {
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
    let _lock = lock_unless_current(&config).await?;
    let app = start(config).await?;
    let result = match command {
        SecretsCommand::Rotate => secrets::rotate(&app).await,
        SecretsCommand::Status => secrets::status(&app).await,
    };
    app.db.close().await;
    result
}

async fn create_admin(config: Config, account: AdminCreateArgs) -> Result<(), String> {
    let mut password = String::new();
    std::io::stdin().read_line(&mut password).map_err(|error| error.to_string())?;
    let password = password.trim_end_matches(['\n', '\r']);
    let _lock = lock_unless_current(&config).await?;
    let app = start(config).await?;
    let id = setup::create_admin(&app, &account.name, &account.email, password).await?;
    print_message(&format!(
        "Created user {id}, who can now sign in as {}.",
        account.email.trim().to_lowercase()
    ));
    Ok(())
}
