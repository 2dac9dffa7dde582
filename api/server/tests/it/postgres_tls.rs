//! PostgreSQL over TLS: the panel verifies the server's certificate, and refuses a server that it cannot verify with a one-line
//! error. The test starts its own cluster, with a certificate of an authority that nothing else trusts.

use std::fs;
use std::path::{Path, PathBuf};

use panel_platform::config::Config;
use panel_platform::db::cluster::Cluster;
use panel_platform::db::{Db, DbConfig, Source, Sql};

use crate::restore::{run_expecting_failure, run_successfully};

/// The host name in the server's certificate. The cluster also listens at 127.0.0.1, which the certificate does not name.
const HOST: &str = "localhost";

/// A certificate authority. Its private key no longer exists.
const AUTHORITY: &str = "MIIBZTCCAQugAwIBAgIUCFjSovfeeoHFN5CoGjA5JkNOFigwCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUGFuZWwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMB8xHTAbBgNVBAMMFFBhbmVsIHRlc3QgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3nSwX3Y+oFqoydmHGR/prK+IVK+j7mu7ajVuvaf6nFUMXLu2MzorcB3g596ztQ4eezcZkPvhgfjR1OJgFnrR4aMjMCEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIgfBpjjqcpfU5CwBRMPpoBnJWESViqFDILEglgYmRFj3ICIQDpb2W+rb+6XyKGybAiH6gKAjU1iuyvpf+idLqPjDvhbA==";
/// A certificate authority that signed no certificate. Its private key no longer exists either.
const OTHER_AUTHORITY: &str = "MIIBXzCCAQWgAwIBAgIUUzlhOwKFbBAjhNFypWpgYOp1iYYwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRQW5vdGhlciBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBwxGjAYBgNVBAMMEUFub3RoZXIgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYMkX/zkUY4JR4rlbAonHQc7FYTS+VnfienjXq4mlEwddtdkk+HZsof4/7WlU0omP+IZnMmJKXeFhulLMr+2kPqMjMCEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIgahZn8aLQ69A63qcndy9wcivNYLKby3D53HohbPqEKwUCIQCp+NHMskAwvSYpApAZyVGXLbkGXxjXoHdgugAiSf50lg==";
/// A certificate for [`HOST`] from 2020 until 2120, signed by [`AUTHORITY`].
const CERTIFICATE: &str = "MIIBcTCCARigAwIBAgIUdkI8tCViUsPuMLLOd/M2p4hlZe0wCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUGFuZWwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKzbYx8aGZ1KRTCBA5iQ4o+ySWacKK476nnkcGlxAsxigb5S5imH8S9ar6m58MrSCLaQlJQ4kPip8KMjdXTZem2jOzA5MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAMBgNVHRMBAf8EAjAAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMAoGCCqGSM49BAMCA0cAMEQCIGrmayrqQoJ8HNTVBzIYj/BfiJUAfpOHmsIOP7gkB4NiAiAGEBGhgDdWS5PWSn0Lacv63C63TytUQn9Z80+X3a/kEQ==";
/// The private key of [`CERTIFICATE`]. Only this test uses it.
const KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyE3s2XGZELoGwA9xze6sloM63aJIPwzxhp3+zjwY6cuhRANCAASs22MfGhmdSkUwgQOYkOKPsklmnCiuO+p55HBpcQLMYoG+UuYph/EvWq+pufDK0gi2kJSUOJD4qfCjI3V02Xpt";

fn pem(label: &str, base64: &str) -> String {
    let lines: Vec<&str> = base64.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Whether PostgreSQL reports the connection to this URL as encrypted, and the version of TLS.
async fn encryption(url: &str) -> (bool, String) {
    let config =
        DbConfig { url: Some(url.to_owned()), path: PathBuf::new(), max_connections: 4, is_durable: false };
    let db = Db::connect(&config).await.unwrap();
    let sql = Sql::new("SELECT ssl, COALESCE(version, '') FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    let encryption = (&mut &db).fetch_one(sql).await.unwrap();
    db.close().await;
    encryption
}

#[tokio::test]
async fn connects_only_to_a_server_with_a_verified_certificate() {
    let home = tempfile::tempdir().unwrap();
    let [trusted, other, missing] =
        ["ours.pem", "other.pem", "missing.pem"].map(|name| home.path().join(name));
    fs::write(&trusted, pem("CERTIFICATE", AUTHORITY)).unwrap();
    fs::write(&other, pem("CERTIFICATE", OTHER_AUTHORITY)).unwrap();
    let start = || Cluster::start_with_tls(&pem("CERTIFICATE", CERTIFICATE), &pem("PRIVATE KEY", KEY));
    let cluster = tokio::task::spawn_blocking(start).await.unwrap().unwrap();
    let url_with = |host: &str, query: &str| cluster.url("postgres").replace("127.0.0.1", host) + query;
    let verify_with = |roots: &Path| format!("?sslmode=verify-full&sslrootcert={}", roots.display());

    let (is_encrypted, version) = encryption(&url_with(HOST, &verify_with(&trusted))).await;
    assert!(is_encrypted && ["TLSv1.2", "TLSv1.3"].contains(&version.as_str()), "{version}");
    assert!(
        !encryption(&url_with(HOST, "?sslmode=disable")).await.0,
        "pg_stat_ssl reports an unencrypted connection"
    );

    let config = |url: String| Config {
        database_url: Some(url),
        data_dir: home.path().join("data"),
        ..Config::default()
    };
    // `migrate` connects by itself, `backup` also through `pg_dump`.
    run_successfully(&config(url_with(HOST, &verify_with(&trusted))), &["migrate"]);
    run_successfully(&config(url_with(HOST, &verify_with(&trusted))), &["backup", "copy"]);
    for (url, reason) in [
        (url_with(HOST, &verify_with(&other)), "UnknownIssuer"),
        (url_with(HOST, "?sslmode=verify-full"), "UnknownIssuer"),
        (url_with("127.0.0.1", &verify_with(&trusted)), "not valid for name"),
        (url_without_tls().await + &verify_with(&trusted), "server does not support TLS"),
    ] {
        let refused = run_expecting_failure(&config(url.clone()), &["migrate"]);
        assert!(refused.contains("cannot be verified") && refused.contains(reason), "{url}: {refused}");
        assert!(refused.contains("?sslrootcert=FILE") && refused.lines().count() == 1, "{refused}");
    }
    let refused = run_expecting_failure(&config(url_with(HOST, &verify_with(&missing))), &["migrate"]);
    assert!(refused.contains("sslrootcert") && refused.contains("cannot read a file"), "{refused}");
}

/// The URL of the tests' shared PostgreSQL, which has no TLS.
async fn url_without_tls() -> String {
    tokio::task::spawn_blocking(Cluster::shared).await.unwrap().unwrap().url("postgres")
}
