//! Stores private files: encrypted with the key that seals secrets where `uploads.encrypt` is on, each bound to its name.
//!
//! The header of a file shows whether it is encrypted and by which key, so files from before the option was set, or before the
//! key changed, stay readable. This module sends no file to a caller.

use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt as _};
use object_store::path::Path as Key;
use object_store::{ObjectStore as _, ObjectStoreExt as _};
use panel_kernel::error::{Error, Result};
use panel_kernel::random::Random;

use super::{PRIVATE, Uploads, is_name, storage_error};
use crate::secrets::{HEADER, SealedBy, Secrets};

impl Uploads {
    pub(super) async fn put_private(&self, random: &Random, name: &str, bytes: Vec<u8>) -> Result<()> {
        let bytes = match self.encrypts {
            true => self.secrets.seal(random, &bytes, &place(name)).map_err(Error::Fault)?,
            false => bytes,
        };
        self.put(PRIVATE, name, bytes).await
    }

    /// A private file's original bytes; none where it is missing.
    pub async fn read_private(&self, name: &str) -> Result<Option<Bytes>> {
        let stored = self.read(PRIVATE, name).await?;
        stored.map(|stored| self.open_if_sealed(name, stored).map_err(Error::Fault)).transpose()
    }

    /// The names of all private files.
    pub fn private_names(&self) -> impl Stream<Item = Result<String>> + Send + Unpin + use<> {
        let files = self.store.list(Some(&Key::from(PRIVATE)));
        files.filter_map(|file| {
            let name = match file {
                Ok(file) => {
                    file.location.filename().filter(|name| is_name(name)).map(|name| Ok(name.to_owned()))
                }
                Err(error) => Some(Err(storage_error(error))),
            };
            std::future::ready(name)
        })
    }

    /// The key that sealed a private file; none where the file is not encrypted.
    pub async fn private_sealed_by(&self, name: &str) -> Result<Option<SealedBy>> {
        let key = Key::from_iter([PRIVATE, name]);
        let head = self.store.get_range(&key, 0..HEADER as u64).await.map_err(storage_error)?;
        Ok(Secrets::is_sealed(&head).then(|| self.secrets.sealed_by(&head)))
    }

    /// Seals a private file with the current key, where another key sealed it, or where it is plain and `uploads.encrypt` is on; returns
    /// whether the file was written. The inner error means that the file cannot be opened.
    pub async fn reseal_private(
        &self,
        random: &Random,
        name: &str,
    ) -> Result<std::result::Result<bool, String>> {
        match self.private_sealed_by(name).await? {
            Some(SealedBy::Current(_)) => return Ok(Ok(false)),
            None if !self.encrypts => return Ok(Ok(false)),
            _ => {}
        }
        // The file was deleted meanwhile.
        let Some(stored) = self.read(PRIVATE, name).await? else { return Ok(Ok(false)) };
        let sealed = self
            .open_if_sealed(name, stored)
            .and_then(|bytes| self.secrets.seal(random, &bytes, &place(name)));
        match sealed {
            Ok(sealed) => self.put(PRIVATE, name, sealed).await.map(|()| Ok(true)),
            Err(error) => Ok(Err(error)),
        }
    }

    fn open_if_sealed(&self, name: &str, stored: Bytes) -> std::result::Result<Bytes, String> {
        match Secrets::is_sealed(&stored) {
            true => self.secrets.open(&stored, &place(name)).map(Bytes::from),
            false => Ok(stored),
        }
    }
}

/// The place that a file is sealed for, so that the bytes of another file are refused under its name.
fn place(name: &str) -> String {
    format!("uploads|{PRIVATE}|{name}")
}
