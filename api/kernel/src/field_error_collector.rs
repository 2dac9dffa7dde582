//! Collects the field errors of a request from rules and from checks of referenced records, to report all of them before anything
//! is written.

use panel_contract::fields::FieldErrors;

use crate::error::{Error, Result};

/// Collected field errors of one request. A single rejection keeps its own code.
#[derive(Debug, Default)]
pub struct FieldErrorCollector(Option<Error>);

impl FieldErrorCollector {
    /// Records the field errors of a check, or returns its value. A rejection without field errors ends the request immediately,
    /// because it concerns the record or the caller and not the input.
    pub fn collect<T, E: Into<Error>>(&mut self, check: std::result::Result<T, E>) -> Result<Option<T>> {
        let error = match check.map_err(Into::into) {
            Ok(value) => return Ok(Some(value)),
            Err(error) => error,
        };
        let has_field_errors = matches!(&error, Error::Rejected(rejection) if rejection.has_field_errors());
        if !has_field_errors {
            return Err(error);
        }
        self.0 = Some(match (self.0.take(), error) {
            (Some(first), Error::Rejected(rejection)) => first.with_fields(rejection.errors),
            (_, error) => error,
        });
        Ok(None)
    }

    /// Whether no field error was recorded.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether `field` has an error.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        matches!(&self.0, Some(Error::Rejected(rejection)) if rejection.errors.0.contains_key(field))
    }

    /// The error of a request that `error` ends: recorded field errors come first, merged with those of `error`.
    #[must_use]
    pub fn finish_with(&mut self, error: Error) -> Error {
        let has_field_errors = matches!(&error, Error::Rejected(rejection) if rejection.has_field_errors());
        match self.0.take() {
            Some(Error::Rejected(rejection)) if has_field_errors => error.with_fields(rejection.errors),
            Some(first) => first,
            None => error,
        }
    }

    /// `Ok(value)` without field errors, otherwise all of them.
    pub fn into_result<T>(self, value: T) -> Result<T> {
        self.0.map_or(Ok(value), Err)
    }
}

impl From<FieldErrors> for FieldErrorCollector {
    fn from(errors: FieldErrors) -> Self {
        Self((!errors.0.is_empty()).then(|| errors.into()))
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::{CouponId, LabelId};

    use super::*;

    fn rejected(field: &str) -> Result<()> {
        Err(Error::invalid(field, "code_taken", "Take another."))
    }

    fn answer(field_errors: FieldErrorCollector) -> (&'static str, Vec<String>) {
        match field_errors.into_result(()) {
            Err(Error::Rejected(rejection)) => (rejection.code, rejection.errors.0.into_keys().collect()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn collects_all_fields_and_keeps_the_code_of_a_single_rejection() {
        assert!(FieldErrorCollector::from(FieldErrors::default()).into_result(()).is_ok());
        let mut field_errors = FieldErrorCollector::default();
        assert_eq!(field_errors.collect(Ok::<_, Error>(7)).unwrap(), Some(7));
        assert_eq!(field_errors.collect(rejected("code")).unwrap(), None);
        assert_eq!(answer(field_errors), ("code_taken", vec!["code".to_owned()]));
        let mut field_errors = FieldErrorCollector::from(FieldErrors::single("name", "Give a name."));
        field_errors.collect(rejected("code")).unwrap();
        assert_eq!(answer(field_errors), ("invalid", vec!["code".to_owned(), "name".to_owned()]));
    }

    #[test]
    fn recorded_fields_come_before_the_final_error() {
        let code = |error: Error| match error {
            Error::Rejected(rejection) => {
                (rejection.code, rejection.errors.0.into_keys().collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        };
        let mut field_errors =
            FieldErrorCollector::from(FieldErrors::single("icon", "Take a smaller image."));
        assert_eq!(
            code(field_errors.finish_with(Error::not_found("label", LabelId::new(7)))),
            ("invalid", vec!["icon".to_owned()])
        );
        assert_eq!(
            code(field_errors.finish_with(Error::not_found("label", LabelId::new(7)))).0,
            "not_found",
            "nothing is noted any more"
        );
        let mut field_errors =
            FieldErrorCollector::from(FieldErrors::single("icon", "Take a smaller image."));
        let both = field_errors.finish_with(Error::invalid("name", "invalid", "Give a name."));
        assert_eq!(code(both), ("invalid", vec!["icon".to_owned(), "name".to_owned()]));
    }

    #[test]
    fn a_rejection_without_fields_ends_the_request() {
        let mut field_errors = FieldErrorCollector::from(FieldErrors::single("name", "Give a name."));
        let gone = field_errors.collect(Err::<(), _>(Error::not_found("coupon", CouponId::new(7))));
        assert!(matches!(gone, Err(Error::Rejected(rejection)) if rejection.code == "not_found"));
    }
}
