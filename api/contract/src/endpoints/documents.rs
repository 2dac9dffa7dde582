//! Endpoints of verification documents.

use crate::common::Data;
use crate::documents::*;
use crate::endpoint::{NoBody, NoQuery};
use crate::ids::{DocumentId, UserId};
use crate::upload::FileBytes;

crate::endpoints! { $ for_each_documents_endpoint "users";
    /// A customer's verification documents by group.
    ListVerificationDocuments list_verification_documents: GET "/api/v1/admin/users/{id}/verification-documents" [ViewUsers] (UserId, NoQuery, NoBody) -> Data<Vec<VerificationGroup>>;
    /// Adds a verification document that came another way, such as by mail.
    AddVerificationDocument add_verification_document: POST "/api/v1/admin/users/{id}/verification-documents" [ManageUsers] (UserId, NoQuery, VerificationDocumentInput) -> Data<VerificationDocument>;
    /// The picture of a verification document; each look is audited.
    ShowVerificationDocument show_verification_document: GET "/api/v1/admin/users/{id}/verification-documents/{document_id}" [ViewUsers] ((UserId, DocumentId), NoQuery, NoBody) -> FileBytes;
}
