//! Configuration: defaults, then `panel.toml`, then the environment (`PANEL_…`, nested with two underscores).
//!
//! The start checks it once; an error names the wrong key and an allowed value. docs/configuration.md lists all keys.

mod backup;
mod counter;
mod limits;
mod mail;
mod outbound;
mod panels;
mod subscriptions;
mod telemetry;
mod translate;
mod webhooks;

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use figment::Figment;
use figment::providers::{Env, Format as _, Serialized, Toml};
use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::db::DbConfig;
use crate::secrets::keys;

pub use backup::Backup;
pub use counter::Counter;
pub use limits::{Limits, OVERHEAD_BYTES};
pub use mail::Mail;
pub use outbound::Outbound;
pub use panels::Panels;
pub use subscriptions::Subscriptions;
pub use telemetry::Telemetry;
pub use translate::{Translate, Translator};
pub use webhooks::Webhooks;

/// The whole configuration.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The address and port to listen on.
    pub listen: SocketAddr,
    /// The folder of the SQLite database, uploads and keys.
    pub data_dir: PathBuf,
    /// PostgreSQL's address; SQLite in `data_dir` when absent.
    pub database_url: Option<String>,
    /// Maximum number of database connections.
    pub database_connections: u32,
    /// Whether a commit waits until the disk has stored it.
    pub database_is_durable: bool,
    /// The public address of the panel, for links in emails and printed addresses.
    pub public_url: Option<String>,
    /// Proxies whose `X-Forwarded-For` the server trusts.
    pub trusted_proxies: Vec<IpNet>,
    /// Other origins whose pages may call the API.
    pub cors_origins: Vec<String>,
    /// The bearer token that `GET /metrics` needs from any address but loopback.
    pub metrics_token: Option<String>,
    /// The application key of the live channel.
    pub realtime_key: String,
    /// 64 hexadecimal digits that seal secrets; when absent, the key in `data_dir/secret.key`, which the first start creates.
    pub secret_key: Option<String>,
    /// Former keys, which open secrets sealed before the key changed, and seal nothing.
    pub former_secret_keys: Vec<String>,
    /// Format of log lines: `json` or `text`.
    pub log_format: LogFormat,
    /// `error`, `warn`, `info`, `debug`, or a filter of the tracing crate.
    pub log_level: String,
    pub limits: Limits,
    /// Outgoing email.
    pub mail: Mail,
    /// The service that checks captchas.
    pub captcha: Captcha,
    /// The addresses that the server may call.
    pub outbound: Outbound,
    /// Storage of images and other files.
    pub uploads: Uploads,
    /// Backups that the server makes by itself.
    pub backup: Backup,
    /// Deliveries to webhooks.
    pub webhooks: Webhooks,
    /// Exchange with other panels.
    pub panels: Panels,
    /// Polling of the channels of subscriptions.
    pub subscriptions: Subscriptions,
    /// Calls to the counter service.
    pub counter: Counter,
    /// The translation service.
    pub translate: Translate,
    /// Export of traces.
    pub telemetry: Telemetry,
    /// The address of the Telegram Bot API.
    pub telegram_url: String,
}

/// Where files are stored, and their limits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Uploads {
    /// The folder; `uploads` in `data_dir` when absent.
    pub folder: Option<PathBuf>,
    /// An S3-compatible bucket instead of a folder.
    pub s3: Option<S3>,
    /// Maximum bytes of one file.
    pub file_bytes: usize,
    /// Maximum bytes of a request with files.
    pub request_bytes: usize,
    /// Maximum pixels of one image, all frames of an animation together.
    pub pixels: u64,
    /// Maximum bytes of memory to decode and re-encode one image. An image that needs more is refused; images are decoded one at a
    /// time.
    pub memory_bytes: u64,
    /// Whether private files are encrypted with the key that seals secrets.
    pub encrypt: bool,
}

/// An S3-compatible bucket.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3 {
    /// Name of the bucket.
    pub bucket: String,
    /// Region, such as `eu-central-1`.
    pub region: String,
    /// The address of the service; Amazon's when absent.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// Id of the access key.
    pub access_key_id: String,
    /// The secret access key.
    pub secret_access_key: String,
}

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One JSON object per line.
    Json,
    /// Human-readable text.
    Text,
}

/// The service that checks captchas: reCAPTCHA, hCaptcha or Turnstile.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Captcha {
    /// The siteverify address.
    pub verify_url: Option<String>,
    /// The secret of the siteverify call.
    pub secret: Option<String>,
    /// The public key for the page.
    pub site_key: Option<String>,
    /// The host name that the answer must name.
    pub hostname: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            data_dir: PathBuf::from("data"),
            database_url: None,
            database_connections: 10,
            database_is_durable: true,
            public_url: None,
            trusted_proxies: Vec::new(),
            cors_origins: Vec::new(),
            metrics_token: None,
            realtime_key: "panel".into(),
            secret_key: None,
            former_secret_keys: Vec::new(),
            log_format: LogFormat::Json,
            log_level: "info".into(),
            limits: Limits::default(),
            mail: Mail::default(),
            captcha: Captcha::default(),
            outbound: Outbound::default(),
            uploads: Uploads::default(),
            backup: Backup::default(),
            webhooks: Webhooks::default(),
            panels: Panels::default(),
            subscriptions: Subscriptions::default(),
            counter: Counter::default(),
            translate: Translate::default(),
            telemetry: Telemetry::default(),
            telegram_url: "https://api.telegram.org".into(),
        }
    }
}

impl Default for Uploads {
    fn default() -> Self {
        Self {
            folder: None,
            s3: None,
            file_bytes: 5 << 20,
            request_bytes: 16 << 20,
            pixels: 25_000_000,
            memory_bytes: 40_000_000,
            encrypt: false,
        }
    }
}

/// Environment variables of panelctl and the tests, which are no configuration.
const NOT_CONFIGURATION: [&str; 2] = ["server_bin", "test_seed"];

impl Config {
    /// The configuration of the database.
    #[must_use]
    pub fn database(&self) -> DbConfig {
        DbConfig {
            url: self.database_url.clone(),
            path: self.data_dir.join("panel.db"),
            max_connections: self.database_connections,
            is_durable: self.database_is_durable,
        }
    }

    /// The folder of uploaded files; none where they are in a bucket.
    #[must_use]
    pub fn uploads_folder(&self) -> Option<PathBuf> {
        let folder = || self.uploads.folder.clone().unwrap_or_else(|| self.data_dir.join("uploads"));
        self.uploads.s3.is_none().then(folder)
    }

    /// Reads `file` (or `panel.toml` where it exists) and the environment.
    pub fn load(file: Option<&Path>) -> Result<Self, String> {
        let figment = Figment::from(Serialized::defaults(Self::default()));
        let figment = match file {
            Some(file) if !file.exists() => {
                return Err(format!("the configuration file {} does not exist", file.display()));
            }
            Some(file) => figment.merge(Toml::file_exact(file)),
            None => figment.merge(Toml::file("panel.toml")),
        };
        let config: Self = figment
            .merge(Env::prefixed("PANEL_").ignore(&NOT_CONFIGURATION).split("__"))
            .extract()
            .map_err(|errors| {
                errors
                    .into_iter()
                    .map(|error| format!("configuration: {error}"))
                    .collect::<Vec<_>>()
                    .join("\n")
            })?;
        config.check()?;
        Ok(config)
    }

    /// Refuses invalid values; the error names the key.
    pub fn check(&self) -> Result<(), String> {
        let absolute = |key: &str, value: &Option<String>| match value {
            Some(url) if !url.starts_with("http://") && !url.starts_with("https://") => Err(format!(
                "configuration: {key} must be an absolute http(s) address, such as https://panel.example.com"
            )),
            _ => Ok(()),
        };
        absolute("public_url", &self.public_url)?;
        absolute("captcha.verify_url", &self.captcha.verify_url)?;
        absolute("uploads.s3.endpoint", &self.uploads.s3.as_ref().and_then(|s3| s3.endpoint.clone()))?;
        for origin in &self.cors_origins {
            absolute("cors_origins", &Some(origin.clone()))?;
        }
        if self
            .database_url
            .as_ref()
            .is_some_and(|url| !url.starts_with("postgres://") && !url.starts_with("postgresql://"))
        {
            return Err(
                "configuration: database_url must start with postgres://; leave it out for SQLite".into()
            );
        }
        let named = self.secret_key.iter().map(|key| ("secret_key", key));
        let former = self.former_secret_keys.iter().map(|key| ("each of former_secret_keys", key));
        if let Some((name, _)) = named.chain(former).find(|(_, key)| keys::parse(key).is_none()) {
            return Err(format!(
                "configuration: {name} must be 64 hexadecimal digits, such as `openssl rand -hex 32` prints"
            ));
        }
        if let Some(origin) = self.cors_origins.iter().find(|origin| origin.matches('/').count() != 2) {
            return Err(format!(
                "configuration: cors_origins must be written as browsers send them, such as https://console.example.com, not {origin}"
            ));
        }
        let name = &self.realtime_key;
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        {
            return Err("configuration: realtime_key must be letters, digits, - and _".into());
        }
        self.limits.check(self.uploads.request_bytes)?;
        if !(1..=50).contains(&self.webhooks.seconds) {
            return Err("configuration: webhooks.seconds must be 1 to 50".into());
        }
        // The calls of one claim must end before its lease does.
        if !(1..=50).contains(&self.outbound.seconds) {
            return Err("configuration: outbound.seconds must be 1 to 50".into());
        }
        if self.subscriptions.looks_per_second < 1 {
            return Err("configuration: subscriptions.looks_per_second must be at least 1".into());
        }
        absolute("translate.url", &self.translate.url)?;
        absolute("telegram_url", &Some(self.telegram_url.clone()))?;
        self.translate.check()?;
        self.telemetry.check()?;
        self.counter.check()?;
        self.backup.check()?;
        self.mail.check()?;
        self.outbound.check()?;
        self.outbound.check_callable("captcha.verify_url", self.captcha.verify_url.as_deref())?;
        self.outbound.check_callable("translate.url", self.translate.url.as_deref())?;
        Ok(())
    }

    /// The public address, without a slash at the end.
    #[must_use]
    pub fn address(&self) -> String {
        self.public_url
            .clone()
            .map_or_else(|| format!("http://{}", self.listen), |url| url.trim_end_matches('/').to_owned())
    }

    /// Whether `ip` is a trusted proxy.
    #[must_use]
    pub fn trusts(&self, ip: IpAddr) -> bool {
        self.trusted_proxies.iter().any(|network| network.contains(&ip))
    }
}

/// Whether the host of an address is `localhost` or a loopback address.
fn host_is_this_machine(host: Option<&str>) -> bool {
    host.is_some_and(|host| {
        host.eq_ignore_ascii_case("localhost")
            || host.trim_matches(['[', ']']).parse().is_ok_and(|ip: IpAddr| ip.is_loopback())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_valid_and_errors_name_the_key() {
        Config::default().check().unwrap();
        let wrong = |change: fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            config.check().unwrap_err()
        };
        assert!(wrong(|config| config.public_url = Some("panel.example.com".into())).contains("public_url"));
        assert!(wrong(|config| config.database_url = Some("mysql://x".into())).contains("database_url"));
        assert!(wrong(|config| config.secret_key = Some("short".into())).contains("secret_key"));
        assert!(wrong(|config| config.former_secret_keys = vec!["zz".into()]).contains("former_secret_keys"));
        assert!(
            wrong(|config| config.cors_origins = vec!["https://a.example/".into()]).contains("cors_origins")
        );
        assert!(wrong(|config| config.realtime_key = "a/b".into()).contains("realtime_key"));
        assert!(wrong(|config| config.translate.kind = Some(Translator::Deepl)).contains("translate.key"));
        let libre = |config: &mut Config| config.translate.kind = Some(Translator::Libretranslate);
        assert!(wrong(libre).contains("translate.url"));
        assert!(wrong(|config| config.mail.smtp_url = Some("smtps://x".into())).contains("mail.from"));
    }
}
