//! Lists by plain parameters: the same columns and the same grammar as the DataTables form, documented list by list.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::Value;

use crate::panel::Panel;
use crate::tables::lists;

both! {
    plain_parameters_find_what_columns_find;
    pages_are_counted_from_one;
    what_is_mixed_or_unknown_is_named;
    all_rows_are_as_many_as_a_page_holds;
    the_document_has_the_filters_of_every_list;
    payment_methods_are_for_those_who_may_view_them;
    what_holds_money_is_for_those_who_may_view_it;
    rejected_orders_are_found_by_their_approval;
    the_names_of_the_specification_are_known;
    catalogue_lists_filter_by_what_the_specification_names;
    orders_are_found_by_what_only_their_page_shows;
    everything_that_is_wrong_is_named_at_once;
    names_are_found_by_those_who_may_view_them;
    records_beside_are_found_by_id;
    costs_of_packages_sort_as_they_are_shown;
}

const ORDERS: &str = "/api/v1/admin/orders";

async fn json(panel: &Panel, path: &str) -> Value {
    let answer = panel.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.json()
}

fn ids(page: &Value) -> Vec<i64> {
    page["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

async fn plain_parameters_find_what_columns_find(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(40, 400).await;
    for (plain, columns) in [
        (
            "status=completed,stopped&cost=5..50&sort=-cost,id&page[size]=50",
            "columns[0][data]=status&columns[0][search][value]=completed,stopped&columns[1][data]=cost&columns[1][search][value]=5..50\
             &columns[2][data]=id&order[0][column]=1&order[0][dir]=desc&order[1][column]=2&order[1][dir]=asc&length=50",
        ),
        (
            "user.id=7&sort=createdAt",
            "columns[0][data]=user.id&columns[0][search][value]=7&columns[1][data]=created_at&order[0][column]=1&order[0][dir]=asc",
        ),
        (
            "hasNoActiveProviders=0&search=likes",
            "columns[0][data]=has_no_active_providers&columns[0][search][value]=0&search[value]=likes",
        ),
        (
            "subscription_id=6&status=completed",
            "subscription_id=6&columns[0][data]=status&columns[0][search][value]=completed",
        ),
        ("status=&sort=", ""),
    ] {
        let (one, other) = (
            json(&panel, &format!("{ORDERS}?{plain}")).await,
            json(&panel, &format!("{ORDERS}?{columns}")).await,
        );
        assert!(!ids(&one).is_empty(), "{plain}");
        assert_eq!(ids(&one), ids(&other), "{plain}");
        assert_eq!(one["recordsFiltered"], other["recordsFiltered"], "{plain}");
    }
    let file = panel.get_as("owner", &format!("{ORDERS}?status=completed&sort=cost"), "text/csv").await.text;
    let total = json(&panel, &format!("{ORDERS}?status=completed")).await["recordsFiltered"].as_u64();
    assert_eq!(file.lines().count() as u64 - 1, total.unwrap());
}

async fn pages_are_counted_from_one(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 100).await;
    let all = ids(&json(&panel, &format!("{ORDERS}?length=100")).await);
    let page = json(&panel, &format!("{ORDERS}?page[size]=20&page[number]=3")).await;
    assert_eq!(ids(&page), all[40..60]);
    let page = json(&panel, &format!("{ORDERS}?page[number]=2")).await;
    assert_eq!(ids(&page), all[30..60]);
    let beyond = json(&panel, &format!("{ORDERS}?page[number]=9223372036854775807&page[size]=1000")).await;
    assert_eq!((ids(&beyond).len(), beyond["recordsFiltered"].as_i64()), (0, Some(100)));
}

async fn what_is_mixed_or_unknown_is_named(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 30).await;
    panel.staff("reader", &[Permission::ViewUsers]).await;
    for (query, field) in [
        ("state=completed", "state"),
        ("password_hash=x", "password_hash"),
        ("status=completed&columns[0][data]=id", "status"),
        ("sort=id&columns[0][data]=id&order[0][column]=0", "sort"),
        ("sort=password_hash", "sort"),
        ("sort=id,cost,price,url,name,quantity", "sort"),
        ("page[size]=10&length=10", "page[size]"),
        ("page[size]=1001", "page[size]"),
        ("page[number]=2&start=30", "page[number]"),
        ("page[offset]=2", "page[offset]"),
        ("search=a&search[value]=b", "search"),
        ("status=completed&status=stopped", "status"),
        ("sort=id&sort=-cost", "sort"),
        ("search=a&search=b", "search"),
        ("search[value]=a&search[value]=b", "search[value]"),
        ("page[size]=10&page[size]=20", "page[size]"),
        ("page[number]=1&page[number]=2", "page[number]"),
        ("length=10&length=20", "length"),
        ("start=0&start=30", "start"),
        ("status=finished", "status"),
        ("cost=1e5", "cost"),
        ("createdAt=yesterday", "createdAt"),
    ] {
        let answer = panel.get(&format!("{ORDERS}?{query}")).await;
        assert_eq!(answer.status, 422, "{query}: {}", answer.text);
        let errors = answer.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), [field], "{query}");
    }
    for query in ["grade.name=1", "sort=grade.name"] {
        let answer =
            panel.get_as("reader", &format!("/api/v1/admin/users?{query}"), "application/json").await;
        assert_eq!(answer.status, 422, "{query}: {}", answer.text);
    }
}

/// "All" answers what fits on a page; the total says how many there are.
async fn all_rows_are_as_many_as_a_page_holds(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 1_200).await;
    for length in ["-1", "0"] {
        let page = json(&panel, &format!("{ORDERS}?length={length}")).await;
        assert_eq!((ids(&page).len(), page["recordsFiltered"].as_i64()), (1_000, Some(1_200)));
    }
}

async fn the_document_has_the_filters_of_every_list(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let document = json(&panel, "/openapi.json").await;
    let parameters = |path: &str| -> Vec<String> {
        let all = document["paths"][path]["get"]["parameters"].as_array();
        let all = all.unwrap_or_else(|| panic!("{path} is not in the document"));
        let query = all.iter().filter(|parameter| parameter["in"] == "query");
        query.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect()
    };
    for (path, table) in lists() {
        let names = parameters(&path.replace("/1/", "/{id}/"));
        assert!(names.contains(&"sort".to_owned()), "{path}");
        let unique: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique.len(), names.len(), "{path}: {names:?}");
        for column in
            table.columns().iter().filter(|column| !matches!(column.kind, panel_platform::table::Kind::Shown))
        {
            assert!(names.contains(&column.name.to_owned()), "{path} {}", column.name);
        }
    }
    for path in ["/api/v1/admin/webhooks/{id}/deliveries", "/api/v1/admin/external-panel-payments"] {
        assert!(parameters(path).contains(&"created_at".to_owned()), "{path}");
    }
}

/// Invoices, withdrawals and movements alike: without the permission there is no method to read, sort or search by.
async fn payment_methods_are_for_those_who_may_view_them(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    let may = [Permission::ViewInvoices, Permission::ViewWithdrawals, Permission::ViewFinances];
    panel.staff("reader", &may).await;
    panel.staff("viewer", &[&may[..], &[Permission::ViewPaymentMethods]].concat()).await;
    for (path, column) in [
        ("/api/v1/admin/invoices", "payment_method"),
        ("/api/v1/admin/withdrawals", "withdrawal_method"),
        ("/api/v1/admin/payments", "payment_method"),
        ("/api/v1/admin/transactions", "payment_method"),
    ] {
        let shown = async |staff: &str| {
            let page = panel.get_as(staff, &format!("{path}?length=200"), "application/json").await;
            assert_eq!(page.status, 200, "{path}: {}", page.text);
            page.json()["data"].as_array().unwrap().iter().any(|row| row[column].is_object())
        };
        assert_eq!((shown("viewer").await, shown("reader").await), (true, false), "{path}");
        for name in [column.to_owned(), format!("{column}.id"), format!("{column}.name")] {
            for query in [format!("{name}=1"), format!("sort={name}")] {
                let refused = panel.get_as("reader", &format!("{path}?{query}"), "application/json").await;
                assert_eq!(refused.status, 422, "{path} {query}");
            }
        }
        let file = panel.get_as("reader", path, "text/csv").await.text;
        assert!(!file.lines().next().unwrap().contains("method"), "{path}: {file}");
    }
    panel.exec(Sql::new("UPDATE subscriptions SET recurring_payment_methods = '[\"main\"]'")).await;
    panel.exec(Sql::new("DELETE FROM user_payment_methods WHERE user_id = 3")).await;
    panel
        .exec(Sql::new("INSERT INTO user_payment_methods (user_id, payment_method_id) SELECT 3, min(id) FROM payment_methods"))
        .await;
    let all = [Permission::ViewOrders, Permission::ViewUsers];
    panel.staff("clerk", &all).await;
    panel.staff("bookkeeper", &[&all[..], &[Permission::ViewPaymentMethods]].concat()).await;
    for (staff, sees) in [("bookkeeper", true), ("clerk", false)] {
        let read = async |path: &str| panel.get_as(staff, path, "application/json").await;
        let row = read("/api/v1/admin/subscriptions?length=1").await.json()["data"][0].clone();
        let one = read(&format!("/api/v1/admin/subscriptions/{}", row["id"])).await.json()["data"].clone();
        let user = read("/api/v1/admin/users/3").await.json()["data"].clone();
        for methods in
            [&row["recurring_payment_methods"], &one["recurring_payment_methods"], &user["payment_methods"]]
        {
            assert_eq!(methods.as_array().unwrap().len(), usize::from(sees), "{staff} {methods}");
        }
        let offered = read("/api/v1/admin/users/3/payment-methods").await;
        assert_eq!(offered.status, if sees { 200 } else { 403 }, "{staff}");
    }
}

/// What holds a customer's money is named to those who may view it; the sum is everyone's who may view the customer.
async fn what_holds_money_is_for_those_who_may_view_it(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    for (sql, kind) in [
        (
            "UPDATE withdrawals SET user_id = 3 WHERE id = (SELECT min(id) FROM withdrawals WHERE status = 'pending')",
            "",
        ),
        (
            "UPDATE drip_feeds SET user_id = 3, status = 'in_processing' WHERE id = (SELECT min(id) FROM drip_feeds)",
            "drip_feed",
        ),
        (
            "UPDATE subscriptions SET user_id = 3, status = 'in_processing' WHERE id = (SELECT min(id) FROM subscriptions)",
            "subscription",
        ),
    ] {
        panel.exec(Sql::new(sql)).await;
        if kind.is_empty() {
            continue;
        }
        let id = panel
            .number(Sql::new(if kind == "drip_feed" {
                "SELECT min(id) FROM drip_feeds"
            } else {
                "SELECT min(id) FROM subscriptions"
            }))
            .await;
        let sql = "DELETE FROM advances WHERE ref_type = ? AND ref_id = ?";
        panel.exec(Sql::new(sql).bind(kind).bind(id)).await;
        let sql = "INSERT INTO advances (ref_type, ref_id, balance_type, amount, used, returned) VALUES (?, ?, 'main', 7000000, 0, 0)";
        panel.exec(Sql::new(sql).bind(kind).bind(id)).await;
    }
    panel.exec(Sql::new("UPDATE users SET hold_main = 9000000 WHERE id = 3")).await;
    let users = Permission::ViewUsers;
    panel.staff("none", &[users]).await;
    panel.staff("cashier", &[users, Permission::ViewWithdrawals]).await;
    panel.staff("operator", &[users, Permission::ViewOrders]).await;
    let mut sums = Vec::new();
    for (staff, wanted) in [
        ("none", &[][..]),
        ("cashier", &["withdrawal"]),
        ("operator", &["drip_feed", "subscription"]),
        ("owner", &["drip_feed", "subscription", "withdrawal"]),
    ] {
        let user =
            panel.get_as(staff, "/api/v1/admin/users/3", "application/json").await.json()["data"].clone();
        let mut kinds: Vec<&str> =
            user["holds"].as_array().unwrap().iter().map(|hold| hold["kind"].as_str().unwrap()).collect();
        kinds.dedup();
        assert_eq!(kinds, wanted, "{staff} {}", user["holds"]);
        sums.push(user["held"].clone());
    }
    assert!(sums.iter().all(|sum| *sum == sums[0] && sum != "0"), "{sums:?}");
}

async fn rejected_orders_are_found_by_their_approval(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    panel.exec(Sql::new("UPDATE orders SET approval = NULL WHERE approval = 'rejected'")).await;
    let some = ids(&json(&panel, &format!("{ORDERS}?sort=id&page[size]=2")).await);
    let reject = Sql::new("UPDATE orders SET status = 'stopped', approval = 'rejected' WHERE id IN ")
        .numbers(some.iter().copied());
    panel.exec(reject).await;
    let found = json(&panel, &format!("{ORDERS}?approval=rejected&sort=id")).await;
    assert_eq!((ids(&found), &found["recordsFiltered"]), (some, &Value::from(2)));
}

/// The specification's names of fields and filters stand beside ours.
async fn the_names_of_the_specification_are_known(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    let admin = |path: &str| format!("/api/v1/admin/{path}");
    let user = json(&panel, &admin("users?grade.id=1..&manager.id=1..&length=1")).await["data"][0].clone();
    assert_eq!((&user["seller"], &user["current_grade"]), (&user["manager"], &user["grade"]));
    assert!(user["seller"]["id"].is_i64() && user["current_grade"]["name"].is_string(), "{user}");
    for (ours, theirs) in [
        (format!("users?manager={}", user["seller"]["id"]), format!("users?seller={}", user["seller"]["id"])),
        (
            format!("users?grade.id={}", user["grade"]["id"]),
            format!("users?current_grade.id={}", user["grade"]["id"]),
        ),
        ("services?service_type.id=1".to_owned(), "services?service_type_id=1".to_owned()),
        ("services/logs?target_id=1..5".to_owned(), "services/logs?target=1..5".to_owned()),
        ("audits?auditable_id=1..5".to_owned(), "audits?target=1..5".to_owned()),
    ] {
        let (ours, theirs) = (json(&panel, &admin(&ours)).await, json(&panel, &admin(&theirs)).await);
        assert!(!ids(&ours).is_empty());
        assert_eq!(ids(&ours), ids(&theirs));
    }
    let service = json(&panel, &admin("services/5")).await["data"].clone();
    assert_eq!(service["service_type_id"], service["service_type"]["id"]);
    panel.exec(Sql::new(
        "INSERT INTO user_affiliates (referral_id, user_id, started_at, created_at, updated_at) VALUES (14, 3, 1, 1, 1)",
    )).await;
    let user = json(&panel, &admin("users/14")).await["data"].clone();
    let affiliates = json(&panel, &admin("users/14/affiliates")).await["data"].clone();
    assert_eq!(user["affiliates"], affiliates);
    assert!(affiliates.as_array().unwrap().iter().any(|one| one["user_id"] == 3));
    let feeds = json(&panel, &admin("drip-feeds?length=200")).await;
    let fed = feeds["data"].as_array().unwrap().iter().find(|row| row["orders"][0].is_i64());
    let fed = fed.unwrap_or_else(|| panic!("no drip-feed has orders"));
    let orders = json(&panel, &admin(&format!("orders?drip_feed_id={}&length=100", fed["id"]))).await;
    assert_eq!(fed["orders"], Value::from(ids(&orders)));
}

async fn catalogue_lists_filter_by_what_the_specification_names(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 30).await;
    let admin = |path: &str| format!("/api/v1/admin/{path}");
    panel.exec(Sql::new("UPDATE external_panels SET statistic_type = 'charge' WHERE id = 2")).await;
    let charge = json(&panel, &admin("external-panels?statistic_type=charge")).await;
    assert_eq!(ids(&charge), [2]);
    panel.exec(Sql::new("UPDATE external_panels SET api_token_hint = '9xYz' WHERE id = 2")).await;
    for filter in ["apiToken=9xyz", "api_token_hint=9xYz", "api_token=XY"] {
        assert_eq!(ids(&json(&panel, &admin(&format!("external-panels?{filter}"))).await), [2], "{filter}");
    }
    let coupon = json(&panel, &admin("coupons?length=1")).await["data"][0]["id"].as_i64().unwrap();
    panel.exec(Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) VALUES ('coupon', ?, 'vi', 'name', 'Ngựa vằn')",
    ).bind(coupon)).await;
    let found =
        json(&panel, &admin(&format!("coupons?translatedName={}", crate::tables::encoded("NGỰA")))).await;
    assert_eq!(ids(&found), [coupon]);
    let found = json(&panel, &admin(&format!("coupons?search={}", crate::tables::encoded("ngựa")))).await;
    assert_eq!(ids(&found), [coupon], "the search box as well");
    for filter in [
        "bonus_type=balance",
        "bonus_amount_calculation_type=percent",
        "bonus_percentage=0..1",
        "payment_type=order",
    ] {
        let (name, _) = filter.split_once('=').unwrap();
        let all = json(&panel, &admin("coupons?length=1000")).await;
        let some = json(&panel, &admin(&format!("coupons?{filter}&length=1000"))).await;
        let fits = |row: &&Value| match name {
            "bonus_percentage" => !row[name].is_null(),
            _ => filter.ends_with(row[name].as_str().unwrap()),
        };
        let wanted = all["data"].as_array().unwrap().iter().filter(fits).count();
        assert_eq!(some["recordsFiltered"], wanted, "{filter}");
    }
    for column in ["default_cost", "total_cost", "difference"] {
        let page = json(&panel, &admin(&format!("packages?sort={column}&length=1000"))).await;
        let costs: Vec<panel_contract::amount::Money> = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row[column].as_str().unwrap().parse().unwrap())
            .collect();
        assert!(costs.len() > 5 && costs.is_sorted(), "{column}: {costs:?}");
    }
}

/// What is known of an order beside its row: each filter finds the one order that has it, and no other.
async fn orders_are_found_by_what_only_their_page_shows(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 40).await;
    let none = "UPDATE orders SET keyword = NULL, seo_keyword = NULL, countries = '[]', child_id = NULL, quantity_for_full_fill = NULL, refill_quantity = NULL,
        refill_first_quantity = NULL, refill_last_quantity = NULL, promotable_embed_url = NULL, promotable_region_restriction = NULL,
        promotable_average_viewers = NULL, promotable_first_statistic_viewers = NULL, promotable_supported_at = NULL, promotable_supported_until = NULL";
    panel.exec(Sql::new(none)).await;
    let known = "UPDATE orders SET keyword = 'cats', seo_keyword = 'cheap dogs', countries = '[\"PL\"]', child_id = 7701, quantity_for_full_fill = 7702,
        refill_quantity = 7703, refill_first_quantity = 7704, refill_last_quantity = 7705, promotable_embed_url = 'https://video.example/embed/9',
        promotable_region_restriction = 'US, CA', promotable_average_viewers = 7706, promotable_first_statistic_viewers = 7707,
        promotable_supported_at = 1795132800000000, promotable_supported_until = 1795219200000000, refill_first_at = 1, refill_last_at = 1 WHERE id = ?";
    let one = panel.number(Sql::new("SELECT max(id) FROM orders")).await;
    panel.exec(Sql::new(known).bind(one)).await;
    let found = async |filter: &str| {
        let page = json(&panel, &format!("/api/v1/admin/orders?{filter}&length=100")).await;
        ids(&page)
    };
    for filter in [
        "keyword=cat",
        "seo_keyword=cheap%20dogs",
        "countries=PL",
        "child_id=7701",
        "quantity_for_full_fill=7702",
        "refill_quantity=7703",
        "refill.first.quantity=7704",
        "refill.last.quantity=7700..7705",
        "promotable.embed_url=embed/9",
        "promotable.region_restriction=CA",
        "promotable.average_viewers=7706",
        "promotable.first_statistic_viewers=7707",
        "promotable.supported_at=2026-11-20",
        "promotable.supported_until=2026-11-21",
    ] {
        assert_eq!(found(filter).await, [one], "{filter}");
        let (name, _) = filter.split_once('=').unwrap();
        let other = match name {
            "promotable.supported_at" | "promotable.supported_until" => "2020-01-01",
            _ => "7799",
        };
        assert_eq!(found(&format!("{name}={other}")).await, Vec::<i64>::new(), "{name}");
    }
}
/// What is in no grammar of a list stands beside what names no column, and what a column does not take.
async fn everything_that_is_wrong_is_named_at_once(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    for (query, fields) in [
        (
            "page[size]=0&start=x&status=finished&colour=red&sort=nonsense&searchBuilder[logic]=AND",
            &["colour", "page[size]", "searchBuilder[logic]", "sort", "start", "status"][..],
        ),
        (
            "length=-7&columns[0][data]=nonsense&columns[0][search][value]=1&columns[1][data]=cost&columns[1][search][value]=dear",
            &["columns.0.search", "columns.1.search", "length"],
        ),
    ] {
        for accept in ["application/json", "text/csv"] {
            let answer = panel.get_as("owner", &format!("{ORDERS}?{query}"), accept).await;
            assert_eq!(answer.status, 422, "{query}: {}", answer.text);
            let errors = answer.json()["errors"].clone();
            assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), fields, "{query}");
        }
    }
    let queue =
        panel.get("/api/v1/admin/external-panel-payments?external_panel_id=1&start=x&colour=red").await;
    assert_eq!(queue.json()["errors"].as_object().unwrap().len(), 2, "{}", queue.text);
    for (query, status) in
        [("externalPanelId=1", 200), ("external_panel_id=1", 200), ("externalPanelId=", 422)]
    {
        let answer = panel.get(&format!("/api/v1/admin/external-panel-payments?{query}")).await;
        assert_eq!(answer.status, status, "{query}: {}", answer.text);
    }
}

/// The record beside is found by its id, as a customer and a service are, and by a part of its name.
async fn records_beside_are_found_by_id(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    for (path, column) in [
        ("/api/v1/admin/invoices", "payment_method"),
        ("/api/v1/admin/withdrawals", "withdrawal_method"),
        ("/api/v1/admin/payments", "payment_method"),
        ("/api/v1/admin/transactions", "payment_method"),
    ] {
        let all = json(&panel, &format!("{path}?length=100")).await["data"].as_array().unwrap().clone();
        let beside = all.iter().find(|row| row[column]["id"].is_i64()).unwrap_or_else(|| panic!("{path}"));
        let (id, name) = (&beside[column]["id"], beside[column]["name"].as_str().unwrap());
        let count = async |query: String| {
            let found = json(&panel, &format!("{path}?length=100&{query}")).await;
            assert!(found["data"].as_array().unwrap().iter().all(|row| row[column]["id"] == *id), "{found}");
            found["recordsFiltered"].as_u64().unwrap()
        };
        let by_id = count(format!("{column}={id}")).await;
        assert_eq!(by_id, count(format!("{column}.id={id}")).await, "{path}");
        assert!(
            by_id > 0 && by_id == count(format!("{column}={}", name.replace(' ', "%20"))).await,
            "{path}"
        );
    }
}

/// Payment methods stand in the common search of those only who may view them.
async fn names_are_found_by_those_who_may_view_them(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    let may = [Permission::ViewInvoices, Permission::ViewWithdrawals];
    panel.staff("reader", &may).await;
    panel.staff("viewer", &[&may[..], &[Permission::ViewPaymentMethods]].concat()).await;
    for path in ["/api/v1/admin/invoices", "/api/v1/admin/withdrawals"] {
        let column = if path.ends_with("invoices") { "payment_method" } else { "withdrawal_method" };
        let row = json(&panel, &format!("{path}?length=1")).await["data"][0].clone();
        let sql = Sql::new("UPDATE payment_methods SET name = 'Zebrapay' WHERE id = ?");
        panel.exec(sql.bind(row[column]["id"].as_i64().unwrap())).await;
        for (staff, sees) in [("viewer", true), ("reader", false)] {
            let found =
                panel.get_as(staff, &format!("{path}?search=zebrapay"), "application/json").await.json();
            assert_eq!(found["recordsFiltered"] != 0, sees, "{path} {staff}: {found}");
        }
    }
}

/// The list sorts and filters by exactly the costs that its rows show: rounded up once from exact thirds, a fixed cost as
/// the precision has it by now, and what no amount can say.
async fn costs_of_packages_sort_as_they_are_shown(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 10).await;
    panel.exec(Sql::new("UPDATE services SET pricing_per = 3, default_price = 1000000 WHERE id <= 3")).await;
    let ids_of = "SELECT id FROM packages ORDER BY id LIMIT 3";
    let packages: Vec<(i64,)> = (&mut &panel.app.db).all(Sql::new(ids_of)).await.unwrap();
    let [thirds, fixed, beyond] = [packages[0].0, packages[1].0, packages[2].0];
    panel
        .exec(Sql::new("DELETE FROM package_contents WHERE package_id IN ").numbers([thirds, fixed, beyond]))
        .await;
    panel
        .exec(
            Sql::new("UPDATE packages SET fixed_cost = NULL, discount_ppm = 0 WHERE id IN ")
                .numbers([thirds, beyond]),
        )
        .await;
    panel
        .exec(Sql::new("UPDATE packages SET fixed_cost = 1005000, discount_ppm = 0 WHERE id = ?").bind(fixed))
        .await;
    let content = async |package: i64, service: i64, quantity: i64| {
        let sql = Sql::new(
            "INSERT INTO package_contents (package_id, service_id, quantity, position) VALUES (?, ?, ?, ?)",
        );
        panel.exec(sql.bind(package).bind(service).bind(quantity).bind(service)).await;
    };
    // A third three times is exactly one.
    for service in [1, 2, 3] {
        content(thirds, service, 1).await;
    }
    content(fixed, 1, 1).await;
    for service in [1, 2, 3] {
        content(beyond, service, 9_000_000_000_000_000).await;
    }
    let page = json(&panel, "/api/v1/admin/packages?sort=total_cost&length=1000").await;
    let cost = |id: i64, column: &str| {
        let row = page["data"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap();
        row[column].as_str().unwrap().parse::<panel_contract::amount::Money>().unwrap().0
    };
    assert_eq!((cost(thirds, "total_cost"), cost(fixed, "total_cost")), (1_000_000, 1_010_000));
    assert_eq!(ids(&page).last(), Some(&beyond), "what no amount can say is dearer than all others");
    for column in ["default_cost", "total_cost", "difference"] {
        for row in page["data"].as_array().unwrap() {
            let (id, value) = (row["id"].as_i64().unwrap(), row[column].as_str().unwrap());
            for filter in [value.to_owned(), format!("{value}..{value}")] {
                let found =
                    json(&panel, &format!("/api/v1/admin/packages?{column}={filter}&length=1000")).await;
                assert!(ids(&found).contains(&id), "{column}={filter} of {id}");
                assert!(
                    found["data"].as_array().unwrap().iter().all(|row| row[column] == value),
                    "{column}={filter}"
                );
            }
        }
        for dir in ["", "-"] {
            let sorted =
                json(&panel, &format!("/api/v1/admin/packages?sort={dir}{column}&length=1000")).await;
            let costs: Vec<panel_contract::amount::Money> = sorted["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row[column].as_str().unwrap().parse().unwrap())
                .collect();
            let is_sorted = if dir.is_empty() { costs.is_sorted() } else { costs.iter().rev().is_sorted() };
            assert!(is_sorted, "{dir}{column}: {costs:?}");
        }
    }
    let file =
        panel.get_as("owner", "/api/v1/admin/packages?total_cost=1.01&sort=-total_cost", "text/csv").await;
    assert_eq!(file.status, 200, "{}", file.text);
}
