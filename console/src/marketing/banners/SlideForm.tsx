// The form fields of one slide: its images, its background color, and its texts and text colors in each language.
import { useTranslation } from 'react-i18next';
import { type FormField, FormFieldControl } from '@/form/FormFieldControl';
import type { FieldErrors } from '@/form/problems';
import { type BannerPlaceSizes, type Slide, toSlideFormValues } from './bannerPlacements';

const TRANSLATED_FIELDS = [
  'title',
  'title_color',
  'sub_title',
  'sub_title_color',
  'button_text',
  'button_text_color',
  'button_bg_color',
  'button_link',
] as const;
/** Conflicting edits of other users are shown for the whole list of slides, not for single fields. */
const NO_EDIT_CONFLICTS = {};

interface Props {
  slide: Slide;
  sizes: BannerPlaceSizes;
  /** Errors of this slide by field name. The keys lack the prefix `informations.<index>` of the API. */
  errors: FieldErrors;
  onChange: (change: Partial<Slide>) => void;
}

export function SlideForm({ slide, sizes, errors, onChange }: Props) {
  const { t } = useTranslation();
  const createImageField = (name: 'image' | 'background_image'): FormField => ({
    name,
    label: t(`banners.fields.${name}`),
    mode: 'image',
    hint: t('banners.exactSize', { width: sizes[name].width, height: sizes[name].height }),
  });
  const fields: readonly FormField[] = [
    createImageField('background_image'),
    createImageField('image'),
    {
      name: 'background_color',
      label: t('banners.fields.background_color'),
      hint: t('networks.colorHint'),
      maxLength: 7,
    },
    {
      name: 'translations',
      label: t('serviceTypes.texts.label'),
      mode: 'texts',
      texts: TRANSLATED_FIELDS.map((name) => ({ name, label: t(`banners.fields.${name}`) })),
    },
  ];
  return (
    <div className="form">
      {fields.map((field) => (
        <FormFieldControl
          key={field.name}
          field={field}
          autoFocus={false}
          values={toSlideFormValues(slide)}
          errors={errors}
          conflicts={NO_EDIT_CONFLICTS}
          onChange={(value) => onChange({ [field.name]: value })}
        />
      ))}
    </div>
  );
}
