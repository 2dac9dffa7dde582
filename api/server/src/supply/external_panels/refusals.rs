//! Sentences about a panel that did not answer as it should.

/// The guard's words in a sentence.
pub(super) fn refused(why: &str) -> String {
    format!("This address may not be called: {why}.")
}
