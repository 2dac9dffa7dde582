// What banners are read with, and how the editor holds them. Pure, but for the reading.
import { useQuery } from '@tanstack/react-query';
import { api, type Schemas, unwrap } from '@/api/client';
import { image, textOrNull, texts } from '@/form/codecs';
import { defineForm, type FormValues } from '@/form/spec';
import { parseTexts } from '@/ui/texts';

export type Banner = Schemas['Banner'];
export type Place = Schemas['BannerPlace'];
export type Sizes = Schemas['BannerPlaceSizes'];

/** A slide as the editor holds it. */
export interface Slide {
  /** Tells it apart here; below zero for one that was never saved. */
  id: number;
  name: string;
  image: string;
  background_image: string;
  background_color: string;
  translations: string;
}

/** A place with its banner; without one it is switched off. */
export interface Stand {
  place: Place;
  sizes: Sizes;
  banner: Banner | null;
}

export const readBanners = () => unwrap(api.GET('/api/v1/admin/banners'));

export function useBanners() {
  return useQuery({ queryKey: ['banners'], queryFn: readBanners });
}

export function standsOf({ data, places }: Schemas['Banners']): Stand[] {
  return places
    .map((sizes) => ({
      place: sizes.place,
      sizes,
      banner: data.find((banner) => banner.place === sizes.place) ?? null,
    }))
    .filter(({ sizes, banner }) => banner || !sizes.is_hidden_when_empty);
}

export const isOn = ({ banner }: Stand) => banner?.is_enabled ?? false;

/** What a slide is called in the list of them. */
export function nameOf(translations: string, at: number): string {
  return parseTexts(translations).en?.title || `# ${at + 1}`;
}

export function slidesOf(banner: Banner | null): Slide[] {
  return (banner?.informations ?? []).map((slide, at) => {
    const translations = JSON.stringify(slide.translations);
    return {
      id: slide.id,
      name: nameOf(translations, at),
      image: slide.image ?? '',
      background_image: slide.background_image ?? '',
      background_color: slide.background_color ?? '',
      translations,
    };
  });
}

const slideForm = defineForm<Schemas['BannerInformationInput']>();
const PICTURES = slideForm({ image, background_image: image });
const REST = slideForm({ background_color: textOrNull, translations: texts });

/** What the fields of a slide hold. */
export const fieldsOf = ({ id: _id, name: _name, ...fields }: Slide): FormValues => fields;

/** The slides as the wire has them: a picture is named only where it changed. */
export function sentSlides(now: readonly Slide[], was: readonly Slide[]): Schemas['BannerInformationInput'][] {
  return now.map((slide, at) => {
    const old = was.find(({ id }) => id === slide.id);
    return {
      ...(slide.id > 0 ? { id: slide.id } : {}),
      ...PICTURES.toPatch(fieldsOf(slide), old ? fieldsOf(old) : {}),
      ...REST.toBody(fieldsOf(slide)),
      sorting: at + 1,
    };
  });
}
