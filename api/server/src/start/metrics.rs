//! Installs the metrics recorder of the process.

use std::sync::OnceLock;
use std::time::Duration;

use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use panel_platform::metrics::{MetricKind, describe};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::metrics;
use crate::supply::dispatch::superseded;

/// Interval at which the recorder moves histogram observations to their buckets.
const UPKEEP_INTERVAL: Duration = Duration::from_secs(5);

/// Installs the recorder at the first call, and returns its handle. There is one recorder per process, even if a test starts
/// several panels.
pub(super) fn install_metrics_recorder() -> PrometheusHandle {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    HANDLE
        .get_or_init(|| {
            let all_metrics = metrics::all();
            let mut builder = PrometheusBuilder::new();
            for metric in &all_metrics {
                if let MetricKind::Histogram(buckets) = metric.kind {
                    let matcher = Matcher::Full(metric.name.into());
                    builder = builder.set_buckets_for_metric(matcher, buckets).unwrap_or_default();
                }
            }
            let handle = builder
                .install_recorder()
                .unwrap_or_else(|_| PrometheusBuilder::new().build_recorder().handle());
            describe(&all_metrics);
            // The series starts at 0. If it started at the first event, an alert would not see an increase.
            metrics::EXTERNAL_ORDERS_UNRECORDED.unlabeled().increment(0);
            superseded::initialize_metric();
            handle
        })
        .clone()
}

/// Moves histogram observations to their buckets until `stop` becomes true. Otherwise the recorder would store every observation
/// until the next scrape, and the memory of a panel without scrapes would grow.
pub(crate) async fn run_histogram_upkeep(handle: PrometheusHandle, mut stop: watch::Receiver<bool>) {
    while timeout(UPKEEP_INTERVAL, stop.wait_for(|stop| *stop)).await.is_err() {
        handle.run_upkeep();
    }
}
