//! This module is the only one that stores files. It decodes and re-encodes images, so that the store contains only their pixels.
//! Everyone can read a public image under its unguessable name. Only `http::files::serve_audited` and the audited export of all
//! data of a customer read private files.
//!
//! The server stores a file before it writes the record that refers to the file: a failure in between leaves an unused file, never
//! a record without its file. The files of replaced images are not deleted, because emails and caches may still show them.

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
use panel_contract::upload::ImageInput;
use panel_images::Limits;
use panel_kernel::error::{Error, Result};
use panel_kernel::random::Random;
use tokio::sync::Semaphore;

use crate::config::Config;
use crate::secrets::Secrets;
use worker::ImageWorker;

/// The URL path of public images.
const PUBLIC_PATH: &str = "/uploads/";
/// The folder of public images.
const PUBLIC_FOLDER: &str = "public";
/// The folder of private files.
const PRIVATE_FOLDER: &str = "private";

/// The file store and its limits.
pub struct Uploads {
    store: Arc<dyn ObjectStore>,
    limits: Limits,
    worker: ImageWorker,
    secrets: Secrets,
    random: Random,
    encrypts_private_files: bool,
}

/// The input of an image field, whose new image is stored already.
#[derive(Debug)]
pub struct StoredImageInput<'p> {
    field: &'p str,
    input: &'p ImageInput,
    /// The address of the new image, if the input contains one.
    new_address: Option<String>,
}

impl StoredImageInput<'_> {
    /// Returns the new value of the field: the address of the image, or `None` for no image. Returns an error if the input is the
    /// address of an existing image other than `current`.
    pub fn new_value(&self, current: Option<&str>) -> Result<Option<String>> {
        match self.input {
            ImageInput::Unchanged => Ok(current.map(str::to_owned)),
            ImageInput::None => Ok(None),
            ImageInput::Existing(url) if Some(url.as_str()) == current => Ok(Some(url.clone())),
            ImageInput::Existing(_) => Err(Error::invalid(
                self.field,
                "image_unknown",
                "This is not the address of the current image. Upload a file.",
            )),
            ImageInput::New(_) => Ok(self.new_address.clone()),
        }
    }
}

impl Uploads {
    /// Opens the folder or the bucket. The worker decodes one image at a time, and needs a permit of `decode_permits` for each.
    pub fn new(
        config: &Config,
        decode_permits: Arc<Semaphore>,
        secrets: Secrets,
        random: Random,
    ) -> Result<Self, String> {
        let uploads = &config.uploads;
        let to_message = |error: object_store::Error| format!("configuration: uploads: {error}");
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
                Arc::new(builder.build().map_err(to_message)?)
            }
            None => {
                let folder = uploads.folder.clone().unwrap_or_else(|| config.data_dir.join("uploads"));
                std::fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
                Arc::new(LocalFileSystem::new_with_prefix(folder).map_err(to_message)?)
            }
        };
        let limits = Limits {
            bytes: uploads.file_bytes,
            pixels: uploads.pixels,
            memory: uploads.memory_bytes,
            exact_size: None,
        };
        let worker = ImageWorker::start(decode_permits)
            .map_err(|error| format!("failed to start the image thread: {error}"))?;
        let encrypts_private_files = uploads.encrypt;
        Ok(Self { store, limits, worker, secrets, random, encrypts_private_files })
    }

    /// Stores the image of an input if it is new, and returns the new value of the record's image field as
    /// [`StoredImageInput::new_value`] does. A dry run checks the image and does not store it.
    pub async fn store_image(
        &self,
        dry_run: bool,
        field: &str,
        input: &ImageInput,
        current: Option<&str>,
    ) -> Result<Option<String>> {
        self.store_if_new(dry_run, field, input, None).await?.new_value(current)
    }

    /// Like [`Uploads::store_image`], for an image of exactly `size`, its width and height in pixels.
    pub async fn store_image_of_size(
        &self,
        dry_run: bool,
        field: &str,
        input: &ImageInput,
        current: Option<&str>,
        size: (u32, u32),
    ) -> Result<Option<String>> {
        self.store_if_new(dry_run, field, input, Some(size)).await?.new_value(current)
    }

    /// Stores a new image before the caller locks the record, so that no transaction waits for the decoding.
    /// [`StoredImageInput::new_value`] then returns the new value of the record's field.
    pub async fn store_image_before_lock<'p>(
        &self,
        dry_run: bool,
        field: &'p str,
        input: &'p ImageInput,
    ) -> Result<StoredImageInput<'p>> {
        self.store_if_new(dry_run, field, input, None).await
    }

    async fn store_if_new<'p>(
        &self,
        dry_run: bool,
        field: &'p str,
        input: &'p ImageInput,
        exact_size: Option<(u32, u32)>,
    ) -> Result<StoredImageInput<'p>> {
        let new_address = match input {
            ImageInput::New(bytes) => {
                let name = self.store_image_bytes(dry_run, PUBLIC_FOLDER, field, bytes, exact_size).await?;
                Some(format!("{PUBLIC_PATH}{name}"))
            }
            _ => None,
        };
        Ok(StoredImageInput { field, input, new_address })
    }

    /// Stores an image that only the audited endpoints of documents serve; returns its file name.
    pub async fn store_private(&self, dry_run: bool, field: &str, bytes: &[u8]) -> Result<String> {
        self.store_image_bytes(dry_run, PRIVATE_FOLDER, field, bytes, None).await
    }

    async fn store_image_bytes(
        &self,
        dry_run: bool,
        folder: &str,
        field: &str,
        bytes: &[u8],
        exact_size: Option<(u32, u32)>,
    ) -> Result<String> {
        let limits = Limits { exact_size, ..self.limits };
        let to_field_error = |message| Error::invalid(field, "image_invalid", message);
        panel_images::check(bytes, limits).map_err(to_field_error)?;
        let result = self.worker.sanitize(bytes, limits).await.map_err(Error::Internal)?;
        let image = result.map_err(to_field_error)?;
        let name = format!("{}.{}", self.random.token(), image.extension);
        if !dry_run {
            match folder {
                PRIVATE_FOLDER => self.put_private(&self.random, &name, image.bytes).await?,
                _ => self.put(folder, &name, image.bytes).await?,
            }
        }
        Ok(name)
    }

    /// Stores a PNG that the panel itself created; returns the address of a public image, or the file name of a private one.
    pub async fn store_png(&self, random: &Random, is_public: bool, png: Vec<u8>) -> Result<String> {
        let name = format!("{}.png", random.token());
        if is_public {
            self.put(PUBLIC_FOLDER, &name, png).await?;
            return Ok(format!("{PUBLIC_PATH}{name}"));
        }
        self.put_private(random, &name, png).await?;
        Ok(name)
    }

    async fn put(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.store.put(&Key::from_iter([folder, name]), bytes.into()).await.map_err(storage_error)?;
        Ok(())
    }

    /// Reads a private file for the export of all data of its customer, which has one audit entry for all files; `None` if the file
    /// is missing.
    pub async fn read_private_for_export(&self, name: &str) -> Result<Option<Bytes>> {
        self.read_private(name).await
    }

    /// Deletes a private file; a missing file is not an error.
    pub async fn delete_private(&self, name: &str) -> Result<()> {
        if !is_file_name(name) {
            return Ok(());
        }
        match self.store.delete(&Key::from_iter([PRIVATE_FOLDER, name])).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(storage_error(error)),
        }
    }

    /// Reads a public image by its address; `None` if the file is missing.
    pub async fn read_public_image(&self, address: &str) -> Result<Option<Bytes>> {
        match address.strip_prefix(PUBLIC_PATH) {
            Some(name) => self.read(PUBLIC_FOLDER, name).await,
            None => Ok(None),
        }
    }

    /// Reads a file; `None` if it is missing.
    pub async fn read(&self, folder: &str, name: &str) -> Result<Option<Bytes>> {
        if !is_file_name(name) {
            return Ok(None);
        }
        match self.store.get(&Key::from_iter([folder, name])).await {
            Ok(file) => Ok(Some(file.bytes().await.map_err(storage_error)?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(storage_error(error)),
        }
    }
}

/// Whether a name has the form of the names of stored files: no folder, and one dot.
fn is_file_name(name: &str) -> bool {
    name.split_once('.').is_some_and(|(stem, extension)| {
        let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !stem.is_empty()
            && stem.bytes().all(is_allowed)
            && extension.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn storage_error(error: object_store::Error) -> Error {
    Error::Internal(format!("the file store: {error}"))
}
