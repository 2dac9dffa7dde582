//! Loads the panel's keys: from the configuration, or from `secret.key` in the data folder, which the first start creates.
//!
//! `secret.key` holds one key per line: the first one seals, the others only open. This module never changes an existing key.

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

/// Path of `secret.key`.
#[must_use]
pub fn file(config: &Config) -> PathBuf {
    config.data_dir.join("secret.key")
}

/// Loads the panel's keys. Creates the file where there is neither a file nor a configured key.
pub fn load(config: &Config, random: &Random) -> Result<Secrets, String> {
    let file = file(config);
    if config.secret_key.is_none() && !file.exists() {
        write_new(&file, &hex(&random.bytes::<32>()))?;
    }
    read(config)
}

/// Loads the panel's keys; none where there is neither a file nor a configured key.
pub fn load_existing(config: &Config) -> Result<Option<Secrets>, String> {
    let is_there = config.secret_key.is_some() || file(config).exists();
    is_there.then(|| read(config)).transpose()
}

fn read(config: &Config) -> Result<Secrets, String> {
    let mut texts = Vec::new();
    match &config.secret_key {
        Some(key) => texts.push(key.clone()),
        None => texts.extend(lines(&file(config))?),
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

fn lines(file: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    Ok(text.lines().filter(|line| !line.trim().is_empty()).map(str::to_owned).collect())
}

fn write_new(file: &Path, key: &str) -> Result<(), String> {
    let named = |error: std::io::Error| format!("{}: {error}", file.display());
    let mut out =
        fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file).map_err(named)?;
    out.write_all(key.as_bytes()).and_then(|()| out.sync_all()).map_err(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(home: &Path) -> Config {
        Config { data_dir: home.into(), ..Config::default() }
    }

    #[test]
    fn the_first_line_seals_and_the_others_open() {
        let home = tempfile::tempdir().unwrap();
        let (old, new) = ("ab".repeat(32), "CD".repeat(32));
        let config = config(home.path());
        assert!(load_existing(&config).unwrap().is_none(), "load_existing creates no key");
        fs::write(file(&config), format!("{new}\n{old}\n\n")).unwrap();
        let secrets = load_existing(&config).unwrap().unwrap();
        assert_eq!(secrets.key_id(), Secrets::new(&parse(&new).unwrap()).key_id());
        let of_old = Secrets::new(&parse(&old).unwrap());
        let sealed = of_old.seal(&Random::seeded(1), b"x", "p").unwrap();
        assert_eq!(secrets.open(&sealed, "p").unwrap(), b"x");
        // The same from the configuration, which has priority over the file.
        let config = Config { secret_key: Some(new), former_secret_keys: vec![old], ..config };
        assert_eq!(load_existing(&config).unwrap().unwrap().open(&sealed, "p").unwrap(), b"x");
    }

    #[test]
    fn a_key_that_is_also_a_former_one_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let key = "ab".repeat(32);
        let config = Config { former_secret_keys: vec![key.to_uppercase()], ..config(home.path()) };
        fs::write(file(&config), &key).unwrap();
        assert!(load_existing(&config).err().unwrap().contains("also a former key"));
        fs::write(file(&config), "zz").unwrap();
        assert!(load_existing(&config).err().unwrap().contains("64 hexadecimal digits"));
    }
}
