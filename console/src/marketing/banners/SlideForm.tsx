// One slide: its pictures of the place's sizes, what is behind everything, and its texts and colours by language.
import { useTranslation } from 'react-i18next';
import { DeclaredField, type FormField } from '@/form/DeclaredField';
import type { FieldErrors } from '@/form/problems';
import { fieldsOf, type Sizes, type Slide } from './calls';

const TEXTS = [
  'title',
  'title_color',
  'sub_title',
  'sub_title_color',
  'button_text',
  'button_text_color',
  'button_bg_color',
  'button_link',
] as const;
const NONE = {};

interface Props {
  slide: Slide;
  sizes: Sizes;
  /** Of this slide, named without its place. */
  errors: FieldErrors;
  onChange: (change: Partial<Slide>) => void;
}

export function SlideForm({ slide, sizes, errors, onChange }: Props) {
  const { t } = useTranslation();
  const picture = (name: 'image' | 'background_image'): FormField => ({
    name,
    label: t(`banners.fields.${name}`),
    mode: 'image',
    hint: t('banners.size', { width: sizes[name].width, height: sizes[name].height }),
  });
  const fields: readonly FormField[] = [
    picture('background_image'),
    picture('image'),
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
      texts: TEXTS.map((name) => ({ name, label: t(`banners.fields.${name}`) })),
    },
  ];
  return (
    <div className="form">
      {fields.map((field) => (
        <DeclaredField
          key={field.name}
          field={field}
          first={false}
          values={fieldsOf(slide)}
          errors={errors}
          conflicts={NONE}
          onChange={(value) => onChange({ [field.name]: value })}
        />
      ))}
    </div>
  );
}
