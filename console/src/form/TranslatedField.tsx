// Texts of a record in every language: a tab for each, marked by how much of it is written and by what the server
// refused. Its value is JSON, see `texts.ts`.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOCALES, type LocaleCode } from '@/i18n/locales';
import { Field } from '@/ui/Field';
import { completeness, textsOf, withText } from '@/ui/texts';
import { useNewer } from './Newer';
import type { FieldErrors } from './problems';
import type { FormValues } from './spec';
import { TranslateMissing } from './TranslateMissing';

/** A text that a record has in every language. */
export interface TextOf {
  name: string;
  label: string;
  hint?: string;
  long?: true;
  maxLength?: number;
}

interface Props {
  /** The field, as the server names it in its errors: `translations` for `translations.de.name`. */
  name: string;
  label: string;
  texts: readonly TextOf[];
  value: string;
  errors: FieldErrors;
  /** What another person changed too, under the same names as errors. */
  conflicts: FormValues;
  first: boolean;
  onChange: (value: string) => void;
}

const MARK = { none: 'circle', some: 'circle-fill', all: 'check-circle' } as const;

export function TranslatedField({ name, label, texts, value, errors, conflicts, first, onChange }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const tabs = useRef<HTMLDivElement>(null);
  const [now, setNow] = useState<LocaleCode>('en');
  const all = textsOf(value);
  const names = texts.map((text) => text.name);
  const newer = useNewer(conflicts);
  const isNewer = (locale: string) => Object.keys(conflicts).some((key) => key.startsWith(`${name}.${locale}.`));
  const isWrong = (locale: string) => Object.keys(errors).some((key) => key.startsWith(`${name}.${locale}.`));
  const wrong = LOCALES.filter(({ code }) => isWrong(code)).map(({ code }) => code);
  const leading = wrong.includes(now) ? now : wrong[0];
  // A refused text in another language is brought to the front.
  useEffect(() => {
    if (leading) setNow(leading);
  }, [leading]);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = LOCALES.findIndex(({ code }) => code === now) + by;
    const next = LOCALES[(at + LOCALES.length) % LOCALES.length] ?? LOCALES[0];
    setNow(next.code);
    tabs.current?.querySelector<HTMLElement>(`[data-locale="${next.code}"]`)?.focus();
  };
  return (
    <div className="translated">
      <div ref={tabs} className="translated-tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {LOCALES.map(({ code, tag, name }) => {
          const written = completeness(all, names, code);
          return (
            <button
              key={code}
              type="button"
              role="tab"
              id={`${id}-${code}`}
              data-locale={code}
              data-written={isWrong(code) ? 'wrong' : written}
              aria-selected={code === now}
              aria-controls={`${id}-panel`}
              tabIndex={code === now ? 0 : -1}
              title={t(`ui.written.${written}`)}
              onClick={() => setNow(code)}
            >
              <i className={`pi pi-${isWrong(code) ? 'exclamation-circle' : MARK[written]}`} aria-hidden />
              <span lang={tag}>{name}</span>
              {isNewer(code) && (
                <>
                  <i className="pi pi-users field-newer" aria-hidden />
                  <span className="sr">{t('ui.newer.row')}</span>
                </>
              )}
            </button>
          );
        })}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${now}`} className="translated-panel">
        {texts.map((text, at) => (
          <Text
            // Another language is another text: nothing of the former is kept, such as what undo would bring back.
            key={`${now}.${text.name}`}
            text={text}
            newer={newer(`${name}.${now}.${text.name}`)}
            locale={now}
            first={first && at === 0 && now === 'en'}
            value={all[now]?.[text.name] ?? ''}
            english={now === 'en' ? '' : (all.en?.[text.name] ?? '')}
            errors={errors[`${name}.${now}.${text.name}`]}
            onChange={(words) => onChange(JSON.stringify(withText(all, now, text.name, words)))}
          />
        ))}
      </div>
      <TranslateMissing all={all} names={names} onFilled={(all) => onChange(JSON.stringify(all))} />
    </div>
  );
}

interface TextProps {
  text: TextOf;
  newer: string | undefined;
  locale: LocaleCode;
  first: boolean;
  value: string;
  /** What is to be said in this language. */
  english: string;
  errors: readonly string[] | undefined;
  onChange: (words: string) => void;
}

function Text({ text, newer, locale, first, value, english, errors, onChange }: TextProps) {
  return (
    <Field label={text.label} hint={text.hint} newer={newer} errors={errors}>
      {(given) => {
        const shared = {
          ...given,
          className: 'input',
          lang: LOCALES.find(({ code }) => code === locale)?.tag,
          'data-autofocus': first || undefined,
          maxLength: text.maxLength,
          placeholder: english,
          value,
        };
        return text.long ? (
          <textarea {...shared} rows={3} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <input {...shared} onChange={(event) => onChange(event.target.value)} />
        );
      }}
    </Field>
  );
}
