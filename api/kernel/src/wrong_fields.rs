//! Collects the field errors of a request from rules and from checks of referenced records, to report all of them before anything
//! is written.

use panel_contract::fields::FieldErrors;

use crate::error::{Error, Result};

/// Collected field errors of one request. A single rejection keeps its own code.
#[derive(Debug, Default)]
pub struct WrongFields(Option<Error>);

impl WrongFields {
    /// Records the field errors of a check, or returns its value. A rejection without field errors ends the request immediately,
    /// because it concerns the record or the caller and not the input.
    pub fn record<T, E: Into<Error>>(&mut self, check: std::result::Result<T, E>) -> Result<Option<T>> {
        let error = match check.map_err(Into::into) {
            Ok(value) => return Ok(Some(value)),
            Err(error) => error,
        };
        let names_fields = matches!(&error, Error::Rejected(rejection) if rejection.names_fields());
        if !names_fields {
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
        let names_fields = matches!(&error, Error::Rejected(rejection) if rejection.names_fields());
        match self.0.take() {
            Some(Error::Rejected(rejection)) if names_fields => error.with_fields(rejection.errors),
            Some(first) => first,
            None => error,
        }
    }

    /// `Ok(value)` without field errors, otherwise all of them.
    pub fn or<T>(self, value: T) -> Result<T> {
        self.0.map_or(Ok(value), Err)
    }
}

impl From<FieldErrors> for WrongFields {
    fn from(errors: FieldErrors) -> Self {
        Self((!errors.0.is_empty()).then(|| errors.into()))
    }
}

#[cfg(test)]
mod tests {
    use panel_contract::ids::{CouponId, LabelId};

    use super::*;

    fn refused(field: &str) -> Result<()> {
        Err(Error::invalid(field, "code_taken", "Take another."))
    }

    fn answer(wrong: WrongFields) -> (&'static str, Vec<String>) {
        match wrong.or(()) {
            Err(Error::Rejected(rejection)) => (rejection.code, rejection.errors.0.into_keys().collect()),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn collects_all_fields_and_keeps_the_code_of_a_single_rejection() {
        assert!(WrongFields::from(FieldErrors::default()).or(()).is_ok());
        let mut wrong = WrongFields::default();
        assert_eq!(wrong.record(Ok::<_, Error>(7)).unwrap(), Some(7));
        assert_eq!(wrong.record(refused("code")).unwrap(), None);
        assert_eq!(answer(wrong), ("code_taken", vec!["code".to_owned()]));
        let mut wrong = WrongFields::from(FieldErrors::one("name", "Give a name."));
        wrong.record(refused("code")).unwrap();
        assert_eq!(answer(wrong), ("invalid", vec!["code".to_owned(), "name".to_owned()]));
    }

    #[test]
    fn recorded_fields_come_before_the_final_error() {
        let code = |error: Error| match error {
            Error::Rejected(rejection) => {
                (rejection.code, rejection.errors.0.into_keys().collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        };
        let mut wrong = WrongFields::from(FieldErrors::one("icon", "Take a smaller image."));
        assert_eq!(
            code(wrong.finish_with(Error::not_found("label", LabelId::new(7)))),
            ("invalid", vec!["icon".to_owned()])
        );
        assert_eq!(
            code(wrong.finish_with(Error::not_found("label", LabelId::new(7)))).0,
            "not_found",
            "nothing is noted any more"
        );
        let mut wrong = WrongFields::from(FieldErrors::one("icon", "Take a smaller image."));
        let both = wrong.finish_with(Error::invalid("name", "invalid", "Give a name."));
        assert_eq!(code(both), ("invalid", vec!["icon".to_owned(), "name".to_owned()]));
    }

    #[test]
    fn a_rejection_without_fields_ends_the_request() {
        let mut wrong = WrongFields::from(FieldErrors::one("name", "Give a name."));
        let gone = wrong.record(Err::<(), _>(Error::not_found("coupon", CouponId::new(7))));
        assert!(matches!(gone, Err(Error::Rejected(rejection)) if rejection.code == "not_found"));
    }
}
