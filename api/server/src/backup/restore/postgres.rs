//! Restores PostgreSQL: into an empty schema, in one transaction of `psql` that commits only if `pg_restore` succeeds.
//!
//! A replaced schema is renamed in that transaction, and keeps its tables until an operator drops it.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use panel_contract::system::DoctorReport;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Executor as _, PgConnection};

use super::{RestoreError, RestorePlan, decryption_key, run_doctor};
use crate::backup::create::{FORMER_SCHEMA_PREFIX, find_tools, last_error_lines, run_blocking};
use crate::backup::manifest::{DatabaseKind, Manifest};
use crate::backup::pg_tools::PgTools;
use crate::backup::{stream, time_stamp};
use panel_platform::db::{Db, DbConfig, postgres_options};
use panel_platform::secrets::Secrets;

/// The extension that searches in the panel need. It moves to the new schema, because a database can have it only once.
const SEARCH_EXTENSION: &str = "pg_trgm";

/// The database, its URL and PostgreSQL's programs.
pub(super) struct PostgresTarget {
    url: String,
    tools: PgTools,
    /// New name of the former schema; `None` if it has no tables.
    former_schema: Option<String>,
}

impl PostgresTarget {
    pub(super) async fn open(plan: &RestorePlan<'_>, manifest: &Manifest) -> Result<Self, RestoreError> {
        let url = plan.config.database_url.clone().ok_or_else(|| "database_url is not set".to_owned())?;
        let mut connection = connect(&url).await?;
        let state = load_settled_state(&mut connection).await.map_err(|error| error.to_string())?;
        drop(connection.close().await);
        if state.connection_count > 0 {
            return Err(RestoreError::PreconditionFailed(format!(
                "panel-server is connected to this database (connections: {}): stop every process of the panel first",
                state.connection_count
            )));
        }
        if state.table_count > 0 && !plan.replace {
            return Err(RestoreError::PreconditionFailed(
                "the database is not empty; use --replace to restore the backup in place of its tables, which move to a separate schema"
                    .into(),
            ));
        }
        let config = DbConfig { max_connections: 2, ..plan.config.database() };
        let db = Db::connect(&config).await.map_err(|error| error.to_string())?;
        let tools = find_tools(plan.config, &db, manifest.pg_dump.unwrap_or(0)).await;
        db.close().await;
        let former_schema =
            (state.table_count > 0).then(|| format!("{FORMER_SCHEMA_PREFIX}{}", time_stamp(plan.now)));
        Ok(Self { url, tools: tools?, former_schema })
    }

    pub(super) async fn restore(
        self,
        plan: &RestorePlan<'_>,
        manifest: &Manifest,
    ) -> Result<(Option<String>, Option<DoctorReport>), RestoreError> {
        let pipe = RestorePipe {
            archive: plan.folder.join(DatabaseKind::Postgres.file_name()),
            secrets: decryption_key(manifest, plan.secrets),
            restore_command: self.tools.build_command("pg_restore", &self.url)?,
            psql_command: self.tools.build_command("psql", &self.url)?,
            begin_sql: begin_sql(self.former_schema.as_deref()),
        };
        run_blocking(move || pipe.run()).await?;
        match run_doctor(&plan.config.database(), manifest, plan).await {
            Ok(report) => Ok((self.former_schema.map(|schema| format!("schema {schema}")), report)),
            Err(error) => {
                self.revert().await?;
                Err(error)
            }
        }
    }

    /// Drops the restored schema and renames the former one back.
    async fn revert(&self) -> Result<(), String> {
        let sql = match &self.former_schema {
            Some(former_schema) => format!(
                "BEGIN;\n{}DROP SCHEMA public CASCADE;\nALTER SCHEMA {former_schema} RENAME TO public;\nCOMMIT;",
                move_extension_sql(former_schema)
            ),
            None => "BEGIN;\nDROP SCHEMA public CASCADE;\nCREATE SCHEMA public;\nCOMMIT;".to_owned(),
        };
        let mut connection = connect(&self.url).await?;
        connection.execute(sqlx::raw_sql(AssertSqlSafe(sql))).await.map_err(|error| error.to_string())?;
        connection.close().await.map_err(|error| error.to_string())
    }
}

/// Returns SQL that begins the transaction and renames the former schema.
fn begin_sql(former_schema: Option<&str>) -> String {
    let rename_sql = former_schema.map_or_else(String::new, |former_schema| {
        let sql = format!("ALTER SCHEMA public RENAME TO {former_schema};\nCREATE SCHEMA public;\n");
        sql + &move_extension_sql("public")
    });
    format!("BEGIN;\n{rename_sql}")
}

/// Returns SQL that moves the extension to a schema, if the database has it. The schema's name must come from this module.
fn move_extension_sql(schema: &str) -> String {
    format!(
        "DO $$ BEGIN IF EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname = '{SEARCH_EXTENSION}') THEN ALTER EXTENSION {SEARCH_EXTENSION} SET SCHEMA {schema}; END IF; END $$;\n"
    )
}

/// Number of tables in the database, and of connections of servers.
#[derive(sqlx::FromRow)]
struct DatabaseState {
    table_count: i64,
    connection_count: i64,
}

async fn connect(url: &str) -> Result<PgConnection, String> {
    let options = postgres_options::parse(url)?.application_name("panel-backup");
    options.connect().await.map_err(|error| format!("cannot connect to the database: {error}"))
}

/// Reads the state once no process of the panel is connected, or after two seconds: PostgreSQL still lists a connection shortly
/// after its process has ended.
async fn load_settled_state(connection: &mut PgConnection) -> Result<DatabaseState, sqlx::Error> {
    for _ in 0..10 {
        let state = load_state(connection).await?;
        if state.connection_count == 0 {
            return Ok(state);
        }
        // Not a poller: this is a command, and no panel is running.
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    load_state(connection).await
}

async fn load_state(connection: &mut PgConnection) -> Result<DatabaseState, sqlx::Error> {
    let sql = "SELECT (SELECT count(*) FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
          WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p')) AS table_count,
        (SELECT count(*) FROM pg_catalog.pg_stat_activity WHERE datname = current_database() AND application_name = 'panel-server') AS connection_count";
    sqlx::query_as(sql).fetch_one(connection).await
}

/// Pipes the SQL of `pg_restore` to `psql`.
struct RestorePipe {
    archive: PathBuf,
    secrets: Option<Secrets>,
    restore_command: Command,
    psql_command: Command,
    begin_sql: String,
}

impl RestorePipe {
    fn run(mut self) -> Result<(), String> {
        let to_message = |error: io::Error| format!("cannot start PostgreSQL's programs: {error}");
        let (mut restore_errors, mut psql_errors) =
            (tempfile::tempfile().map_err(to_message)?, tempfile::tempfile().map_err(to_message)?);
        self.restore_command
            .args(["--no-owner", "--no-privileges", "--no-comments", "--exit-on-error", "--file=-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(restore_errors.try_clone().map_err(to_message)?);
        self.psql_command
            .args(["--no-psqlrc", "--quiet", "--no-password", "--set=ON_ERROR_STOP=1", "--file=-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(psql_errors.try_clone().map_err(to_message)?);
        let mut restore = KillOnDrop(self.restore_command.spawn().map_err(to_message)?);
        let mut psql = KillOnDrop(self.psql_command.spawn().map_err(to_message)?);
        let pipe_result = self.pipe_archive(&mut restore.0, &mut psql.0);
        let psql_status = psql.0.wait().map_err(to_message)?;
        match pipe_result {
            Ok(()) if psql_status.success() => Ok(()),
            // Include the messages of both programs: the one that failed first has the reason.
            Ok(()) => Err(format!("psql failed: {}", last_error_lines(&mut psql_errors))),
            Err(error) => {
                let messages = [
                    last_error_lines(&mut restore_errors),
                    last_error_lines(&mut psql_errors),
                    error.to_string(),
                ];
                let messages: Vec<String> =
                    messages.into_iter().filter(|message| !message.is_empty()).collect();
                Err(format!("the backup was not restored: {}", messages.join("; ")))
            }
        }
    }

    /// Writes the archive to `pg_restore` and its SQL to `psql`. The transaction is committed last: if anything fails before,
    /// `psql` reaches the end of its input inside the transaction, and the database does not change.
    fn pipe_archive(&self, restore: &mut Child, psql: &mut Child) -> io::Result<()> {
        let missing_pipe = || io::Error::other("a program of PostgreSQL has no input or output");
        let mut archive_input = restore.stdin.take().ok_or_else(missing_pipe)?;
        let mut sql_output = restore.stdout.take().ok_or_else(missing_pipe)?;
        let mut psql_input = psql.stdin.take().ok_or_else(missing_pipe)?;
        psql_input.write_all(self.begin_sql.as_bytes())?;
        std::thread::scope(|scope| {
            let writer = scope.spawn(move || {
                stream::extract_file(
                    &self.archive,
                    &mut archive_input,
                    DatabaseKind::Postgres.file_name(),
                    self.secrets.as_ref(),
                )
            });
            let copy_result = io::copy(&mut sql_output, &mut psql_input);
            // Close the pipe, so that a program that still writes to it ends.
            drop(sql_output);
            let write_result = writer.join().map_err(|_| io::Error::other("reading the backup panicked"))?;
            copy_result?;
            write_result
        })?;
        let status = restore.wait()?;
        if !status.success() {
            return Err(io::Error::other(format!("pg_restore failed ({status})")));
        }
        psql_input.write_all(b"COMMIT;\nANALYZE;\n")
    }
}

/// A child process that is killed on drop.
struct KillOnDrop(Child);

impl Drop for KillOnDrop {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renames_the_former_schema_in_the_same_transaction() {
        assert_eq!(begin_sql(None), "BEGIN;\n");
        let begin_sql = begin_sql(Some("panel_before_restore_x"));
        assert!(
            begin_sql.starts_with("BEGIN;\nALTER SCHEMA public RENAME TO panel_before_restore_x;\n"),
            "{begin_sql}"
        );
        assert!(!begin_sql.contains("COMMIT"));
    }
}
