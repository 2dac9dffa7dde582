//! How PostgreSQL's address is read: beyond this machine the connection is encrypted and the server's certificate is verified,
//! unless the operator names another `sslmode`. The driver's own default (`prefer`) verifies nothing and falls back to plain text.

use std::net::IpAddr;
use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use url::Url;

/// Reads the address. An error does not repeat it, as it holds the password.
pub fn read(url: &str) -> Result<PgConnectOptions, String> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| format!("the database address cannot be read: {error}"))?;
    let is_named = names_a_mode(url) || environment_names_a_mode(std::env::var("PGSSLMODE").ok().as_deref())?;
    if is_named || is_on_this_machine(&options) {
        return Ok(options);
    }
    Ok(options.ssl_mode(PgSslMode::VerifyFull))
}

/// Whether PGSSLMODE names a mode. The driver would take a word that it does not know for `prefer`.
fn environment_names_a_mode(value: Option<&str>) -> Result<bool, String> {
    match value.map(str::trim).filter(|value| !value.is_empty()) {
        None => Ok(false),
        Some(mode) if PgSslMode::from_str(mode).is_ok() => Ok(true),
        Some(mode) => Err(format!(
            "PGSSLMODE is {mode}; write disable, allow, prefer, require, verify-ca or verify-full, or leave it out"
        )),
    }
}

/// Whether [`read`] makes the connection verify the server although the address asks for nothing.
#[must_use]
pub fn verifies_by_default(url: &str) -> bool {
    !names_a_mode(url)
        && read(url).is_ok_and(|options| matches!(options.get_ssl_mode(), PgSslMode::VerifyFull))
}

fn names_a_mode(url: &str) -> bool {
    Url::parse(url).is_ok_and(|url| url.query_pairs().any(|(key, _)| matches!(&*key, "sslmode" | "ssl-mode")))
}

fn is_on_this_machine(options: &PgConnectOptions) -> bool {
    let host = options.get_host();
    options.get_socket().is_some()
        || host.starts_with('/')
        || host.eq_ignore_ascii_case("localhost")
        || host.trim_matches(['[', ']']).parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_mode_names_none_and_an_unknown_one_is_refused() {
        assert_eq!(environment_names_a_mode(None), Ok(false));
        assert_eq!(environment_names_a_mode(Some(" ")), Ok(false));
        assert_eq!(environment_names_a_mode(Some("disable")), Ok(true));
        assert!(environment_names_a_mode(Some("verify_full")).unwrap_err().contains("verify-full"));
    }

    #[test]
    fn the_server_is_verified_beyond_this_machine_unless_the_address_names_a_mode() {
        let mode = |url: &str| format!("{:?}", read(url).unwrap().get_ssl_mode());
        for url in [
            "postgres://panel:x@db.example/shop",
            "postgres://panel@10.0.0.7:5433/shop",
            "postgres://panel@[2001:db8::7]/shop",
            "postgres://panel@127.0.0.1.example/shop",
            "postgres://panel@localhost.example/shop",
            "postgres://panel@127.0.0.1/shop?host=db.example",
            "postgres://panel@db.example/shop?sslrootcert=/etc/ca.pem",
        ] {
            assert_eq!((mode(url).as_str(), verifies_by_default(url)), ("VerifyFull", true), "{url}");
        }
        for url in [
            "postgres://panel@127.0.0.1/shop",
            "postgres://panel@127.8.8.8/shop",
            "postgres://panel@[::1]/shop",
            "postgres://panel@LOCALHOST/shop",
            "postgres://panel@%2Fvar%2Frun%2Fpostgresql/shop",
            "postgres:///shop?host=/var/run/postgresql",
        ] {
            assert_eq!((mode(url).as_str(), verifies_by_default(url)), ("Prefer", false), "{url}");
        }
        for (name, expected) in [("disable", "Disable"), ("prefer", "Prefer"), ("verify-ca", "VerifyCa")] {
            let url = format!("postgres://panel@db.example/shop?sslmode={name}");
            assert_eq!((mode(&url).as_str(), verifies_by_default(&url)), (expected, false), "{url}");
        }
        assert!(!read("postgres://panel:hidden@db.example:x/shop").unwrap_err().contains("hidden"));
    }
}
