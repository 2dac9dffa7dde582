//! Services as files: importing an unedited export changes nothing; changes are shown before they are applied.

use crate::panel::{CmdOutput, Panel};

async fn import(panel: &Panel, name: &str, text: &str, words: &[&str]) -> CmdOutput {
    let file = panel.home.path().join(name);
    std::fs::write(&file, text).unwrap();
    panel.run(&[&["services", "import", "--file", file.to_str().unwrap()], words].concat()).await
}

async fn services(panel: &Panel) -> String {
    panel.run(&["services", "export", "--all-fields"]).await.ok().to_owned()
}

#[tokio::test]
async fn importing_an_unedited_export_changes_nothing() {
    let panel = Panel::shop().await;
    let before = services(&panel).await;
    for (name, all) in
        [("a.csv", true), ("a.xlsx", true), ("a.json", true), ("b.csv", false), ("b.xlsx", false)]
    {
        let file = panel.home.path().join(name);
        let file = file.to_str().unwrap();
        let mut words = vec!["services", "export", "--file", file];
        if all {
            words.push("--all-fields");
        }
        panel.run(&words).await.ok();
        let ran = panel.run(&["services", "import", "--file", file, "--yes"]).await;
        assert_eq!(ran.code, 0, "{name}: {}", ran.transcript());
        assert!(
            ran.err.contains("0 new, 0 changed, 2 unchanged, 0 with errors"),
            "{name}: {}",
            ran.transcript()
        );
    }
    assert_eq!(services(&panel).await, before);
    assert_eq!(panel.run(&["runs", "list", "-o", "json", "--jq", "length"]).await.ok(), "0\n");
}

#[tokio::test]
async fn changes_of_a_file_are_shown_and_applied() {
    let panel = Panel::shop().await;
    let text = "id,name,service_type_id,default_price,min_price,is_enabled,min_quantity,max_quantity\n1,Plain views,1,10.000001,0.000001,true,100,100000\n2,'=Moderated,1,10,0.000001,no,100,100000\n,New views,1,2.5,1,,100,1000\n";
    let dry = import(&panel, "s.csv", text, &["--dry-run", "-o", "csv"]).await;
    assert_eq!(dry.code, 0, "{}", dry.transcript());
    for row in [
        "2,1,would be changed,default_price,10,10.000001,",
        "3,2,would be changed,is_enabled,true,false,",
        "4,,would be made,default_price,,2.5,",
    ] {
        assert!(dry.out.contains(row), "{row}: {}", dry.transcript());
    }
    assert!(dry.err.contains("1 new, 2 changed, 0 unchanged, 0 with errors"), "{}", dry.transcript());
    assert_eq!(
        panel.run(&["services", "list", "-o", "json", "--jq", "length"]).await.ok(),
        "2\n",
        "dry run only"
    );
    let done = import(&panel, "s.csv", text, &["--yes"]).await;
    assert_eq!(done.code, 0, "{}", done.transcript());
    let listed = panel
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
        listed.ok().replace("\r\n", "\n"),
        "id,name,default_price,is_enabled\n1,Plain views,10.000001,true\n2,'=Moderated,10,false\n3,New views,2.5,true\n"
    );
}

#[tokio::test]
async fn names_and_descriptions_are_imported_in_every_language() {
    let panel = Panel::shop().await;
    let text = "id,name.de,description.zh_CN\n1,Aufrufe,观看\n";
    let done = import(&panel, "t.csv", text, &["--yes"]).await;
    assert_eq!(done.code, 0, "{}", done.transcript());
    // Removing one text leaves the others unchanged.
    let done = import(&panel, "u.csv", "id,description.zh_CN\n1,\n", &["--yes"]).await;
    assert_eq!(done.code, 0, "{}", done.transcript());
    let all = services(&panel).await;
    assert!(all.contains("Aufrufe") && !all.contains("观看"), "{all}");
    let repeated = import(&panel, "v.csv", &all, &["--yes"]).await;
    assert!(repeated.err.contains("0 new, 0 changed"), "{}", repeated.transcript());
}

#[tokio::test]
async fn an_invalid_file_is_refused_and_nothing_changes() {
    let panel = Panel::shop().await;
    let before = services(&panel).await;
    for (name, text, error) in [
        ("a.csv", "id,nmae\n1,x\n", "unknown columns: nmae; allowed are id, name,"),
        ("a.csv", "name\nx\n", "the column id is missing"),
        ("a.txt", "id,name\n1,x\n", "the extension must be .csv, .xlsx or .json"),
        ("a.json", "{}", "not a list of objects"),
        ("a.xlsx", "PK", "--file"),
    ] {
        let ran = import(&panel, name, text, &["--yes"]).await;
        assert!(ran.code == 2 && ran.err.contains(error), "{}", ran.transcript());
    }
    let text = "id,name,default_price,min_quantity\n1,Other,10,100\n2,Two,1.0000001,x\n2,Again,1,1\n77,Lost,1,1\n,Half,1,1\n";
    let ran = import(&panel, "a.csv", text, &["--yes", "-o", "csv"]).await;
    assert!(
        ran.code == 2 && ran.err.contains("4 lines with errors; nothing changed"),
        "{}",
        ran.transcript()
    );
    for row in [
        "3,2,error,default_price",
        "3,2,error,min_quantity",
        "4,2,error,id",
        "5,77,error,id",
        "6,,error,service_type_id",
    ] {
        assert!(ran.out.contains(row), "{row}: {}", ran.transcript());
    }
    assert_eq!(services(&panel).await, before);
}

/// If the panel refuses a line, that line is skipped and the others are applied.
#[tokio::test]
async fn a_refused_line_is_skipped() {
    let panel = Panel::shop().await;
    let text = r#"[{"id":1,"default_price":"3"},{"id":2,"min_quantity":200000}]"#;
    let dry = import(&panel, "s.json", text, &["--dry-run"]).await;
    assert_eq!(dry.code, 3, "{}", dry.transcript());
    let ran = import(&panel, "s.json", text, &["--yes", "-o", "csv"]).await;
    assert_eq!(ran.code, 3, "{}", ran.transcript());
    assert!(ran.out.contains(",1,changed,default_price,10,3,\n"), "{}", ran.transcript());
    assert!(ran.out.contains(",2,skipped,min_quantity,100,200000,"), "{}", ran.transcript());
    let repeated = import(&panel, "s.json", text, &["--dry-run"]).await;
    assert!(repeated.err.contains("0 new, 1 changed, 1 unchanged"), "{}", repeated.transcript());
}
