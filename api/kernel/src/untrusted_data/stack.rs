//! Runs a parser of untrusted data on a new thread, so that the stack has a known size and a panic of the parser becomes an error.

use std::thread::Builder;

/// Stack size of the thread in bytes. Parsing [`MAX_DEPTH`](super::MAX_DEPTH) nested levels needs less than a quarter of this
/// stack, even with the parser that uses the most stack, in a debug build.
pub const PARSER_STACK_BYTES: usize = 8 << 20;

/// The parser panicked, or its thread could not be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the parser failed")]
pub struct ParserFailed;

/// Runs a parser on a thread with [`PARSER_STACK_BYTES`] of stack and returns the result of the parser.
pub fn parse_on_new_thread<T: Send>(parse: impl FnOnce() -> T + Send) -> Result<T, ParserFailed> {
    std::thread::scope(|scope| {
        let builder = Builder::new().name("parser".into()).stack_size(PARSER_STACK_BYTES);
        let thread = builder.spawn_scoped(scope, parse).map_err(|_| ParserFailed)?;
        thread.join().map_err(|_| ParserFailed)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(parse_on_new_thread(|| 7), Ok(7));
        assert_eq!(parse_on_new_thread(|| -> i32 { panic!("a bad date") }), Err(ParserFailed));
    }
}
