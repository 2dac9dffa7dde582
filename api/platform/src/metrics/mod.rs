//! Metrics: each is declared once, with its labels and its help, and only a declared metric can be recorded. Dashboards, alert rules
//! and docs/observability.md are checked against the declarations.
//!
//! A label never takes a host, an address, an email, a user's id or an error's text: their number has no bound.

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
    /// The type for Prometheus.
    pub kind: Kind,
    /// Whether it is computed when `/metrics` is read, instead of recorded when something happens.
    pub is_scraped: bool,
    /// The names of its labels.
    pub labels: &'static [&'static str],
    /// What it counts or measures, with its unit.
    pub help: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A number that grows until the process ends.
    Counter,
    /// A number that rises and falls.
    Gauge,
    /// Observations in buckets of these upper bounds.
    Histogram(&'static [f64]),
}

impl Kind {
    /// The word of the line `# TYPE`.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Counter => "counter",
            Self::Gauge => "gauge",
            Self::Histogram(_) => "histogram",
        }
    }
}

/// Describes recorded metrics to the process's recorder. Metrics without labels start with a series at 0, so that an alert on their
/// growth counts the first event as well.
pub fn describe(metrics: &[Metric]) {
    with_recorder(|recorder| {
        for metric in metrics.iter().filter(|metric| !metric.is_scraped) {
            let (name, help) = (KeyName::from(metric.name), metric.help.into());
            let only = Key::from_static_name(metric.name);
            match metric.kind {
                Kind::Counter => recorder.describe_counter(name, None, help),
                Kind::Gauge => recorder.describe_gauge(name, None, help),
                Kind::Histogram(_) => recorder.describe_histogram(name, None, help),
            }
            match metric.kind {
                Kind::Counter if metric.labels.is_empty() => {
                    recorder.register_counter(&only, &METADATA).increment(0);
                }
                Kind::Gauge if metric.labels.is_empty() => {
                    recorder.register_gauge(&only, &METADATA).increment(0.0);
                }
                _ => {}
            }
        }
    });
}

fn key<const N: usize>(
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
            /// Declares the metric, in a `static` that its catalogue lists.
            #[must_use]
            pub const fn new(
                name: &'static str,
                labels: [&'static str; N],
                $($buckets: &'static [f64],)?
                help: &'static str,
            ) -> Self {
                Self { name, labels, help $(, $buckets)? }
            }

            /// The declaration.
            #[must_use]
            pub const fn metric(&'static self) -> Metric {
                $(let $buckets = self.$buckets;)?
                Metric { name: self.name, kind: $kind, is_scraped: false, labels: &self.labels, help: self.help }
            }

            /// The series with these label values, in the order of the declared labels.
            pub fn with<S: Into<SharedString>>(&'static self, values: [S; N]) -> $handle {
                let key = key(self.name, &self.labels, values.map(Into::into));
                with_recorder(|recorder| recorder.$register(&key, &METADATA))
            }
        }

        impl $name {
            /// The only series of a metric without labels.
            pub fn only(&'static self) -> $handle {
                self.with::<SharedString>([])
            }
        }
    };
}

recorded_metric!(
    /// Counts events.
    Counter, ::metrics::Counter, register_counter, Kind::Counter
);
recorded_metric!(
    /// A number that the code increments and decrements.
    Gauge, ::metrics::Gauge, register_gauge, Kind::Gauge
);
recorded_metric!(
    /// Counts times or sizes by upper bounds.
    Histogram, ::metrics::Histogram, register_histogram, Kind::Histogram(buckets), buckets
);

/// A metric that is computed when `/metrics` is read.
#[derive(Debug)]
pub struct Scraped<const N: usize = 0> {
    name: &'static str,
    kind: Kind,
    labels: [&'static str; N],
    help: &'static str,
}

impl<const N: usize> Scraped<N> {
    /// Declares a number that rises and falls.
    #[must_use]
    pub const fn gauge(name: &'static str, labels: [&'static str; N], help: &'static str) -> Self {
        Self { name, kind: Kind::Gauge, labels, help }
    }

    /// Declares a number that grows until the process ends.
    #[must_use]
    pub const fn counter(name: &'static str, labels: [&'static str; N], help: &'static str) -> Self {
        Self { name, kind: Kind::Counter, labels, help }
    }

    /// The declaration.
    #[must_use]
    pub const fn metric(&'static self) -> Metric {
        Metric { name: self.name, kind: self.kind, is_scraped: true, labels: &self.labels, help: self.help }
    }

    /// Appends the family: help, type and one line for each series. Without series nothing is appended.
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

impl Scraped {
    /// Appends the family with its only series.
    pub fn write_one(&'static self, text: &mut String, number: f64) {
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

    static STATES: Scraped<2> = Scraped::gauge("panel_test_states", ["of", "state"], "States.");

    #[test]
    fn a_scraped_family_is_written_in_the_exposition_format() {
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
