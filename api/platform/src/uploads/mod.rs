//! The only module that stores files. It decodes and re-encodes images, so that only their pixels are stored. Everyone can read a
//! public image under its unguessable name; a private file is served only by `http::files::serve_audited` and in an audited copy of
//! all data of its customer. No resource opens the store itself.
//!
//! A file is stored before the record that refers to it is written: a failure in between leaves an unused file, never a record
//! without its file. Files of replaced images stay, as emails and caches may still show them.

#[cfg(test)]
mod fuzz;
mod private;
mod worker;

use std::sync::Arc;

use bytes::Bytes;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt as _};
use panel_contract::upload::Picture;
use panel_images::Limits;
use panel_kernel::error::{Error, Result};
use panel_kernel::random::Random;
use tokio::sync::Semaphore;

use crate::config::Config;
use crate::secrets::Secrets;
use worker::ImageWorker;

/// The path prefix of public images.
const PUBLIC: &str = "/uploads/";
/// The folder of private files.
const PRIVATE: &str = "private";

/// The store and its limits.
pub struct Uploads {
    store: Arc<dyn ObjectStore>,
    limits: Limits,
    worker: ImageWorker,
    secrets: Secrets,
    random: Random,
    encrypts: bool,
}

/// The input of an image field, whose new image is stored already.
#[derive(Debug)]
pub struct StoredImage<'p> {
    field: &'p str,
    picture: &'p Picture,
    new: Option<String>,
}

impl StoredImage<'_> {
    /// The new value of the field: the address of the image, or none. An address other than `current` is refused.
    pub fn new_value(&self, current: Option<&str>) -> Result<Option<String>> {
        match self.picture {
            Picture::Unchanged => Ok(current.map(str::to_owned)),
            Picture::None => Ok(None),
            Picture::Existing(url) if Some(url.as_str()) == current => Ok(Some(url.clone())),
            Picture::Existing(_) => Err(Error::invalid(
                self.field,
                "picture_unknown",
                "This is not the address of the current image. Upload a file.",
            )),
            Picture::New(_) => Ok(self.new.clone()),
        }
    }
}

impl Uploads {
    /// Opens the folder or the bucket. The worker decodes one image at a time, each under a permit of `decode_permits`.
    pub fn new(
        config: &Config,
        decode_permits: Arc<Semaphore>,
        secrets: Secrets,
        random: Random,
    ) -> Result<Self, String> {
        let uploads = &config.uploads;
        let failed = |error: object_store::Error| format!("configuration: uploads: {error}");
        let store: Arc<dyn ObjectStore> = match &uploads.s3 {
            Some(s3) => {
                let builder = AmazonS3Builder::new()
                    .with_bucket_name(&s3.bucket)
                    .with_region(&s3.region)
                    .with_access_key_id(&s3.access_key_id)
                    .with_secret_access_key(&s3.secret_access_key);
                let builder = match &s3.endpoint {
                    Some(endpoint) => {
                        builder.with_endpoint(endpoint).with_allow_http(endpoint.starts_with("http://"))
                    }
                    None => builder,
                };
                Arc::new(builder.build().map_err(failed)?)
            }
            None => {
                let folder = uploads.folder.clone().unwrap_or_else(|| config.data_dir.join("uploads"));
                std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                Arc::new(LocalFileSystem::new_with_prefix(folder).map_err(failed)?)
            }
        };
        let limits = Limits {
            bytes: uploads.file_bytes,
            pixels: uploads.pixels,
            memory: uploads.memory_bytes,
            exact: None,
        };
        let worker = ImageWorker::start(decode_permits)
            .map_err(|error| format!("failed to start the image thread: {error}"))?;
        Ok(Self { store, limits, worker, secrets, random, encrypts: uploads.encrypt })
    }

    /// Stores a new image, and returns the new value of a record's image field: the address of the image, or none. An address other
    /// than `current` is refused. A dry run checks the image and does not store it.
    pub async fn store_picture(
        &self,
        dry_run: bool,
        field: &str,
        picture: &Picture,
        current: Option<&str>,
    ) -> Result<Option<String>> {
        self.store_if_new(dry_run, field, picture, None).await?.new_value(current)
    }

    /// Like [`Uploads::store_picture`], for an image of exactly `size`, its width and height in pixels.
    pub async fn store_picture_of_size(
        &self,
        dry_run: bool,
        field: &str,
        picture: &Picture,
        current: Option<&str>,
        size: (u32, u32),
    ) -> Result<Option<String>> {
        self.store_if_new(dry_run, field, picture, Some(size)).await?.new_value(current)
    }

    /// Stores a new image before the record is locked, so that no transaction waits for the decoding. [`StoredImage::new_value`] then
    /// returns the new value of the record's field.
    pub async fn store_new_image<'p>(
        &self,
        dry_run: bool,
        field: &'p str,
        picture: &'p Picture,
    ) -> Result<StoredImage<'p>> {
        self.store_if_new(dry_run, field, picture, None).await
    }

    async fn store_if_new<'p>(
        &self,
        dry_run: bool,
        field: &'p str,
        picture: &'p Picture,
        exact: Option<(u32, u32)>,
    ) -> Result<StoredImage<'p>> {
        let new = match picture {
            Picture::New(bytes) => {
                let name = self.store_image(dry_run, "public", field, bytes, exact).await?;
                Some(format!("{PUBLIC}{name}"))
            }
            _ => None,
        };
        Ok(StoredImage { field, picture, new })
    }

    /// Stores an image that only the audited endpoints of documents serve; returns its key.
    pub async fn store_private(&self, dry_run: bool, field: &str, bytes: &[u8]) -> Result<String> {
        self.store_image(dry_run, PRIVATE, field, bytes, None).await
    }

    async fn store_image(
        &self,
        dry_run: bool,
        folder: &str,
        field: &str,
        bytes: &[u8],
        exact: Option<(u32, u32)>,
    ) -> Result<String> {
        let limits = Limits { exact, ..self.limits };
        let refused = |message| Error::invalid(field, "picture_invalid", message);
        panel_images::check(bytes, limits).map_err(refused)?;
        let clean = self.worker.clean(bytes, limits).await.map_err(Error::Fault)?.map_err(refused)?;
        let name = format!("{}.{}", self.random.token(), clean.extension);
        if !dry_run {
            match folder {
                PRIVATE => self.put_private(&self.random, &name, clean.bytes).await?,
                _ => self.put(folder, &name, clean.bytes).await?,
            }
        }
        Ok(name)
    }

    /// Stores a PNG that the panel drew itself; returns the address of a public one, or the key of a private one.
    pub async fn store_png(&self, random: &Random, is_public: bool, png: Vec<u8>) -> Result<String> {
        let name = format!("{}.png", random.token());
        if is_public {
            self.put("public", &name, png).await?;
            return Ok(format!("{PUBLIC}{name}"));
        }
        self.put_private(random, &name, png).await?;
        Ok(name)
    }

    async fn put(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.store.put(&Key::from_iter([folder, name]), bytes.into()).await.map_err(storage_error)?;
        Ok(())
    }

    /// A private file's bytes for the copy of all data of its customer, which has one audit entry for all files; none where the file is
    /// missing.
    pub async fn copy_private(&self, key: &str) -> Result<Option<Bytes>> {
        self.read_private(key).await
    }

    /// Deletes a private file; a missing one is no error.
    pub async fn remove_private(&self, key: &str) -> Result<()> {
        if !is_name(key) {
            return Ok(());
        }
        match self.store.delete(&Key::from_iter([PRIVATE, key])).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(storage_error(error)),
        }
    }

    /// The bytes of a public image by its address; none where the file is missing.
    pub async fn public_image(&self, address: &str) -> Result<Option<Bytes>> {
        match address.strip_prefix(PUBLIC) {
            Some(name) => self.read("public", name).await,
            None => Ok(None),
        }
    }

    /// A file's bytes; none where it is missing.
    pub async fn read(&self, folder: &str, name: &str) -> Result<Option<Bytes>> {
        if !is_name(name) {
            return Ok(None);
        }
        match self.store.get(&Key::from_iter([folder, name])).await {
            Ok(file) => Ok(Some(file.bytes().await.map_err(storage_error)?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(storage_error(error)),
        }
    }
}

/// Whether the name has the form of a stored file: no folder, and one dot.
fn is_name(name: &str) -> bool {
    name.split_once('.').is_some_and(|(stem, extension)| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !stem.is_empty()
            && stem.bytes().all(is_plain)
            && extension.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn storage_error(error: object_store::Error) -> Error {
    Error::Fault(format!("the file store: {error}"))
}
