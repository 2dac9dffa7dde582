//! Identity documents of customers. Because they are private, the audit log records each view.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ids::DocumentId;
use crate::moment::Time;
use crate::upload::ImageInput;

crate::string_enum! {
    /// Type of an identity document.
    DocumentGroup {
        Card = "card",
        Id = "id",
        Selfie = "selfie",
        AdditionalPhoto = "additional_photo",
    }
}

/// An identity document without its image, which `url` returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerificationDocument {
    /// Id of the document.
    pub id: DocumentId,
    /// Type of the document.
    pub group: DocumentGroup,
    /// When the document was uploaded.
    pub created_at: Time,
    /// URL of the image, which requires the caller's token. Each view is recorded in the audit log.
    pub url: String,
}

/// The identity documents of one type.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct VerificationGroup {
    /// Type of all documents in the group.
    pub group: DocumentGroup,
    /// Documents of this type, newest first; may be empty.
    pub documents: Vec<VerificationDocument>,
}

/// Body of `POST users/{id}/verification-documents`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct VerificationDocumentInput {
    /// Type of the document.
    pub group: DocumentGroup,
    /// Image file to upload; required.
    pub picture: ImageInput,
}

crate::json_bodies!(VerificationDocument, VerificationGroup);
crate::image_bodies!(VerificationDocumentInput);
