// One setting: its label, its control by kind, its hint and its errors.
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { fractionToPercent, percentToFraction } from '@/form/decimal';
import { ColorField } from '@/ui/ColorField';
import { Checkbox, Field } from '@/ui/Field';
import { ImageField } from '@/ui/ImageField';
import { Select } from '@/ui/Select';
import type { SettingField } from './calls';
import { Ids, Rates, Secret, Tags } from './controls';
import { HtmlField } from './HtmlField';
import { useWords } from './words';

/** What another person made of a setting. */
export interface Clash {
  now: unknown;
}

interface Props {
  field: SettingField;
  value: unknown;
  errors: Readonly<Record<string, readonly string[]>>;
  clash?: Clash | undefined;
  onChange: (value: unknown) => void;
}

/** What a colour of each theme stands on. */
const GROUND = { light: '#ffffff', dark: '#111827' } as const;

export function Control({ field, value, errors, clash, onChange }: Props) {
  const { t } = useTranslation();
  const words = useWords()(field.key);
  const { label } = words;
  const usual = field.kind === 'picture' ? t('ui.image.hint') : undefined;
  const hint = [words.hint ?? usual, field.is_for_site && t('settings.forSite')].filter(Boolean).join(' ') || undefined;
  const wrong = errorsOf(errors, field.key);
  const newer = clash && clashText(t, field, clash.now);
  if (field.kind === 'flag') {
    return (
      <div className="field">
        <Checkbox label={label} checked={value === true} conflict={newer} onChange={onChange} />
        {wrong && <small className="field-error">{wrong.join(' ')}</small>}
        {!wrong && hint && <small className="field-hint">{hint}</small>}
      </div>
    );
  }
  if (field.kind === 'shown') return null;
  return (
    <Field label={label} {...(hint ? { hint } : {})} conflict={newer} errors={wrong}>
      {(given) => <Input {...{ field, label, value, onChange, given }} />}
    </Field>
  );
}

/** A value that goes into a sentence, or, of what has many values or is secret, that it is another one now. */
function clashText(t: TFunction, { kind }: SettingField, now: unknown): string {
  if (typeof now === 'boolean') return t('ui.newer.clash', { value: t(now ? 'ui.yes' : 'ui.no') });
  if (kind === 'secret' || (typeof now === 'object' && now !== null)) return t('ui.newer.row');
  const text = now === null || now === undefined ? '' : String(now);
  return t('ui.newer.clash', { value: (kind === 'share' ? fractionToPercent(text) : text) || '–' });
}

function errorsOf(errors: Props['errors'], key: string): readonly string[] | undefined {
  const found = Object.entries(errors).filter(([place]) => place === key || place.startsWith(`${key}.`));
  return found.length > 0 ? found.flatMap(([, messages]) => messages) : undefined;
}

interface Given {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

const TYPING = {
  whole: 'numeric',
  id: 'numeric',
  money: 'decimal',
  share: 'decimal',
  address: 'url',
  template: 'url',
  email: 'email',
} as const;

/** Kinds whose bound is a number of characters. */
const LIMITED: readonly SettingField['kind'][] = ['text', 'address', 'template'];

function Input({
  field,
  label,
  value,
  onChange,
  given,
}: Omit<Props, 'errors' | 'clash'> & { label: string; given: Given }) {
  const { t } = useTranslation();
  const words = useWords();
  const text = value === null || value === undefined ? '' : String(value);
  const change = (text: string) => onChange(text === '' && field.may_be_empty ? null : text);
  switch (field.kind) {
    case 'color': {
      const theme = field.key.startsWith('colors.dark') ? 'dark' : 'light';
      return <ColorField {...given} label={label} value={text} background={GROUND[theme]} onChange={change} />;
    }
    case 'picture':
      return <ImageField {...given} label={label} value={text} onChange={change} />;
    case 'secret':
      return <Secret {...given} label={label} value={value} onChange={onChange} />;
    case 'rates':
      return <Rates {...given} value={value} currencies={field.options} onChange={onChange} />;
    case 'meta_tags':
      return <Tags {...given} value={value} onChange={onChange} />;
    case 'ids':
      return <Ids {...given} label={label} value={value} onChange={onChange} />;
    case 'html':
      return <HtmlField {...given} label={label} value={text} most={field.most} onChange={change} />;
    case 'word':
    case 'currency':
      return (
        <Select
          id={given.id}
          label={label}
          value={text}
          options={field.options.map((word) => ({
            value: word,
            label: field.kind === 'word' ? words(`${field.key}.${word}`).label : word,
          }))}
          onChange={(word) => onChange(word ?? text)}
        />
      );
    case 'share':
      return (
        <div className="with-unit">
          <ShareInput given={given} value={text} onChange={change} />
          <span aria-hidden>{t('settings.percent')}</span>
        </div>
      );
    default:
      return (
        <input
          {...given}
          className="input"
          inputMode={TYPING[field.kind as keyof typeof TYPING] ?? 'text'}
          maxLength={LIMITED.includes(field.kind) ? field.most : undefined}
          value={text}
          onChange={(event) => change(event.target.value)}
        />
      );
  }
}

/** A share as people say it. What is not a number yet stays as it was typed. */
function ShareInput({ given, value, onChange }: { given: Given; value: string; onChange: (value: string) => void }) {
  const shown = /^\d+(\.\d+)?$/.test(value) ? fractionToPercent(value) : value;
  return (
    <input
      {...given}
      className="input"
      inputMode="decimal"
      // Not controlled: "5." is on its way to "5.5".
      defaultValue={shown}
      onChange={(event) => onChange(event.target.value.trim() === '' ? '' : percentToFraction(event.target.value))}
    />
  );
}
