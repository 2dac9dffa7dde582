//! Types that declare and record metrics. Each metric is declared once, with its labels and its help text, and the code can record
//! only declared metrics. Tests compare the dashboards, the alert rules and docs/observability.md with the declarations.
//!
//! The value of a label must never be a host, an address, an email, the id of a user or the text of an error, because their number
//! is unbounded.

pub mod catalogue;
pub mod process;

pub use ::metrics::{Gauge as GaugeHandle, SharedString};
use ::metrics::{Key, KeyName, Label, Level, Metadata, with_recorder};

static METADATA: Metadata<'static> = Metadata::new("panel", Level::INFO, None);

/// The declaration of a metric, for the recorder, the test of the dashboard and the documentation.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// The name in `/metrics`.
    pub name: &'static str,
    pub kind: MetricKind,
    /// Whether the server computes the value when `/metrics` is read, instead of recording events.
    pub is_scraped: bool,
    /// The names of the labels.
    pub labels: &'static [&'static str],
    /// What the metric counts or measures, with its unit.
    pub help: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MetricKind {
    /// A number that grows until the process ends.
    Counter,
    /// A number that rises and falls.
    Gauge,
    /// Observations in buckets of these upper bounds.
    Histogram(&'static [f64]),
}

impl MetricKind {
    /// The value in the line `# TYPE` of the exposition format.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram(_) => "histogram",
        }
    }
}

/// Describes recorded metrics to the recorder of the process. Creates the series of metrics without labels at 0, so that an alert
/// on their growth also counts the first event.
pub fn describe(metrics: &[Metric]) {
    with_recorder(|recorder| {
        for metric in metrics.iter().filter(|metric| !metric.is_scraped) {
            let (name, help) = (KeyName::from(metric.name), metric.help.into());
            let unlabeled_key = Key::from_static_name(metric.name);
            match metric.kind {
                MetricKind::Counter => recorder.describe_counter(name, None, help),
                MetricKind::Gauge => recorder.describe_gauge(name, None, help),
                MetricKind::Histogram(_) => recorder.describe_histogram(name, None, help),
            }
            match metric.kind {
                MetricKind::Counter if metric.labels.is_empty() => {
                    recorder.register_counter(&unlabeled_key, &METADATA).increment(0);
                }
                MetricKind::Gauge if metric.labels.is_empty() => {
                    recorder.register_gauge(&unlabeled_key, &METADATA).increment(0.0);
                }
                _ => {}
            }
        }
    });
}

fn series_key<const N: usize>(
    name: &'static str,
    labels: &'static [&'static str; N],
    values: [SharedString; N],
) -> Key {
    if N == 0 {
        return Key::from_static_name(name);
    }
    let labels: Vec<Label> =
        labels.iter().zip(values).map(|(label, value)| Label::new(*label, value)).collect();
    Key::from_parts(name, labels)
}

macro_rules! recorded_metric {
    ($(#[$doc:meta])* $name:ident, $handle:ty, $register:ident, $kind:expr $(, $buckets:ident)?) => {
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<const N: usize = 0> {
            name: &'static str,
            labels: [&'static str; N],
            help: &'static str,
            $($buckets: &'static [f64],)?
        }

        impl<const N: usize> $name<N> {
            /// Declares the metric, in a `static` that the catalogue lists.
            #[must_use]
            pub const fn new(
                name: &'static str,
                labels: [&'static str; N],
                $($buckets: &'static [f64],)?
                help: &'static str,
            ) -> Self {
                Self { name, labels, help $(, $buckets)? }
            }

            #[must_use]
            pub const fn metric(&'static self) -> Metric {
                $(let $buckets = self.$buckets;)?
                Metric { name: self.name, kind: $kind, is_scraped: false, labels: &self.labels, help: self.help }
            }

            /// Returns the series with these label values, which are in the order of the declared labels.
            pub fn with_labels<S: Into<SharedString>>(&'static self, values: [S; N]) -> $handle {
                let key = series_key(self.name, &self.labels, values.map(Into::into));
                with_recorder(|recorder| recorder.$register(&key, &METADATA))
            }
        }

        impl $name {
            /// Returns the single series of a metric without labels.
            pub fn unlabeled(&'static self) -> $handle {
                self.with_labels::<SharedString>([])
            }
        }
    };
}

recorded_metric!(Counter, ::metrics::Counter, register_counter, MetricKind::Counter);
recorded_metric!(
    /// A number that the code increments and decrements.
    Gauge, ::metrics::Gauge, register_gauge, MetricKind::Gauge
);
recorded_metric!(
    /// Counts durations or sizes in buckets with upper bounds.
    Histogram, ::metrics::Histogram, register_histogram, MetricKind::Histogram(buckets), buckets
);

/// A metric whose value the server computes when `/metrics` is read.
#[derive(Debug)]
pub struct ScrapedMetric<const N: usize = 0> {
    name: &'static str,
    kind: MetricKind,
    labels: [&'static str; N],
    help: &'static str,
}

impl<const N: usize> ScrapedMetric<N> {
    /// Declares a number that rises and falls.
    #[must_use]
    pub const fn gauge(name: &'static str, labels: [&'static str; N], help: &'static str) -> Self {
        Self { name, kind: MetricKind::Gauge, labels, help }
    }

    /// Declares a number that grows until the process ends.
    #[must_use]
    pub const fn counter(name: &'static str, labels: [&'static str; N], help: &'static str) -> Self {
        Self { name, kind: MetricKind::Counter, labels, help }
    }

    #[must_use]
    pub const fn metric(&'static self) -> Metric {
        Metric { name: self.name, kind: self.kind, is_scraped: true, labels: &self.labels, help: self.help }
    }

    /// Appends the help, the type and one line for each series. Appends nothing if there are no series.
    pub fn write<S: AsRef<str>>(
        &'static self,
        text: &mut String,
        series: impl IntoIterator<Item = ([S; N], f64)>,
    ) {
        let mut is_first = true;
        for (values, number) in series {
            if is_first {
                let (name, help, kind) = (self.name, self.help, self.kind.as_str());
                text.push_str(&format!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
                is_first = false;
            }
            let labels: Vec<String> = self
                .labels
                .iter()
                .zip(values)
                .map(|(label, value)| format!("{label}=\"{}\"", escape_label(value.as_ref())))
                .collect();
            let labels = if labels.is_empty() { String::new() } else { format!("{{{}}}", labels.join(",")) };
            text.push_str(&format!("{}{labels} {number}\n", self.name));
        }
    }
}

impl ScrapedMetric {
    /// Appends the help, the type and the single series.
    pub fn write_unlabeled(&'static self, text: &mut String, number: f64) {
        self.write::<&str>(text, [([], number)]);
    }
}

/// Escapes a label's value for the exposition format.
fn escape_label(value: &str) -> String {
    value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    static STATES: ScrapedMetric<2> = ScrapedMetric::gauge("panel_test_states", ["of", "state"], "States.");

    #[test]
    fn writes_a_scraped_metric_in_the_exposition_format() {
        let mut text = String::new();
        STATES.write::<&str>(&mut text, []);
        assert_eq!(text, "");
        STATES.write(&mut text, [(["a\"b", "c\\d"], 1.5), (["e\nf", ""], -2.0)]);
        assert_eq!(
            text,
            "# HELP panel_test_states States.\n# TYPE panel_test_states gauge\n\
             panel_test_states{of=\"a\\\"b\",state=\"c\\\\d\"} 1.5\npanel_test_states{of=\"e\\nf\",state=\"\"} -2\n"
        );
    }
}
