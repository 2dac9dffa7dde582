//! Loads the panel's keys from the configuration, or from `secret.key` in the data folder, which the first start creates.
//!
//! `secret.key` holds one key per line: the first one encrypts, the others only decrypt. This module never changes an existing key.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use panel_kernel::random::Random;

use crate::config::Config;
use crate::db::sql::hex;
use crate::secrets::Secrets;

/// Parses 64 hexadecimal digits.
#[must_use]
pub fn parse(text: &str) -> Option<[u8; 32]> {
    let digits = text.trim().as_bytes();
    let mut key = [0; 32];
    if digits.len() != 64 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(key)
}

#[must_use]
pub fn key_file(config: &Config) -> PathBuf {
    config.data_dir.join("secret.key")
}

/// Loads the panel's keys. Creates `secret.key` if there is neither this file nor a configured key.
pub fn load(config: &Config, random: &Random) -> Result<Secrets, String> {
    let file = key_file(config);
    if config.secret_key.is_none() && !file.exists() {
        write_new(&file, &hex(&random.bytes::<32>()))?;
    }
    parse_keys(config)
}

/// Loads the panel's keys; `None` if there is neither the file `secret.key` nor a configured key.
pub fn load_existing(config: &Config) -> Result<Option<Secrets>, String> {
    let has_key = config.secret_key.is_some() || key_file(config).exists();
    has_key.then(|| parse_keys(config)).transpose()
}

fn parse_keys(config: &Config) -> Result<Secrets, String> {
    let mut texts = Vec::new();
    match &config.secret_key {
        Some(key) => texts.push(key.clone()),
        None => texts.extend(read_lines(&key_file(config))?),
    }
    texts.extend(config.former_secret_keys.iter().cloned());
    let keys: Option<Vec<[u8; 32]>> = texts.iter().map(|text| parse(text)).collect();
    match keys.as_deref() {
        Some([current, former @ ..]) if former.contains(current) => {
            Err("the current key is also a former key: create a new key, for example with `openssl rand -hex 32`, and list the \
                 old one as a former key only"
                .into())
        }
        Some([current, former @ ..]) => Ok(Secrets::new(current).with_former(former)),
        _ => Err("secret.key must hold 64 hexadecimal digits per line; restore it from a backup".into()),
    }
}

fn read_lines(file: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}

fn write_new(file: &Path, key: &str) -> Result<(), String> {
    let to_message = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut key_file =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(to_message)?;
    key_file.write_all(key.as_bytes()).and_then(|()| key_file.sync_all()).map_err(to_message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(home: &Path) -> Config {
        Config { data_dir: home.into(), ..Config::default() }
    }

    #[test]
    fn the_first_line_encrypts_and_the_others_decrypt() {
        let home = tempfile::tempdir().unwrap();
        let (old, new) = ("ab".repeat(32), "CD".repeat(32));
        let config = config(home.path());
        assert!(load_existing(&config).unwrap().is_none(), "load_existing creates no key");
        fs::write(key_file(&config), format!("{new}\n{old}\n\n")).unwrap();
        let secrets = load_existing(&config).unwrap().unwrap();
        assert_eq!(secrets.key_id(), Secrets::new(&parse(&new).unwrap()).key_id());
        let old_secrets = Secrets::new(&parse(&old).unwrap());
        let sealed = old_secrets.seal(&Random::seeded(1), b"x", "p").unwrap();
        assert_eq!(secrets.open(&sealed, "p").unwrap(), b"x");
        // Keys in the configuration replace the keys in the file.
        let config = Config { secret_key: Some(new), former_secret_keys: vec![old], ..config };
        assert_eq!(load_existing(&config).unwrap().unwrap().open(&sealed, "p").unwrap(), b"x");
    }

    #[test]
    fn rejects_a_current_key_that_is_also_a_former_key() {
        let home = tempfile::tempdir().unwrap();
        let key = "ab".repeat(32);
        let config = Config { former_secret_keys: vec![key.to_uppercase()], ..config(home.path()) };
        fs::write(key_file(&config), &key).unwrap();
        assert!(load_existing(&config).err().unwrap().contains("also a former key"));
        fs::write(key_file(&config), "zz").unwrap();
        assert!(load_existing(&config).err().unwrap().contains("64 hexadecimal digits"));
    }
}
