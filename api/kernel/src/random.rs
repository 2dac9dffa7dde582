//! The only module that generates random values. Secrets come from the generator of the operating system; tests pass a seed.

use std::sync::{Arc, Mutex};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// A source of random bytes. Clones share the generator.
#[derive(Clone)]
pub struct Random(Option<Arc<Mutex<StdRng>>>);

impl Random {
    /// The generator of the operating system, suitable for secrets.
    #[must_use]
    pub fn system() -> Self {
        Self(None)
    }

    /// A generator that repeats its bytes for the same seed. Only for tests and demo data.
    #[must_use]
    pub fn seeded(seed: u64) -> Self {
        Self(Some(Arc::new(Mutex::new(StdRng::seed_from_u64(seed)))))
    }

    #[must_use]
    pub fn bytes<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        match &self.0 {
            None => system_bytes(&mut bytes),
            Some(seeded) => {
                seeded.lock().unwrap_or_else(std::sync::PoisonError::into_inner).fill_bytes(&mut bytes)
            }
        }
        bytes
    }

    /// 32 random bytes as 43 characters of base64url.
    #[must_use]
    pub fn token(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.bytes::<32>())
    }
}

#[expect(clippy::disallowed_methods, reason = "only this module may use the generator")]
fn system_bytes(bytes: &mut [u8]) {
    rand::rng().fill_bytes(bytes);
}
