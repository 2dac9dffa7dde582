//! Metrics: the series that the server exports match the declarations, and the dashboard, the alert rules and the documentation
//! use only metrics that exist.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use panel_platform::db::Dialect;
use panel_platform::metrics::{Metric, MetricKind};
use panel_server::metrics;
use serde_json::Value;

use crate::promql;
use crate::test_server::TestServer;

test_both_databases! {
    every_served_metric_is_declared;
}

/// Labels that Prometheus adds to every series.
const TARGET_LABELS: [&str; 2] = ["instance", "job"];
/// Gauges without labels that are absent until their first event.
const INITIALLY_ABSENT_METRICS: [&str; 3] =
    ["panel_backup_age_seconds", "panel_doctor_broken_checks", "panel_doctor_checked_timestamp_seconds"];

fn read_file(path: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn declared_metrics() -> BTreeMap<&'static str, Metric> {
    metrics::all().into_iter().map(|metric| (metric.name, metric)).collect()
}

/// The metric of a series. The series of a histogram have three suffixes.
fn find_metric(series: &str) -> Option<Metric> {
    let declared_metrics = declared_metrics();
    let base_names = ["_bucket", "_sum", "_count"].iter().filter_map(|suffix| series.strip_suffix(suffix));
    let histogram =
        base_names.filter_map(|name| declared_metrics.get(name)).find(|metric| is_histogram(metric));
    histogram.or_else(|| declared_metrics.get(series).filter(|metric| !is_histogram(metric))).copied()
}

fn is_histogram(metric: &Metric) -> bool {
    matches!(metric.kind, MetricKind::Histogram(_))
}

struct CheckedQuery {
    /// One message per unknown metric, unknown label or syntax error.
    problems: Vec<String>,
    metrics: BTreeSet<&'static str>,
}

fn check_query(query: &str) -> CheckedQuery {
    let mut problems = Vec::new();
    let (mut names, mut labels) = (BTreeSet::new(), BTreeSet::from(TARGET_LABELS));
    let parsed_query = promql::parse(query);
    for selector in &parsed_query.selectors {
        if selector.metric == "up" {
            continue;
        }
        let Some(metric) = find_metric(&selector.metric) else {
            problems.push(format!("no metric {} in {query}", selector.metric));
            continue;
        };
        names.insert(metric.name);
        let mut allowed_labels: BTreeSet<&str> = metric.labels.iter().copied().chain(TARGET_LABELS).collect();
        if selector.metric.ends_with("_bucket") {
            allowed_labels.insert("le");
        }
        let unknown_labels = selector.labels.iter().filter(|label| !allowed_labels.contains(label.as_str()));
        problems.extend(unknown_labels.map(|label| format!("{} has no label {label}: {query}", metric.name)));
        labels.extend(allowed_labels);
    }
    let unknown_labels = parsed_query.grouped_by.iter().filter(|label| !labels.contains(label.as_str()));
    problems.extend(unknown_labels.map(|label| format!("no metric has a label {label} in {query}")));
    if !parsed_query.is_balanced || parsed_query.selectors.is_empty() {
        problems.push(format!("incomplete query: {query}"));
    }
    CheckedQuery { problems, metrics: names }
}

/// The PromQL queries of the dashboard's panels and variables.
fn dashboard_queries() -> Vec<String> {
    let dashboard: Value = read_file("deploy/grafana/panel.json").parse().unwrap();
    let mut queries = Vec::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        if panel["type"] == "row" {
            continue;
        }
        let targets = panel["targets"].as_array().unwrap();
        assert!(!targets.is_empty() && !panel["description"].as_str().unwrap().is_empty(), "{panel}");
        queries.extend(targets.iter().map(|target| target["expr"].as_str().unwrap().to_owned()));
    }
    for variable in dashboard["templating"]["list"].as_array().unwrap() {
        let query = variable["query"].as_str().unwrap();
        if let Some(arguments) = query.strip_prefix("label_values(") {
            let (metric, label) = arguments.trim_end_matches(')').split_once(", ").unwrap();
            queries.push(format!("sum by ({label}) ({metric})"));
        }
    }
    queries
}

#[derive(serde::Deserialize)]
struct RuleFile {
    groups: Vec<RuleGroup>,
}

#[derive(serde::Deserialize)]
struct RuleGroup {
    rules: Vec<Rule>,
}

#[derive(serde::Deserialize)]
struct Rule {
    alert: String,
    expr: String,
    labels: BTreeMap<String, String>,
    annotations: BTreeMap<String, String>,
}

fn alert_rules() -> Vec<Rule> {
    let read_file: RuleFile =
        serde_yaml_ng::from_str(&read_file("deploy/prometheus/panel.rules.yml")).unwrap();
    read_file.groups.into_iter().flat_map(|group| group.rules).collect()
}

#[test]
fn the_dashboard_and_the_alert_rules_use_only_existing_metrics() {
    let queries = dashboard_queries().into_iter().chain(alert_rules().into_iter().map(|rule| rule.expr));
    let problems: Vec<String> = queries.flat_map(|query| check_query(&query).problems).collect();
    assert!(problems.is_empty(), "{problems:#?}");
    // `check_query` must find each kind of problem.
    let has_problems = |query: &str| !check_query(query).problems.is_empty();
    assert!(!has_problems("sum by (code) (rate(panel_http_rejections_total[5m]))"));
    assert!(has_problems("sum(rate(panel_http_rejection_total[5m]))"));
    assert!(has_problems("sum(rate(panel_http_rejections_total{reason=\"x\"}[5m]))"));
    assert!(has_problems("sum by (reason) (rate(panel_http_rejections_total[5m]))"));
    assert!(
        has_problems("rate(http_server_request_duration_seconds[5m])"),
        "a histogram must not be queried without a suffix"
    );
    assert!(has_problems("sum(panel_orders"));
}

#[test]
fn every_metric_is_on_the_dashboard() {
    let metrics_on_dashboard: BTreeSet<&str> =
        dashboard_queries().iter().flat_map(|query| check_query(query).metrics).collect();
    let missing_metrics: Vec<&str> =
        declared_metrics().into_keys().filter(|name| !metrics_on_dashboard.contains(name)).collect();
    assert_eq!(missing_metrics, [""; 0]);
}

#[test]
fn every_alert_has_a_runbook_section() {
    let page = read_file("docs/observability.md");
    for rule in alert_rules() {
        let severity = rule.labels["severity"].as_str();
        assert!(["page", "ticket"].contains(&severity), "{}", rule.alert);
        assert!(
            page.contains(&format!("\n### {}\n", rule.alert)),
            "docs/observability.md has no section {}",
            rule.alert
        );
        let runbook = format!("docs/observability.md#{}", rule.alert.to_lowercase());
        assert_eq!(rule.annotations["runbook"], runbook);
        assert!(!rule.annotations["summary"].is_empty() && !rule.annotations["description"].is_empty());
    }
    assert_eq!(
        page.matches("\n### Panel").count(),
        alert_rules().len(),
        "docs/observability.md has a section about an alert that does not exist"
    );
}

#[test]
fn the_documentation_lists_every_metric() {
    let describe_metric = |metric: &Metric| {
        let labels: Vec<String> = metric.labels.iter().map(|label| format!("`{label}`")).collect();
        format!("| `{}` | {} | {} | {} |", metric.name, metric.kind.as_str(), labels.join(", "), metric.help)
    };
    let rows: BTreeSet<String> = declared_metrics().values().map(describe_metric).collect();
    let page = read_file("docs/observability.md");
    let documented_rows: BTreeSet<String> = page
        .lines()
        .filter(|line| metric_name_in_row(line).is_some_and(|name| name.contains('_')))
        .map(str::to_owned)
        .collect();
    let missing_rows: Vec<&String> = rows.difference(&documented_rows).collect();
    let outdated_rows: Vec<&String> = documented_rows.difference(&rows).collect();
    assert!(
        missing_rows.is_empty() && outdated_rows.is_empty(),
        "add {missing_rows:#?}\nremove {outdated_rows:#?}"
    );
}

/// The name in the first cell of a row of the table of metrics.
fn metric_name_in_row(line: &str) -> Option<&str> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let metric_kinds = ["counter", "gauge", "histogram"];
    (cells.len() == 6 && metric_kinds.contains(&cells[2])).then(|| cells[1].trim_matches('`'))
}

#[test]
fn metric_names_follow_the_conventions() {
    let all_metrics = metrics::all();
    assert_eq!(declared_metrics().len(), all_metrics.len(), "a name is declared twice");
    for metric in all_metrics {
        let is_snake_case = |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
        assert!(
            is_snake_case(metric.name) && metric.labels.iter().all(|label| is_snake_case(label)),
            "{metric:?}"
        );
        assert!(metric.help.ends_with('.') && !metric.help.contains('\n'), "{metric:?}");
        assert_eq!(metric.kind == MetricKind::Counter, metric.name.ends_with("_total"), "{metric:?}");
        if is_histogram(&metric) {
            assert!(metric.name.ends_with("_seconds"), "{metric:?}");
        }
    }
}

async fn every_served_metric_is_declared(dialect: Dialect) {
    let server = TestServer::start(dialect).await;
    server.panel.insert_generated_records(20, 60).await;
    for path in ["/healthz", "/api/v1/admin/orders", "/api/v1/admin/nothing", "/readyz"] {
        server.request("GET", path, Some("owner"), None).await;
    }
    let metrics_text = server.request("GET", "/metrics", None, None).await.text;
    let declared_metrics = declared_metrics();
    let mut families = BTreeSet::new();
    for line in metrics_text.lines() {
        if let Some(family) = line.strip_prefix("# TYPE ") {
            let (name, kind) = family.split_once(' ').unwrap();
            let metric = declared_metrics.get(name).unwrap_or_else(|| panic!("{name} is not declared"));
            assert_eq!(metric.kind.as_str(), kind, "{name}");
            assert!(families.insert(name), "{name} is served twice");
            assert_eq!(metrics_text.matches(&format!("# HELP {name} ")).count(), 1, "{name}");
        } else if !line.starts_with('#') && !line.is_empty() {
            let parsed_query = promql::parse(line.rsplit_once(' ').unwrap().0);
            let [series] = &parsed_query.selectors[..] else { panic!("{line}") };
            let metric = find_metric(&series.metric).unwrap_or_else(|| panic!("{line}"));
            let labels: BTreeSet<&str> =
                series.labels.iter().map(String::as_str).filter(|label| *label != "le").collect();
            assert_eq!(labels, metric.labels.iter().copied().collect(), "{line}");
        }
    }
    for metric in declared_metrics.values().filter(|metric| metric.labels.is_empty()) {
        assert!(
            INITIALLY_ABSENT_METRICS.contains(&metric.name) || families.contains(metric.name),
            "{} is absent",
            metric.name
        );
    }
    for family in
        ["panel_db_statement_duration_seconds", "panel_db_connections", "panel_http_rejections_total"]
    {
        assert!(families.contains(family), "{family} is absent");
    }
    assert!(metrics_text.contains("operation=\"select\",table=\"sessions\""), "{metrics_text}");
    server.stop().await;
}
