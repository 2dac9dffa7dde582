//! Endpoint of translation by machine.

use crate::common::Data;
use crate::endpoint::NoQuery;
use crate::translate::{TranslateInput, Translated};

crate::endpoints! { $ for_each_translate_endpoint "translate";
    /// Texts in another language; nothing is saved.
    Translate translate: POST "/api/v1/admin/translate" [bearer] ((), NoQuery, TranslateInput) -> Data<Translated>;
}
