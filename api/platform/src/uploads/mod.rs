//! Files: the only room that keeps them. Images are decoded and written anew, so that nothing but pixels is kept;
//! public ones are served to everyone under a name that cannot be guessed, private ones only through `http::files::reveal` and in
//! an audited copy of all data of their customer. No resource opens the store itself.
//!
//! A file is kept before the record that names it is written: what fails then leaves a file that nothing names, never
//! a record without its file. Files of replaced images stay, as mails and caches may still show them.

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

/// Where public images are in addresses.
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

/// The input of an image field whose new image, if there is one, is kept already.
#[derive(Debug)]
pub struct Offered<'p> {
    field: &'p str,
    picture: &'p Picture,
    new: Option<String>,
}

impl Offered<'_> {
    /// What the field holds then: the address of the image, or none. `now` is what it holds; an address other than that
    /// is refused.
    pub fn over(&self, now: Option<&str>) -> Result<Option<String>> {
        match self.picture {
            Picture::Unchanged => Ok(now.map(str::to_owned)),
            Picture::None => Ok(None),
            Picture::Kept(url) if Some(url.as_str()) == now => Ok(Some(url.clone())),
            Picture::Kept(_) => Err(Error::invalid(
                self.field,
                "picture_unknown",
                "This is not the address of the present image; send a file.",
            )),
            Picture::New(_) => Ok(self.new.clone()),
        }
    }
}

impl Uploads {
    /// Opens the folder or the bucket. One image at a time is decoded, and none without a permit of `unfolding`.
    pub fn new(
        config: &Config,
        unfolding: Arc<Semaphore>,
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
        let worker =
            ImageWorker::start(unfolding).map_err(|error| format!("the thread of images: {error}"))?;
        Ok(Self { store, limits, worker, secrets, random, encrypts: uploads.encrypt })
    }

    /// What a record's image field holds after an input: the address of the image, or none. `now` is what it holds;
    /// an address other than that is refused. On a dry run the image is checked and not kept.
    pub async fn picture(
        &self,
        dry_run: bool,
        field: &str,
        picture: &Picture,
        now: Option<&str>,
    ) -> Result<Option<String>> {
        self.offered_of(dry_run, field, picture, None).await?.over(now)
    }

    /// The same for an image that must be exactly so wide and high.
    pub async fn picture_of(
        &self,
        dry_run: bool,
        field: &str,
        picture: &Picture,
        now: Option<&str>,
        size: (u32, u32),
    ) -> Result<Option<String>> {
        self.offered_of(dry_run, field, picture, Some(size)).await?.over(now)
    }

    /// Keeps a new image before the record is locked: an image takes its time, and nobody waits for it. Then
    /// [`Offered::over`] says what the record's field holds.
    pub async fn offered<'p>(
        &self,
        dry_run: bool,
        field: &'p str,
        picture: &'p Picture,
    ) -> Result<Offered<'p>> {
        self.offered_of(dry_run, field, picture, None).await
    }

    async fn offered_of<'p>(
        &self,
        dry_run: bool,
        field: &'p str,
        picture: &'p Picture,
        exact: Option<(u32, u32)>,
    ) -> Result<Offered<'p>> {
        let new = match picture {
            Picture::New(bytes) => {
                let name = self.keep(dry_run, "public", field, bytes, exact).await?;
                Some(format!("{PUBLIC}{name}"))
            }
            _ => None,
        };
        Ok(Offered { field, picture, new })
    }

    /// Keeps an image that only `http::files::reveal` shows; its key.
    pub async fn keep_private(&self, dry_run: bool, field: &str, bytes: &[u8]) -> Result<String> {
        self.keep(dry_run, PRIVATE, field, bytes, None).await
    }

    async fn keep(
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

    /// Keeps a PNG that the panel drew itself: the address of a public one, the key of a private one.
    pub async fn plant(&self, random: &Random, is_public: bool, png: Vec<u8>) -> Result<String> {
        let name = format!("{}.png", random.token());
        if is_public {
            self.put("public", &name, png).await?;
            return Ok(format!("{PUBLIC}{name}"));
        }
        self.put_private(random, &name, png).await?;
        Ok(name)
    }

    async fn put(&self, folder: &str, name: &str, bytes: Vec<u8>) -> Result<()> {
        self.store.put(&Key::from_iter([folder, name]), bytes.into()).await.map_err(lost)?;
        Ok(())
    }

    /// A private file's bytes for a copy of everything about its customer, which is audited as a whole; none when there is no
    /// such file.
    pub async fn copy_private(&self, key: &str) -> Result<Option<Bytes>> {
        self.read_private(key).await
    }

    /// Removes a private file for good; one that is not there any more is no error.
    pub async fn remove_private(&self, key: &str) -> Result<()> {
        if !is_name(key) {
            return Ok(());
        }
        match self.store.delete(&Key::from_iter([PRIVATE, key])).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(lost(error)),
        }
    }

    /// The bytes of a public image by its address; none where there is no such file.
    pub async fn public_image(&self, address: &str) -> Result<Option<Bytes>> {
        match address.strip_prefix(PUBLIC) {
            Some(name) => self.read("public", name).await,
            None => Ok(None),
        }
    }

    /// A file's bytes; none when there is no such file.
    pub async fn read(&self, folder: &str, name: &str) -> Result<Option<Bytes>> {
        if !is_name(name) {
            return Ok(None);
        }
        match self.store.get(&Key::from_iter([folder, name])).await {
            Ok(found) => Ok(Some(found.bytes().await.map_err(lost)?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(lost(error)),
        }
    }
}

/// A name that this room gave: no folders, no dots but one.
fn is_name(name: &str) -> bool {
    name.split_once('.').is_some_and(|(stem, extension)| {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        !stem.is_empty()
            && stem.bytes().all(is_plain)
            && extension.bytes().all(|byte| byte.is_ascii_lowercase())
    })
}

#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
fn lost(error: object_store::Error) -> Error {
    Error::Fault(format!("the file store: {error}"))
}
