//! Verification documents: pictures that say who a customer is. Private: each look at one is in the audit log.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::DocumentId;
use crate::moment::Time;
use crate::upload::Picture;

crate::words! {
    /// What a verification document shows.
    DocumentGroup {
        Card = "card",
        Id = "id",
        Selfie = "selfie",
        AdditionalPhoto = "additional_photo",
    }
}

/// One document; the picture itself is another call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerificationDocument {
    /// Its id.
    pub id: DocumentId,
    /// What it shows.
    pub group: DocumentGroup,
    /// When it came.
    pub created_at: Time,
    /// Where the picture is read, with the caller's token; each look is audited.
    pub url: String,
}

/// The documents of one group, newest first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerificationGroup {
    /// What they show.
    pub group: DocumentGroup,
    /// The documents; often none.
    pub documents: Vec<VerificationDocument>,
}

/// Body of `POST users/{id}/verification-documents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationDocumentInput {
    /// What it shows.
    pub group: DocumentGroup,
    /// The picture: a new file.
    pub picture: Picture,
}

crate::wire!(VerificationDocument, VerificationGroup);
crate::upload!(VerificationDocumentInput);
