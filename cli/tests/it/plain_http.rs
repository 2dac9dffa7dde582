//! Unencrypted HTTP to another machine exposes the password. panelctl must reject it before the first request, unless the user
//! allows it.

use crate::panel::{command, run_to_exit};

#[tokio::test]
async fn http_to_another_machine_requires_permission() {
    let home = tempfile::tempdir().unwrap();
    let set_server = async |server: &str, allow_http: Option<&str>| {
        let mut program = command(home.path(), &["profile", "set", "remote", "--server", server]);
        if let Some(allow_http) = allow_http {
            program.env("PANELCTL_ALLOW_HTTP", allow_http);
        }
        run_to_exit(program, "").await
    };
    for allow_http in [None, Some("0"), Some("no")] {
        let rejected = set_server("http://panel.example", allow_http).await;
        assert_eq!((rejected.code, rejected.stdout.as_str()), (2, ""), "{}", rejected.transcript());
        assert!(rejected.stderr.contains("write https"), "{}", rejected.stderr);
    }
    set_server("https://panel.example", None).await.ok();
    set_server("http://127.0.0.1:8080", None).await.ok();
    set_server("http://panel.example", Some("1")).await.ok();

    // Without the permission, panelctl also rejects a stored address.
    let mut program = command(home.path(), &["--profile", "remote", "orders", "list"]);
    program.env("PANELCTL_TOKEN", "secret-token");
    let rejected = run_to_exit(program, "").await;
    assert!(
        rejected.code == 2 && rejected.stderr.contains("PANELCTL_ALLOW_HTTP=1"),
        "{}",
        rejected.transcript()
    );
}
