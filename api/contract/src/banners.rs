//! Banners of the customer site. Each placement has at most one banner, which has ordered slides.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::common::{Patch, Translations};
use crate::ids::{BannerId, SlideId};
use crate::moment::Timestamp;
use crate::upload::ImageInput;

crate::string_enum! {
    /// Placement of a banner on the customer site.
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

crate::string_enum! {
    /// Type of a banner, which determines what the customer site shows.
    BannerType {
        /// The customer site shows nothing. The slides of the banner are kept.
        None = "none",
        /// The banner shows its slides one after the other.
        Slider = "slider",
        /// The banner shows the HTML in `content`.
        Content = "content",
    }
}

/// Size of an image in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImageSize {
    /// Width in pixels.
    pub width: u32,
    /// Height in pixels.
    pub height: u32,
}

impl ImageSize {
    const fn new(width: u32, height: u32) -> Self {
        Self { width, height }
    }
}

impl BannerPlace {
    /// Required sizes of the images of a slide: background image, foreground image.
    #[must_use]
    pub const fn image_sizes(self) -> (ImageSize, ImageSize) {
        match self {
            Self::Sidebar => (ImageSize::new(200, 200), ImageSize::new(200, 75)),
            Self::DashboardTile | Self::ServicesLittleLeft | Self::ServicesLittleRight => {
                (ImageSize::new(590, 170), ImageSize::new(216, 170))
            }
            _ => (ImageSize::new(2_063, 170), ImageSize::new(260, 170)),
        }
    }

    /// Whether user interfaces hide the placement while it has no banner, because staff should not create a banner for it.
    #[must_use]
    pub const fn is_hidden_when_empty(self) -> bool {
        matches!(self, Self::TasksHeader)
    }
}

/// A placement and the required sizes of its images.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BannerPlaceSizes {
    /// Placement on the customer site.
    pub place: BannerPlace,
    /// Size of a slide's background image.
    pub background_image: ImageSize,
    /// Size of a slide's foreground image.
    pub image: ImageSize,
    /// Whether user interfaces hide the placement while it has no banner.
    #[serde(default)]
    pub is_hidden_when_empty: bool,
}

/// A banner with its slides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Banner {
    /// Id of the banner.
    pub id: BannerId,
    /// Placement on the customer site.
    pub place: BannerPlace,
    /// Type of the banner, which determines what the customer site shows.
    #[serde(rename = "type")]
    pub kind: BannerType,
    /// Whether the customer site shows the banner: false exactly if its type is `none`.
    pub is_enabled: bool,
    /// HTML of a banner of type `content`; null if there is none.
    pub content: Option<String>,
    /// Seconds that each slide is shown, 1 to 15.
    pub scroll_delay: i64,
    /// Slides of a banner of type `slider`, in their order.
    pub informations: Vec<BannerInformation>,
    /// When the banner last changed; editors send this time back to detect conflicts.
    pub updated_at: Timestamp,
}

/// A slide of a banner. The specification calls it information.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BannerInformation {
    /// Id of the slide.
    pub id: SlideId,
    /// URL of the foreground image; null if there is none.
    pub image: Option<String>,
    /// URL of the background image; null if there is none.
    pub background_image: Option<String>,
    /// Background color, `#rrggbb`; null if there is none.
    pub background_color: Option<String>,
    /// Position of the slide in the banner, from 1.
    pub sorting: i64,
    /// Texts by locale and field: `title`, `title_color`, `sub_title`, `sub_title_color`, `button_text`, `button_text_color`,
    /// `button_bg_color`, `button_link`.
    pub translations: Translations,
}

/// Response of `GET banners`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Banners {
    /// All banners, sorted by placement.
    pub data: Vec<Banner>,
    /// All placements with the sizes of their images, including those without a banner.
    pub places: Vec<BannerPlaceSizes>,
}

/// Body of `POST banners` and `POST banners/{id}`. Absent fields keep their value.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BannerInput {
    /// Placement; required for a new banner. Each placement has at most one banner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<BannerPlace>,
    /// Type of the banner; a new banner is a `slider` by default.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<BannerType>,
    /// HTML of a banner of type `content`, up to 20,000 characters.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub content: Patch<String>,
    /// Seconds that each slide is shown, 1 to 15; null for the default of 3.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<i64>)]
    pub scroll_delay: Patch<i64>,
    /// All slides, up to 20, in their order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub informations: Option<Vec<BannerInformationInput>>,
    /// `updated_at` of the banner that the editor read; 409 `stale_record` if the banner has changed since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Timestamp>,
}

/// A slide in the body of a banner.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BannerInformationInput {
    /// Id of the existing slide; absent for a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<SlideId>,
    /// Foreground image, in exactly the size of the placement.
    #[serde(skip_serializing_if = "ImageInput::is_unchanged")]
    pub image: ImageInput,
    /// Background image, in exactly the size of the placement.
    #[serde(skip_serializing_if = "ImageInput::is_unchanged")]
    pub background_image: ImageInput,
    /// Background color, `#rrggbb`; null for none.
    #[serde(skip_serializing_if = "Patch::is_keep")]
    #[schema(value_type = Option<String>)]
    pub background_color: Patch<String>,
    /// Sort position; defaults to the position in the list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sorting: Option<i64>,
    /// All texts by locale and field; empty texts are removed. English is required if another language has a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub translations: Option<Translations>,
}

crate::image_bodies!(BannerInput);
crate::json_bodies!(Banner, Banners);
