// Texts of a record in every language: one language at a time, English first. Its value is JSON as the API takes it:
// locale → text → words; languages without a word are left out.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOCALES, type LocaleCode } from '@/i18n/locales';
import { Field } from './Field';
import { Select } from './Select';

/** A text that a record has in every language. */
export interface TextOf {
  name: string;
  label: string;
  long?: true;
  maxLength?: number;
}

export type Texts = Partial<Record<string, Record<string, string>>>;

interface Props {
  id: string;
  label: string;
  value: string;
  texts: readonly TextOf[];
  /** Whether its first text has the focus when the dialog opens. */
  first: boolean;
  onChange: (value: string) => void;
}

export function TranslatedField({ id, label, value, texts, first, onChange }: Props) {
  const { t } = useTranslation();
  const [locale, setLocale] = useState<LocaleCode>('en');
  const all: Texts = value ? JSON.parse(value) : {};
  const change = (name: string, text: string) => onChange(JSON.stringify(withText(all, locale, name, text)));
  return (
    <div className="form translated">
      <Select
        id={id}
        label={label}
        value={locale}
        options={LOCALES.map(({ code, name }) => ({
          value: code,
          label: all[code] ? t('ui.translated', { name }) : name,
        }))}
        onChange={(code) => setLocale(code ?? 'en')}
      />
      {texts.map((text, at) => (
        <Field key={text.name} label={text.label}>
          {(given) => {
            const shared = {
              ...given,
              className: 'input',
              'data-autofocus': (first && at === 0) || undefined,
              lang: LOCALES.find(({ code }) => code === locale)?.tag,
              maxLength: text.maxLength,
              value: all[locale]?.[text.name] ?? '',
            };
            return text.long ? (
              <textarea {...shared} rows={3} onChange={(event) => change(text.name, event.target.value)} />
            ) : (
              <input {...shared} onChange={(event) => change(text.name, event.target.value)} />
            );
          }}
        </Field>
      ))}
    </div>
  );
}

/** With one text in its place; an empty one, and a language without any, are left out. */
export function withText(all: Texts, locale: string, name: string, text: string): Texts {
  const { [name]: _, ...others } = all[locale] ?? {};
  const { [locale]: __, ...rest } = all;
  const now = text ? { ...others, [name]: text } : others;
  return Object.keys(now).length > 0 ? { ...rest, [locale]: now } : rest;
}
