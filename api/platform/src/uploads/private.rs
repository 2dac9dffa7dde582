//! Stores private files. With `uploads.encrypt` it encrypts them with the key that seals secrets, and binds each file to its name.
//!
//! The header of a file shows whether it is encrypted and with which key, so files from before the option or the key changed stay
//! readable. This module sends no file to a caller.

use bytes::Bytes;
use futures_util::stream::{Stream, StreamExt as _};
use object_store::path::Path as Key;
use object_store::{ObjectStore as _, ObjectStoreExt as _};
use panel_kernel::error::{Error, Result};
use panel_kernel::random::Random;

use super::{PRIVATE_FOLDER, Uploads, is_file_name, storage_error};
use crate::secrets::{HEADER_LEN, SealedBy, Secrets};

impl Uploads {
    pub(super) async fn put_private(&self, random: &Random, name: &str, bytes: Vec<u8>) -> Result<()> {
        let bytes = match self.encrypts_private_files {
            true => self.secrets.seal(random, &bytes, &associated_data(name)).map_err(Error::Internal)?,
            false => bytes,
        };
        self.put(PRIVATE_FOLDER, name, bytes).await
    }

    /// Reads and decrypts a private file; `None` if it is missing.
    pub async fn read_private(&self, name: &str) -> Result<Option<Bytes>> {
        let stored = self.read(PRIVATE_FOLDER, name).await?;
        stored.map(|stored| self.open_if_sealed(name, stored).map_err(Error::Internal)).transpose()
    }

    pub fn list_private_names(&self) -> impl Stream<Item = Result<String>> + Send + Unpin + use<> {
        let files = self.store.list(Some(&Key::from(PRIVATE_FOLDER)));
        files.filter_map(|file| {
            let name = match file {
                Ok(file) => {
                    file.location.filename().filter(|name| is_file_name(name)).map(|name| Ok(name.to_owned()))
                }
                Err(error) => Some(Err(storage_error(error))),
            };
            std::future::ready(name)
        })
    }

    /// Finds the key that sealed a private file; `None` if the file is not encrypted.
    pub async fn private_sealed_by(&self, name: &str) -> Result<Option<SealedBy>> {
        let key = Key::from_iter([PRIVATE_FOLDER, name]);
        let head = self.store.get_range(&key, 0..HEADER_LEN as u64).await.map_err(storage_error)?;
        Ok(Secrets::is_sealed(&head).then(|| self.secrets.sealed_by(&head)))
    }

    /// Seals a private file with the current key if another key sealed it, or if it is not encrypted and `uploads.encrypt` is on.
    /// Returns whether it has written the file. The inner error means that no configured key can decrypt the file.
    pub async fn reseal_private(
        &self,
        random: &Random,
        name: &str,
    ) -> Result<std::result::Result<bool, String>> {
        match self.private_sealed_by(name).await? {
            Some(SealedBy::Current(_)) => return Ok(Ok(false)),
            None if !self.encrypts_private_files => return Ok(Ok(false)),
            _ => {}
        }
        // The file may have been deleted since it was listed.
        let Some(stored) = self.read(PRIVATE_FOLDER, name).await? else { return Ok(Ok(false)) };
        let sealed = self
            .open_if_sealed(name, stored)
            .and_then(|bytes| self.secrets.seal(random, &bytes, &associated_data(name)));
        match sealed {
            Ok(sealed) => self.put(PRIVATE_FOLDER, name, sealed).await.map(|()| Ok(true)),
            Err(error) => Ok(Err(error)),
        }
    }

    fn open_if_sealed(&self, name: &str, stored: Bytes) -> std::result::Result<Bytes, String> {
        match Secrets::is_sealed(&stored) {
            true => self.secrets.open(&stored, &associated_data(name)).map(Bytes::from),
            false => Ok(stored),
        }
    }
}

/// Binds a sealed file to its name, so that the bytes of one file cannot be decrypted as another file.
fn associated_data(name: &str) -> String {
    format!("uploads|{PRIVATE_FOLDER}|{name}")
}
