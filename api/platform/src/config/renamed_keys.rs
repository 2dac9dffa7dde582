//! Accepts the old names of configuration keys that were renamed, and warns about them. An old key and its replacement must have
//! the same unit and meaning.

use figment::value::{Dict, Map, Value};
use figment::{Error, Metadata, Profile, Provider};

/// Section, old key, and the key that replaced it.
const RENAMED_KEYS: [(&str, &str, &str); 10] = [
    ("counter", "minutes", "poll_interval_minutes"),
    ("outbound", "seconds", "timeout_seconds"),
    ("panels", "balance_minutes", "balance_poll_interval_minutes"),
    ("panels", "hands_out_accounts", "allow_account_creation"),
    ("subscriptions", "look_minutes", "poll_interval_minutes"),
    ("subscriptions", "looks_per_second", "polls_per_second"),
    ("subscriptions", "most_per_customer", "max_per_customer"),
    ("webhooks", "delays", "retry_delay_seconds"),
    ("webhooks", "patience_days", "disable_after_days"),
    ("webhooks", "seconds", "timeout_seconds"),
];

/// A source of configuration that accepts old keys. If it has both keys, the new one wins.
pub(super) struct RenamedKeyProvider<P>(pub P);

impl<P: Provider> Provider for RenamedKeyProvider<P> {
    fn metadata(&self) -> Metadata {
        self.0.metadata()
    }

    fn data(&self) -> Result<Map<Profile, Dict>, Error> {
        let mut profiles = self.0.data()?;
        for values in profiles.values_mut() {
            rename_old_keys(values);
        }
        Ok(profiles)
    }

    fn profile(&self) -> Option<Profile> {
        self.0.profile()
    }
}

impl<P: Provider> RenamedKeyProvider<P> {
    /// Returns one warning for each old key in this source; none if the source cannot be read, which is reported when it is loaded.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut profiles = self.0.data().unwrap_or_default();
        let renamed_keys = profiles.values_mut().flat_map(rename_old_keys);
        let source = self.0.metadata().name;
        renamed_keys
            .map(|(section, old, new)| {
                format!(
                    "configuration: {section}.{old} was renamed to {section}.{new}; change it in {source}"
                )
            })
            .collect()
    }
}

/// Moves the values of old keys to their replacements; returns `(section, old key, new key)` of each.
fn rename_old_keys(values: &mut Dict) -> Vec<(&'static str, &'static str, &'static str)> {
    let mut renamed_keys = Vec::new();
    for (section, old, new) in RENAMED_KEYS {
        let Some(Value::Dict(_, keys)) = values.get_mut(section) else { continue };
        if let Some(value) = keys.remove(old) {
            keys.entry(new.to_owned()).or_insert(value);
            renamed_keys.push((section, old, new));
        }
    }
    renamed_keys
}

#[cfg(test)]
mod tests {
    use figment::Figment;
    use figment::providers::{Format as _, Serialized, Toml};

    use super::*;
    use crate::config::Config;

    fn source(text: &str) -> RenamedKeyProvider<figment::providers::Data<Toml>> {
        RenamedKeyProvider(Toml::string(text))
    }

    fn load(text: &str) -> Config {
        Figment::from(Serialized::defaults(Config::default())).merge(source(text)).extract().unwrap()
    }

    #[test]
    fn reads_an_old_key_and_warns() {
        let text = "[subscriptions]\nlook_minutes = 7\n[webhooks]\ndelays = [1, 2]";
        let config = load(text);
        assert_eq!(config.subscriptions.poll_interval_minutes, 7);
        assert_eq!(config.webhooks.retry_delay_seconds, [1, 2]);
        let warnings = source(text).warnings();
        assert_eq!(warnings.len(), 2, "{warnings:?}");
        assert!(
            warnings[0]
                .contains("subscriptions.look_minutes was renamed to subscriptions.poll_interval_minutes")
        );
    }

    #[test]
    fn the_new_key_wins_over_the_old_one_and_needs_no_warning() {
        let config = load("[outbound]\nseconds = 3\ntimeout_seconds = 4");
        assert_eq!(config.outbound.timeout_seconds, 4);
        assert!(source("[outbound]\ntimeout_seconds = 4").warnings().is_empty());
    }

    #[test]
    fn every_replacement_is_a_key_of_the_configuration() {
        let defaults = Serialized::defaults(Config::default()).data().unwrap();
        let sections = defaults.values().next().unwrap();
        for (section, old, new) in RENAMED_KEYS {
            let Some(Value::Dict(_, keys)) = sections.get(section) else { panic!("{section}") };
            assert!(keys.contains_key(new) && !keys.contains_key(old), "{section}.{new}");
        }
    }
}
