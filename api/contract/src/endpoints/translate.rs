//! Endpoint of machine translation.

use crate::common::Data;
use crate::endpoint::EmptyQuery;
use crate::translate::{TranslateInput, TranslationResult};

crate::endpoints! { $ for_each_translate_endpoint "translate";
    /// Translates texts without saving anything.
    Translate translate: POST "/api/v1/admin/translate" [bearer] ((), EmptyQuery, TranslateInput) -> Data<TranslationResult>;
}
