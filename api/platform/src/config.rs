//! The configuration of the server: defaults, then `panel.toml`, then environment variables (`PANEL_…`, with two underscores
//! between nested keys).
//!
//! The server checks it at the start; an error names the invalid key and an allowed value. docs/configuration.md lists all keys.

mod backup;
mod counter;
mod limits;
mod mail;
mod outbound;
mod panels;
mod renamed_keys;
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

pub use backup::BackupConfig;
pub use counter::CounterConfig;
pub use limits::{Limits, OVERHEAD_BYTES};
pub use mail::MailConfig;
pub use outbound::OutboundConfig;
pub use panels::PanelExchangeConfig;
use renamed_keys::RenamedKeyProvider;
pub use subscriptions::SubscriptionConfig;
pub use telemetry::TelemetryConfig;
pub use translate::{TranslationConfig, Translator};
pub use webhooks::WebhookConfig;

#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// The address and port to listen on.
    pub listen: SocketAddr,
    /// The folder of the SQLite database, uploads and keys.
    pub data_dir: PathBuf,
    /// The address of PostgreSQL; `None` for SQLite in `data_dir`.
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
    /// The key that encrypts secrets, 64 hexadecimal digits; `None` for the key in `data_dir/secret.key`, which the first start
    /// creates.
    pub secret_key: Option<String>,
    /// Former keys, which only decrypt secrets that were sealed before the key changed.
    pub former_secret_keys: Vec<String>,
    /// Format of log lines: `json` or `text`.
    pub log_format: LogFormat,
    /// `error`, `warn`, `info`, `debug`, or a filter of the tracing crate.
    pub log_level: String,
    pub limits: Limits,
    pub mail: MailConfig,
    /// The service that checks captchas.
    pub captcha: CaptchaConfig,
    /// The addresses that the server may call.
    pub outbound: OutboundConfig,
    /// Storage of images and other files.
    pub uploads: UploadConfig,
    /// Backups that the server makes by itself.
    pub backup: BackupConfig,
    pub webhooks: WebhookConfig,
    /// Exchange with other panels.
    pub panels: PanelExchangeConfig,
    /// Polling of the channels of subscriptions.
    pub subscriptions: SubscriptionConfig,
    /// Calls to the counter service.
    pub counter: CounterConfig,
    pub translate: TranslationConfig,
    pub telemetry: TelemetryConfig,
    /// The address of the Telegram Bot API.
    pub telegram_url: String,
}

/// Where files are stored, and their limits.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UploadConfig {
    /// `None` for the folder `uploads` in `data_dir`.
    pub folder: Option<PathBuf>,
    /// An S3-compatible bucket instead of a folder.
    pub s3: Option<S3Config>,
    /// Maximum bytes of one file.
    pub file_bytes: usize,
    /// Maximum bytes of a request with files.
    pub request_bytes: usize,
    /// Maximum pixels of one image, all frames of an animation together.
    pub pixels: u64,
    /// Maximum bytes of memory to decode and re-encode one image. The server rejects an image that needs more, and decodes one
    /// image at a time.
    pub memory_bytes: u64,
    /// Whether private files are encrypted with the key that seals secrets.
    pub encrypt: bool,
}

/// An S3-compatible bucket.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct S3Config {
    pub bucket: String,
    /// Region, such as `eu-central-1`.
    pub region: String,
    /// The address of the service; `None` for Amazon S3.
    #[serde(default)]
    pub endpoint: Option<String>,
    pub access_key_id: String,
    pub secret_access_key: String,
}

/// Format of log lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// One JSON object per line.
    Json,
    Text,
}

/// The service that checks captchas: reCAPTCHA, hCaptcha or Turnstile.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct CaptchaConfig {
    pub verify_url: Option<String>,
    /// The secret of the siteverify call.
    pub secret: Option<String>,
    /// The public key for the page.
    pub site_key: Option<String>,
    /// The host name that the response of the service must contain.
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
            mail: MailConfig::default(),
            captcha: CaptchaConfig::default(),
            outbound: OutboundConfig::default(),
            uploads: UploadConfig::default(),
            backup: BackupConfig::default(),
            webhooks: WebhookConfig::default(),
            panels: PanelExchangeConfig::default(),
            subscriptions: SubscriptionConfig::default(),
            counter: CounterConfig::default(),
            translate: TranslationConfig::default(),
            telemetry: TelemetryConfig::default(),
            telegram_url: "https://api.telegram.org".into(),
        }
    }
}

impl Default for UploadConfig {
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

/// `PANEL_…` environment variables of panelctl and the tests, which are not configuration of the server.
const IGNORED_VARIABLES: [&str; 2] = ["server_bin", "test_seed"];

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

    /// The folder of uploaded files; `None` if a bucket stores them.
    #[must_use]
    pub fn uploads_folder(&self) -> Option<PathBuf> {
        let folder = || self.uploads.folder.clone().unwrap_or_else(|| self.data_dir.join("uploads"));
        self.uploads.s3.is_none().then(folder)
    }

    /// Reads `file` (without it `panel.toml`, if that exists) and the environment variables. The second value holds warnings for
    /// the operator about keys that were renamed.
    pub fn load(file: Option<&Path>) -> Result<(Self, Vec<String>), String> {
        let file = RenamedKeyProvider(match file {
            Some(file) if !file.exists() => {
                return Err(format!("the configuration file {} does not exist", file.display()));
            }
            Some(file) => Toml::file_exact(file),
            None => Toml::file("panel.toml"),
        });
        let environment = RenamedKeyProvider(Env::prefixed("PANEL_").ignore(&IGNORED_VARIABLES).split("__"));
        let mut warnings = file.warnings();
        warnings.extend(environment.warnings());
        let config: Self = Figment::from(Serialized::defaults(Self::default()))
            .merge(file)
            .merge(environment)
            .extract()
            .map_err(|errors| {
                errors
                    .into_iter()
                    .map(|error| format!("configuration: {error}"))
                    .collect::<Vec<_>>()
                    .join("\n")
            })?;
        config.check()?;
        Ok((config, warnings))
    }

    /// Rejects invalid values; the error names the key.
    pub fn check(&self) -> Result<(), String> {
        let check_absolute = |key: &str, value: &Option<String>| match value {
            Some(url) if !url.starts_with("http://") && !url.starts_with("https://") => Err(format!(
                "configuration: {key} must be an absolute http(s) address, such as https://panel.example.com"
            )),
            _ => Ok(()),
        };
        check_absolute("public_url", &self.public_url)?;
        check_absolute("captcha.verify_url", &self.captcha.verify_url)?;
        check_absolute("uploads.s3.endpoint", &self.uploads.s3.as_ref().and_then(|s3| s3.endpoint.clone()))?;
        for origin in &self.cors_origins {
            check_absolute("cors_origins", &Some(origin.clone()))?;
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
        let current_key = self.secret_key.iter().map(|key| ("secret_key", key));
        let former_keys = self.former_secret_keys.iter().map(|key| ("each of former_secret_keys", key));
        if let Some((name, _)) = current_key.chain(former_keys).find(|(_, key)| keys::parse(key).is_none()) {
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
        if !(1..=50).contains(&self.webhooks.timeout_seconds) {
            return Err("configuration: webhooks.timeout_seconds must be 1 to 50".into());
        }
        // The calls of one claim must end before its lease ends.
        if !(1..=50).contains(&self.outbound.timeout_seconds) {
            return Err("configuration: outbound.timeout_seconds must be 1 to 50".into());
        }
        if self.subscriptions.polls_per_second < 1 {
            return Err("configuration: subscriptions.polls_per_second must be at least 1".into());
        }
        check_absolute("translate.url", &self.translate.url)?;
        check_absolute("telegram_url", &Some(self.telegram_url.clone()))?;
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

    /// The public address of the panel, without a slash at the end; the address that it listens on if none is configured.
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
fn is_this_machine(host: Option<&str>) -> bool {
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
        let check_error = |change: fn(&mut Config)| {
            let mut config = Config::default();
            change(&mut config);
            config.check().unwrap_err()
        };
        assert!(
            check_error(|config| config.public_url = Some("panel.example.com".into())).contains("public_url")
        );
        assert!(
            check_error(|config| config.database_url = Some("mysql://x".into())).contains("database_url")
        );
        assert!(check_error(|config| config.secret_key = Some("short".into())).contains("secret_key"));
        assert!(
            check_error(|config| config.former_secret_keys = vec!["zz".into()])
                .contains("former_secret_keys")
        );
        assert!(
            check_error(|config| config.cors_origins = vec!["https://a.example/".into()])
                .contains("cors_origins")
        );
        assert!(check_error(|config| config.realtime_key = "a/b".into()).contains("realtime_key"));
        assert!(
            check_error(|config| config.translate.kind = Some(Translator::Deepl)).contains("translate.key")
        );
        let set_libretranslate =
            |config: &mut Config| config.translate.kind = Some(Translator::Libretranslate);
        assert!(check_error(set_libretranslate).contains("translate.url"));
        assert!(check_error(|config| config.mail.smtp_url = Some("smtps://x".into())).contains("mail.from"));
    }
}
