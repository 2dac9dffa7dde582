//! PostgreSQL over TLS: the panel verifies the server, and refuses what it cannot verify with a sentence. One cluster of its own,
//! with a certificate of an authority that nothing else trusts.

use std::fs;
use std::path::{Path, PathBuf};

use panel_platform::config::Config;
use panel_platform::db::cluster::Cluster;
use panel_platform::db::{Db, DbConfig, Source, Sql};

use crate::restore::{fails, succeeds};

/// The name in the server's certificate; the cluster answers at 127.0.0.1 as well.
const HOST: &str = "localhost";

/// An authority. Its key was thrown away, and so was that of the next one.
const AUTHORITY: &str = "MIIBZTCCAQugAwIBAgIUCFjSovfeeoHFN5CoGjA5JkNOFigwCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUGFuZWwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMB8xHTAbBgNVBAMMFFBhbmVsIHRlc3QgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE3nSwX3Y+oFqoydmHGR/prK+IVK+j7mu7ajVuvaf6nFUMXLu2MzorcB3g596ztQ4eezcZkPvhgfjR1OJgFnrR4aMjMCEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIgfBpjjqcpfU5CwBRMPpoBnJWESViqFDILEglgYmRFj3ICIQDpb2W+rb+6XyKGybAiH6gKAjU1iuyvpf+idLqPjDvhbA==";
/// An authority that signed nothing.
const OTHER_AUTHORITY: &str = "MIIBXzCCAQWgAwIBAgIUUzlhOwKFbBAjhNFypWpgYOp1iYYwCgYIKoZIzj0EAwIwHDEaMBgGA1UEAwwRQW5vdGhlciBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBwxGjAYBgNVBAMMEUFub3RoZXIgYXV0aG9yaXR5MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEYMkX/zkUY4JR4rlbAonHQc7FYTS+VnfienjXq4mlEwddtdkk+HZsof4/7WlU0omP+IZnMmJKXeFhulLMr+2kPqMjMCEwDwYDVR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAgQwCgYIKoZIzj0EAwIDSAAwRQIgahZn8aLQ69A63qcndy9wcivNYLKby3D53HohbPqEKwUCIQCp+NHMskAwvSYpApAZyVGXLbkGXxjXoHdgugAiSf50lg==";
/// A certificate for [`HOST`] from 2020 until 2120, signed by [`AUTHORITY`].
const CERTIFICATE: &str = "MIIBcTCCARigAwIBAgIUdkI8tCViUsPuMLLOd/M2p4hlZe0wCgYIKoZIzj0EAwIwHzEdMBsGA1UEAwwUUGFuZWwgdGVzdCBhdXRob3JpdHkwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMMCWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKzbYx8aGZ1KRTCBA5iQ4o+ySWacKK476nnkcGlxAsxigb5S5imH8S9ar6m58MrSCLaQlJQ4kPip8KMjdXTZem2jOzA5MBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAMBgNVHRMBAf8EAjAAMBMGA1UdJQQMMAoGCCsGAQUFBwMBMAoGCCqGSM49BAMCA0cAMEQCIGrmayrqQoJ8HNTVBzIYj/BfiJUAfpOHmsIOP7gkB4NiAiAGEBGhgDdWS5PWSn0Lacv63C63TytUQn9Z80+X3a/kEQ==";
/// Its key, which opens nothing but this test's PostgreSQL.
const KEY: &str = "MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgyE3s2XGZELoGwA9xze6sloM63aJIPwzxhp3+zjwY6cuhRANCAASs22MfGhmdSkUwgQOYkOKPsklmnCiuO+p55HBpcQLMYoG+UuYph/EvWq+pufDK0gi2kJSUOJD4qfCjI3V02Xpt";

fn pem(label: &str, base64: &str) -> String {
    let lines: Vec<&str> = base64.as_bytes().chunks(64).map(|line| str::from_utf8(line).unwrap()).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", lines.join("\n"))
}

/// Whether a connection to this address is encrypted, as PostgreSQL sees it, and how.
async fn encryption(url: &str) -> (bool, String) {
    let config =
        DbConfig { url: Some(url.to_owned()), path: PathBuf::new(), max_connections: 4, is_durable: false };
    let db = Db::connect(&config).await.unwrap();
    let sql = Sql::new("SELECT ssl, COALESCE(version, '') FROM pg_stat_ssl WHERE pid = pg_backend_pid()");
    let found = (&mut &db).one(sql).await.unwrap();
    db.close().await;
    found
}

#[tokio::test]
async fn the_server_is_verified_and_every_other_one_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let [ours, other, missing] = ["ours.pem", "other.pem", "missing.pem"].map(|name| home.path().join(name));
    fs::write(&ours, pem("CERTIFICATE", AUTHORITY)).unwrap();
    fs::write(&other, pem("CERTIFICATE", OTHER_AUTHORITY)).unwrap();
    let start = || Cluster::start_with_tls(&pem("CERTIFICATE", CERTIFICATE), &pem("PRIVATE KEY", KEY));
    let cluster = tokio::task::spawn_blocking(start).await.unwrap().unwrap();
    let at = |host: &str, query: &str| cluster.url("postgres").replace("127.0.0.1", host) + query;
    let by = |roots: &Path| format!("?sslmode=verify-full&sslrootcert={}", roots.display());

    let (is_encrypted, version) = encryption(&at(HOST, &by(&ours))).await;
    assert!(is_encrypted && ["TLSv1.2", "TLSv1.3"].contains(&version.as_str()), "{version}");
    assert!(!encryption(&at(HOST, "?sslmode=disable")).await.0, "pg_stat_ssl tells them apart");

    let config = |url: String| Config {
        database_url: Some(url),
        data_dir: home.path().join("data"),
        ..Config::default()
    };
    // The program and, for the backup, `pg_dump`.
    succeeds(&config(at(HOST, &by(&ours))), &["migrate"]);
    succeeds(&config(at(HOST, &by(&ours))), &["backup", "copy"]);
    for (url, reason) in [
        (at(HOST, &by(&other)), "UnknownIssuer"),
        (at(HOST, "?sslmode=verify-full"), "UnknownIssuer"),
        (at("127.0.0.1", &by(&ours)), "not valid for name"),
        (shared().await + &by(&ours), "server does not support TLS"),
    ] {
        let refused = fails(&config(url.clone()), &["migrate"]);
        assert!(refused.contains("cannot be verified") && refused.contains(reason), "{url}: {refused}");
        assert!(refused.contains("?sslrootcert=FILE") && refused.lines().count() == 1, "{refused}");
    }
    let refused = fails(&config(at(HOST, &by(&missing))), &["migrate"]);
    assert!(refused.contains("sslrootcert") && refused.contains("cannot read a file"), "{refused}");
}

/// A PostgreSQL without TLS.
async fn shared() -> String {
    tokio::task::spawn_blocking(Cluster::shared).await.unwrap().unwrap().url("postgres")
}
