// The form field of one setting: label, the input for the kind of the setting, hint and errors.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { fractionToPercent, percentToFraction } from '@/form/decimal';
import { collectFieldErrors, type FieldErrors } from '@/form/problems';
import { ColorField } from '@/ui/ColorField';
import { Checkbox, Field } from '@/ui/Field';
import { ImageField } from '@/ui/ImageField';
import { Select } from '@/ui/Select';
import {
  ExchangeRatesControl,
  type InputProps,
  MetaTagsControl,
  SecretControl,
  ServiceTypesControl,
} from './compositeControls';
import { HtmlField } from './HtmlField';
import type { SettingField } from './settingChanges';
import { useSettingTexts } from './texts';

/** Another user has saved a new value of a setting that the user is editing. */
export interface SettingConflict {
  currentValue: unknown;
}

interface Props {
  field: SettingField;
  value: unknown;
  errors: FieldErrors;
  conflict?: SettingConflict | undefined;
  onChange: (value: unknown) => void;
}

/** The background of each theme. The contrast of a color depends on the background of its theme. */
const THEME_BACKGROUNDS = { light: '#ffffff', dark: '#111827' } as const;

export function SettingControl({ field, value, errors, conflict, onChange }: Props) {
  const { t } = useTranslation();
  const texts = useSettingTexts()(field.key);
  const { label } = texts;
  const kindHint = field.kind === 'image' ? t('ui.image.hint') : undefined;
  const hint =
    [texts.hint ?? kindHint, field.is_for_site && t('settings.usedByCustomerSite')].filter(Boolean).join(' ') ||
    undefined;
  const fieldErrors = collectFieldErrors(errors, field.key);
  const conflictMessage = conflict && formatConflict(t, field, conflict.currentValue);
  if (field.kind === 'flag') {
    return (
      <div className="field">
        <Checkbox label={label} checked={value === true} conflict={conflictMessage} onChange={onChange} />
        {fieldErrors && <small className="field-error">{fieldErrors.join(' ')}</small>}
        {!fieldErrors && hint && <small className="field-hint">{hint}</small>}
      </div>
    );
  }
  if (field.kind === 'read_only') return null;
  return (
    <Field label={label} {...(hint ? { hint } : {})} conflict={conflictMessage} errors={fieldErrors}>
      {(inputProps) => <InputByKind {...{ field, label, value, onChange, inputProps }} />}
    </Field>
  );
}

/** Formats the message about a conflict. It contains the current value, unless the value is a secret or consists of several values. */
function formatConflict(t: TFunction, { kind }: SettingField, currentValue: unknown): string {
  if (typeof currentValue === 'boolean') return t('ui.conflict.field', { value: t(currentValue ? 'ui.yes' : 'ui.no') });
  if (kind === 'secret' || (typeof currentValue === 'object' && currentValue !== null)) return t('ui.conflict.row');
  const text = currentValue === null || currentValue === undefined ? '' : String(currentValue);
  return t('ui.conflict.field', { value: (kind === 'fraction' ? fractionToPercent(text) : text) || '–' });
}

/** The `inputmode` attribute, which selects the on-screen keyboard, for each kind of setting. */
const INPUT_MODES = {
  integer: 'numeric',
  id: 'numeric',
  money: 'decimal',
  fraction: 'decimal',
  url: 'url',
  url_template: 'url',
  email: 'email',
} as const;

/** The kinds of setting whose `maximum` is a number of characters. */
const KINDS_WITH_MAX_LENGTH: readonly SettingField['kind'][] = ['text', 'url', 'url_template'];

interface InputByKindProps extends Omit<Props, 'errors' | 'conflict'> {
  label: string;
  inputProps: InputProps;
}

function InputByKind({ field, label, value, onChange, inputProps }: InputByKindProps) {
  const { t } = useTranslation();
  const getTexts = useSettingTexts();
  const text = value === null || value === undefined ? '' : String(value);
  const changeText = (text: string) => onChange(text === '' && field.may_be_empty ? null : text);
  switch (field.kind) {
    case 'color': {
      const theme = field.key.startsWith('colors.dark') ? 'dark' : 'light';
      return (
        <ColorField
          {...inputProps}
          label={label}
          value={text}
          background={THEME_BACKGROUNDS[theme]}
          onChange={changeText}
        />
      );
    }
    case 'image':
      return <ImageField {...inputProps} label={label} value={text} onChange={changeText} />;
    case 'secret':
      return <SecretControl {...inputProps} label={label} value={value} onChange={onChange} />;
    case 'exchange_rates':
      return <ExchangeRatesControl {...inputProps} value={value} currencies={field.options} onChange={onChange} />;
    case 'meta_tags':
      return <MetaTagsControl {...inputProps} value={value} onChange={onChange} />;
    case 'ids':
      return <ServiceTypesControl {...inputProps} label={label} value={value} onChange={onChange} />;
    case 'html':
      return <HtmlField {...inputProps} label={label} value={text} maxLength={field.maximum} onChange={changeText} />;
    case 'enum':
    case 'currency':
      return (
        <Select
          id={inputProps.id}
          label={label}
          value={text}
          options={field.options.map((option) => ({
            value: option,
            label: field.kind === 'enum' ? getTexts(`${field.key}.${option}`).label : option,
          }))}
          onChange={(option) => onChange(option ?? text)}
        />
      );
    case 'fraction':
      return (
        <div className="with-unit">
          <FractionInput inputProps={inputProps} value={text} onChange={changeText} />
          <span aria-hidden>{t('settings.percentSign')}</span>
        </div>
      );
    default:
      return (
        <input
          {...inputProps}
          className="input"
          inputMode={INPUT_MODES[field.kind as keyof typeof INPUT_MODES] ?? 'text'}
          maxLength={KINDS_WITH_MAX_LENGTH.includes(field.kind) ? field.maximum : undefined}
          value={text}
          onChange={(event) => changeText(event.target.value)}
        />
      );
  }
}

interface FractionInputProps {
  inputProps: InputProps;
  /** A fraction such as "0.05", which the input shows as 5. A string that is not a number is shown unchanged. */
  value: string;
  onChange: (value: string) => void;
}

function FractionInput({ inputProps, value, onChange }: FractionInputProps) {
  const percent = /^\d+(\.\d+)?$/.test(value) ? fractionToPercent(value) : value;
  return (
    <input
      {...inputProps}
      className="input"
      inputMode="decimal"
      // The input is uncontrolled, because a controlled input would change "5." to "5" while the user types "5.5".
      defaultValue={percent}
      onChange={(event) => onChange(event.target.value.trim() === '' ? '' : percentToFraction(event.target.value))}
    />
  );
}
