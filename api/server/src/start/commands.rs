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
use crate::start::listening::{StopSignals, listen, serve_until_signal};
use crate::start::telemetry::Telemetry;
use crate::start::terminal::{print, tell};
use crate::start::{backup, restore, secrets};
use panel_platform::config::Config;
use panel_platform::db::{Db, facts, open};
use panel_platform::private_files;
use panel_platform::secrets::keys;

/// The panel's server.
#[derive(Parser)]
#[command(name = "panel-server", version, about)]
pub struct Cli {
    /// Configuration file; panel.toml in this folder when there is one.
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Serves (the default).
    Serve,
    /// Brings the database's schema up to date and ends.
    Migrate,
    /// Checks everything that must always hold and prints what breaks it; ends with 1 when something does.
    Doctor {
        /// The folder of the data to look at, instead of the configured one.
        #[arg(long)]
        data: Option<PathBuf>,
    },
    /// Writes the database and the uploaded files to a new folder, while the panel serves.
    Backup {
        /// The folder; must not exist.
        folder: PathBuf,
        /// Encrypts the files with the panel's key, as backup.encrypt does.
        #[arg(long)]
        encrypt: bool,
    },
    /// Restores a backup once it is verified; the panel must not run. Ends with 1 when the doctor finds something.
    Restore(restore::Options),
    /// A panel with made-up records to look at, on this machine only.
    Demo(demo::Options),
    /// The keys that seal secrets in the database and in documents.
    #[command(subcommand)]
    Secrets(SecretsCommand),
    /// Accounts of staff.
    #[command(subcommand)]
    Admin(Admin),
    /// Prints the OpenAPI document.
    Openapi,
    /// Works on records alone that may have ended a server; started by the server, which names them on standard input.
    #[command(hide = true)]
    RetryClaimed,
}

#[derive(Subcommand)]
enum SecretsCommand {
    /// Seals every secret anew with the current key; can be stopped and run again, also while the panel serves.
    Rotate,
    /// Counts what each key sealed; changes nothing.
    Status,
}

#[derive(Subcommand)]
enum Admin {
    /// Makes a staff account with the role Owner; the password is read from standard input.
    Create(AdminCreate),
}

#[derive(Args)]
struct AdminCreate {
    /// Name.
    #[arg(long)]
    name: String,
    /// E-mail address.
    #[arg(long)]
    email: String,
}

/// Runs the program; errors go to standard error as one sentence.
pub async fn main(cli: Cli) -> ExitCode {
    private_files::restrict_new_files();
    match run(cli).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&error);
            ExitCode::FAILURE
        }
    }
}

async fn run(cli: Cli) -> Result<(), String> {
    let command = cli.command.unwrap_or(Command::Serve);
    let config = || Config::load(cli.config.as_deref());
    match command {
        Command::Serve => serve(config()?).await,
        Command::Migrate => migrate(config()?).await,
        Command::Backup { folder, encrypt } => backup::run(&config()?, &folder, encrypt).await,
        Command::Restore(options) => restore::run(&config()?, &options).await,
        Command::Demo(options) => demo::run(config()?, options).await,
        Command::Doctor { data } => examine(config()?, data).await,
        Command::Secrets(command) => of_secrets(config()?, command).await,
        Command::Admin(Admin::Create(account)) => create_admin(config()?, account).await,
        // Its configuration is the server's, which hands it over.
        Command::RetryClaimed => quarantine_retry::run().await,
        Command::Openapi => print(&format!("{:#}\n", crate::router::routes::document())),
    }
}

async fn start(config: Config) -> Result<App, String> {
    App::start(config, Arc::new(SystemClock), Random::system()).await
}

async fn migrate(config: Config) -> Result<(), String> {
    let _lock = folder_lock::take(&config)?;
    start(config).await.map(drop)
}

async fn serve(config: Config) -> Result<(), String> {
    let telemetry = Telemetry::init(&config)?;
    let served = serve_until_stopped(config).await;
    telemetry.shutdown().await;
    served
}

async fn serve_until_stopped(mut config: Config) -> Result<(), String> {
    let _lock = folder_lock::take(&config)?;
    let listener = listen(&mut config).await?;
    let address = config.address();
    let app = start(config).await?;
    let invitation = setup::invite(&app).await.map_err(|error| format!("{error:?}"))?;
    let stop = StopSignals::register()?;
    tell(&format!("The panel listens on {address}"));
    if let Some(token) = invitation {
        // Behind the `#`, so that no request line and no log of a proxy has it.
        tell(&format!(
            "It has no owner yet. Open this address once to make one:\n  {address}/setup#token={token}"
        ));
    }
    serve_until_signal(app, listener, stop).await
}

/// Looks, without migrating and without making a database where there is none.
async fn examine(mut config: Config, data: Option<PathBuf>) -> Result<(), String> {
    config.data_dir = data.unwrap_or(config.data_dir);
    let database = config.database();
    if database.url.is_none() && !database.path.exists() {
        return Err(format!("{}: there is no database here", database.path.display()));
    }
    let db = Db::connect(&database).await.map_err(|error| error.to_string())?;
    let secrets = keys::known(&config)?;
    let report = doctor::whole(&db, secrets.as_ref(), SystemClock.now())
        .await
        .map_err(|error| error.report("").message)?;
    db.close().await;
    print(&doctor::text(&report))?;
    if report.healthy { Ok(()) } else { Err("something that must always hold does not; see above".into()) }
}

/// The folder's lock; beside a running server none, where the schema is up to date: starting then changes no table.
async fn lock_unless_current(config: &Config) -> Result<Option<FolderLock>, String> {
    let refused = match folder_lock::take(config) {
        Ok(lock) => return Ok(Some(lock)),
        Err(refused) => refused,
    };
    let db = Db::connect(&config.database()).await.map_err(|error| error.to_string())?;
    let migration = facts::size_and_migration(&db).await.map(|(_, migration)| migration);
    db.close().await;
    if migration.is_ok_and(|migration| migration == open::newest_migration()) {
        Ok(None)
    } else {
        Err(refused)
    }
}

async fn of_secrets(config: Config, command: SecretsCommand) -> Result<(), String> {
    let _lock = lock_unless_current(&config).await?;
    let app = start(config).await?;
    let done = match command {
        SecretsCommand::Rotate => secrets::rotate(&app).await,
        SecretsCommand::Status => secrets::status(&app).await,
    };
    app.db.close().await;
    done
}

async fn create_admin(config: Config, account: AdminCreate) -> Result<(), String> {
    let mut password = String::new();
    std::io::stdin().read_line(&mut password).map_err(|error| error.to_string())?;
    let password = password.trim_end_matches(['\n', '\r']);
    let _lock = lock_unless_current(&config).await?;
    let app = start(config).await?;
    let id = setup::create_admin(&app, &account.name, &account.email, password).await?;
    tell(&format!("User {id} may sign in as {}.", account.email.trim().to_lowercase()));
    Ok(())
}
