//! Checks the connection to PostgreSQL before the panel starts. An error names the address and the reason, and never holds the
//! password.

use std::fmt::Display;
use std::io::{self, ErrorKind};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use tokio::time::sleep;

use crate::db::availability::Availability;
use crate::db::{DbError, DbResult};

/// A database that starts together with the panel is available within seconds. After the last attempt the process ends, and the
/// service manager restarts it.
const MAX_ATTEMPTS: u32 = 5;
/// Delay between two attempts.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// Opens a connection and closes it. An error names the address and the remedy.
pub(super) async fn check(options: &PgConnectOptions) -> DbResult<()> {
    for attempt in 1.. {
        let error = match Availability::check_connection(options).await {
            Ok(()) => return Ok(()),
            Err(error) => error,
        };
        let text = error_message(options, &error);
        if attempt >= MAX_ATTEMPTS || !is_temporary(&error) {
            return Err(DbError::Setup(text));
        }
        tracing::warn!(attempt, attempts = MAX_ATTEMPTS, "{text}");
        // Not a poller: the panel has not started yet.
        sleep(RETRY_DELAY).await;
    }
    Ok(())
}

/// Whether another attempt may succeed: no server listens yet, or the server is starting or has no free connection.
fn is_temporary(error: &sqlx::Error) -> bool {
    match error.as_database_error() {
        Some(error) => {
            error.code().is_some_and(|code| matches!(&*code, "53300" | "57P01" | "57P02" | "57P03"))
        }
        None => match error {
            sqlx::Error::Io(io) => !is_certificate_error(io) && io.kind() != ErrorKind::NotFound,
            error => matches!(error, sqlx::Error::Protocol(_)),
        },
    }
}

/// Whether the TLS handshake failed because the certificate is invalid, for another host, or from an untrusted authority. The
/// driver reports that as an I/O error.
fn is_certificate_error(error: &io::Error) -> bool {
    error.kind() == ErrorKind::InvalidData && error.get_ref().is_some()
}

fn verification_error_message(server: &str, reason: &dyn Display) -> String {
    format!(
        "{server} cannot be verified: {reason}. Beyond this machine the connection is encrypted: give PostgreSQL a certificate for this host and name its authority (?sslrootcert=FILE) in database_url, or write ?sslmode=disable if you trust every machine of the network."
    )
}

fn error_message(options: &PgConnectOptions, error: &sqlx::Error) -> String {
    let address = match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
    };
    let (user, database) = (options.get_username(), options.get_database().unwrap_or(options.get_username()));
    let server = format!("PostgreSQL at {address} (database {database:?}, user {user:?})");
    let code = error.as_database_error().and_then(|error| error.code().map(|code| code.into_owned()));
    match (code.as_deref(), error) {
        (Some("28P01" | "28000"), error) => {
            format!("{server} rejected the sign-in: {}. Correct database_url.", server_message(error))
        }
        (Some("3D000"), error) => {
            format!("{server}: {}. Create it, or correct database_url.", server_message(error))
        }
        (Some(_), error) => format!("{server} refused the connection: {}.", server_message(error)),
        (None, sqlx::Error::Io(error)) if error.kind() == ErrorKind::TimedOut => {
            format!("{server} does not answer. Start it, or correct database_url.")
        }
        (None, sqlx::Error::Io(error)) if is_certificate_error(error) => {
            verification_error_message(&server, error)
        }
        (None, sqlx::Error::Io(error))
            if error.kind() == ErrorKind::NotFound && options.get_socket().is_none() =>
        {
            format!(
                "{server} was not contacted: cannot read a file that database_url names (sslrootcert, sslcert or sslkey): {error}."
            )
        }
        (None, sqlx::Error::Io(error)) => {
            format!("{server} cannot be reached: {error}. Start it, or correct database_url.")
        }
        (None, sqlx::Error::Tls(error)) => verification_error_message(&server, error),
        (None, error) => format!("{server} cannot be used: {error}."),
    }
}

/// The message of PostgreSQL, without a full stop.
fn server_message(error: &sqlx::Error) -> String {
    let text =
        error.as_database_error().map_or_else(|| error.to_string(), |error| error.message().to_owned());
    text.trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn certificate_errors_are_permanent() {
        let certificate_error =
            io::Error::new(ErrorKind::InvalidData, "invalid peer certificate: UnknownIssuer");
        assert!(!is_temporary(&sqlx::Error::Io(certificate_error)));
        let missing_file = sqlx::Error::Io(ErrorKind::NotFound.into());
        assert!(!is_temporary(&missing_file), "a certificate file that database_url names is missing");
        assert!(is_temporary(&sqlx::Error::Io(ErrorKind::ConnectionRefused.into())));
    }

    #[tokio::test]
    async fn an_error_names_the_address_and_the_reason() {
        let closed_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let options = PgConnectOptions::new_without_pgpass()
            .host("127.0.0.1")
            .port(closed_port)
            .username("panel")
            .password("secret-password")
            .database("shop");
        let error = Availability::check_connection(&options).await.unwrap_err();
        let text = error_message(&options, &error);
        let start = format!(
            "PostgreSQL at 127.0.0.1:{closed_port} (database \"shop\", user \"panel\") cannot be reached: Connection refused"
        );
        assert!(text.starts_with(&start) && text.ends_with("correct database_url."), "{text}");
        assert!(!text.contains("secret-password") && is_temporary(&error));
    }
}
