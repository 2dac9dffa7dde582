// Shows a slide in the size of its placement, with its English texts. The user can scroll a wide slide horizontally.
import { useTranslation } from 'react-i18next';
import { parseTexts } from '@/ui/texts';
import type { BannerPlaceSizes, Slide } from './bannerPlacements';

export function SlidePreview({ slide, sizes }: { slide: Slide; sizes: BannerPlaceSizes }) {
  const { t } = useTranslation();
  const texts = parseTexts(slide.translations).en ?? {};
  const { width, height } = sizes.background_image;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the user must be able to scroll the preview with the keyboard
    <section className="banner-preview" aria-label={t('banners.preview')} tabIndex={0}>
      <div
        className="banner-slide"
        style={{
          inlineSize: width,
          blockSize: height,
          backgroundColor: slide.background_color || undefined,
          backgroundImage: slide.background_image ? `url(${JSON.stringify(slide.background_image)})` : undefined,
        }}
      >
        {slide.image && <img src={slide.image} alt="" width={sizes.image.width} height={sizes.image.height} />}
        <div className="banner-words">
          {texts.title && <strong style={{ color: texts.title_color }}>{texts.title}</strong>}
          {texts.sub_title && <span style={{ color: texts.sub_title_color }}>{texts.sub_title}</span>}
          {texts.button_text && (
            <span
              className="banner-button"
              style={{ color: texts.button_text_color, backgroundColor: texts.button_bg_color }}
            >
              {texts.button_text}
            </span>
          )}
        </div>
      </div>
    </section>
  );
}
