//! A passkey made of software, after the WebAuthn standard: ES256, attestation "none". It answers challenges as a browser sends
//! them, and can be made to lie about what a browser would not let it lie about.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer as _;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// The public address of panels whose passkeys are tested.
pub(crate) const ORIGIN: &str = "https://panel.example.com";

/// A credential, and what its browser says.
#[derive(Clone)]
pub(crate) struct Authenticator {
    pub(crate) key: SigningKey,
    pub(crate) id: [u8; 16],
    pub(crate) counter: u32,
    pub(crate) origin: String,
    pub(crate) rp: String,
    pub(crate) verifies_user: bool,
}

impl Authenticator {
    /// The credential with this number.
    pub(crate) fn new(number: u8) -> Self {
        Self {
            key: SigningKey::from_slice(&[number; 32]).unwrap(),
            id: [number; 16],
            counter: 0,
            origin: ORIGIN.into(),
            rp: "panel.example.com".into(),
            verifies_user: true,
        }
    }

    /// What `navigator.credentials.create` answers.
    pub(crate) fn create(&self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.create", options);
        let mut data = self.data(0x40);
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
            "id": text(&self.id), "rawId": text(&self.id), "type": "public-key",
            "response": { "attestationObject": text(&attestation), "clientDataJSON": text(&client_data), "transports": ["internal"] },
            "clientExtensionResults": {},
        })
    }

    /// What `navigator.credentials.get` answers.
    pub(crate) fn get(&self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", options);
        let data = self.data(0);
        let signed = [data.clone(), Sha256::digest(&client_data).to_vec()].concat();
        let signature: Signature = self.key.sign(&signed);
        json!({
            "id": text(&self.id), "rawId": text(&self.id), "type": "public-key",
            "response": {
                "authenticatorData": text(&data), "clientDataJSON": text(&client_data),
                "signature": text(signature.to_der().as_bytes()), "userHandle": null,
            },
            "clientExtensionResults": {},
        })
    }

    /// The answer to a challenge of the panel, as it is sent.
    pub(crate) fn answer(&self, challenge: &Value) -> Value {
        json!({ "ceremony": challenge["ceremony"], "credential": self.get(&challenge["options"]) })
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let data = json!({ "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false });
        data.to_string().into_bytes()
    }

    fn data(&self, flags: u8) -> Vec<u8> {
        let mut data = Sha256::digest(self.rp.as_bytes()).to_vec();
        data.push(0x01 | flags | if self.verifies_user { 0x04 } else { 0 });
        data.extend(self.counter.to_be_bytes());
        data
    }
}

fn text(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}
