//! The wrong fields of one request, from its rules and from the checks of what it refers to: collected, and answered at
//! once before anything is written.

use panel_contract::fields::FieldErrors;

use crate::error::{Error, Result};

/// What the checks of one request found. A single refusal keeps its own code.
#[derive(Debug, Default)]
pub struct WrongFields(Option<Error>);

impl WrongFields {
    /// Notes a check that refused some fields; its value where it passed. A refusal that names no field ends the request at
    /// once: it concerns the record or the caller, and not what was typed.
    pub fn note<T, E: Into<Error>>(&mut self, check: std::result::Result<T, E>) -> Result<Option<T>> {
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

    /// Whether no check refused a field yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// Whether a check refused this field.
    #[must_use]
    pub fn has(&self, field: &str) -> bool {
        matches!(&self.0, Some(Error::Rejected(rejection)) if rejection.errors.0.contains_key(field))
    }

    /// The answer to a request that `error` ends: the fields that were noted before it come first, and those that it names
    /// stand beside them.
    #[must_use]
    pub fn ending(&mut self, error: Error) -> Error {
        let names_fields = matches!(&error, Error::Rejected(rejection) if rejection.names_fields());
        match self.0.take() {
            Some(Error::Rejected(rejection)) if names_fields => error.with_fields(rejection.errors),
            Some(first) => first,
            None => error,
        }
    }

    /// `Ok(value)` where no check refused a field, else everything that is wrong.
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
    fn all_fields_are_named_and_one_refusal_keeps_its_code() {
        assert!(WrongFields::from(FieldErrors::default()).or(()).is_ok());
        let mut wrong = WrongFields::default();
        assert_eq!(wrong.note(Ok::<_, Error>(7)).unwrap(), Some(7));
        assert_eq!(wrong.note(refused("code")).unwrap(), None);
        assert_eq!(answer(wrong), ("code_taken", vec!["code".to_owned()]));
        let mut wrong = WrongFields::from(FieldErrors::one("name", "Give a name."));
        wrong.note(refused("code")).unwrap();
        assert_eq!(answer(wrong), ("invalid", vec!["code".to_owned(), "name".to_owned()]));
    }

    #[test]
    fn noted_fields_come_before_what_ends_the_request() {
        let code = |error: Error| match error {
            Error::Rejected(rejection) => {
                (rejection.code, rejection.errors.0.into_keys().collect::<Vec<_>>())
            }
            other => panic!("{other:?}"),
        };
        let mut wrong = WrongFields::from(FieldErrors::one("icon", "Take a smaller image."));
        assert_eq!(
            code(wrong.ending(Error::not_found("label", LabelId::new(7)))),
            ("invalid", vec!["icon".to_owned()])
        );
        assert_eq!(
            code(wrong.ending(Error::not_found("label", LabelId::new(7)))).0,
            "not_found",
            "nothing is noted any more"
        );
        let mut wrong = WrongFields::from(FieldErrors::one("icon", "Take a smaller image."));
        let both = wrong.ending(Error::invalid("name", "invalid", "Give a name."));
        assert_eq!(code(both), ("invalid", vec!["icon".to_owned(), "name".to_owned()]));
    }

    #[test]
    fn what_names_no_field_ends_the_request() {
        let mut wrong = WrongFields::from(FieldErrors::one("name", "Give a name."));
        let gone = wrong.note(Err::<(), _>(Error::not_found("coupon", CouponId::new(7))));
        assert!(matches!(gone, Err(Error::Rejected(rejection)) if rejection.code == "not_found"));
    }
}
