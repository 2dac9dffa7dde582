// Texts of a record in every language: one tab per language, with a mark for completeness and errors. The value is JSON, see
// `ui/texts.ts`.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOCALES, type LocaleCode } from '@/i18n/locales';
import { Field } from '@/ui/Field';
import { completeness, parseTexts, setText } from '@/ui/texts';
import { useConflictText } from './Conflict';
import type { FieldErrors } from './problems';
import type { FormValues } from './spec';
import { TranslateMissing } from './TranslateMissing';

export interface TranslatedText {
  name: string;
  label: string;
  hint?: string;
  long?: true;
  maxLength?: number;
}

interface Props {
  /** Name of the field in the server's errors: `translations` for `translations.de.name`. */
  name: string;
  label: string;
  texts: readonly TranslatedText[];
  value: string;
  errors: FieldErrors;
  /** Values that another user has changed too, under the same names as errors. */
  conflicts: FormValues;
  first: boolean;
  onChange: (value: string) => void;
}

const ICONS = { none: 'circle', some: 'circle-fill', all: 'check-circle' } as const;

export function TranslatedField({ name, label, texts, value, errors, conflicts, first, onChange }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const tabs = useRef<HTMLDivElement>(null);
  const [selected, setSelected] = useState<LocaleCode>('en');
  const all = parseTexts(value);
  const names = texts.map((text) => text.name);
  const conflictOf = useConflictText(conflicts);
  const hasConflict = (locale: string) => Object.keys(conflicts).some((key) => key.startsWith(`${name}.${locale}.`));
  const hasError = (locale: string) => Object.keys(errors).some((key) => key.startsWith(`${name}.${locale}.`));
  const wrongLocales = LOCALES.filter(({ code }) => hasError(code)).map(({ code }) => code);
  const localeToShow = wrongLocales.includes(selected) ? selected : wrongLocales[0];
  // Selects the language of the first error.
  useEffect(() => {
    if (localeToShow) setSelected(localeToShow);
  }, [localeToShow]);
  const move = (event: KeyboardEvent) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    const at = LOCALES.findIndex(({ code }) => code === selected) + by;
    const next = LOCALES[(at + LOCALES.length) % LOCALES.length] ?? LOCALES[0];
    setSelected(next.code);
    tabs.current?.querySelector<HTMLElement>(`[data-locale="${next.code}"]`)?.focus();
  };
  return (
    <div className="translated">
      <div ref={tabs} className="translated-tabs" role="tablist" aria-label={label} onKeyDown={move}>
        {LOCALES.map(({ code, tag, name }) => {
          const progress = completeness(all, names, code);
          return (
            <button
              key={code}
              type="button"
              role="tab"
              id={`${id}-${code}`}
              data-locale={code}
              data-written={hasError(code) ? 'wrong' : progress}
              aria-selected={code === selected}
              aria-controls={`${id}-panel`}
              tabIndex={code === selected ? 0 : -1}
              title={t(`ui.written.${progress}`)}
              onClick={() => setSelected(code)}
            >
              <i className={`pi pi-${hasError(code) ? 'exclamation-circle' : ICONS[progress]}`} aria-hidden />
              <span lang={tag}>{name}</span>
              {hasConflict(code) && (
                <>
                  <i className="pi pi-users field-newer" aria-hidden />
                  <span className="sr">{t('ui.newer.row')}</span>
                </>
              )}
            </button>
          );
        })}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${selected}`} className="translated-panel">
        {texts.map((text, at) => (
          <Text
            // A new key per language: the browser's undo history must not cross languages.
            key={`${selected}.${text.name}`}
            text={text}
            conflict={conflictOf(`${name}.${selected}.${text.name}`)}
            locale={selected}
            first={first && at === 0 && selected === 'en'}
            value={all[selected]?.[text.name] ?? ''}
            english={selected === 'en' ? '' : (all.en?.[text.name] ?? '')}
            errors={errors[`${name}.${selected}.${text.name}`]}
            onChange={(words) => onChange(JSON.stringify(setText(all, selected, text.name, words)))}
          />
        ))}
      </div>
      <TranslateMissing all={all} names={names} onFilled={(all) => onChange(JSON.stringify(all))} />
    </div>
  );
}

interface TextProps {
  text: TranslatedText;
  conflict: string | undefined;
  locale: LocaleCode;
  first: boolean;
  value: string;
  /** The English text, shown as the placeholder. */
  english: string;
  errors: readonly string[] | undefined;
  onChange: (words: string) => void;
}

function Text({ text, conflict, locale, first, value, english, errors, onChange }: TextProps) {
  return (
    <Field label={text.label} hint={text.hint} conflict={conflict} errors={errors}>
      {(controlProps) => {
        const shared = {
          ...controlProps,
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
