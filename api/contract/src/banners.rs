//! Banners as they cross the wire: one for a place at most, with slides in their order.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Patch, Translations};
use crate::ids::{BannerId, SlideId};
use crate::moment::Stamp;
use crate::upload::Picture;

crate::words! {
    /// Where a banner stands.
    BannerPlace {
        DashboardHeader = "dashboard_header",
        DashboardTile = "dashboard_tile",
        OrdersHeader = "orders_header",
        OrderHeader = "order_header",
        DripFeedHeader = "drip_feed_header",
        SubscriptionHeader = "subscription_header",
        ServicesHeader = "services_header",
        ServicesFooter = "services_footer",
        ProfileHeader = "profile_header",
        TasksHeader = "tasks_header",
        CreateOrderHeader = "create_order_header",
        Sidebar = "sidebar",
        ServicesMain = "services_main",
        ServicesLong = "services_long",
        ServicesLittleLeft = "services_little_left",
        ServicesLittleRight = "services_little_right",
        ComboOrdersHeader = "combo_orders_header",
        PaymentsHeader = "payments_header",
        AffiliatesHeader = "affiliates_header",
    }
}

crate::words! {
    /// What a banner shows.
    BannerType {
        /// Nothing: it is switched off, and its slides are kept.
        None = "none",
        /// Its slides, one after the other.
        Slider = "slider",
        /// Its content.
        Content = "content",
    }
}

/// Pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PictureSize {
    /// Wide.
    pub width: u32,
    /// High.
    pub height: u32,
}

impl PictureSize {
    const fn of(width: u32, height: u32) -> Self {
        Self { width, height }
    }
}

impl BannerPlace {
    /// The sizes of a slide's background and of the image on it.
    #[must_use]
    pub const fn sizes(self) -> (PictureSize, PictureSize) {
        match self {
            Self::Sidebar => (PictureSize::of(200, 200), PictureSize::of(200, 75)),
            Self::DashboardTile | Self::ServicesLittleLeft | Self::ServicesLittleRight => {
                (PictureSize::of(590, 170), PictureSize::of(216, 170))
            }
            _ => (PictureSize::of(2_063, 170), PictureSize::of(260, 170)),
        }
    }

    /// Whether a list of places leaves this one out as long as it has no banner: tasks are not offered one.
    #[must_use]
    pub const fn is_hidden_when_empty(self) -> bool {
        matches!(self, Self::TasksHeader)
    }
}

/// A place with the sizes of its pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BannerPlaceSizes {
    /// The place.
    pub place: BannerPlace,
    /// Of a slide's background.
    pub background_image: PictureSize,
    /// Of the image on it.
    pub image: PictureSize,
    /// Whether a list of places leaves this one out as long as it has no banner.
    #[serde(default)]
    pub is_hidden_when_empty: bool,
}

/// One banner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Banner {
    /// The banner's id.
    pub id: BannerId,
    /// Where it stands.
    pub place: BannerPlace,
    /// What it shows.
    #[serde(rename = "type")]
    pub kind: BannerType,
    /// Whether it shows anything.
    pub is_enabled: bool,
    /// HTML of its own, for the type `content`.
    pub content: Option<String>,
    /// Seconds that a slide is shown, 1 to 15.
    pub scroll_delay: i64,
    /// Its slides, in their order.
    pub informations: Vec<BannerInformation>,
    /// When it last changed; echoed by editors.
    pub updated_at: Stamp,
}

/// A slide of a banner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BannerInformation {
    /// The slide's id.
    pub id: SlideId,
    /// Address of its image.
    pub image: Option<String>,
    /// Address of the picture behind everything.
    pub background_image: Option<String>,
    /// `#rrggbb` behind everything.
    pub background_color: Option<String>,
    /// Its place, from 1.
    pub sorting: i64,
    /// Locale → `title`, `title_color`, `sub_title`, `sub_title_color`, `button_text`, `button_text_color`,
    /// `button_bg_color`, `button_link` → text.
    pub translations: Translations,
}

/// Answer of `GET banners`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Banners {
    /// All banners, by place. A place without one is switched off.
    pub data: Vec<Banner>,
    /// All places there are.
    pub places: Vec<BannerPlaceSizes>,
}

/// Body of `POST banners` and `POST banners/{id}`: what is left out stays.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BannerInput {
    /// Where it stands; required for a new one, which nobody else may stand at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<BannerPlace>,
    /// What it shows; `slider` when nothing is said.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<BannerType>,
    /// HTML of its own, up to 20,000 characters.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub content: Patch<String>,
    /// Seconds that a slide is shown, 1 to 15; null for the usual 3.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub scroll_delay: Patch<i64>,
    /// All slides, up to 20, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub informations: Option<Vec<BannerInformationInput>>,
    /// As it was read: refused when somebody changed the banner meanwhile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Stamp>,
}

/// A slide that a banner shall have.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BannerInformationInput {
    /// The slide that it was; none for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SlideId>,
    /// Its image, of exactly the place's size.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub image: Picture,
    /// The picture behind everything, of exactly the place's size.
    #[serde(skip_serializing_if = "Picture::is_unchanged")]
    pub background_image: Picture,
    /// `#rrggbb` behind everything.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub background_color: Patch<String>,
    /// Its place among the slides given; their order in the list when nothing is said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sorting: Option<i64>,
    /// All texts; empty ones are dropped. English is needed as soon as another language has a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
}

crate::upload!(BannerInput);
crate::wire!(Banner, Banners);
