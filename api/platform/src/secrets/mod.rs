//! Seals what must not lie readable in the database or in a file: XChaCha20-Poly1305, bound to the place where it is stored.
//!
//! A sealed value begins with the id of its key, so that values of two keys lie side by side while `secrets rotate` runs.
//! Only the current key seals and vouches; former keys only open. Keys and opened secrets never reach a log or an error.

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

/// Length of the random part of each sealed value.
const NONCE: usize = 24;
/// What a sealed value with a key id begins with; the id of its key follows. Values from before begin with their nonce.
const MAGIC: &[u8; 4] = b"PSK1";
/// Length of a key id.
pub const KEY_ID: usize = 8;
/// Bytes before the nonce: they tell which key sealed a value.
pub const HEADER: usize = MAGIC.len() + KEY_ID;

/// Names a key without disclosing it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyId([u8; KEY_ID]);

impl KeyId {
    /// As files carry it.
    pub const fn bytes(self) -> [u8; KEY_ID] {
        self.0
    }
}

impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex(&self.0))
    }
}

/// Which key sealed a value, as its first bytes say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SealedBy {
    /// The key that seals now.
    Current(KeyId),
    /// A key that only opens.
    Former(KeyId),
    /// A key that is not configured.
    Unknown(KeyId),
    /// Sealed before values carried the id of their key.
    Unmarked,
}

#[derive(Clone)]
struct Key {
    id: KeyId,
    cipher: XChaCha20Poly1305,
    vouching: Vouching,
    mark: String,
}

impl Key {
    fn new(key: &[u8; 32]) -> Self {
        let [a, b, c, d, e, f, g, h, ..] = hmac(key, b"key id");
        let mark = Sha256::digest(format!("the panel's key {}", hex(key)).as_bytes());
        Self {
            id: KeyId([a, b, c, d, e, f, g, h]),
            cipher: XChaCha20Poly1305::new(key.into()),
            vouching: Vouching(hmac(key, b"vouching")),
            mark: hex(&mark),
        }
    }

    /// `sealed` is a nonce and what was encrypted with it.
    fn open(&self, sealed: &[u8], place: &str) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE)?;
        let payload = Payload { msg: sealed, aad: place.as_bytes() };
        self.cipher.decrypt(XNonce::from_slice(nonce), payload).ok()
    }
}

/// Vouches for what must not be changed: a keyed hash that only the holder of the key can compute.
#[derive(Clone, PartialEq, Eq)]
pub struct Vouching([u8; 32]);

impl Vouching {
    /// The hash over `message`, for `place`, such as `audit_seals`.
    #[must_use]
    pub fn vouch(&self, place: &str, message: &[u8]) -> [u8; 32] {
        hmac(&hmac(&self.0, place.as_bytes()), message)
    }

    /// As it is stored, sealed; see `audit::keys`.
    pub fn to_hex(&self) -> String {
        hex(&self.0)
    }

    /// Reads what [`Self::to_hex`] wrote.
    pub fn from_hex(text: &str) -> Result<Self, String> {
        keys::parse(text).map(Self).ok_or_else(|| "a vouching key is not 64 hexadecimal digits".to_owned())
    }
}

/// Seals and opens secrets with the panel's keys.
#[derive(Clone)]
pub struct Secrets {
    current: Key,
    former: Vec<Key>,
}

impl Secrets {
    /// With one key.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self { current: Key::new(key), former: Vec::new() }
    }

    /// With keys that open what was sealed before, and seal nothing.
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

    /// The id of the key that seals.
    #[must_use]
    pub fn key_id(&self) -> KeyId {
        self.current.id
    }

    /// What the database remembers of the key that seals: a hash, from which the key cannot be found.
    #[must_use]
    pub fn mark(&self) -> &str {
        &self.current.mark
    }

    /// What vouches where the database remembers the key by this mark; none where that key is not configured.
    #[must_use]
    pub fn vouching(&self, mark: &str) -> Option<&Vouching> {
        self.all().find(|key| key.mark == mark).map(|key| &key.vouching)
    }

    /// The id of the key that the database remembers by this mark.
    #[must_use]
    pub fn key_of_mark(&self, mark: &str) -> Option<KeyId> {
        self.all().find(|key| key.mark == mark).map(|key| key.id)
    }

    /// What only the holder of the key that seals can compute over `message`, for `place`, such as `backup_manifest`.
    #[must_use]
    pub fn vouch(&self, place: &str, message: &[u8]) -> [u8; 32] {
        self.current.vouching.vouch(place, message)
    }

    /// The panel's keys one by one, each as the one that seals, with all others beside it. For what was made before a
    /// rotation and is read as of then, such as a backup; nothing is to be sealed with them.
    pub fn each(&self) -> impl Iterator<Item = Self> {
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

    /// Opens what was sealed for `place`, by the current key or a former one.
    pub fn open(&self, sealed: &[u8], place: &str) -> Result<Vec<u8>, String> {
        let marked = key_id(sealed).and_then(|id| self.find(id));
        let opened = marked.and_then(|key| key.open(sealed.get(HEADER..)?, place));
        // A value without a key id may begin with any bytes, by chance with these as well.
        let opened = opened.or_else(|| self.all().find_map(|key| key.open(sealed, place)));
        opened.ok_or_else(|| match key_id(sealed) {
            Some(id) if marked.is_none() => {
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
            None => SealedBy::Unmarked,
        }
    }

    /// The same secret sealed with the current key; none where it is already.
    pub fn reseal(&self, random: &Random, sealed: &[u8], place: &str) -> Result<Option<Vec<u8>>, String> {
        if matches!(self.sealed_by(sealed), SealedBy::Current(_)) {
            return Ok(None);
        }
        let opened = self.open(sealed, place)?;
        self.seal(random, &opened, place).map(Some)
    }

    /// Whether these bytes carry a key id. Files that were written in plain never do: no image begins so.
    #[must_use]
    pub fn is_sealed(bytes: &[u8]) -> bool {
        key_id(bytes).is_some()
    }
}

/// The key id that sealed bytes begin with.
fn key_id(sealed: &[u8]) -> Option<KeyId> {
    let id = sealed.strip_prefix(MAGIC)?.first_chunk::<KEY_ID>()?;
    Some(KeyId(*id))
}

fn hmac(key: &[u8; 32], message: &[u8]) -> [u8; 32] {
    // A key shorter than a block is filled up with zeros.
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
    fn vouches_by_key_and_place() {
        let vouching = |key: u8| Key::new(&[key; 32]).vouching;
        let vouch = vouching(7).vouch("a", b"m");
        assert_eq!(vouch, vouching(7).vouch("a", b"m"));
        for other in
            [vouching(7).vouch("a", b"n"), vouching(7).vouch("b", b"m"), vouching(8).vouch("a", b"m")]
        {
            assert_ne!(other, vouch);
        }
        assert!(Vouching::from_hex(&vouching(7).to_hex()).unwrap() == vouching(7));
        assert!(Vouching::from_hex("ab").is_err());
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
        assert!(new.vouching(old.mark()).is_some() && old.vouching(new.mark()).is_none());
    }

    /// As values were sealed before they carried the id of their key, even one whose nonce looks like such an id.
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
