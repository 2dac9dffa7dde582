//! Whether PostgreSQL is reached by TLS. Pure. It never weakens what the address says.

use std::net::IpAddr;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use url::Url;

/// The same options with TLS and a verified certificate, where the database is on another machine and its address names no
/// mode. The driver's own default takes a connection without TLS when the server, or an attacker on the way, offers none.
pub(super) fn secured(options: PgConnectOptions, url: &str) -> PgConnectOptions {
    if names_mode(url) || options.get_socket().is_some() || !is_elsewhere(options.get_host()) {
        return options;
    }
    options.ssl_mode(PgSslMode::VerifyFull)
}

fn names_mode(url: &str) -> bool {
    let is_mode = |name: &str| matches!(name, "sslmode" | "ssl-mode");
    Url::parse(url).is_ok_and(|url| url.query_pairs().any(|(name, _)| is_mode(&name)))
}

/// Whether a host is another machine: neither a socket's folder nor this machine's own address.
pub(crate) fn is_elsewhere(host: &str) -> bool {
    let host = host.trim_matches(['[', ']']);
    let is_loopback = host == "localhost" || host.parse().is_ok_and(|ip: IpAddr| ip.is_loopback());
    !(host.is_empty() || host.starts_with('/') || is_loopback)
}

#[cfg(test)]
mod tests {
    use std::str::FromStr as _;

    use super::*;

    #[test]
    fn a_database_elsewhere_is_reached_by_tls() {
        let is_verified = |url: &str| {
            let options = secured(PgConnectOptions::from_str(url).unwrap(), url);
            matches!(options.get_ssl_mode(), PgSslMode::VerifyFull)
        };
        for elsewhere in [
            "postgres://panel:x@db.example/panel",
            "postgres://panel:x@10.0.0.5:5433/panel?sslrootcert=/etc/ca.pem",
            "postgres://panel@[2001:db8::1]/panel",
            "postgres://db.example/panel?sslmode=verify-full",
        ] {
            assert!(is_verified(elsewhere), "{elsewhere}");
        }
        for here in [
            "postgres://panel:x@localhost/panel",
            "postgres://panel:x@127.0.0.1:5433/panel",
            "postgres://panel@[::1]/panel",
            "postgres://panel@%2Fvar%2Frun%2Fpostgresql/panel",
            "postgres:///panel?host=/var/run/postgresql&user=panel",
            "postgres://panel:x@db.example/panel?sslmode=disable",
        ] {
            assert!(!is_verified(here), "{here}");
        }
    }
}
