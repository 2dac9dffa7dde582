//! Encrypts ("seals") secrets in the database and in files with XChaCha20-Poly1305. The associated data binds a sealed value to its
//! column and row, or to its file.
//!
//! A sealed value begins with the id of its key, so that values of two keys can coexist while `secrets rotate` runs. Only the
//! current key seals and computes MACs; former keys only open (decrypt). Keys and opened secrets must never reach a log or an
//! error.

pub mod keys;
pub mod rotation;
pub mod sealed_columns;

use std::fmt;

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use hmac::{Hmac, Mac as _};
use panel_kernel::random::Random;
use sha2::{Digest as _, Sha256};

use crate::db::sql::hex;

/// Length of the nonce in bytes.
const NONCE_LEN: usize = 24;
/// The first bytes of a sealed value, before the key id. Values from before there were key ids begin with their nonce.
const MAGIC: &[u8; 4] = b"PSK1";
/// Length of a key id in bytes.
pub const KEY_ID_LEN: usize = 8;
/// Length in bytes of the header before the nonce, which identifies the key that sealed the value.
pub const HEADER_LEN: usize = MAGIC.len() + KEY_ID_LEN;

/// Identifies a key without disclosing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId([u8; KEY_ID_LEN]);

impl KeyId {
    pub const fn bytes(self) -> [u8; KEY_ID_LEN] {
        self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// Which key sealed a value, according to the header of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SealedBy {
    Current(KeyId),
    /// A former key, which only opens.
    Former(KeyId),
    /// A key that is not configured.
    Unknown(KeyId),
    /// The value was sealed before sealed values had a key id.
    WithoutKeyId,
}

#[derive(Clone)]
struct SecretKey {
    id: KeyId,
    cipher: XChaCha20Poly1305,
    mac_key: MacKey,
    fingerprint: String,
}

impl SecretKey {
    fn new(key: &[u8; 32]) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = hmac(key, b"key id");
        let fingerprint = Sha256::digest(format!("the panel's key {}", hex(key)).as_bytes());
        Self {
            id: KeyId([a, b, c, d, e, f, g, h]),
            cipher: XChaCha20Poly1305::new(key.into()),
            mac_key: MacKey(hmac(key, b"vouching")),
            fingerprint: hex(&fingerprint),
        }
    }

    /// `sealed` is a nonce followed by the ciphertext.
    fn open(&self, sealed: &[u8], associated_data: &str) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE_LEN)?;
        let payload = Payload { msg: sealed, aad: associated_data.as_bytes() };
        self.cipher.decrypt(XNonce::from_slice(nonce), payload).ok()
    }
}

/// A key for message authentication codes (HMAC-SHA256).
#[derive(Clone, PartialEq, Eq)]
pub struct MacKey([u8; 32]);

impl MacKey {
    /// Computes the MAC of `message`. Another `purpose`, such as `audit_seals`, gives another MAC.
    #[must_use]
    pub fn mac(&self, purpose: &str, message: &[u8]) -> [u8; 32] {
        hmac(&hmac(&self.0, purpose.as_bytes()), message)
    }

    /// Returns 64 hexadecimal digits. The caller must seal them before it stores them (`audit::keys`).
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    /// Parses the output of [`Self::to_hex`].
    pub fn from_hex(text: &str) -> Result<Self, String> {
        keys::parse(text).map(Self).ok_or_else(|| "a MAC key is not 64 hexadecimal digits".to_owned())
    }
}

/// Seals and opens secrets with the panel's keys.
#[derive(Clone)]
pub struct Secrets {
    current: SecretKey,
    former: Vec<SecretKey>,
}

impl Secrets {
    /// Creates secrets with one key, which seals and opens.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self { current: SecretKey::new(key), former: Vec::new() }
    }

    /// Adds former keys, which only open.
    #[must_use]
    pub fn with_former(mut self, keys: &[[u8; 32]]) -> Self {
        self.former.extend(keys.iter().map(SecretKey::new));
        self
    }

    fn all_keys(&self) -> impl Iterator<Item = &SecretKey> {
        std::iter::once(&self.current).chain(&self.former)
    }

    fn find_key(&self, id: KeyId) -> Option<&SecretKey> {
        self.all_keys().find(|key| key.id == id)
    }

    /// The id of the current key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.current.id
    }

    /// The fingerprint of the current key: a hash that does not reveal the key. The database stores it.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.current.fingerprint
    }

    /// The MAC key of the key with this fingerprint; `None` if that key is not configured.
    #[must_use]
    pub fn mac_key(&self, fingerprint: &str) -> Option<&MacKey> {
        self.all_keys().find(|key| key.fingerprint == fingerprint).map(|key| &key.mac_key)
    }

    /// The id of the key with this fingerprint; `None` if that key is not configured.
    #[must_use]
    pub fn key_by_fingerprint(&self, fingerprint: &str) -> Option<KeyId> {
        self.all_keys().find(|key| key.fingerprint == fingerprint).map(|key| key.id)
    }

    /// Computes the MAC of `message` with the current key. Another `purpose`, such as `backup_manifest`, gives another MAC.
    #[must_use]
    pub fn mac(&self, purpose: &str, message: &[u8]) -> [u8; 32] {
        self.current.mac_key.mac(purpose, message)
    }

    /// Returns one set of secrets for each key of the panel, with that key as the current one, to read data from before a rotation,
    /// such as a backup. The caller must seal nothing with them.
    pub fn one_per_key(&self) -> impl Iterator<Item = Self> {
        self.all_keys().map(|key| Self {
            current: key.clone(),
            former: self.all_keys().filter(|other| other.id != key.id).cloned().collect(),
        })
    }

    /// Seals a secret. Only the same `associated_data`, such as `external_panels|api_token|7`, opens it.
    pub fn seal(&self, random: &Random, secret: &[u8], associated_data: &str) -> Result<Vec<u8>, String> {
        let nonce = random.bytes::<NONCE_LEN>();
        let payload = Payload { msg: secret, aad: associated_data.as_bytes() };
        let sealed = self.current.cipher.encrypt(XNonce::from_slice(&nonce), payload);
        let sealed = sealed.map_err(|_| "a secret cannot be sealed")?;
        Ok([MAGIC, self.current.id.0.as_slice(), &nonce, &sealed].concat())
    }

    /// Opens a value that the current key or a former key sealed with the same `associated_data`.
    pub fn open(&self, sealed: &[u8], associated_data: &str) -> Result<Vec<u8>, String> {
        let key = key_id(sealed).and_then(|id| self.find_key(id));
        let secret = key.and_then(|key| key.open(sealed.get(HEADER_LEN..)?, associated_data));
        // The nonce of a value without a key id may begin with the magic bytes by chance.
        let secret = secret.or_else(|| self.all_keys().find_map(|key| key.open(sealed, associated_data)));
        secret.ok_or_else(|| match key_id(sealed) {
            Some(id) if key.is_none() => {
                format!("a secret was sealed with the key {id}, which is not configured")
            }
            _ => "a secret was sealed with another key or for another record".into(),
        })
    }

    #[must_use]
    pub fn sealed_by(&self, sealed: &[u8]) -> SealedBy {
        match key_id(sealed) {
            Some(id) if id == self.current.id => SealedBy::Current(id),
            Some(id) if self.find_key(id).is_some() => SealedBy::Former(id),
            Some(id) => SealedBy::Unknown(id),
            None => SealedBy::WithoutKeyId,
        }
    }

    /// Seals the secret of a sealed value again with the current key; `None` if the current key sealed it already.
    pub fn reseal(
        &self,
        random: &Random,
        sealed: &[u8],
        associated_data: &str,
    ) -> Result<Option<Vec<u8>>, String> {
        if matches!(self.sealed_by(sealed), SealedBy::Current(_)) {
            return Ok(None);
        }
        let secret = self.open(sealed, associated_data)?;
        self.seal(random, &secret, associated_data).map(Some)
    }

    /// Whether these bytes are sealed. Unencrypted files never look sealed, because no image format begins with `MAGIC`.
    #[must_use]
    pub fn is_sealed(bytes: &[u8]) -> bool {
        key_id(bytes).is_some()
    }
}

/// Reads the key id from the header of sealed bytes.
fn key_id(sealed: &[u8]) -> Option<KeyId> {
    let id = sealed.strip_prefix(MAGIC)?.first_chunk::<KEY_ID_LEN>()?;
    Some(KeyId(*id))
}

fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    // HMAC pads a key that is shorter than a block with zeros.
    let mut block = [0; 64];
    block[..32].copy_from_slice(key);
    let mut mac = <Hmac<Sha256> as hmac::KeyInit>::new(&block.into());
    mac.update(message);
    mac.finalize().into_bytes().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mac_depends_on_key_and_purpose() {
        let mac_key = |key: u8| SecretKey::new(&[key; 32]).mac_key;
        let mac = mac_key(7).mac("a", b"m");
        assert_eq!(mac, mac_key(7).mac("a", b"m"));
        for other in [mac_key(7).mac("a", b"n"), mac_key(7).mac("b", b"m"), mac_key(8).mac("a", b"m")] {
            assert_ne!(other, mac);
        }
        assert!(MacKey::from_hex(&mac_key(7).to_hex()).unwrap() == mac_key(7));
        assert!(MacKey::from_hex("ab").is_err());
    }

    #[test]
    fn opens_only_with_the_same_associated_data() {
        let (secrets, random) = (Secrets::new(&[7; 32]), Random::seeded(1));
        let sealed = secrets.seal(&random, b"token", "a|b|1").unwrap();
        assert_eq!(secrets.open(&sealed, "a|b|1").unwrap(), b"token");
        assert!(secrets.open(&sealed, "a|b|2").is_err());
        assert!(Secrets::new(&[8; 32]).open(&sealed, "a|b|1").unwrap_err().contains("not configured"));
        assert!(secrets.open(b"short", "a|b|1").is_err());
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 1;
            assert!(secrets.open(&changed, "a|b|1").is_err(), "byte {index}");
            assert!(secrets.open(&sealed[..index], "a|b|1").is_err(), "{index} bytes");
        }
    }

    #[test]
    fn a_former_key_opens_and_never_seals() {
        let random = Random::seeded(1);
        let old = Secrets::new(&[7; 32]);
        let new = Secrets::new(&[8; 32]).with_former(&[[7; 32]]);
        let sealed = old.seal(&random, b"token", "p").unwrap();
        assert_eq!(new.sealed_by(&sealed), SealedBy::Former(old.key_id()));
        assert_eq!(new.open(&sealed, "p").unwrap(), b"token");
        let resealed = new.reseal(&random, &sealed, "p").unwrap().unwrap();
        assert_eq!(new.sealed_by(&resealed), SealedBy::Current(new.key_id()));
        assert_eq!(new.reseal(&random, &resealed, "p"), Ok(None));
        assert_eq!(Secrets::new(&[8; 32]).open(&resealed, "p").unwrap(), b"token");
        assert!(old.open(&resealed, "p").is_err());
        assert_eq!(old.sealed_by(&resealed), SealedBy::Unknown(new.key_id()));
        assert!(new.mac_key(old.fingerprint()).is_some() && old.mac_key(new.fingerprint()).is_none());
    }

    /// Includes a value whose nonce begins with the magic bytes by chance.
    #[test]
    fn opens_values_without_a_key_id() {
        let random = Random::seeded(1);
        let old = Secrets::new(&[7; 32]);
        let mut nonce = random.bytes::<NONCE_LEN>();
        for start in [b"abcd", MAGIC] {
            nonce[..4].copy_from_slice(start);
            let payload = Payload { msg: b"token", aad: b"p" };
            let sealed = old.current.cipher.encrypt(XNonce::from_slice(&nonce), payload).unwrap();
            let sealed = [nonce.as_slice(), &sealed].concat();
            assert_eq!(old.open(&sealed, "p").unwrap(), b"token");
            let new = Secrets::new(&[8; 32]).with_former(&[[7; 32]]);
            let resealed = new.reseal(&random, &sealed, "p").unwrap().unwrap();
            assert_eq!(new.open(&resealed, "p").unwrap(), b"token");
        }
    }
}
