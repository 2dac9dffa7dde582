// A form field for the texts of a record in every language, with one tab per language. An icon in each tab shows whether the texts
// are complete or have errors. The value is JSON, see `ui/texts.ts`.
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { LOCALES, type LocaleCode } from '@/i18n/locales';
import { Field } from '@/ui/Field';
import { getTranslationStatus, parseTexts, setText } from '@/ui/texts';
import { useConflictText } from './Conflict';
import type { FieldErrors } from './problems';
import type { FormValues } from './spec';
import { TranslateMissing } from './TranslateMissing';

export interface TranslatedText {
  name: string;
  label: string;
  hint?: string;
  multiline?: true;
  maxLength?: number;
}

interface Props {
  /** Name of the field in the server's errors: `translations` for `translations.de.name`. */
  name: string;
  label: string;
  texts: readonly TranslatedText[];
  value: string;
  errors: FieldErrors;
  /** Values that another user has saved in texts that this user is editing. The keys are like the keys of `errors`. */
  conflicts: FormValues;
  autoFocus: boolean;
  onChange: (value: string) => void;
}

const STATUS_ICONS = { missing: 'circle', incomplete: 'circle-fill', complete: 'check-circle' } as const;

export function TranslatedField({ name, label, texts, value, errors, conflicts, autoFocus, onChange }: Props) {
  const { t } = useTranslation();
  const id = useId();
  const tabs = useRef<HTMLDivElement>(null);
  const [selectedLocale, setSelectedLocale] = useState<LocaleCode>('en');
  const textsByLocale = parseTexts(value);
  const textNames = texts.map((text) => text.name);
  const getConflictText = useConflictText(conflicts);
  const hasConflict = (locale: string) => Object.keys(conflicts).some((key) => key.startsWith(`${name}.${locale}.`));
  const hasError = (locale: string) => Object.keys(errors).some((key) => key.startsWith(`${name}.${locale}.`));
  const localesWithErrors = LOCALES.filter(({ code }) => hasError(code)).map(({ code }) => code);
  const localeToShow = localesWithErrors.includes(selectedLocale) ? selectedLocale : localesWithErrors[0];
  // Selects the first language with an error.
  useEffect(() => {
    if (localeToShow) setSelectedLocale(localeToShow);
  }, [localeToShow]);
  const selectByArrowKey = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const index = LOCALES.findIndex(({ code }) => code === selectedLocale) + step;
    const nextLocale = LOCALES[(index + LOCALES.length) % LOCALES.length] ?? LOCALES[0];
    setSelectedLocale(nextLocale.code);
    tabs.current?.querySelector<HTMLElement>(`[data-locale="${nextLocale.code}"]`)?.focus();
  };
  return (
    <div className="translated">
      <div ref={tabs} className="translated-tabs" role="tablist" aria-label={label} onKeyDown={selectByArrowKey}>
        {LOCALES.map(({ code, tag, name }) => {
          const translationStatus = getTranslationStatus(textsByLocale, textNames, code);
          return (
            <button
              key={code}
              type="button"
              role="tab"
              id={`${id}-${code}`}
              data-locale={code}
              data-status={hasError(code) ? 'invalid' : translationStatus}
              aria-selected={code === selectedLocale}
              aria-controls={`${id}-panel`}
              tabIndex={code === selectedLocale ? 0 : -1}
              title={t(`ui.translationStatus.${translationStatus}`)}
              onClick={() => setSelectedLocale(code)}
            >
              <i
                className={`pi pi-${hasError(code) ? 'exclamation-circle' : STATUS_ICONS[translationStatus]}`}
                aria-hidden
              />
              <span lang={tag}>{name}</span>
              {hasConflict(code) && (
                <>
                  <i className="pi pi-users field-newer" aria-hidden />
                  <span className="sr">{t('ui.conflict.row')}</span>
                </>
              )}
            </button>
          );
        })}
      </div>
      <div id={`${id}-panel`} role="tabpanel" aria-labelledby={`${id}-${selectedLocale}`} className="translated-panel">
        {texts.map((text, index) => (
          <TextInput
            // Each language has its own inputs, so that the undo history of the browser does not mix languages.
            key={`${selectedLocale}.${text.name}`}
            text={text}
            conflict={getConflictText(`${name}.${selectedLocale}.${text.name}`)}
            locale={selectedLocale}
            autoFocus={autoFocus && index === 0 && selectedLocale === 'en'}
            value={textsByLocale[selectedLocale]?.[text.name] ?? ''}
            englishText={selectedLocale === 'en' ? '' : (textsByLocale.en?.[text.name] ?? '')}
            errors={errors[`${name}.${selectedLocale}.${text.name}`]}
            onChange={(newText) => onChange(JSON.stringify(setText(textsByLocale, selectedLocale, text.name, newText)))}
          />
        ))}
      </div>
      <TranslateMissing
        texts={textsByLocale}
        textNames={textNames}
        onFilled={(filledTexts) => onChange(JSON.stringify(filledTexts))}
      />
    </div>
  );
}

interface TextInputProps {
  text: TranslatedText;
  conflict: string | undefined;
  locale: LocaleCode;
  autoFocus: boolean;
  value: string;
  /** The English text, shown as the placeholder. */
  englishText: string;
  errors: readonly string[] | undefined;
  onChange: (text: string) => void;
}

function TextInput({ text, conflict, locale, autoFocus, value, englishText, errors, onChange }: TextInputProps) {
  return (
    <Field label={text.label} hint={text.hint} conflict={conflict} errors={errors}>
      {(controlProps) => {
        const inputProps = {
          ...controlProps,
          className: 'input',
          lang: LOCALES.find(({ code }) => code === locale)?.tag,
          'data-autofocus': autoFocus || undefined,
          maxLength: text.maxLength,
          placeholder: englishText,
          value,
        };
        return text.multiline ? (
          <textarea {...inputProps} rows={3} onChange={(event) => onChange(event.target.value)} />
        ) : (
          <input {...inputProps} onChange={(event) => onChange(event.target.value)} />
        );
      }}
    </Field>
  );
}
