//! Endpoints of identity documents of customers.

use crate::common::Data;
use crate::documents::*;
use crate::endpoint::{EmptyBody, EmptyQuery};
use crate::ids::{DocumentId, UserId};
use crate::upload::FileBytes;

crate::endpoints! { $ for_each_documents_endpoint "users";
    /// Lists the identity documents of a customer, by type.
    ListVerificationDocuments list_verification_documents: GET "/api/v1/admin/users/{id}/verification-documents" [ViewUsers] (UserId, EmptyQuery, EmptyBody) -> Data<Vec<VerificationGroup>>;
    /// Adds an identity document that was received in another way, such as by email.
    AddVerificationDocument add_verification_document: POST "/api/v1/admin/users/{id}/verification-documents" [ManageUsers] (UserId, EmptyQuery, VerificationDocumentInput) -> Data<VerificationDocument>;
    /// Retrieves the image of an identity document; the audit log records each view.
    ShowVerificationDocument show_verification_document: GET "/api/v1/admin/users/{id}/verification-documents/{document_id}" [ViewUsers] ((UserId, DocumentId), EmptyQuery, EmptyBody) -> FileBytes;
}
