//! PostgreSQL over TLS: the panel verifies the certificate of PostgreSQL. If the verification fails, the panel does not connect, and
//! prints an error of one line. The test starts its own cluster, with a certificate of an authority that only this test trusts.

use std::fs;
use std::path::{Path, PathBuf};

use panel_platform::config::Config;
use panel_platform::db::cluster::Cluster;
use panel_platform::db::{Db, DbConfig, Sql, SqlExecutor};

use crate::restore::{run_expecting_failure, run_successfully};

/// The host name in the server's certificate. The cluster also listens at 127.0.0.1, which the certificate does not name.
const HOST: &str = "localhost";

/// A certificate authority. The private key no longer exists.
const AUTHORITY: &str = "MIIBZTCCAQugAwIBAgIUCFjSovfeeoHFN5CoGjA5JkNOFigwCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUGFuZWwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMB8xHTAbBgNVBAMMFFBhbmVsIHRlc3QgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3nSwX3Y+oFqoydmHGR/prK+IVK+j7mu7ajVuvaf6nFUMXLu2MzorcB3g596ztQ4eezcZkPvhgfjR1OJgFnrR4aMjMCEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIgfBpjjqcpfU5CwBRMPpoBnJWESViqFDILEglgYmRFj3ICIQDpb2W+rb+6XyKGybAiH6gKAjU1iuyvpf+idLqPjDvhbA==";
/// A certificate authority that signed no certificate. The private key no longer exists.
const OTHER_AUTHORITY: &str = "MIIBXzCCAQWgAwIBAgIUUzlhOwKFbBAjhNFypWpgYOp1iYYwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRQW5vdGhlciBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBwxGjAYBgNVBAMMEUFub3RoZXIgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYMkX/zkUY4JR4rlbAonHQc7FYTS+VnfienjXq4mlEwddtdkk+HZsof4/7WlU0omP+IZnMmJKXeFhulLMr+2kPqMjMCEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIgahZn8aLQ69A63qcndy9wcivNYLKby3D53HohbPqEKwUCIQCp+NHMskAwvSYpApAZyVGXLbkGXxjXoHdgugAiSf50lg==";
/// A certificate for [`HOST`] from 2020 until 2120, signed by [`AUTHORITY`].
const CERTIFICATE: &str = "MIIBcTCCARigAwIBAgIUdkI8tCViUsPuMLLOd/M2p4hlZe0wCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUGFuZWwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKzbYx8aGZ1KRTCBA5iQ4o+ySWacKK476nnkcGlxAsxigb5S5imH8S9ar6m58MrSCLaQlJQ4kPip8KMjdXTZem2jOzA5MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAMBgNVHRMBAf8EAjAAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMAoGCCqGSM49BAMCA0cAMEQCIGrmayrqQoJ8HNTVBzIYj/BfiJUAfpOHmsIOP7gkB4NiAiAGEBGhgDdWS5PWSn0Lacv63C63TytUQn9Z80+X3a/kEQ==";
/// The private key of [`CERTIFICATE`]. Only this test uses it.
const PRIVATE_KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyE3s2XGZELoGwA9xze6sloM63aJIPwzxhp3+zjwY6cuhRANCAASs22MfGhmdSkUwgQOYkOKPsklmnCiuO+p55HBpcQLMYoG+UuYph/EvWq+pufDK0gi2kJSUOJD4qfCjI3V02Xpt";

fn pem(label: &str, base64: &str) -> String {
    let lines: Vec<&str> = base64.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Whether PostgreSQL reports the connection to this URL as encrypted, and the version of TLS.
async fn fetch_encryption(url: &str) -> (bool, String) {
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
    let temp_dir = tempfile::tempdir().unwrap();
    let [trusted_path, other_path, missing_path] =
        ["ours.pem", "other.pem", "missing.pem"].map(|name| temp_dir.path().join(name));
    fs::write(&trusted_path, pem("CERTIFICATE", AUTHORITY)).unwrap();
    fs::write(&other_path, pem("CERTIFICATE", OTHER_AUTHORITY)).unwrap();
    let start_cluster =
        || Cluster::start_with_tls(&pem("CERTIFICATE", CERTIFICATE), &pem("PRIVATE KEY", PRIVATE_KEY));
    let cluster = tokio::task::spawn_blocking(start_cluster).await.unwrap().unwrap();
    let url_with = |host: &str, query: &str| cluster.url("postgres").replace("127.0.0.1", host) + query;
    let verify_query =
        |authority_path: &Path| format!("?sslmode=verify-full&sslrootcert={}", authority_path.display());

    let (is_encrypted, version) = fetch_encryption(&url_with(HOST, &verify_query(&trusted_path))).await;
    assert!(is_encrypted && ["TLSv1.2", "TLSv1.3"].contains(&version.as_str()), "{version}");
    assert!(
        !fetch_encryption(&url_with(HOST, "?sslmode=disable")).await.0,
        "pg_stat_ssl must report an unencrypted connection"
    );

    let config_with = |url: String| Config {
        database_url: Some(url),
        data_dir: temp_dir.path().join("data"),
        ..Config::default()
    };
    // `migrate` uses only the connection of the panel, `backup` also a connection of `pg_dump`.
    run_successfully(&config_with(url_with(HOST, &verify_query(&trusted_path))), &["migrate"]);
    run_successfully(&config_with(url_with(HOST, &verify_query(&trusted_path))), &["backup", "copy"]);
    for (url, reason) in [
        (url_with(HOST, &verify_query(&other_path)), "UnknownIssuer"),
        (url_with(HOST, "?sslmode=verify-full"), "UnknownIssuer"),
        (url_with("127.0.0.1", &verify_query(&trusted_path)), "not valid for name"),
        (url_without_tls().await + &verify_query(&trusted_path), "server does not support TLS"),
    ] {
        let error = run_expecting_failure(&config_with(url.clone()), &["migrate"]);
        assert!(error.contains("cannot be verified") && error.contains(reason), "{url}: {error}");
        assert!(error.contains("?sslrootcert=FILE") && error.lines().count() == 1, "{error}");
    }
    let error =
        run_expecting_failure(&config_with(url_with(HOST, &verify_query(&missing_path))), &["migrate"]);
    assert!(error.contains("sslrootcert") && error.contains("cannot read a file"), "{error}");
}

/// The URL of the PostgreSQL server that the tests share, which has no TLS.
async fn url_without_tls() -> String {
    tokio::task::spawn_blocking(Cluster::shared).await.unwrap().unwrap().url("postgres")
}
