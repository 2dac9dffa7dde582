//! Small programs on the client library, one in each file of `src/bin`; CI runs them.
