//! What the customers' site reads of what staff put on it: only what is switched on, in its order, with the margin that counts.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use serde_json::{Value, json};

use crate::panel::Panel;

both! {
    the_site_reads_what_staff_put_on_it;
    only_the_site_reads_it;
}

const CONTENT: &str = "/api/v1/site/content";

impl Panel {
    async fn site_content(&self) -> Value {
        let answer = self.get_as("site", CONTENT, "application/json").await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"].clone()
    }
}

/// A field of each record of a list.
fn all(list: &Value, field: &str) -> Vec<Value> {
    list.as_array().unwrap().iter().map(|one| one[field].clone()).collect()
}

async fn the_site_reads_what_staff_put_on_it(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.staff("site", &[Permission::UseSiteApi]).await;
    let empty = panel.site_content().await;
    for list in ["menu", "added_menu", "banners", "special_offers", "auto_promotions"] {
        assert_eq!(empty[list], json!([]), "{list}");
    }
    // The menu: an item below one that is off is not there either.
    let items = "/api/v1/admin/panel-menu-items";
    let top = panel
        .made(items, json!({ "name": "Help", "url": "/help", "translations": { "de": { "name": "Hilfe" } } }))
        .await;
    let below = panel.made(items, json!({ "name": "Faq", "url": "/faq", "parent_id": top["id"] })).await;
    let off = panel.made(items, json!({ "name": "Off", "url": "/off", "is_enabled": false })).await;
    panel.made(items, json!({ "name": "Lost", "url": "/lost", "parent_id": off["id"] })).await;
    let content = panel.site_content().await;
    assert_eq!(all(&content["menu"], "id"), [top["id"].clone(), below["id"].clone()]);
    assert_eq!(
        content["menu"][0]["translations"],
        json!({ "en": { "name": "Help" }, "de": { "name": "Hilfe" } })
    );
    assert_eq!(content["menu"][1]["parent_id"], top["id"]);
    let page = panel
        .made("/api/v1/admin/panel-pages", json!({ "name": "Questions", "route_name": "faq.more" }))
        .await;
    assert!(all(&panel.site_content().await["pages"], "route_name").contains(&json!("faq.more")));
    let away = panel.post(&format!("/api/v1/admin/panel-pages/{}/archive", page["id"]), &json!({})).await;
    assert_eq!(away.status, 200, "{}", away.text);
    assert!(!all(&panel.site_content().await["pages"], "route_name").contains(&json!("faq.more")));
    // An offer shows its services on sale, while it is on itself.
    let offer = json!({ "name": "Hot", "network_id": 1, "place": "home_page", "position": "second", "services": [3, 1, 2], "is_enabled": true });
    let offer = panel.made("/api/v1/admin/special-offers", offer).await;
    panel.exec(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = 1")).await;
    let shown = panel.site_content().await["special_offers"].clone();
    assert_eq!(shown[0]["services"], json!([3, 2]));
    assert_eq!(
        (&shown[0]["place"], &shown[0]["translations"]["en"]["name"]),
        (&json!("home_page"), &json!("Hot"))
    );
    let step = panel.post(&format!("/api/v1/admin/special-offers/{}/disable", offer["id"]), &json!({})).await;
    assert_eq!(
        (step.status.as_u16(), panel.site_content().await["special_offers"].clone()),
        (200, json!([]))
    );
    let banner = json!({ "place": "sidebar", "type": "content", "content": "Hello" });
    let banner = panel.made("/api/v1/admin/banners", banner).await;
    assert_eq!(panel.site_content().await["banners"][0]["content"], "Hello");
    panel.exec(Sql::new("UPDATE banners SET type = 'none'")).await;
    assert_eq!(
        (panel.site_content().await["banners"].clone(), banner["is_enabled"].clone()),
        (json!([]), json!(true))
    );
}

async fn only_the_site_reads_it(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.staff("site", &[Permission::UseSiteApi]).await;
    panel.staff("ada", &[Permission::ViewServices]).await;
    assert_eq!(panel.get_as("ada", CONTENT, "application/json").await.status, 403);
    // The margin of a service counts before that of its type, and that before its network's; each level switches it off.
    let promoted = "/api/v1/admin/auto-promotions";
    panel.made(&format!("{promoted}/services"), json!({ "services": [1, 2, 3] })).await;
    for sql in [
        "UPDATE auto_promotion_networks SET resale_margin_ppm = 100000",
        "UPDATE auto_promotions SET resale_margin_ppm = 250000 WHERE service_id = 2",
        "UPDATE services SET is_enabled = FALSE WHERE id = 3",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    let margins = |content: &Value| {
        let all = content["auto_promotions"].as_array().unwrap().clone();
        all.iter()
            .map(|one| (one["service"]["id"].clone(), one["resale_margin_percent"].clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(margins(&panel.site_content().await), [(json!(1), json!("0.1")), (json!(2), json!("0.25"))]);
    panel.exec(Sql::new("UPDATE auto_promotion_types SET resale_margin_ppm = 200000")).await;
    assert_eq!(margins(&panel.site_content().await), [(json!(1), json!("0.2")), (json!(2), json!("0.25"))]);
    for off in [
        "UPDATE auto_promotions SET is_enabled = FALSE",
        "UPDATE auto_promotion_types SET is_enabled = FALSE",
        "UPDATE auto_promotion_networks SET is_enabled = FALSE",
    ] {
        panel.exec(Sql::new(off)).await;
        assert!(margins(&panel.site_content().await).is_empty(), "{off}");
        for on in [
            "UPDATE auto_promotions SET is_enabled = TRUE",
            "UPDATE auto_promotion_types SET is_enabled = TRUE",
            "UPDATE auto_promotion_networks SET is_enabled = TRUE",
        ] {
            panel.exec(Sql::new(on)).await;
        }
    }
}
