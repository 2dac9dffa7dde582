//! Imports of services and packages from a file, and the rule of automatic imports.

use panel_platform::db::{Sql, SqlExecutor as _};
use serde_json::{Value, json};

use crate::panel::{CommandOutput, Panel};

/// Starts a server that is connected to an external panel. The external panel sells three services in two categories, at a price of
/// 1 per 1,000 units.
async fn panel_with_external_panel() -> Panel {
    let panel = Panel::with_sample_data().await;
    let mut tx = panel.app.db.begin().await.unwrap();
    let insert_external_panel_sql = "INSERT INTO external_panels (id, name, endpoint, resale_margin_ppm, created_at, updated_at) VALUES (1, 'Upstream', 'https://upstream.example/api/v2', 200000, 1, 1)";
    tx.execute(Sql::new(insert_external_panel_sql)).await.unwrap();
    for (id, category) in [(1, "Likes"), (2, "Likes"), (3, "Views")] {
        let sql = Sql::new(
            "INSERT INTO external_panel_services (id, external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
               refill, cancel, created_at, updated_at) VALUES (?, 1, ?, ?, 'Default', ?, 1000000, 1000, 10, 1000, FALSE, FALSE, 1, 1)",
        );
        let sql = sql.bind(id).bind((900 + id).to_string()).bind(format!("Sold {id}")).bind(category);
        tx.execute(sql).await.unwrap();
    }
    tx.commit().await.unwrap();
    panel
}

async fn import_file(panel: &Panel, name: &str, text: &str, arguments: &[&str]) -> CommandOutput {
    let file = panel.home.path().join(name);
    std::fs::write(&file, text).unwrap();
    panel.run(&[&["import", "services", "1", "--file", file.to_str().unwrap()], arguments].concat()).await
}

/// Loads the names, prices and types of all services, sorted by name.
async fn load_services(panel: &Panel) -> Value {
    let jq = "[.[] | {name, price: .default_price, type: .service_type.name}] | sort_by(.name)";
    serde_json::from_str(panel.run(&["services", "list", "-o", "json", "--jq", jq]).await.ok()).unwrap()
}

#[tokio::test]
async fn an_edited_export_can_be_imported() {
    let panel = panel_with_external_panel().await;
    let services_before = load_services(&panel).await.as_array().unwrap().len();
    for name in ["lines.csv", "lines.xlsx", "lines.json"] {
        let file = panel.home.path().join(name);
        let file = file.to_str().unwrap();
        panel.run(&["import", "export", "1", "--margin", "0.3", "--to", file]).await.ok();
        let line = ["import", "services", "1", "--file", file, "--type", "1", "--dry-run", "-o", "json"];
        let dry_run = panel.run(&line).await;
        assert_eq!(dry_run.code, 0, "{name}: {}", dry_run.transcript());
        let report = dry_run.json();
        assert_eq!((&report["processed"], &report["dry_run"]), (&json!([1, 2, 3]), &json!(true)), "{name}");
        assert_eq!((&report["lines"][0]["cost"], &report["lines"][0]["price"]), (&json!("1"), &json!("1.3")));
        assert_eq!(report["lines"][0]["result"], "would be imported", "{report}");
    }
    let csv = std::fs::read_to_string(panel.home.path().join("lines.csv")).unwrap();
    let csv = csv.replace("Sold 1", "Mine").replacen(",1.3,", ",2.5,", 1);
    let preview =
        import_file(&panel, "edited.csv", &csv, &["--keep-categories", "--network", "1", "--dry-run"]).await;
    assert_eq!(preview.code, 0, "{}", preview.transcript());
    assert!(
        preview.stderr.contains("Service types to be created for categories: Likes"),
        "{}",
        preview.transcript()
    );
    assert!(
        !preview.stderr.contains("categories: Likes, Views"),
        "network 1 already has the type Views, so none must be created: {}",
        preview.transcript()
    );
    assert_eq!(
        load_services(&panel).await.as_array().unwrap().len(),
        services_before,
        "a dry run must not change anything"
    );
    let import_run = import_file(
        &panel,
        "edited.csv",
        &csv,
        &["--keep-categories", "--network", "1", "--yes", "-o", "json"],
    )
    .await;
    assert_eq!(import_run.code, 0, "{}", import_run.transcript());
    assert!(import_run.stderr.contains("3 services: 3 imported"), "{}", import_run.transcript());
    let services_after = load_services(&panel).await;
    assert!(
        services_after
            .as_array()
            .unwrap()
            .contains(&json!({ "name": "Mine", "price": "2.5", "type": "Likes" })),
        "{services_after}"
    );
    assert!(
        services_after
            .as_array()
            .unwrap()
            .contains(&json!({ "name": "Sold 3", "price": "1.3", "type": "Views" })),
        "{services_after}"
    );
    let repeated = import_file(&panel, "edited.csv", &csv, &["--type", "1", "--yes"]).await;
    assert_eq!(repeated.code, 2, "a repeated import must be rejected: {}", repeated.transcript());
}

/// Every error names its line and field, whether panelctl or the server detects the error. Nothing is imported.
#[tokio::test]
async fn rejects_an_invalid_file_with_lines_and_fields() {
    let panel = panel_with_external_panel().await;
    let services_before = load_services(&panel).await;
    let text = "id,name,price,margin_fraction,service_type_id\n1,A,1..5,,1\n2,B,0.5,,1\n3,C,2,0.3,1\n,D,2,,1\n77,E,2,,1\n";
    for arguments in [&["--dry-run", "-o", "csv"][..], &["--yes", "-o", "csv"]] {
        let output = import_file(&panel, "wrong.csv", text, arguments).await;
        assert_eq!(output.code, 2, "{}", output.transcript());
        for expected_text in
            ["2,1,", ",error,price,", "3,2,", "4,3,", ",error,margin_fraction,", "5,,", "6,77,", ",error,id,"]
        {
            assert!(output.stdout.contains(expected_text), "{expected_text}: {}", output.transcript());
        }
        assert!(
            output.stderr.contains("The file has 5 lines with errors; nothing was imported."),
            "{}",
            output.transcript()
        );
    }
    let unknown_field = import_file(&panel, "wrong.json", r#"[{"id":1,"prise":"2"}]"#, &["--yes"]).await;
    assert!(
        unknown_field.code == 2 && unknown_field.stderr.contains("prise"),
        "{}",
        unknown_field.transcript()
    );
    assert_eq!(load_services(&panel).await, services_before);
    let without_service_type =
        import_file(&panel, "without-type.csv", "id\n1\n", &["--dry-run", "-o", "csv"]).await;
    assert!(
        without_service_type.code == 2 && without_service_type.stdout.contains("error,service_type_id"),
        "{}",
        without_service_type.transcript()
    );
}

/// Resuming a finished run changes nothing and returns the same report.
#[tokio::test]
async fn an_import_can_be_resumed_without_importing_twice() {
    let panel = panel_with_external_panel().await;
    let file = panel.home.path().join("lines.json");
    std::fs::write(&file, r#"[{"id":1,"service_type_id":1},{"id":2,"service_type_id":1}]"#).unwrap();
    let line = ["import", "services", "1", "--file", file.to_str().unwrap(), "--yes", "-o", "json"];
    let import_run = panel.run(&line).await.json();
    assert_eq!((&import_run["processed"], &import_run["open"]), (&json!([1, 2]), &json!([])));
    let resumed = panel.run(&["runs", "resume", "last"]).await;
    assert!(
        resumed.code == 0 && resumed.stderr.contains("2 services: 2 imported"),
        "{}",
        resumed.transcript()
    );
    let journal_run = panel.run(&["runs", "show", "last", "-o", "json"]).await.json();
    assert_eq!(
        (&journal_run["action"], &journal_run["processed"]),
        (&json!("import_services"), &json!([1, 2]))
    );
    assert_eq!(load_services(&panel).await.as_array().unwrap().len(), 4);
}

/// A closed standard output does not change the exit code of an invalid file, in any import.
#[cfg(unix)]
#[tokio::test]
async fn an_invalid_file_fails_even_if_standard_output_is_closed() {
    let panel = panel_with_external_panel().await;
    let write_file = |name: &str, text: &str| {
        let path = panel.home.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let lines_file = write_file("lines.csv", "id,price\n1,x\n");
    let services_file = write_file("services.csv", "id,default_price\n1,x\n");
    let prices_file = write_file("prices.csv", "service_id,default_price\n1,x\n");
    let payouts_file = write_file("bank.csv", "id,transaction_id\n99,T\n");
    for line in [
        &["import", "services", "1", "--file", &lines_file, "--type", "1", "--yes"][..],
        &["services", "import", "--file", &services_file, "--yes"],
        &["users", "prices", "import", "1", &prices_file, "--yes"],
        &["withdrawals", "payout", "--file", &payouts_file, "--yes"],
    ] {
        for format in ["table", "csv", "json"] {
            let mut command = panel.command(&[line, &["-o", format]].concat());
            command.env("PANELCTL_SERVER", &panel.address).env("PANELCTL_TOKEN", "owner");
            let (reader, writer) = std::io::pipe().unwrap();
            drop(reader);
            command.stdin(std::process::Stdio::null()).stdout(writer).stderr(std::process::Stdio::null());
            assert_eq!(command.status().await.unwrap().code(), Some(2), "{line:?} {format}");
        }
    }
}

#[tokio::test]
async fn reads_changes_and_disables_an_import_rule() {
    let panel = panel_with_external_panel().await;
    let get_rule = async || panel.run(&["import", "rule", "get", "1", "-o", "json"]).await.json();
    let initial_rule = get_rule().await;
    assert_eq!((&initial_rule["is_enabled"], &initial_rule["updated_at"]), (&json!(false), &Value::Null));
    let set_rule = async |arguments: &[&str]| {
        panel.run(&[&["import", "rule", "set", "1", "--yes"], arguments].concat()).await
    };
    let incomplete_rule = set_rule(&["--enabled", "on"]).await;
    assert_eq!(
        incomplete_rule.code,
        1,
        "a rule without a network must be rejected: {}",
        incomplete_rule.transcript()
    );
    set_rule(&[
        "--network",
        "1",
        "--keep-categories",
        "on",
        "--margin",
        "0.4",
        "--enabled",
        "on",
        "--sync-name",
        "off",
        "--category",
        "Likes",
        "--only-type",
        "Default",
    ])
    .await
    .ok();
    let rule = get_rule().await;
    assert_eq!((&rule["is_enabled"], &rule["keep_categories"]), (&json!(true), &json!(true)), "{rule}");
    assert_eq!((&rule["margin_fraction"], &rule["sync_name"]), (&json!("0.4"), &json!(false)));
    assert_eq!((&rule["categories"], &rule["types"]), (&json!(["Likes"]), &json!(["Default"])));
    set_rule(&["--enabled", "off", "--category", "none", "--sync-name", "none"]).await.ok();
    let disabled_rule = get_rule().await;
    assert_eq!(
        (&disabled_rule["is_enabled"], &disabled_rule["network_id"]),
        (&json!(false), &json!(1)),
        "other fields must not change: {disabled_rule}"
    );
    assert_eq!((&disabled_rule["categories"], &disabled_rule["sync_name"]), (&json!([]), &Value::Null));
    assert_eq!(set_rule(&[]).await.code, 2, "a command without changes must be rejected");
    assert_eq!(set_rule(&["--only-type", "Nonsense"]).await.code, 2);
    let preview = panel.run(&["import", "rule", "set", "1", "--margin", "1", "--dry-run"]).await;
    assert_eq!(preview.code, 0, "{}", preview.transcript());
    assert_eq!(get_rule().await["margin_fraction"], "0.4", "a dry run must not change anything");
}

/// The file has the same fields as the console. Every error names its line and field.
#[tokio::test]
async fn an_edited_export_of_packages_can_be_imported() {
    let panel = panel_with_external_panel().await;
    let sql = "INSERT INTO external_panel_services (id, external_panel_id, external_panel_service_id, name, type, category, rate, pricing_per, min_quantity, max_quantity,
      refill, cancel, created_at, updated_at) VALUES (4, 1, '904', 'Pack A', 'Package', 'Packs', 5000000, 1, 1, 1, FALSE, FALSE, 1, 1),
      (5, 1, '905', 'Pack B', 'Package', 'Packs', 5000000, 1, 1, 1, FALSE, FALSE, 1, 1)";
    let mut tx = panel.app.db.begin().await.unwrap();
    tx.execute(Sql::new(sql)).await.unwrap();
    tx.commit().await.unwrap();
    let file = panel.home.path().join("packages.csv");
    let path = file.to_str().unwrap();
    panel.run(&["import", "export", "1", "--packages", "--network", "1", "--to", path]).await.ok();
    let csv = std::fs::read_to_string(&file).unwrap();
    let mut lines: Vec<String> = csv.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), 3, "the export must contain only packages: {csv}");
    let header: Vec<&str> = csv.lines().next().unwrap().trim_start_matches('\u{feff}').split(',').collect();
    let set_cells = |line: &str, changes: &[(&str, &str)]| {
        let mut cells: Vec<&str> = line.split(',').collect();
        for (name, cell) in changes {
            cells[header.iter().position(|column| column == name).unwrap()] = cell;
        }
        cells.join(",")
    };
    lines[1] =
        set_cells(&lines[1], &[("name", "Mine"), ("type", "manual"), ("fixed_cost", "7.5"), ("sync", "yes")]);
    let import_packages = async |lines: &[String], arguments: &[&str]| {
        std::fs::write(&file, lines.join("\n")).unwrap();
        panel.run(&[&["import", "packages", "1", "--file", path], arguments].concat()).await
    };
    let mut invalid_lines = lines.clone();
    invalid_lines[1] = set_cells(&invalid_lines[1], &[("type", "both")]);
    invalid_lines[2] = set_cells(&invalid_lines[2], &[("discount_fraction", "1.5"), ("network_id", "77")]);
    let rejected = import_packages(&invalid_lines, &["--yes", "-o", "csv"]).await;
    assert_eq!(rejected.code, 2, "{}", rejected.transcript());
    for expected_text in
        ["2,4,Mine,", ",error,type,", "3,5,", ",error,discount_fraction,", ",error,network_id,"]
    {
        assert!(rejected.stdout.contains(expected_text), "{expected_text}: {}", rejected.transcript());
    }
    let dry_run = import_packages(&lines, &["--dry-run", "-o", "json"]).await.json();
    assert_eq!((&dry_run["processed"], &dry_run["dry_run"]), (&json!([4, 5]), &json!(true)), "{dry_run}");
    let import_run = import_packages(&lines, &["--yes", "-o", "json"]).await;
    assert!(
        import_run.code == 0 && import_run.stderr.contains("2 packages: 2 imported"),
        "{}",
        import_run.transcript()
    );
    assert_eq!(import_run.json()["lines"][0]["price"], "7.5");
    let jq = "[.[] | {name, type, fixed_cost, sync, network: .network.id}] | sort_by(.name)";
    let packages_output = panel.run(&["packages", "from-panels", "list", "-o", "json", "--jq", jq]).await;
    let packages: Value = serde_json::from_str(packages_output.ok()).unwrap();
    let expected_packages = json!([
        { "name": "Mine", "type": "manual", "fixed_cost": "7.5", "sync": true, "network": 1 },
        { "name": "Pack B", "type": "auto", "fixed_cost": null, "sync": false, "network": 1 },
    ]);
    assert_eq!(packages, expected_packages);
    let export = panel.run(&["import", "export", "1", "--packages"]).await;
    assert!(
        export.stderr.contains("2 more cannot be imported"),
        "the export must omit imported packages: {}",
        export.transcript()
    );
}
