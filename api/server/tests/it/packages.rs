//! Packages: what they cost, their editor, changes of many at once, what is archived, and buying one.

use std::collections::BTreeMap;

use futures_util::future::join;
use panel_contract::ids::{PackageId, UserId};
use panel_contract::orders::OrderSource;
use panel_contract::packages::BuyPackageInput;
use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql};
use panel_server::operations::combo_orders::buy_package::buy;
use serde_json::{Value, json};

use crate::networks::ids;
use crate::panel::Panel;
use crate::shop::{ABANDONED, DEPOSIT, EARNED, MODERATED, PLAIN};

both! {
    the_server_says_what_a_package_costs;
    a_package_is_made_changed_and_put_away;
    what_is_wrong_with_a_package_is_named;
    many_packages_change_at_once_or_none;
    buying_costs_what_the_package_costs;
    a_package_of_services_that_are_off_sale_names_them;
    a_package_costs_its_total_whatever_its_services_cost_alone;
    staff_buy_a_package_for_a_customer;
    two_editors_of_a_package_leave_one_change;
    packages_of_panels_are_read;
}

const PACKAGES: &str = "/api/v1/admin/packages";

/// Ten units at 10 per 1,000 of three services: 10, 5 and 1.
fn contents() -> Value {
    json!([{ "id": PLAIN, "quantity": 1_000 }, { "id": MODERATED, "quantity": 500, "is_displayable": false }, { "id": ABANDONED, "quantity": 100, "price": "5" }])
}

fn starter() -> Value {
    json!({ "name": "Starter", "network_id": 1, "service_type_id": 1, "discount_percent": "0.125", "slug": "starter", "package_contents": contents(),
        "translations": { "en": { "name": "Starter", "short_description": "All you need" }, "de": { "name": "Anfang" } } })
}

async fn wrong(panel: &Panel, method: &str, path: &str, body: Value) -> Vec<String> {
    let answer = panel.send("owner", method, path, &body, None).await;
    assert_eq!(answer.status, 422, "{}", answer.text);
    answer.json()["errors"].as_object().unwrap().keys().cloned().collect()
}

async fn the_server_says_what_a_package_costs(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = format!("{PACKAGES}/total-cost");
    let said =
        panel.made(&path, json!({ "package_contents": contents(), "discount_percent": "0.125" })).await;
    // 10 + 5 + 0.5, less an eighth: 13.5625.
    let sums = (&said["default_cost"], &said["total_cost"], &said["difference"]);
    assert_eq!(sums, (&json!("16"), &json!("13.57"), &json!("2.43")));
    assert_eq!(
        (&said["package_contents"][2]["cost"], &said["package_contents"][2]["default_price"]),
        (&json!("0.5"), &json!("10"))
    );
    let fixed = panel.made(&path, json!({ "package_contents": contents(), "fixed_cost": "20" })).await;
    assert_eq!((&fixed["total_cost"], &fixed["difference"]), (&json!("20"), &json!("-4")));
    assert_eq!(wrong(&panel, "POST", &path, json!({ "package_contents": [] })).await, ["package_contents"]);
    let body = json!({ "package_contents": [{ "id": 99, "quantity": 1 }] });
    assert_eq!(wrong(&panel, "POST", &path, body).await, ["package_contents.0.id"]);
    let services = panel.data(&format!("{PACKAGES}/available-services?search=vice%202")).await;
    assert_eq!(ids(&services), [2]);
    assert_eq!(
        ids(&panel.data(&format!("{PACKAGES}/available-services?network_id=9")).await),
        [] as [i64; 0]
    );
    let types = panel.data(&format!("{PACKAGES}/available-service-types")).await;
    assert_eq!(types, json!([{ "id": 1, "name": "Views", "network": { "id": 1, "name": "Video" } }]));
}

async fn a_package_is_made_changed_and_put_away(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let made = panel.made(PACKAGES, starter()).await;
    assert_eq!(
        (&made["total_cost"], &made["difference"], &made["type"]),
        (&json!("13.57"), &json!("2.43"), &json!("auto"))
    );
    assert_eq!(
        (&made["contents_count"], &made["package_contents"][1]["is_displayable"]),
        (&json!(3), &json!(false))
    );
    let path = format!("{PACKAGES}/{}", made["id"]);
    assert_eq!(panel.data(&path).await, made);
    assert_eq!(panel.data(PACKAGES).await[0]["total_cost"], "13.57", "the list says the same");
    panel.clock.advance_secs(5);
    let change = json!({ "discount_percent": "0", "fixed_cost": "12.5", "type": "manual", "slug": null, "updated_at": made["updated_at"] });
    let changed = panel.renew(&path, &change).await;
    assert_eq!(changed.status, 200, "{}", changed.text);
    let changed = changed.json()["data"].clone();
    assert_eq!(
        (&changed["total_cost"], &changed["fixed_cost"], &changed["slug"]),
        (&json!("12.5"), &json!("12.5"), &Value::Null)
    );
    assert_eq!(panel.renew(&path, &change).await.says(), (409, "changed_meanwhile".into()));
    assert_eq!(panel.renew(&path, &json!({})).await.json()["data"], changed, "nothing said, nothing changed");
    let service = format!("/api/v1/admin/services/{PLAIN}/archive");
    let refused = panel.post(&service, &json!({})).await;
    assert_eq!(refused.says(), (409, "service_in_use".into()));
    assert!(refused.text.contains("Starter ("), "{}", refused.text);
    assert_eq!(panel.made(&format!("{path}/archive"), json!({})).await["actions"]["restore"], true);
    assert_eq!(
        panel.post(&format!("{path}/archive"), &json!({})).await.says(),
        (409, "package_archived".into())
    );
    assert_eq!(ids(&panel.data(&format!("{PACKAGES}?is_archived=0")).await), [] as [i64; 0]);
    assert_eq!(panel.post(&service, &json!({})).await.status, 200, "nothing on sale needs it");
    let back = async || panel.post(&format!("{path}/unarchive"), &json!({})).await;
    assert_eq!(back().await.says(), (409, "service_archived".into()));
    panel.made(&format!("/api/v1/admin/services/{PLAIN}/unarchive"), json!({})).await;
    assert_eq!(back().await.json()["data"]["is_archived"], false);
    let audits = Sql::new("SELECT count(*) FROM audits WHERE event LIKE 'package.%'");
    assert_eq!(panel.number(audits).await, 4);
    let logs = panel
        .data("/api/v1/admin/services/logs?columns[0][data]=type&columns[0][search][value]=package")
        .await;
    assert!(logs.as_array().unwrap().len() >= 5, "{logs}");
    panel.staff("reader", &[Permission::ViewServices]).await;
    assert_eq!(panel.get_as("reader", PACKAGES, "*/*").await.status, 403);
}

async fn what_is_wrong_with_a_package_is_named(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    assert_eq!(
        wrong(&panel, "POST", PACKAGES, json!({ "sync": true })).await,
        ["name", "network_id", "package_contents", "sync"]
    );
    assert_eq!(
        wrong(&panel, "POST", PACKAGES, json!({ "name": "Empty", "network_id": 1 })).await,
        ["package_contents"]
    );
    let with = |change: Value| {
        let mut body = starter();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    for (change, field) in [
        (json!({ "package_contents": [] }), "package_contents"),
        (json!({ "package_contents": [{ "id": 1, "quantity": 7 }] }), "package_contents.0.quantity"),
        (json!({ "discount_percent": "0.1234" }), "discount_percent"),
        (json!({ "fixed_cost": "12" }), "discount_percent"),
        (json!({ "fixed_cost": "0.001", "discount_percent": "0" }), "fixed_cost"),
        (json!({ "network_id": 9 }), "network_id"),
        (json!({ "service_type_id": 9 }), "service_type_id"),
        (json!({ "buy_page_url": "x" }), "buy_page_url"),
    ] {
        let named = wrong(&panel, "POST", PACKAGES, with(change.clone())).await;
        assert!(named.contains(&field.to_owned()), "{change}: {named:?}");
    }
    panel.made(PACKAGES, starter()).await;
    assert_eq!(panel.post(PACKAGES, &starter()).await.says(), (422, "slug_taken".into()));
    panel.exec(Sql::new("UPDATE services SET is_archived = TRUE WHERE id = 2")).await;
    assert_eq!(
        wrong(&panel, "POST", PACKAGES, with(json!({ "slug": "other" }))).await,
        ["package_contents.1.id"]
    );
}

async fn many_packages_change_at_once_or_none(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let first = panel.made(PACKAGES, starter()).await["id"].clone();
    let mut other = starter();
    other["slug"] = json!("other");
    let second = panel.made(PACKAGES, other).await["id"].clone();
    let path = format!("{PACKAGES}/bulk");
    let body = json!({ "packages": [{ "id": second, "discount_percent": "0.5" }, { "id": first, "discount_percent": "0.12345" }, { "id": 99, "sync": false },
        { "id": second, "is_enabled": false }] });
    let named = wrong(&panel, "PATCH", &path, body).await;
    assert_eq!(named, ["packages.1.discount_percent", "packages.2.id", "packages.3.id"]);
    assert_eq!(
        panel.data(&format!("{PACKAGES}/{second}")).await["discount_percent"],
        "0.125",
        "none changed"
    );
    let body = json!({ "packages": [{ "id": first, "discount_percent": "0.25" }, { "id": second, "is_enabled": false, "discount_percent": "0", "fixed_cost": "9" }] });
    let tried = panel.send("owner", "PATCH", &format!("{path}?dry_run=1"), &body, None).await;
    assert_eq!((tried.status.as_u16(), &tried.json()["processed"]), (200, &json!(2)));
    assert_eq!(panel.data(&format!("{PACKAGES}/{first}")).await["discount_percent"], "0.125");
    assert_eq!(panel.send("owner", "PATCH", &path, &body, None).await.status, 200);
    assert_eq!(panel.data(&format!("{PACKAGES}/{first}")).await["discount_percent"], "0.25");
    let second = panel.data(&format!("{PACKAGES}/{second}")).await;
    assert_eq!((&second["is_enabled"], &second["total_cost"]), (&json!(false), &json!("9")));
    assert_eq!(wrong(&panel, "PATCH", &path, json!({ "packages": [{ "id": first }] })).await, ["packages.0"]);
    assert_eq!(wrong(&panel, "PATCH", &path, json!({ "packages": [] })).await, ["packages"]);
}

fn bought(user: i64, url: &str) -> BuyPackageInput {
    BuyPackageInput { user_id: UserId::new(user), url: url.to_owned(), targets: BTreeMap::new() }
}

async fn buying_costs_what_the_package_costs(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let id = panel.made(PACKAGES, starter()).await["id"].as_i64().unwrap();
    let url = "https://video.example/pack";
    let mut work = panel.work().await;
    let combo = buy(&mut work, PackageId::new(id), &bought(1, url), OrderSource::Cabinet).await.unwrap();
    work.finish(combo).await.unwrap();
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 13_570_000);
    assert_eq!(panel.balances(1).await.1, EARNED);
    let row = panel.data("/api/v1/admin/combo-orders").await[0].clone();
    assert_eq!(
        (&row["cost"], &row["package"]),
        (&json!("13.57"), &json!({ "id": id, "name": "Starter", "type": "auto" }))
    );
    let orders = panel.data(&format!("/api/v1/admin/orders?combo_order_id={combo}")).await;
    let order = panel.order(ids(&orders)[0]).await;
    assert_eq!(order["price_modifications"][0]["name"], "Starter");
    // Staff look at manual ones first, whatever their services say.
    panel
        .renew(
            &format!("{PACKAGES}/{id}"),
            &json!({ "type": "manual", "package_contents": [{ "id": PLAIN, "quantity": 100 }] }),
        )
        .await;
    let mut work = panel.work().await;
    let combo = buy(&mut work, PackageId::new(id), &bought(2, url), OrderSource::Cabinet).await.unwrap();
    work.finish(combo).await.unwrap();
    assert_eq!(panel.data("/api/v1/admin/combo-orders").await[0]["status"], "in_moderation");
    let buyable = async || panel.data(&format!("{PACKAGES}/{id}")).await["actions"]["buyable"].clone();
    assert_eq!(buyable().await, true);
    panel.made(&format!("{PACKAGES}/{id}/archive"), json!({})).await;
    assert_eq!(buyable().await, false);
    let mut work = panel.work().await;
    let refused =
        buy(&mut work, PackageId::new(id), &bought(1, url), OrderSource::Cabinet).await.unwrap_err();
    assert_eq!(refused.report("").code, "package_not_on_sale");
}

async fn a_package_of_services_that_are_off_sale_names_them(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = format!("{PACKAGES}/{}/buy", panel.made(PACKAGES, starter()).await["id"]);
    panel.exec(Sql::new("UPDATE services SET is_enabled = FALSE WHERE id = 2")).await;
    panel.exec(Sql::new("UPDATE services SET is_deactivated = TRUE WHERE id = 3")).await;
    let body = json!({ "user_id": 1, "url": "https://video.example/pack" });
    let refused = panel.post(&path, &body).await;
    assert_eq!(refused.status, 422, "{}", refused.text);
    let errors = refused.json()["errors"].clone();
    assert_eq!(
        errors.as_object().unwrap().keys().collect::<Vec<_>>(),
        ["package_contents.1", "package_contents.2"]
    );
    let said = errors["package_contents.1"][0].as_str().unwrap();
    assert!(said.starts_with("Service 2 (service 2) is not on sale"), "{said}");
    assert_eq!(panel.balances(1).await.0, DEPOSIT);
    panel.exec(Sql::new("UPDATE services SET is_enabled = TRUE, is_deactivated = FALSE")).await;
    assert_eq!(panel.post(&path, &body).await.status, 200);
}

async fn two_editors_of_a_package_leave_one_change(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let made = panel.made(PACKAGES, starter()).await;
    panel.clock.advance_secs(5);
    let path = format!("{PACKAGES}/{}", made["id"]);
    let body = |name: &str| json!({ "name": name, "updated_at": made["updated_at"] });
    let (one, two) = (body("One"), body("Two"));
    let (one, two) = join(panel.renew(&path, &one), panel.renew(&path, &two)).await;
    let mut statuses = [one.status.as_u16(), two.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 409]);
}

async fn packages_of_panels_are_read(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    let path = "/api/v1/admin/providers-packages";
    assert_eq!(panel.data(path).await, json!([]));
    for sql in [
        "INSERT INTO external_panels (id, name, endpoint, created_at, updated_at) VALUES (1, 'Upstream', 'https://up.example/api', 1, 1)",
        "INSERT INTO provider_packages (id, external_panel_id, external_panel_package_id, name, type, discount_ppm, created_at, updated_at)
           VALUES (1, 1, 'p7', 'Bundle', 'auto', 100000, 1, 1)",
        "INSERT INTO provider_package_contents (provider_package_id, external_panel_service_id, name, quantity, price, pricing_per) VALUES (1, '44', 'Likes', 500, 900000, 1000)",
    ] {
        panel.exec(Sql::new(sql)).await;
    }
    let row = panel.data(path).await[0].clone();
    assert_eq!(
        (&row["external_panel"]["name"], &row["contents_count"], &row["packages_count"]),
        (&json!("Upstream"), &json!(1), &json!(0))
    );
    let one = panel.data(&format!("{path}/1")).await;
    let content = json!({ "external_panel_service_id": "44", "name": "Likes", "quantity": 500, "price": "0.9", "pricing_per": 1000 });
    assert_eq!((&one["contents"], &one["discount_percent"]), (&json!([content]), &json!("0.1")));
    assert_eq!(panel.get(&format!("{path}/9")).await.status, 404);
}

async fn a_package_costs_its_total_whatever_its_services_cost_alone(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.exec(Sql::new("UPDATE services SET min_price = default_price")).await;
    let id = panel.made(PACKAGES, starter()).await["id"].as_i64().unwrap();
    let bought = async |user: i64| {
        let body = json!({ "user_id": user, "url": "https://video.example/pack" });
        let answer = panel.post(&format!("{PACKAGES}/{id}/buy"), &body).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
        answer.json()["data"]["cost"].clone()
    };
    assert_eq!(bought(1).await, "13.57", "as without lowest prices");
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 13_570_000);
    // A discount of their own comes off the whole, where it is for packages.
    let discount = |percent: &str, kind: &str| json!({ "percent": percent, "type": kind });
    let path = "/api/v1/admin/users/2/user-discount";
    assert_eq!(panel.post(path, &discount("0.1", "packages")).await.status, 200);
    assert_eq!(bought(2).await, "12.21", "12.2085 rounded up once");
    assert_eq!(panel.post(path, &discount("0.1", "orders")).await.status, 200);
    assert_eq!(bought(2).await, "13.57");
    panel.assert_healthy().await;
}

async fn staff_buy_a_package_for_a_customer(dialect: Dialect) {
    let panel = Panel::shop(dialect, 3, 0).await;
    panel.staff("orders", &[Permission::ManageOrders]).await;
    panel.staff("packages", &[Permission::ManagePackages]).await;
    let id = panel.made(PACKAGES, starter()).await["id"].as_i64().unwrap();
    let path = format!("{PACKAGES}/{id}/buy");
    let body = |user: i64| json!({ "user_id": user, "url": "https://video.example/pack" });
    assert_eq!(panel.send("packages", "POST", &path, &body(1), None).await.status, 403);
    let tried = panel.send("orders", "POST", &format!("{path}?dry_run=1"), &body(1), None).await;
    assert_eq!((tried.status.as_u16(), &tried.json()["data"]["cost"]), (200, &json!("13.57")));
    assert_eq!(panel.balances(1).await.0, DEPOSIT);
    let first = panel.send("orders", "POST", &path, &body(1), Some("k")).await.json();
    let again = panel.send("orders", "POST", &path, &body(1), Some("k")).await.json();
    assert_eq!((&first["data"]["id"], &first["data"]["package"]["id"]), (&again["data"]["id"], &json!(id)));
    assert_eq!(panel.balances(1).await.0, DEPOSIT - 13_570_000, "one key buys once");
    let wrong = json!({ "user_id": 1, "url": "nowhere" });
    assert!(panel.post(&path, &wrong).await.json()["errors"]["url"].is_array());
    assert_eq!(panel.post(&path, &body(77)).await.status, 422);
    assert_eq!(panel.post(&format!("{PACKAGES}/99/buy"), &body(1)).await.status, 404);
    // What is restricted is for the chosen: who has an own price.
    panel.renew(&format!("{PACKAGES}/{id}"), &json!({ "restricted_access": true })).await;
    assert_eq!(panel.post(&path, &body(1)).await.says(), (422, "package_restricted".into()));
    panel
        .exec(Sql::new(
            "INSERT INTO user_services (user_id, service_id, default_price, created_at, updated_at) SELECT 1, id, default_price, 1, 1 FROM services",
        ))
        .await;
    assert_eq!(panel.post(&path, &body(1)).await.status, 200);
    panel.assert_healthy().await;
}
