// The request that fetches the banners, and the conversions between the slides of the API and the slides of the editor.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';
import { imageCodec, textOrNullCodec, translationsCodec } from '@/form/codecs';
import { defineForm, type FormValues } from '@/form/spec';
import { parseTexts } from '@/ui/texts';

export type Banner = Schemas['Banner'];
export type BannerPlace = Schemas['BannerPlace'];
export type BannerPlaceSizes = Schemas['BannerPlaceSizes'];

/** A slide in the editor. All values are strings, as the form fields need them. */
export interface Slide {
  /** Negative until the slide is saved for the first time. */
  id: number;
  /** The label in the list of slides. It is not saved. */
  name: string;
  image: string;
  background_image: string;
  background_color: string;
  translations: string;
}

/** A position on the site, and the banner that the site shows there. A placement without a banner counts as disabled. */
export interface BannerPlacement {
  place: BannerPlace;
  sizes: BannerPlaceSizes;
  banner: Banner | null;
}

export const fetchBanners = () => unwrap(api.GET('/api/v1/admin/banners'));

export function useBanners() {
  return useQuery({ queryKey: ['banners'], queryFn: fetchBanners });
}

export function toBannerPlacements({ data, places }: Schemas['Banners']): BannerPlacement[] {
  return places
    .map((sizes) => ({
      place: sizes.place,
      sizes,
      banner: data.find((banner) => banner.place === sizes.place) ?? null,
    }))
    .filter(({ sizes, banner }) => banner || !sizes.is_hidden_when_empty);
}

export const isPlacementEnabled = ({ banner }: BannerPlacement) => banner?.is_enabled ?? false;

/** Formats the label in the list of slides: the English title, or the number of the slide if there is no title. */
export function formatSlideLabel(translations: string, index: number): string {
  return parseTexts(translations).en?.title || `# ${index + 1}`;
}

export function toSlides(banner: Banner | null): Slide[] {
  return (banner?.informations ?? []).map((slide, index) => {
    const translations = JSON.stringify(slide.translations);
    return {
      id: slide.id,
      name: formatSlideLabel(translations, index),
      image: slide.image ?? '',
      background_image: slide.background_image ?? '',
      background_color: slide.background_color ?? '',
      translations,
    };
  });
}

const defineSlideForm = defineForm<Schemas['BannerInformationInput']>();
const SLIDE_IMAGES_FORM = defineSlideForm({ image: imageCodec, background_image: imageCodec });
const SLIDE_TEXTS_FORM = defineSlideForm({ background_color: textOrNullCodec, translations: translationsCodec });

/** Returns the form values of a slide: all fields except the id and the label. */
export const toSlideFormValues = ({ id: _id, name: _name, ...values }: Slide): FormValues => values;

/** Builds the request body of the slides. Omits unchanged images, because the server keeps an image if the body omits it. */
export function toSlideInputs(
  slides: readonly Slide[],
  savedSlides: readonly Slide[],
): Schemas['BannerInformationInput'][] {
  return slides.map((slide, index) => {
    const savedSlide = savedSlides.find(({ id }) => id === slide.id);
    return {
      ...(slide.id > 0 ? { id: slide.id } : {}),
      ...SLIDE_IMAGES_FORM.toPatch(toSlideFormValues(slide), savedSlide ? toSlideFormValues(savedSlide) : {}),
      ...SLIDE_TEXTS_FORM.toBody(toSlideFormValues(slide)),
      sorting: index + 1,
    };
  });
}
