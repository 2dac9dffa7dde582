//! Unencrypted http to another machine would expose the password: refused before anything is sent, unless the user allows it.

use crate::panel::{command, finish};

#[tokio::test]
async fn http_to_another_machine_requires_permission() {
    let home = tempfile::tempdir().unwrap();
    let set = async |server: &str, allowed: Option<&str>| {
        let mut program = command(home.path(), &["profile", "set", "away", "--server", server]);
        if let Some(allowed) = allowed {
            program.env("PANELCTL_ALLOW_HTTP", allowed);
        }
        finish(program, "").await
    };
    for allowed in [None, Some("0"), Some("no")] {
        let refused = set("http://panel.example", allowed).await;
        assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{}", refused.transcript());
        assert!(refused.err.contains("write https"), "{}", refused.err);
    }
    set("https://panel.example", None).await.ok();
    set("http://127.0.0.1:8080", None).await.ok();
    set("http://panel.example", Some("1")).await.ok();

    // The stored address is refused as well without the permission.
    let mut program = command(home.path(), &["--profile", "away", "orders", "list"]);
    program.env("PANELCTL_TOKEN", "secret-token");
    let refused = finish(program, "").await;
    assert!(refused.code == 2 && refused.err.contains("PANELCTL_ALLOW_HTTP=1"), "{}", refused.transcript());
}
