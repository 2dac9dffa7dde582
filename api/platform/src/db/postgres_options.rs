//! Parses the address of PostgreSQL. A connection to another machine is encrypted and verifies the server's certificate, unless
//! the operator sets another `sslmode`. The driver's own default (`prefer`) verifies nothing and falls back to plain text.

use std::net::IpAddr;
use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use url::Url;

/// Parses the address. An error does not repeat it, because it holds the password.
pub fn parse(url: &str) -> Result<PgConnectOptions, String> {
    let options = PgConnectOptions::from_str(url)
        .map_err(|error| format!("the database address is invalid: {error}"))?;
    let has_mode = has_ssl_mode(url) || is_ssl_mode(std::env::var("PGSSLMODE").ok().as_deref())?;
    if has_mode || is_on_this_machine(&options) {
        return Ok(options);
    }
    Ok(options.ssl_mode(PgSslMode::VerifyFull))
}

/// Whether the value of PGSSLMODE is a mode. An unknown value is an error, because the driver would treat it as `prefer`.
fn is_ssl_mode(value: Option<&str>) -> Result<bool, String> {
    match value.map(str::trim).filter(|value| !value.is_empty()) {
        None => Ok(false),
        Some(mode) if PgSslMode::from_str(mode).is_ok() => Ok(true),
        Some(mode) => Err(format!(
            "PGSSLMODE is {mode}; write disable, allow, prefer, require, verify-ca or verify-full, or leave it out"
        )),
    }
}

/// Whether [`parse`] enables the verification of the server because neither the address nor PGSSLMODE has a mode.
#[must_use]
pub fn verifies_by_default(url: &str) -> bool {
    !has_ssl_mode(url)
        && parse(url).is_ok_and(|options| matches!(options.get_ssl_mode(), PgSslMode::VerifyFull))
}

fn has_ssl_mode(url: &str) -> bool {
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
    fn rejects_an_unknown_mode_and_ignores_an_empty_one() {
        assert_eq!(is_ssl_mode(None), Ok(false));
        assert_eq!(is_ssl_mode(Some(" ")), Ok(false));
        assert_eq!(is_ssl_mode(Some("disable")), Ok(true));
        assert!(is_ssl_mode(Some("verify_full")).unwrap_err().contains("verify-full"));
    }

    #[test]
    fn verifies_servers_on_other_machines_unless_the_address_has_a_mode() {
        let mode = |url: &str| format!("{:?}", parse(url).unwrap().get_ssl_mode());
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
        assert!(!parse("postgres://panel:hidden@db.example:x/shop").unwrap_err().contains("hidden"));
    }
}
