//! Lists queried by simple parameters such as `status=completed&sort=-cost`: these give the same columns and rows as the query
//! syntax of DataTables, and the OpenAPI document describes them for each list.

use panel_contract::permission::Permission;
use panel_platform::db::{Dialect, Sql, SqlExecutor as _};
use serde_json::Value;

use crate::panel::Panel;
use crate::tables::lists;

test_both_databases! {
    simple_parameters_and_datatables_columns_return_the_same_rows;
    page_numbers_start_at_one;
    rejects_mixed_query_syntaxes_and_unknown_parameters;
    a_request_for_all_rows_returns_at_most_one_page;
    the_openapi_document_has_the_filters_of_every_list;
    payment_methods_need_their_own_permission;
    shows_only_the_holds_of_a_customer_that_staff_may_view;
    filters_orders_by_a_rejected_approval;
    lists_accept_the_names_of_the_specification;
    catalogue_lists_have_the_filters_of_the_specification;
    filters_orders_by_fields_that_only_the_order_page_shows;
    one_response_names_every_invalid_parameter;
    the_search_covers_payment_methods_only_with_permission;
    filters_related_records_by_id_and_name;
    package_costs_sort_and_filter_by_the_displayed_value;
}

const ORDERS_PATH: &str = "/api/v1/admin/orders";

async fn get_json(panel: &Panel, path: &str) -> Value {
    let response = panel.get(path).await;
    assert_eq!(response.status, 200, "{path}: {}", response.text);
    response.json()
}

fn ids(page: &Value) -> Vec<i64> {
    page["data"].as_array().unwrap().iter().map(|row| row["id"].as_i64().unwrap()).collect()
}

async fn simple_parameters_and_datatables_columns_return_the_same_rows(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(40, 400).await;
    for (parameters, datatables_query) in [
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
            get_json(&panel, &format!("{ORDERS_PATH}?{parameters}")).await,
            get_json(&panel, &format!("{ORDERS_PATH}?{datatables_query}")).await,
        );
        assert!(!ids(&by_parameters).is_empty(), "{parameters}");
        assert_eq!(ids(&by_parameters), ids(&by_columns), "{parameters}");
        assert_eq!(by_parameters["recordsFiltered"], by_columns["recordsFiltered"], "{parameters}");
    }
    let csv_text =
        panel.get_as("owner", &format!("{ORDERS_PATH}?status=completed&sort=cost"), "text/csv").await.text;
    let total =
        get_json(&panel, &format!("{ORDERS_PATH}?status=completed")).await["recordsFiltered"].as_u64();
    assert_eq!(csv_text.lines().count() as u64 - 1, total.unwrap());
}

async fn page_numbers_start_at_one(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 100).await;
    let all_ids = ids(&get_json(&panel, &format!("{ORDERS_PATH}?length=100")).await);
    let page = get_json(&panel, &format!("{ORDERS_PATH}?page[size]=20&page[number]=3")).await;
    assert_eq!(ids(&page), all_ids[40..60]);
    let page = get_json(&panel, &format!("{ORDERS_PATH}?page[number]=2")).await;
    assert_eq!(ids(&page), all_ids[30..60]);
    let page_past_the_end =
        get_json(&panel, &format!("{ORDERS_PATH}?page[number]=9223372036854775807&page[size]=1000")).await;
    assert_eq!(
        (ids(&page_past_the_end).len(), page_past_the_end["recordsFiltered"].as_i64()),
        (0, Some(100))
    );
}

async fn rejects_mixed_query_syntaxes_and_unknown_parameters(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 30).await;
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
        let response = panel.get(&format!("{ORDERS_PATH}?{query}")).await;
        assert_eq!(response.status, 422, "{query}: {}", response.text);
        let errors = response.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), [field], "{query}");
    }
    for query in ["grade.name=1", "sort=grade.name"] {
        let response =
            panel.get_as("reader", &format!("/api/v1/admin/users?{query}"), "application/json").await;
        assert_eq!(response.status, 422, "{query}: {}", response.text);
    }
}

/// A request for all rows returns at most 1,000 rows, the maximum page size; `recordsFiltered` holds the full count.
async fn a_request_for_all_rows_returns_at_most_one_page(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 1_200).await;
    for length in ["-1", "0"] {
        let page = get_json(&panel, &format!("{ORDERS_PATH}?length={length}")).await;
        assert_eq!((ids(&page).len(), page["recordsFiltered"].as_i64()), (1_000, Some(1_200)));
    }
}

async fn the_openapi_document_has_the_filters_of_every_list(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let document = get_json(&panel, "/openapi.json").await;
    let query_parameter_names = |path: &str| -> Vec<String> {
        let parameters = document["paths"][path]["get"]["parameters"].as_array();
        let parameters = parameters.unwrap_or_else(|| panic!("{path} is not in the document"));
        let query_parameters = parameters.iter().filter(|parameter| parameter["in"] == "query");
        query_parameters.map(|parameter| parameter["name"].as_str().unwrap().to_owned()).collect()
    };
    for (path, table) in lists() {
        let names = query_parameter_names(&path.replace("/1/", "/{id}/"));
        assert!(names.contains(&"sort".to_owned()), "{path}");
        let unique_names: std::collections::BTreeSet<_> = names.iter().collect();
        assert_eq!(unique_names.len(), names.len(), "{path} repeats a parameter: {names:?}");
        for column in table
            .columns()
            .iter()
            .filter(|column| !matches!(column.kind, panel_platform::table::FilterKind::DisplayOnly))
        {
            assert!(names.contains(&column.name.to_owned()), "{path} {}", column.name);
        }
    }
    for path in ["/api/v1/admin/webhooks/{id}/deliveries", "/api/v1/admin/external-panel-payments"] {
        assert!(query_parameter_names(path).contains(&"created_at".to_owned()), "{path}");
    }
}

/// Staff without the permission can neither see the payment method of invoices, withdrawals and ledger entries, nor sort, filter
/// or search by it.
async fn payment_methods_need_their_own_permission(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 300).await;
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
                let rejection = panel.get_as("reader", &format!("{path}?{query}"), "application/json").await;
                assert_eq!(rejection.status, 422, "{path} {query}");
            }
        }
        let csv_text = panel.get_as("reader", path, "text/csv").await.text;
        assert!(!csv_text.lines().next().unwrap().contains("method"), "{path}: {csv_text}");
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
        let get_as_staff = async |path: &str| panel.get_as(staff, path, "application/json").await;
        let row = get_as_staff("/api/v1/admin/subscriptions?length=1").await.json()["data"][0].clone();
        let subscription =
            get_as_staff(&format!("/api/v1/admin/subscriptions/{}", row["id"])).await.json()["data"].clone();
        let user = get_as_staff("/api/v1/admin/users/3").await.json()["data"].clone();
        for methods in [
            &row["recurring_payment_methods"],
            &subscription["recurring_payment_methods"],
            &user["payment_methods"],
        ] {
            assert_eq!(methods.as_array().unwrap().len(), usize::from(is_visible), "{staff} {methods}");
        }
        let available_methods = get_as_staff("/api/v1/admin/users/3/payment-methods").await;
        assert_eq!(available_methods.status, if is_visible { 200 } else { 403 }, "{staff}");
    }
}

/// `holds` lists only the kinds that the staff member may view. `held` is the sum of all kinds for every staff member who may
async fn shows_only_the_holds_of_a_customer_that_staff_may_view(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 300).await;
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
            .fetch_number(Sql::new(if kind == "drip_feed" {
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
    let mut held_sums = Vec::new();
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
        held_sums.push(user["held_amount"].clone());
    }
    assert!(held_sums.iter().all(|sum| *sum == held_sums[0] && sum != "0"), "{held_sums:?}");
}

async fn filters_orders_by_a_rejected_approval(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 60).await;
    panel.execute(Sql::new("UPDATE orders SET approval = NULL WHERE approval = 'rejected'")).await;
    let rejected = ids(&get_json(&panel, &format!("{ORDERS_PATH}?sort=id&page[size]=2")).await);
    let reject_orders_sql =
        Sql::new("UPDATE orders SET status = 'stopped', approval = 'rejected' WHERE id IN ")
            .numbers(rejected.iter().copied());
    panel.execute(reject_orders_sql).await;
    let page = get_json(&panel, &format!("{ORDERS_PATH}?approval=rejected&sort=id")).await;
    assert_eq!((ids(&page), &page["recordsFiltered"]), (rejected, &Value::from(2)));
}

/// Each field and filter is available under the name of the specification and under the name that this panel uses elsewhere.
async fn lists_accept_the_names_of_the_specification(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 300).await;
    let admin = |path: &str| format!("/api/v1/admin/{path}");
    let user =
        get_json(&panel, &admin("users?grade.id=1..&manager.id=1..&length=1")).await["data"][0].clone();
    assert_eq!((&user["seller"], &user["current_grade"]), (&user["manager"], &user["grade"]));
    assert!(user["seller"]["id"].is_i64() && user["current_grade"]["name"].is_string(), "{user}");
    for (panel_query, specified_query) in [
        (format!("users?manager={}", user["seller"]["id"]), format!("users?seller={}", user["seller"]["id"])),
        (
            format!("users?grade.id={}", user["grade"]["id"]),
            format!("users?current_grade.id={}", user["grade"]["id"]),
        ),
        ("services?service_type.id=1".to_owned(), "services?service_type_id=1".to_owned()),
        ("services/logs?target_id=1..5".to_owned(), "services/logs?target=1..5".to_owned()),
        ("audits?auditable_id=1..5".to_owned(), "audits?target=1..5".to_owned()),
    ] {
        let panel_page = get_json(&panel, &admin(&panel_query)).await;
        let specified_page = get_json(&panel, &admin(&specified_query)).await;
        assert!(!ids(&panel_page).is_empty());
        assert_eq!(ids(&panel_page), ids(&specified_page));
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
    let feed_with_orders = feeds["data"].as_array().unwrap().iter().find(|row| row["orders"][0].is_i64());
    let feed_with_orders = feed_with_orders.unwrap_or_else(|| panic!("no drip-feed has orders"));
    let orders =
        get_json(&panel, &admin(&format!("orders?drip_feed_id={}&length=100", feed_with_orders["id"]))).await;
    assert_eq!(feed_with_orders["orders"], Value::from(ids(&orders)));
}

async fn catalogue_lists_have_the_filters_of_the_specification(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 30).await;
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
    assert_eq!(ids(&page), [coupon], "the search box must find translated names too");
    for filter in [
        "bonus_type=balance",
        "bonus_amount_calculation_type=percent",
        "bonus_fraction=0..1",
        "payment_type=order",
    ] {
        let (name, _) = filter.split_once('=').unwrap();
        let all_coupons = get_json(&panel, &admin("coupons?length=1000")).await;
        let filtered = get_json(&panel, &admin(&format!("coupons?{filter}&length=1000"))).await;
        let matches_filter = |row: &&Value| match name {
            "bonus_fraction" => !row[name].is_null(),
            _ => filter.ends_with(row[name].as_str().unwrap()),
        };
        let expected_count = all_coupons["data"].as_array().unwrap().iter().filter(matches_filter).count();
        assert_eq!(filtered["recordsFiltered"], expected_count, "{filter}");
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

/// Each filter by a field that the list does not show finds the one order with the value, and no other order.
async fn filters_orders_by_fields_that_only_the_order_page_shows(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(60, 40).await;
    let clear_fields_sql = "UPDATE orders SET keyword = NULL, seo_keyword = NULL, countries = '[]', child_id = NULL, quantity_for_full_fill = NULL, refill_quantity = NULL,
        refill_first_quantity = NULL, refill_last_quantity = NULL, promotable_embed_url = NULL, promotable_region_restriction = NULL,
        promotable_average_viewers = NULL, promotable_first_statistic_viewers = NULL, promotable_supported_at = NULL, promotable_supported_until = NULL";
    panel.execute(Sql::new(clear_fields_sql)).await;
    let set_fields_sql = "UPDATE orders SET keyword = 'cats', seo_keyword = 'cheap dogs', countries = '[\"PL\"]', child_id = 7701, quantity_for_full_fill = 7702,
        refill_quantity = 7703, refill_first_quantity = 7704, refill_last_quantity = 7705, promotable_embed_url = 'https://video.example/embed/9',
        promotable_region_restriction = 'US, CA', promotable_average_viewers = 7706, promotable_first_statistic_viewers = 7707,
        promotable_supported_at = 1795132800000000, promotable_supported_until = 1795219200000000, refill_first_at = 1, refill_last_at = 1 WHERE id = ?";
    let order_id = panel.fetch_number(Sql::new("SELECT max(id) FROM orders")).await;
    panel.execute(Sql::new(set_fields_sql).bind(order_id)).await;
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

/// One error response names unknown parameters, unknown columns, and values that a column does not accept.
async fn one_response_names_every_invalid_parameter(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
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
            let response = panel.get_as("owner", &format!("{ORDERS_PATH}?{query}"), accept).await;
            assert_eq!(response.status, 422, "{query}: {}", response.text);
            let errors = response.json()["errors"].clone();
            assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), fields, "{query}");
        }
    }
    let payments =
        panel.get("/api/v1/admin/external-panel-payments?external_panel_id=1&start=x&colour=red").await;
    assert_eq!(payments.json()["errors"].as_object().unwrap().len(), 2, "{}", payments.text);
    for (query, status) in
        [("externalPanelId=1", 200), ("external_panel_id=1", 200), ("externalPanelId=", 422)]
    {
        let response = panel.get(&format!("/api/v1/admin/external-panel-payments?{query}")).await;
        assert_eq!(response.status, status, "{query}: {}", response.text);
    }
}

/// A filter by a related record accepts the id of the record or a part of its name.
async fn filters_related_records_by_id_and_name(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 300).await;
    for (path, column) in [
        ("/api/v1/admin/invoices", "payment_method"),
        ("/api/v1/admin/withdrawals", "withdrawal_method"),
        ("/api/v1/admin/payments", "payment_method"),
        ("/api/v1/admin/transactions", "payment_method"),
    ] {
        let rows = get_json(&panel, &format!("{path}?length=100")).await["data"].as_array().unwrap().clone();
        let row_with_method = rows
            .iter()
            .find(|row| row[column]["id"].is_i64())
            .unwrap_or_else(|| panic!("{path} has no row with a method"));
        let (id, name) = (&row_with_method[column]["id"], row_with_method[column]["name"].as_str().unwrap());
        let count = async |query: String| {
            let page = get_json(&panel, &format!("{path}?length=100&{query}")).await;
            assert!(page["data"].as_array().unwrap().iter().all(|row| row[column]["id"] == *id), "{page}");
            page["recordsFiltered"].as_u64().unwrap()
        };
        let count_by_id = count(format!("{column}={id}")).await;
        assert_eq!(count_by_id, count(format!("{column}.id={id}")).await, "{path}");
        assert!(
            count_by_id > 0 && count_by_id == count(format!("{column}={}", name.replace(' ', "%20"))).await,
            "{path}"
        );
    }
}

/// The search box finds rows by the name of their payment method only for staff who may view payment methods.
async fn the_search_covers_payment_methods_only_with_permission(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(50, 300).await;
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

/// The list sorts and filters by exactly the costs that its rows show. The test uses a sum of thirds that is rounded up once, a
/// fixed cost with more digits than the current rounding precision, and a cost that exceeds the maximum amount.
async fn package_costs_sort_and_filter_by_the_displayed_value(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    panel.insert_generated_records(20, 10).await;
    panel
        .execute(Sql::new("UPDATE services SET pricing_per = 3, default_price = 1000000 WHERE id <= 3"))
        .await;
    let first_packages_sql = "SELECT id FROM packages ORDER BY id LIMIT 3";
    let packages: Vec<(i64,)> = (&mut &panel.app.db).fetch_all(Sql::new(first_packages_sql)).await.unwrap();
    let [package_of_thirds, fixed_cost_package, too_expensive_package] =
        [packages[0].0, packages[1].0, packages[2].0];
    panel
        .execute(Sql::new("DELETE FROM package_contents WHERE package_id IN ").numbers([
            package_of_thirds,
            fixed_cost_package,
            too_expensive_package,
        ]))
        .await;
    panel
        .execute(
            Sql::new("UPDATE packages SET fixed_cost = NULL, discount_ppm = 0 WHERE id IN ")
                .numbers([package_of_thirds, too_expensive_package]),
        )
        .await;
    panel
        .execute(
            Sql::new("UPDATE packages SET fixed_cost = 1005000, discount_ppm = 0 WHERE id = ?")
                .bind(fixed_cost_package),
        )
        .await;
    let insert_content = async |package: i64, service: i64, quantity: i64| {
        let sql = Sql::new(
            "INSERT INTO package_contents (package_id, service_id, quantity, position) VALUES (?, ?, ?, ?)",
        );
        panel.execute(sql.bind(package).bind(service).bind(quantity).bind(service)).await;
    };
    // Three contents of 1/3 each cost exactly 1.
    for service in [1, 2, 3] {
        insert_content(package_of_thirds, service, 1).await;
    }
    insert_content(fixed_cost_package, 1, 1).await;
    for service in [1, 2, 3] {
        insert_content(too_expensive_package, service, 9_000_000_000_000_000).await;
    }
    let page = get_json(&panel, "/api/v1/admin/packages?sort=total_cost&length=1000").await;
    let cost = |id: i64, column: &str| {
        let row = page["data"].as_array().unwrap().iter().find(|row| row["id"] == id).unwrap();
        row[column].as_str().unwrap().parse::<panel_contract::amount::Money>().unwrap().0
    };
    assert_eq!(
        (cost(package_of_thirds, "total_cost"), cost(fixed_cost_package, "total_cost")),
        (1_000_000, 1_010_000)
    );
    assert_eq!(
        ids(&page).last(),
        Some(&too_expensive_package),
        "a cost beyond the maximum amount must sort last"
    );
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
    let csv_text =
        panel.get_as("owner", "/api/v1/admin/packages?total_cost=1.01&sort=-total_cost", "text/csv").await;
    assert_eq!(csv_text.status, 200, "{}", csv_text.text);
}
