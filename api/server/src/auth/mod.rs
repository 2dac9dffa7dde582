//! Signing in and out: who is calling. Never says why a password was wrong, never keeps a token in plain.

pub mod sessions;
