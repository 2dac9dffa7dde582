//! Sealing what must not lie readable in the database: XChaCha20-Poly1305, bound to the place it is stored in.

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::random::Random;

/// Length of the random part in front of each sealed secret.
const NONCE: usize = 24;

/// Seals and opens secrets with the panel's key, and vouches for what must not be changed.
#[derive(Clone)]
pub struct Secrets {
    cipher: XChaCha20Poly1305,
    vouching: [u8; 32],
}

impl Secrets {
    /// With this key.
    #[must_use]
    pub fn new(key: &[u8; 32]) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key.into()), vouching: hmac(key, b"vouching") }
    }

    /// What only the holder of the key can compute over `message`, for `place`, such as `audit_seals`.
    #[must_use]
    pub fn vouch(&self, place: &str, message: &[u8]) -> [u8; 32] {
        hmac(&hmac(&self.vouching, place.as_bytes()), message)
    }

    /// Seals `secret` for `place`, such as `external_panels|api_token|7`.
    pub fn seal(&self, random: &Random, secret: &[u8], place: &str) -> Result<Vec<u8>, String> {
        let nonce = random.bytes::<NONCE>();
        let payload = Payload { msg: secret, aad: place.as_bytes() };
        let sealed = self
            .cipher
            .encrypt(XNonce::from_slice(&nonce), payload)
            .map_err(|_| "a secret cannot be sealed")?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed for `place`.
    pub fn open(&self, sealed: &[u8], place: &str) -> Result<Vec<u8>, String> {
        let (nonce, sealed) = sealed.split_at_checked(NONCE).ok_or("a sealed secret is too short")?;
        let payload = Payload { msg: sealed, aad: place.as_bytes() };
        self.cipher
            .decrypt(XNonce::from_slice(nonce), payload)
            .map_err(|_| "a secret was sealed with another key or for another place".into())
    }
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
        let secrets = Secrets::new(&[7; 32]);
        assert_eq!(secrets.vouch("a", b"m"), secrets.vouch("a", b"m"));
        for other in
            [secrets.vouch("a", b"n"), secrets.vouch("b", b"m"), Secrets::new(&[8; 32]).vouch("a", b"m")]
        {
            assert_ne!(other, secrets.vouch("a", b"m"));
        }
    }

    #[test]
    fn opens_only_in_its_place() {
        let (secrets, random) = (Secrets::new(&[7; 32]), Random::seeded(1));
        let sealed = secrets.seal(&random, b"token", "a|b|1").unwrap();
        assert_eq!(secrets.open(&sealed, "a|b|1").unwrap(), b"token");
        assert!(secrets.open(&sealed, "a|b|2").is_err());
        assert!(Secrets::new(&[8; 32]).open(&sealed, "a|b|1").is_err());
        assert!(secrets.open(b"short", "a|b|1").is_err());
    }
}
