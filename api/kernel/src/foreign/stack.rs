//! Runs a parser of foreign data on its own thread, so that its stack has a known size and its panic becomes an error.

use std::thread::Builder;

/// Stack size of a parser in bytes. [`MAX_DEPTH`](super::MAX_DEPTH) levels of the deepest parser in use take less than a
/// quarter of it in a debug build.
pub const PARSER_STACK_BYTES: usize = 8 << 20;

/// The parser panicked, or its thread could not be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the parser failed")]
pub struct ParserPanicked;

/// Runs a parser on a thread with [`PARSER_STACK_BYTES`] of stack and waits for it.
pub fn parse_on_own_stack<T: Send>(parse: impl FnOnce() -> T + Send) -> Result<T, ParserPanicked> {
    std::thread::scope(|scope| {
        let builder = Builder::new().name("parser".into()).stack_size(PARSER_STACK_BYTES);
        let thread = builder.spawn_scoped(scope, parse).map_err(|_| ParserPanicked)?;
        thread.join().map_err(|_| ParserPanicked)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        assert_eq!(parse_on_own_stack(|| 7), Ok(7));
        assert_eq!(parse_on_own_stack(|| -> i32 { panic!("a bad date") }), Err(ParserPanicked));
    }
}
