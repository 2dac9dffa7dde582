//! Lists queried by plain parameters such as `status=completed&sort=-cost`: the same columns and the same rows as with the query
//! grammar of DataTables, and documented in OpenAPI for each list.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Source as _, Sql};
use serde_json::Value;

use crate::panel::Panel;
use crate::tables::lists;

both! {
    plain_parameters_and_datatables_columns_return_the_same_rows;
    page_numbers_start_at_one;
    refuses_mixed_grammars_and_unknown_parameters_by_name;
    a_length_of_all_returns_at_most_one_full_page;
    the_openapi_document_has_the_filters_of_every_list;
    payment_methods_need_their_own_permission;
    holds_of_a_customer_show_only_kinds_that_staff_may_view;
    filters_orders_by_a_rejected_approval;
    lists_accept_the_names_of_the_specification;
    catalogue_lists_have_the_filters_of_the_specification;
    filters_orders_by_fields_that_only_the_order_page_shows;
    one_response_names_every_wrong_parameter;
    the_search_covers_payment_methods_only_with_permission;
    filters_related_records_by_id_and_name;
    package_costs_sort_and_filter_by_the_displayed_value;
}

const ORDERS: &str = "/api/v1/admin/orders";

async fn get_json(panel: &Panel, path: &str) -> Value {
    let answer = panel.get(path).await;
    assert_eq!(answer.status, 200, "{path}: {}", answer.text);
    answer.json()
}

fn ids(page: &Value) -> Vec<i64> {
    page["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

async fn plain_parameters_and_datatables_columns_return_the_same_rows(dialect: Dialect) {
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
        let (by_parameters, by_columns) = (
            get_json(&panel, &format!("{ORDERS}?{plain}")).await,
            get_json(&panel, &format!("{ORDERS}?{columns}")).await,
        );
        assert!(!ids(&by_parameters).is_empty(), "{plain}");
        assert_eq!(ids(&by_parameters), ids(&by_columns), "{plain}");
        assert_eq!(by_parameters["recordsFiltered"], by_columns["recordsFiltered"], "{plain}");
    }
    let file = panel.get_as("owner", &format!("{ORDERS}?status=completed&sort=cost"), "text/csv").await.text;
    let total = get_json(&panel, &format!("{ORDERS}?status=completed")).await["recordsFiltered"].as_u64();
    assert_eq!(file.lines().count() as u64 - 1, total.unwrap());
}

async fn page_numbers_start_at_one(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 100).await;
    let all = ids(&get_json(&panel, &format!("{ORDERS}?length=100")).await);
    let page = get_json(&panel, &format!("{ORDERS}?page[size]=20&page[number]=3")).await;
    assert_eq!(ids(&page), all[40..60]);
    let page = get_json(&panel, &format!("{ORDERS}?page[number]=2")).await;
    assert_eq!(ids(&page), all[30..60]);
    let too_large =
        get_json(&panel, &format!("{ORDERS}?page[number]=9223372036854775807&page[size]=1000")).await;
    assert_eq!((ids(&too_large).len(), too_large["recordsFiltered"].as_i64()), (0, Some(100)));
}

async fn refuses_mixed_grammars_and_unknown_parameters_by_name(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 30).await;
    panel.create_staff("reader", &[Permission::ViewUsers]).await;
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

/// A request for all rows returns at most 1,000, the largest page; `recordsFiltered` has the full count.
async fn a_length_of_all_returns_at_most_one_full_page(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 1_200).await;
    for length in ["-1", "0"] {
        let page = get_json(&panel, &format!("{ORDERS}?length={length}")).await;
        assert_eq!((ids(&page).len(), page["recordsFiltered"].as_i64()), (1_000, Some(1_200)));
    }
}

async fn the_openapi_document_has_the_filters_of_every_list(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let document = get_json(&panel, "/openapi.json").await;
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
        for column in table
            .columns()
            .iter()
            .filter(|column| !matches!(column.kind, panel_platform::table::FilterKind::DisplayOnly))
        {
            assert!(names.contains(&column.name.to_owned()), "{path} {}", column.name);
        }
    }
    for path in ["/api/v1/admin/webhooks/{id}/deliveries", "/api/v1/admin/external-panel-payments"] {
        assert!(parameters(path).contains(&"created_at".to_owned()), "{path}");
    }
}

/// Staff without the permission can neither read the payment method of invoices, withdrawals and ledger entries, nor sort, filter
/// or search by it.
async fn payment_methods_need_their_own_permission(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    let permissions = [Permission::ViewInvoices, Permission::ViewWithdrawals, Permission::ViewFinances];
    panel.create_staff("reader", &permissions).await;
    panel.create_staff("viewer", &[&permissions[..], &[Permission::ViewPaymentMethods]].concat()).await;
    for (path, column) in [
        ("/api/v1/admin/invoices", "payment_method"),
        ("/api/v1/admin/withdrawals", "withdrawal_method"),
        ("/api/v1/admin/payments", "payment_method"),
        ("/api/v1/admin/transactions", "payment_method"),
    ] {
        let shows_method = async |staff: &str| {
            let page = panel.get_as(staff, &format!("{path}?length=200"), "application/json").await;
            assert_eq!(page.status, 200, "{path}: {}", page.text);
            page.json()["data"].as_array().unwrap().iter().any(|row| row[column].is_object())
        };
        assert_eq!((shows_method("viewer").await, shows_method("reader").await), (true, false), "{path}");
        for name in [column.to_owned(), format!("{column}.id"), format!("{column}.name")] {
            for query in [format!("{name}=1"), format!("sort={name}")] {
                let refused = panel.get_as("reader", &format!("{path}?{query}"), "application/json").await;
                assert_eq!(refused.status, 422, "{path} {query}");
            }
        }
        let file = panel.get_as("reader", path, "text/csv").await.text;
        assert!(!file.lines().next().unwrap().contains("method"), "{path}: {file}");
    }
    panel.execute(Sql::new("UPDATE subscriptions SET recurring_payment_methods = '[\"main\"]'")).await;
    panel.execute(Sql::new("DELETE FROM user_payment_methods WHERE user_id = 3")).await;
    panel
        .execute(Sql::new("INSERT INTO user_payment_methods (user_id, payment_method_id) SELECT 3, min(id) FROM payment_methods"))
        .await;
    let permissions = [Permission::ViewOrders, Permission::ViewUsers];
    panel.create_staff("clerk", &permissions).await;
    panel.create_staff("bookkeeper", &[&permissions[..], &[Permission::ViewPaymentMethods]].concat()).await;
    for (staff, is_visible) in [("bookkeeper", true), ("clerk", false)] {
        let read = async |path: &str| panel.get_as(staff, path, "application/json").await;
        let row = read("/api/v1/admin/subscriptions?length=1").await.json()["data"][0].clone();
        let subscription =
            read(&format!("/api/v1/admin/subscriptions/{}", row["id"])).await.json()["data"].clone();
        let user = read("/api/v1/admin/users/3").await.json()["data"].clone();
        for methods in [
            &row["recurring_payment_methods"],
            &subscription["recurring_payment_methods"],
            &user["payment_methods"],
        ] {
            assert_eq!(methods.as_array().unwrap().len(), usize::from(is_visible), "{staff} {methods}");
        }
        let available_methods = read("/api/v1/admin/users/3/payment-methods").await;
        assert_eq!(available_methods.status, if is_visible { 200 } else { 403 }, "{staff}");
    }
}

/// `holds` lists only the kinds that the staff member may view; `held`, their sum, is the same for all who may view the customer.
async fn holds_of_a_customer_show_only_kinds_that_staff_may_view(dialect: Dialect) {
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
        panel.execute(Sql::new(sql)).await;
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
        panel.execute(Sql::new(sql).bind(kind).bind(id)).await;
        let sql = "INSERT INTO advances (ref_type, ref_id, balance_type, amount, used, returned) VALUES (?, ?, 'main', 7000000, 0, 0)";
        panel.execute(Sql::new(sql).bind(kind).bind(id)).await;
    }
    panel.execute(Sql::new("UPDATE users SET hold_main = 9000000 WHERE id = 3")).await;
    let view_users = Permission::ViewUsers;
    panel.create_staff("none", &[view_users]).await;
    panel.create_staff("cashier", &[view_users, Permission::ViewWithdrawals]).await;
    panel.create_staff("operator", &[view_users, Permission::ViewOrders]).await;
    let mut sums = Vec::new();
    for (staff, expected_kinds) in [
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
        assert_eq!(kinds, expected_kinds, "{staff} {}", user["holds"]);
        sums.push(user["held"].clone());
    }
    assert!(sums.iter().all(|sum| *sum == sums[0] && sum != "0"), "{sums:?}");
}

async fn filters_orders_by_a_rejected_approval(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 60).await;
    panel.execute(Sql::new("UPDATE orders SET approval = NULL WHERE approval = 'rejected'")).await;
    let rejected = ids(&get_json(&panel, &format!("{ORDERS}?sort=id&page[size]=2")).await);
    let reject = Sql::new("UPDATE orders SET status = 'stopped', approval = 'rejected' WHERE id IN ")
        .numbers(rejected.iter().copied());
    panel.execute(reject).await;
    let page = get_json(&panel, &format!("{ORDERS}?approval=rejected&sort=id")).await;
    assert_eq!((ids(&page), &page["recordsFiltered"]), (rejected, &Value::from(2)));
}

/// Fields and filters have the name of the specification as well as the panel's own name.
async fn lists_accept_the_names_of_the_specification(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    let admin = |path: &str| format!("/api/v1/admin/{path}");
    let user =
        get_json(&panel, &admin("users?grade.id=1..&manager.id=1..&length=1")).await["data"][0].clone();
    assert_eq!((&user["seller"], &user["current_grade"]), (&user["manager"], &user["grade"]));
    assert!(user["seller"]["id"].is_i64() && user["current_grade"]["name"].is_string(), "{user}");
    for (own_name, specified_name) in [
        (format!("users?manager={}", user["seller"]["id"]), format!("users?seller={}", user["seller"]["id"])),
        (
            format!("users?grade.id={}", user["grade"]["id"]),
            format!("users?current_grade.id={}", user["grade"]["id"]),
        ),
        ("services?service_type.id=1".to_owned(), "services?service_type_id=1".to_owned()),
        ("services/logs?target_id=1..5".to_owned(), "services/logs?target=1..5".to_owned()),
        ("audits?auditable_id=1..5".to_owned(), "audits?target=1..5".to_owned()),
    ] {
        let own = get_json(&panel, &admin(&own_name)).await;
        let specified = get_json(&panel, &admin(&specified_name)).await;
        assert!(!ids(&own).is_empty());
        assert_eq!(ids(&own), ids(&specified));
    }
    let service = get_json(&panel, &admin("services/5")).await["data"].clone();
    assert_eq!(service["service_type_id"], service["service_type"]["id"]);
    panel.execute(Sql::new(
        "INSERT INTO user_affiliates (referral_id, user_id, started_at, created_at, updated_at) VALUES (14, 3, 1, 1, 1)",
    )).await;
    let user = get_json(&panel, &admin("users/14")).await["data"].clone();
    let affiliates = get_json(&panel, &admin("users/14/affiliates")).await["data"].clone();
    assert_eq!(user["affiliates"], affiliates);
    assert!(affiliates.as_array().unwrap().iter().any(|affiliate| affiliate["user_id"] == 3));
    let feeds = get_json(&panel, &admin("drip-feeds?length=200")).await;
    let with_orders = feeds["data"].as_array().unwrap().iter().find(|row| row["orders"][0].is_i64());
    let with_orders = with_orders.unwrap_or_else(|| panic!("no drip-feed has orders"));
    let orders =
        get_json(&panel, &admin(&format!("orders?drip_feed_id={}&length=100", with_orders["id"]))).await;
    assert_eq!(with_orders["orders"], Value::from(ids(&orders)));
}

async fn catalogue_lists_have_the_filters_of_the_specification(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 30).await;
    let admin = |path: &str| format!("/api/v1/admin/{path}");
    panel.execute(Sql::new("UPDATE external_panels SET statistic_type = 'charge' WHERE id = 2")).await;
    let charge = get_json(&panel, &admin("external-panels?statistic_type=charge")).await;
    assert_eq!(ids(&charge), [2]);
    panel.execute(Sql::new("UPDATE external_panels SET api_token_hint = '9xYz' WHERE id = 2")).await;
    for filter in ["apiToken=9xyz", "api_token_hint=9xYz", "api_token=XY"] {
        assert_eq!(
            ids(&get_json(&panel, &admin(&format!("external-panels?{filter}"))).await),
            [2],
            "{filter}"
        );
    }
    let coupon = get_json(&panel, &admin("coupons?length=1")).await["data"][0]["id"].as_i64().unwrap();
    panel.execute(Sql::new(
        "INSERT INTO translations (owner_type, owner_id, locale, field, value) VALUES ('coupon', ?, 'vi', 'name', 'Ngựa vằn')",
    ).bind(coupon)).await;
    let page = get_json(
        &panel,
        &admin(&format!("coupons?translatedName={}", crate::tables::percent_encoded("NGỰA"))),
    )
    .await;
    assert_eq!(ids(&page), [coupon]);
    let page =
        get_json(&panel, &admin(&format!("coupons?search={}", crate::tables::percent_encoded("ngựa")))).await;
    assert_eq!(ids(&page), [coupon], "the search box finds translated names too");
    for filter in [
        "bonus_type=balance",
        "bonus_amount_calculation_type=percent",
        "bonus_fraction=0..1",
        "payment_type=order",
    ] {
        let (name, _) = filter.split_once('=').unwrap();
        let all = get_json(&panel, &admin("coupons?length=1000")).await;
        let filtered = get_json(&panel, &admin(&format!("coupons?{filter}&length=1000"))).await;
        let matches_filter = |row: &&Value| match name {
            "bonus_fraction" => !row[name].is_null(),
            _ => filter.ends_with(row[name].as_str().unwrap()),
        };
        let expected = all["data"].as_array().unwrap().iter().filter(matches_filter).count();
        assert_eq!(filtered["recordsFiltered"], expected, "{filter}");
    }
    for column in ["default_cost", "total_cost", "difference"] {
        let page = get_json(&panel, &admin(&format!("packages?sort={column}&length=1000"))).await;
        let costs: Vec<panel_contract::amount::Money> = page["data"]
            .as_array()
            .unwrap()
            .iter()
            .map(|row| row[column].as_str().unwrap().parse().unwrap())
            .collect();
        assert!(costs.len() > 5 && costs.is_sorted(), "{column}: {costs:?}");
    }
}

/// Fields of an order that its row in the list does not show: each filter finds the one order with the value, and no other.
async fn filters_orders_by_fields_that_only_the_order_page_shows(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(60, 40).await;
    let clear = "UPDATE orders SET keyword = NULL, seo_keyword = NULL, countries = '[]', child_id = NULL, quantity_for_full_fill = NULL, refill_quantity = NULL,
        refill_first_quantity = NULL, refill_last_quantity = NULL, promotable_embed_url = NULL, promotable_region_restriction = NULL,
        promotable_average_viewers = NULL, promotable_first_statistic_viewers = NULL, promotable_supported_at = NULL, promotable_supported_until = NULL";
    panel.execute(Sql::new(clear)).await;
    let set = "UPDATE orders SET keyword = 'cats', seo_keyword = 'cheap dogs', countries = '[\"PL\"]', child_id = 7701, quantity_for_full_fill = 7702,
        refill_quantity = 7703, refill_first_quantity = 7704, refill_last_quantity = 7705, promotable_embed_url = 'https://video.example/embed/9',
        promotable_region_restriction = 'US, CA', promotable_average_viewers = 7706, promotable_first_statistic_viewers = 7707,
        promotable_supported_at = 1795132800000000, promotable_supported_until = 1795219200000000, refill_first_at = 1, refill_last_at = 1 WHERE id = ?";
    let order_id = panel.number(Sql::new("SELECT max(id) FROM orders")).await;
    panel.execute(Sql::new(set).bind(order_id)).await;
    let filtered_ids = async |filter: &str| {
        let page = get_json(&panel, &format!("/api/v1/admin/orders?{filter}&length=100")).await;
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
        assert_eq!(filtered_ids(filter).await, [order_id], "{filter}");
        let (name, _) = filter.split_once('=').unwrap();
        let other_value = match name {
            "promotable.supported_at" | "promotable.supported_until" => "2020-01-01",
            _ => "7799",
        };
        assert_eq!(filtered_ids(&format!("{name}={other_value}")).await, Vec::<i64>::new(), "{name}");
    }
}

/// The response names parameters of no grammar, unknown columns, and values that a column does not accept, all together.
async fn one_response_names_every_wrong_parameter(dialect: Dialect) {
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
    let payments =
        panel.get("/api/v1/admin/external-panel-payments?external_panel_id=1&start=x&colour=red").await;
    assert_eq!(payments.json()["errors"].as_object().unwrap().len(), 2, "{}", payments.text);
    for (query, status) in
        [("externalPanelId=1", 200), ("external_panel_id=1", 200), ("externalPanelId=", 422)]
    {
        let answer = panel.get(&format!("/api/v1/admin/external-panel-payments?{query}")).await;
        assert_eq!(answer.status, status, "{query}: {}", answer.text);
    }
}

/// A filter of a related record takes its id or a part of its name, as the filters of customers and services do.
async fn filters_related_records_by_id_and_name(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    for (path, column) in [
        ("/api/v1/admin/invoices", "payment_method"),
        ("/api/v1/admin/withdrawals", "withdrawal_method"),
        ("/api/v1/admin/payments", "payment_method"),
        ("/api/v1/admin/transactions", "payment_method"),
    ] {
        let all = get_json(&panel, &format!("{path}?length=100")).await["data"].as_array().unwrap().clone();
        let with_method =
            all.iter().find(|row| row[column]["id"].is_i64()).unwrap_or_else(|| panic!("{path}"));
        let (id, name) = (&with_method[column]["id"], with_method[column]["name"].as_str().unwrap());
        let count = async |query: String| {
            let page = get_json(&panel, &format!("{path}?length=100&{query}")).await;
            assert!(page["data"].as_array().unwrap().iter().all(|row| row[column]["id"] == *id), "{page}");
            page["recordsFiltered"].as_u64().unwrap()
        };
        let by_id = count(format!("{column}={id}")).await;
        assert_eq!(by_id, count(format!("{column}.id={id}")).await, "{path}");
        assert!(
            by_id > 0 && by_id == count(format!("{column}={}", name.replace(' ', "%20"))).await,
            "{path}"
        );
    }
}

/// The search box finds rows by the name of their payment method only for staff who may view payment methods.
async fn the_search_covers_payment_methods_only_with_permission(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(50, 300).await;
    let permissions = [Permission::ViewInvoices, Permission::ViewWithdrawals];
    panel.create_staff("reader", &permissions).await;
    panel.create_staff("viewer", &[&permissions[..], &[Permission::ViewPaymentMethods]].concat()).await;
    for path in ["/api/v1/admin/invoices", "/api/v1/admin/withdrawals"] {
        let column = if path.ends_with("invoices") { "payment_method" } else { "withdrawal_method" };
        let row = get_json(&panel, &format!("{path}?length=1")).await["data"][0].clone();
        let sql = Sql::new("UPDATE payment_methods SET name = 'Zebrapay' WHERE id = ?");
        panel.execute(sql.bind(row[column]["id"].as_i64().unwrap())).await;
        for (staff, is_visible) in [("viewer", true), ("reader", false)] {
            let page =
                panel.get_as(staff, &format!("{path}?search=zebrapay"), "application/json").await.json();
            assert_eq!(page["recordsFiltered"] != 0, is_visible, "{path} {staff}: {page}");
        }
    }
}

/// The list sorts and filters by exactly the costs that its rows show: a sum of exact thirds that is rounded up once, a fixed cost
/// under the current rounding precision, and a cost beyond the largest amount.
async fn package_costs_sort_and_filter_by_the_displayed_value(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    panel.fill(20, 10).await;
    panel
        .execute(Sql::new("UPDATE services SET pricing_per = 3, default_price = 1000000 WHERE id <= 3"))
        .await;
    let ids_of = "SELECT id FROM packages ORDER BY id LIMIT 3";
    let packages: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(Sql::new(ids_of)).await.unwrap();
    let [thirds, fixed, too_large] = [packages[0].0, packages[1].0, packages[2].0];
    panel
        .execute(
            Sql::new("DELETE FROM package_contents WHERE package_id IN ").numbers([thirds, fixed, too_large]),
        )
        .await;
    panel
        .execute(
            Sql::new("UPDATE packages SET fixed_cost = NULL, discount_ppm = 0 WHERE id IN ")
                .numbers([thirds, too_large]),
        )
        .await;
    panel
        .execute(
            Sql::new("UPDATE packages SET fixed_cost = 1005000, discount_ppm = 0 WHERE id = ?").bind(fixed),
        )
        .await;
    let content = async |package: i64, service: i64, quantity: i64| {
        let sql = Sql::new(
            "INSERT INTO package_contents (package_id, service_id, quantity, position) VALUES (?, ?, ?, ?)",
        );
        panel.execute(sql.bind(package).bind(service).bind(quantity).bind(service)).await;
    };
    // A third three times is exactly one.
    for service in [1, 2, 3] {
        content(thirds, service, 1).await;
    }
    content(fixed, 1, 1).await;
    for service in [1, 2, 3] {
        content(too_large, service, 9_000_000_000_000_000).await;
    }
    let page = get_json(&panel, "/api/v1/admin/packages?sort=total_cost&length=1000").await;
    let cost = |id: i64, column: &str| {
        let row = page["data"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap();
        row[column].as_str().unwrap().parse::<panel_contract::amount::Money>().unwrap().0
    };
    assert_eq!((cost(thirds, "total_cost"), cost(fixed, "total_cost")), (1_000_000, 1_010_000));
    assert_eq!(ids(&page).last(), Some(&too_large), "a cost beyond the largest amount sorts last");
    for column in ["default_cost", "total_cost", "difference"] {
        for row in page["data"].as_array().unwrap() {
            let (id, value) = (row["id"].as_i64().unwrap(), row[column].as_str().unwrap());
            for filter in [value.to_owned(), format!("{value}..{value}")] {
                let page =
                    get_json(&panel, &format!("/api/v1/admin/packages?{column}={filter}&length=1000")).await;
                assert!(ids(&page).contains(&id), "{column}={filter} of {id}");
                assert!(
                    page["data"].as_array().unwrap().iter().all(|row| row[column] == value),
                    "{column}={filter}"
                );
            }
        }
        for sign in ["", "-"] {
            let sorted =
                get_json(&panel, &format!("/api/v1/admin/packages?sort={sign}{column}&length=1000")).await;
            let costs: Vec<panel_contract::amount::Money> = sorted["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|row| row[column].as_str().unwrap().parse().unwrap())
                .collect();
            let is_sorted = if sign.is_empty() { costs.is_sorted() } else { costs.iter().rev().is_sorted() };
            assert!(is_sorted, "{sign}{column}: {costs:?}");
        }
    }
    let file =
        panel.get_as("owner", "/api/v1/admin/packages?total_cost=1.01&sort=-total_cost", "text/csv").await;
    assert_eq!(file.status, 200, "{}", file.text);
}
