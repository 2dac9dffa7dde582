//! A software passkey as WebAuthn defines it, with ES256 and the attestation "none". It returns the JSON that a browser sends for a
//! challenge. Tests may change its origin, relying party, counter and flags, which a browser does not let a page change.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The public URL of the server in the tests with passkeys.
pub(crate) const ORIGIN: &str = "https://panel.example.com";

/// A passkey, and the values that a browser adds to an assertion.
#[derive(Clone)]
pub(crate) struct Authenticator {
    pub(crate) key: SigningKey,
    pub(crate) id: [u8; 16],
    pub(crate) counter: u32,
    pub(crate) origin: String,
    /// The id of the relying party: the host name of the server.
    pub(crate) relying_party: String,
    pub(crate) verifies_user: bool,
}

impl Authenticator {
    /// A passkey whose key and id are derived from `number`.
    pub(crate) fn new(number: u8) -> Self {
        Self {
            key: SigningKey::from_slice(&[number; 32]).unwrap(),
            id: [number; 16],
            counter: 0,
            origin: ORIGIN.into(),
            relying_party: "panel.example.com".into(),
            verifies_user: true,
        }
    }

    /// The result of `navigator.credentials.create`.
    pub(crate) fn create(&self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.create", options);
        let mut data = self.authenticator_data(0x40);
        data.extend([0; 16]);
        data.extend([0, 16]);
        data.extend(self.id);
        let point = self.key.verifying_key().to_sec1_point(false);
        // {1: 2, 3: -7, -1: 1, -2: x, -3: y} in CBOR.
        data.extend([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20]);
        data.extend(point.x().unwrap());
        data.extend([0x22, 0x58, 0x20]);
        data.extend(point.y().unwrap());
        // {"fmt": "none", "attStmt": {}, "authData": data} in CBOR.
        let mut attestation = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x58".to_vec();
        attestation.push(u8::try_from(data.len()).unwrap());
        attestation.extend(data);
        json!({
            "id": base64url(&self.id), "rawId": base64url(&self.id), "type": "public-key",
            "response": { "attestationObject": base64url(&attestation), "clientDataJSON": base64url(&client_data), "transports": ["internal"] },
            "clientExtensionResults": {},
        })
    }

    /// The result of `navigator.credentials.get`.
    pub(crate) fn get(&self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", options);
        let data = self.authenticator_data(0);
        let signed_bytes = [data.clone(), Sha256::digest(&client_data).to_vec()].concat();
        let signature: Signature = self.key.sign(&signed_bytes);
        json!({
            "id": base64url(&self.id), "rawId": base64url(&self.id), "type": "public-key",
            "response": {
                "authenticatorData": base64url(&data), "clientDataJSON": base64url(&client_data),
                "signature": base64url(signature.to_der().as_bytes()), "userHandle": null,
            },
            "clientExtensionResults": {},
        })
    }

    /// The JSON that a browser sends for a challenge of the server.
    pub(crate) fn answer_challenge(&self, challenge: &Value) -> Value {
        json!({ "ceremony": challenge["ceremony"], "credential": self.get(&challenge["options"]) })
    }

    fn client_data(&self, ceremony_type: &str, options: &Value) -> Vec<u8> {
        let data = json!({ "type": ceremony_type, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false });
        data.to_string().into_bytes()
    }

    fn authenticator_data(&self, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest(self.relying_party.as_bytes()).to_vec();
        data.push(0x01 | flags | if self.verifies_user { 0x04 } else { 0 });
        data.extend(self.counter.to_be_bytes());
        data
    }
}

fn base64url(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
