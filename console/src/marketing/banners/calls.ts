// The request for banners, and conversions between banners of the API and slides in the editor's form.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';
import { image, textOrNull, texts } from '@/form/codecs';
import { defineForm, type FormValues } from '@/form/spec';
import { parseTexts } from '@/ui/texts';

export type Banner = Schemas['Banner'];
export type Place = Schemas['BannerPlace'];
export type PlaceSizes = Schemas['BannerPlaceSizes'];

/** A slide in the editor, with every value as the text of its form field. */
export interface Slide {
  /** Negative until the slide is saved for the first time. */
  id: number;
  name: string;
  image: string;
  background_image: string;
  background_color: string;
  translations: string;
}

/** A placement and its banner. A placement without a banner counts as disabled. */
export interface BannerSlot {
  place: Place;
  sizes: PlaceSizes;
  banner: Banner | null;
}

export const fetchBanners = () => unwrap(api.GET('/api/v1/admin/banners'));

export function useBanners() {
  return useQuery({ queryKey: ['banners'], queryFn: fetchBanners });
}

export function toBannerSlots({ data, places }: Schemas['Banners']): BannerSlot[] {
  return places
    .map((sizes) => ({
      place: sizes.place,
      sizes,
      banner: data.find((banner) => banner.place === sizes.place) ?? null,
    }))
    .filter(({ sizes, banner }) => banner || !sizes.is_hidden_when_empty);
}

export const isSlotEnabled = ({ banner }: BannerSlot) => banner?.is_enabled ?? false;

/** The label in the list of slides: the English title, otherwise the number of the slide. */
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
const IMAGE_FORM = defineSlideForm({ image, background_image: image });
const TEXT_FORM = defineSlideForm({ background_color: textOrNull, translations: texts });

/** Returns the form values of a slide: all fields except the id and the label. */
export const toSlideFormValues = ({ id: _id, name: _name, ...values }: Slide): FormValues => values;

/** Builds the request body of the slides. An unchanged image is not sent: the server keeps an image if the body omits it. */
export function toSlideInputs(
  slides: readonly Slide[],
  savedSlides: readonly Slide[],
): Schemas['BannerInformationInput'][] {
  return slides.map((slide, index) => {
    const savedSlide = savedSlides.find(({ id }) => id === slide.id);
    return {
      ...(slide.id > 0 ? { id: slide.id } : {}),
      ...IMAGE_FORM.toPatch(toSlideFormValues(slide), savedSlide ? toSlideFormValues(savedSlide) : {}),
      ...TEXT_FORM.toBody(toSlideFormValues(slide)),
      sorting: index + 1,
    };
  });
}
