//! Encrypts ("seals") secrets of the database and of files: XChaCha20-Poly1305, bound to the place where a value is stored.
//!
//! A sealed value begins with the id of its key, so that values of two keys can coexist while `secrets rotate` runs. Only the
//! current key seals and computes MACs; former keys only open. Keys and opened secrets never reach a log or an error.

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

/// Bytes of the nonce of a sealed value.
const NONCE: usize = 24;
/// First bytes of a sealed value with a key id, which follows them. Older values begin with their nonce.
const MAGIC: &[u8; 4] = b"PSK1";
/// Bytes of a key id.
pub const KEY_ID: usize = 8;
/// Bytes before the nonce: they identify the key that sealed a value.
pub const HEADER: usize = MAGIC.len() + KEY_ID;

/// Identifies a key without disclosing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId([u8; KEY_ID]);

impl KeyId {
    /// The bytes of the id, as files store them.
    pub const fn bytes(self) -> [u8; KEY_ID] {
        self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// Which key sealed a value, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SealedBy {
    /// The current key.
    Current(KeyId),
    /// A former key, which only opens.
    Former(KeyId),
    /// A key that is not configured.
    Unknown(KeyId),
    /// The value is from before sealed values had a key id.
    WithoutKeyId,
}

#[derive(Clone)]
struct Key {
    id: KeyId,
    cipher: XChaCha20Poly1305,
    mac_key: MacKey,
    fingerprint: String,
}

impl Key {
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
    fn open(&self, sealed: &[u8], place: &str) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE)?;
        let payload = Payload { msg: sealed, aad: place.as_bytes() };
        self.cipher.decrypt(XNonce::from_slice(nonce), payload).ok()
    }
}

/// Key of message authentication codes (HMAC-SHA256), which only the holder of the key can compute.
#[derive(Clone, PartialEq, Eq)]
pub struct MacKey([u8; 32]);

impl MacKey {
    /// The MAC of `message` for `place`, such as `audit_seals`.
    #[must_use]
    pub fn mac(&self, place: &str, message: &[u8]) -> [u8; 32] {
        hmac(&hmac(&self.0, place.as_bytes()), message)
    }

    /// 64 hexadecimal digits. Stored only sealed; see `audit::keys`.
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
    current: Key,
    former: Vec<Key>,
}

impl Secrets {
    /// With one key, which seals and opens.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self { current: Key::new(key), former: Vec::new() }
    }

    /// Adds former keys, which only open.
    #[must_use]
    pub fn with_former(mut self, keys: &[[u8; 32]]) -> Self {
        self.former.extend(keys.iter().map(Key::new));
        self
    }

    fn all(&self) -> impl Iterator<Item = &Key> {
        std::iter::once(&self.current).chain(&self.former)
    }

    fn find(&self, id: KeyId) -> Option<&Key> {
        self.all().find(|key| key.id == id)
    }

    /// The id of the current key.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.current.id
    }

    /// Fingerprint of the current key, which the database stores: a hash that does not reveal the key.
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.current.fingerprint
    }

    /// The MAC key of the key with this fingerprint; none where that key is not configured.
    #[must_use]
    pub fn mac_key(&self, fingerprint: &str) -> Option<&MacKey> {
        self.all().find(|key| key.fingerprint == fingerprint).map(|key| &key.mac_key)
    }

    /// The id of the key with this fingerprint; none where that key is not configured.
    #[must_use]
    pub fn key_by_fingerprint(&self, fingerprint: &str) -> Option<KeyId> {
        self.all().find(|key| key.fingerprint == fingerprint).map(|key| key.id)
    }

    /// The MAC of `message` by the current key, for `place`, such as `backup_manifest`.
    #[must_use]
    pub fn mac(&self, place: &str, message: &[u8]) -> [u8; 32] {
        self.current.mac_key.mac(place, message)
    }

    /// One set of secrets for each key of the panel, with that key as the current one. For reading data from before a
    /// rotation, such as a backup; the caller must seal nothing with them.
    pub fn each_as_current(&self) -> impl Iterator<Item = Self> {
        self.all().map(|key| Self {
            current: key.clone(),
            former: self.all().filter(|other| other.id != key.id).cloned().collect(),
        })
    }

    /// Seals `secret` for `place`, such as `external_panels|api_token|7`.
    pub fn seal(&self, random: &Random, secret: &[u8], place: &str) -> Result<Vec<u8>, String> {
        let nonce = random.bytes::<NONCE>();
        let payload = Payload { msg: secret, aad: place.as_bytes() };
        let sealed = self.current.cipher.encrypt(XNonce::from_slice(&nonce), payload);
        let sealed = sealed.map_err(|_| "a secret cannot be sealed")?;
        Ok([MAGIC, self.current.id.0.as_slice(), &nonce, &sealed].concat())
    }

    /// Opens a value that the current key or a former one sealed for `place`.
    pub fn open(&self, sealed: &[u8], place: &str) -> Result<Vec<u8>, String> {
        let identified = key_id(sealed).and_then(|id| self.find(id));
        let opened = identified.and_then(|key| key.open(sealed.get(HEADER..)?, place));
        // The nonce of a value without a key id may begin with the magic bytes by chance.
        let opened = opened.or_else(|| self.all().find_map(|key| key.open(sealed, place)));
        opened.ok_or_else(|| match key_id(sealed) {
            Some(id) if identified.is_none() => {
                format!("a secret was sealed with the key {id}, which is not configured")
            }
            _ => "a secret was sealed with another key or for another place".into(),
        })
    }

    /// Which key sealed a value.
    #[must_use]
    pub fn sealed_by(&self, sealed: &[u8]) -> SealedBy {
        match key_id(sealed) {
            Some(id) if id == self.current.id => SealedBy::Current(id),
            Some(id) if self.find(id).is_some() => SealedBy::Former(id),
            Some(id) => SealedBy::Unknown(id),
            None => SealedBy::WithoutKeyId,
        }
    }

    /// The same secret sealed with the current key; none where the current key sealed it already.
    pub fn reseal(&self, random: &Random, sealed: &[u8], place: &str) -> Result<Option<Vec<u8>>, String> {
        if matches!(self.sealed_by(sealed), SealedBy::Current(_)) {
            return Ok(None);
        }
        let opened = self.open(sealed, place)?;
        self.seal(random, &opened, place).map(Some)
    }

    /// Whether these bytes begin with a key id. Plain files never do, because no image format begins with these bytes.
    #[must_use]
    pub fn is_sealed(bytes: &[u8]) -> bool {
        key_id(bytes).is_some()
    }
}

/// The key id at the start of sealed bytes.
fn key_id(sealed: &[u8]) -> Option<KeyId> {
    let id = sealed.strip_prefix(MAGIC)?.first_chunk::<KEY_ID>()?;
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
    fn a_mac_depends_on_key_and_place() {
        let mac_key = |key: u8| Key::new(&[key; 32]).mac_key;
        let mac = mac_key(7).mac("a", b"m");
        assert_eq!(mac, mac_key(7).mac("a", b"m"));
        for other in [mac_key(7).mac("a", b"n"), mac_key(7).mac("b", b"m"), mac_key(8).mac("a", b"m")] {
            assert_ne!(other, mac);
        }
        assert!(MacKey::from_hex(&mac_key(7).to_hex()).unwrap() == mac_key(7));
        assert!(MacKey::from_hex("ab").is_err());
    }

    #[test]
    fn opens_only_in_its_place() {
        let (secrets, random) = (Secrets::new(&[7; 32]), Random::seeded(1));
        let sealed = secrets.seal(&random, b"token", "a|b|1").unwrap();
        assert_eq!(secrets.open(&sealed, "a|b|1").unwrap(), b"token");
        assert!(secrets.open(&sealed, "a|b|2").is_err());
        assert!(Secrets::new(&[8; 32]).open(&sealed, "a|b|1").unwrap_err().contains("not configured"));
        assert!(secrets.open(b"short", "a|b|1").is_err());
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(secrets.open(&changed, "a|b|1").is_err(), "byte {at}");
            assert!(secrets.open(&sealed[..at], "a|b|1").is_err(), "{at} bytes");
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

    /// Values from before sealed values had a key id, also one whose nonce begins with the magic bytes.
    #[test]
    fn values_without_a_key_id_stay_readable() {
        let random = Random::seeded(1);
        let old = Secrets::new(&[7; 32]);
        let mut nonce = random.bytes::<NONCE>();
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
