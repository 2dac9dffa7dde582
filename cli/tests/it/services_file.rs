//! `services export` and `services import`: an import of an unedited export changes nothing, and a dry run shows the changes.

use crate::panel::{CommandOutput, Panel};

async fn import_file(panel: &Panel, name: &str, text: &str, arguments: &[&str]) -> CommandOutput {
    let file = panel.home.path().join(name);
    std::fs::write(&file, text).unwrap();
    panel.run(&[&["services", "import", "--file", file.to_str().unwrap()], arguments].concat()).await
}

async fn export_services(panel: &Panel) -> String {
    panel.run(&["services", "export", "--all-fields"]).await.ok().to_owned()
}

#[tokio::test]
async fn an_import_of_an_unedited_export_changes_nothing() {
    let panel = Panel::with_sample_data().await;
    let services_before = export_services(&panel).await;
    for (name, all_fields) in
        [("a.csv", true), ("a.xlsx", true), ("a.json", true), ("b.csv", false), ("b.xlsx", false)]
    {
        let file = panel.home.path().join(name);
        let file = file.to_str().unwrap();
        let mut arguments = vec!["services", "export", "--to", file];
        if all_fields {
            arguments.push("--all-fields");
        }
        panel.run(&arguments).await.ok();
        let output = panel.run(&["services", "import", "--file", file, "--yes"]).await;
        assert_eq!(output.code, 0, "{name}: {}", output.transcript());
        assert!(
            output.stderr.contains("0 new, 0 changed, 2 unchanged, 0 with errors"),
            "{name}: {}",
            output.transcript()
        );
    }
    assert_eq!(export_services(&panel).await, services_before);
    assert_eq!(panel.run(&["runs", "list", "-o", "json", "--jq", "length"]).await.ok(), "0\n");
}

#[tokio::test]
async fn an_import_shows_and_applies_changes() {
    let panel = Panel::with_sample_data().await;
    let text = "id,name,service_type_id,default_price,min_price,is_enabled,min_quantity,max_quantity\n1,Plain views,1,10.000001,0.000001,true,100,100000\n2,'=Moderated,1,10,0.000001,no,100,100000\n,New views,1,2.5,1,,100,1000\n";
    let dry_run = import_file(&panel, "s.csv", text, &["--dry-run", "-o", "csv"]).await;
    assert_eq!(dry_run.code, 0, "{}", dry_run.transcript());
    for row in [
        "2,1,would be changed,default_price,10,10.000001,",
        "3,2,would be changed,is_enabled,true,false,",
        "4,,would be created,default_price,,2.5,",
    ] {
        assert!(dry_run.stdout.contains(row), "{row}: {}", dry_run.transcript());
    }
    assert!(
        dry_run.stderr.contains("1 new, 2 changed, 0 unchanged, 0 with errors"),
        "{}",
        dry_run.transcript()
    );
    assert_eq!(
        panel.run(&["services", "list", "-o", "json", "--jq", "length"]).await.ok(),
        "2\n",
        "a dry run must not change anything"
    );
    let import_run = import_file(&panel, "s.csv", text, &["--yes"]).await;
    assert_eq!(import_run.code, 0, "{}", import_run.transcript());
    let services = panel
        .run(&[
            "services",
            "list",
            "--sort",
            "id",
            "-o",
            "csv",
            "--columns",
            "id,name,default_price,is_enabled",
        ])
        .await;
    assert_eq!(
        services.ok().replace("\r\n", "\n"),
        "id,name,default_price,is_enabled\n1,Plain views,10.000001,true\n2,'=Moderated,10,false\n3,New views,2.5,true\n"
    );
}

#[tokio::test]
async fn an_import_sets_names_and_descriptions_in_every_language() {
    let panel = Panel::with_sample_data().await;
    let text = "id,name.de,description.zh_CN\n1,Aufrufe,观看\n";
    let import_run = import_file(&panel, "t.csv", text, &["--yes"]).await;
    assert_eq!(import_run.code, 0, "{}", import_run.transcript());
    // Removing one text must not change the other texts.
    let import_run = import_file(&panel, "u.csv", "id,description.zh_CN\n1,\n", &["--yes"]).await;
    assert_eq!(import_run.code, 0, "{}", import_run.transcript());
    let all_fields = export_services(&panel).await;
    assert!(all_fields.contains("Aufrufe") && !all_fields.contains("观看"), "{all_fields}");
    let repeated = import_file(&panel, "v.csv", &all_fields, &["--yes"]).await;
    assert!(repeated.stderr.contains("0 new, 0 changed"), "{}", repeated.transcript());
}

#[tokio::test]
async fn an_import_rejects_an_invalid_file_and_changes_nothing() {
    let panel = Panel::with_sample_data().await;
    let services_before = export_services(&panel).await;
    for (name, text, expected_error) in [
        ("a.csv", "id,nmae\n1,x\n", "unknown columns: nmae; allowed columns: id, name,"),
        ("a.csv", "name\nx\n", "the column id is missing"),
        ("a.txt", "id,name\n1,x\n", "the extension must be .csv, .xlsx or .json"),
        ("a.json", "{}", "not a list of objects"),
        ("a.xlsx", "PK", "--file"),
    ] {
        let output = import_file(&panel, name, text, &["--yes"]).await;
        assert!(output.code == 2 && output.stderr.contains(expected_error), "{}", output.transcript());
    }
    let text = "id,name,default_price,min_quantity\n1,Other,10,100\n2,Two,1.0000001,x\n2,Again,1,1\n77,Lost,1,1\n,Half,1,1\n";
    let output = import_file(&panel, "a.csv", text, &["--yes", "-o", "csv"]).await;
    assert!(
        output.code == 2 && output.stderr.contains("4 lines with errors; nothing changed"),
        "{}",
        output.transcript()
    );
    for row in [
        "3,2,error,default_price",
        "3,2,error,min_quantity",
        "4,2,error,id",
        "5,77,error,id",
        "6,,error,service_type_id",
    ] {
        assert!(output.stdout.contains(row), "{row}: {}", output.transcript());
    }
    assert_eq!(export_services(&panel).await, services_before);
}

/// If the server rejects a line, panelctl skips that line and applies the others.
#[tokio::test]
async fn an_import_skips_a_rejected_line() {
    let panel = Panel::with_sample_data().await;
    let text = r#"[{"id":1,"default_price":"3"},{"id":2,"min_quantity":200000}]"#;
    let dry_run = import_file(&panel, "s.json", text, &["--dry-run"]).await;
    assert_eq!(dry_run.code, 3, "{}", dry_run.transcript());
    let output = import_file(&panel, "s.json", text, &["--yes", "-o", "csv"]).await;
    assert_eq!(output.code, 3, "{}", output.transcript());
    assert!(output.stdout.contains(",1,changed,default_price,10,3,\n"), "{}", output.transcript());
    assert!(output.stdout.contains(",2,skipped,min_quantity,100,200000,"), "{}", output.transcript());
    let repeated = import_file(&panel, "s.json", text, &["--dry-run"]).await;
    assert!(repeated.stderr.contains("0 new, 1 changed, 1 unchanged"), "{}", repeated.transcript());
}
