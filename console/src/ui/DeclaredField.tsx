// One field of a form as data: its label, its control by mode, its hint, its errors, and what somebody else made of it
// meanwhile.
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Tick } from './Field';
import { ImageField } from './ImageField';
import { Select } from './Select';
import { type TextOf, TranslatedField } from './TranslatedField';

type Values = Readonly<Record<string, string>>;

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  /** A tick is `yes` or empty; `image`: an address, a data URL or nothing; `texts`: JSON of all languages. */
  mode?: 'text' | 'numeric' | 'decimal' | 'url' | 'long' | 'tick' | 'date' | 'time' | 'secret' | 'image' | 'texts';
  /** A `decimal` that cannot be below zero: it takes no minus. */
  unsigned?: true;
  /** What a `texts` field has in every language. */
  texts?: readonly TextOf[];
  /** The heading that stands before it, where a part of the form begins. */
  part?: string;
  options?: readonly { value: string; label: string }[];
  maxLength?: number;
  /** A control of its own instead of an input; `row` takes the whole width and names itself. */
  draw?: (given: Drawn) => ReactNode;
  row?: true;
  /** A `row` that shows what is wrong within it in its own places. */
  tells?: true;
}

interface Drawn {
  id: string;
  value: string;
  onChange: (value: string) => void;
  invalid: boolean;
  /** What the other fields hold now. */
  values: Values;
  /** What is wrong within the field, by what follows its name: `3.percent` for `lines.3.percent`. */
  within: Readonly<Record<string, readonly string[]>>;
}

interface Shared {
  field: FormField;
  first: boolean;
  values: Values;
  onChange: (value: string) => void;
}

interface Props extends Shared {
  /** Of all fields, by name. */
  errors: Readonly<Record<string, readonly string[]>>;
  /** What others saved meanwhile where something else was typed here, by name. */
  clashes: Values;
}

export function DeclaredField({ errors, clashes, ...shared }: Props) {
  const { t } = useTranslation();
  const { field, first, values, onChange } = shared;
  const value = values[field.name] ?? '';
  const wrong = errorsOf(errors, field.name);
  if (field.mode === 'tick') {
    const set = (on: boolean) => onChange(on ? 'yes' : '');
    return <Tick label={field.label} checked={value === 'yes'} onChange={set} errors={wrong} />;
  }
  if (field.mode === 'texts') {
    const { name, label, texts = [] } = field;
    return <TranslatedField {...{ name, label, texts, value, errors, clashes, first, onChange }} />;
  }
  if (field.row && field.draw) {
    const shown = field.tells ? errors[field.name] : wrong;
    return (
      <div className="field form-row">
        {field.draw({
          id: field.name,
          value,
          onChange,
          invalid: wrong !== undefined,
          values,
          within: within(errors, field.name),
        })}
        {shown && <small className="field-error">{shown.join(' ')}</small>}
      </div>
    );
  }
  const clash = field.name in clashes && t('ui.newer.clash', { value: clashes[field.name] || '–' });
  const usual = field.hint ?? (field.mode === 'image' ? t('ui.image.hint') : undefined);
  return (
    <Field label={field.label} hint={clash || usual} errors={wrong}>
      {(given) => <Control {...given} {...shared} />}
    </Field>
  );
}

/** What is wrong with a field, or with something within it. */
function errorsOf(errors: Props['errors'], name: string): readonly string[] | undefined {
  const found = Object.entries(errors).filter(([field]) => field === name || field.startsWith(`${name}.`));
  return found.length > 0 ? found.flatMap(([, messages]) => messages) : undefined;
}

/** What is wrong within a field. */
function within(errors: Props['errors'], name: string): Drawn['within'] {
  const inner = Object.entries(errors).filter(([field]) => field.startsWith(`${name}.`));
  return Object.fromEntries(inner.map(([field, messages]) => [field.slice(name.length + 1), messages]));
}

const NOTHING: Drawn['within'] = {};

/** The type of an input; what is no text has a picker of the browser's own. */
const TYPES = { date: 'date', time: 'datetime-local', secret: 'password' } as const;

/**
 * A field for numbers takes no key that writes anything else. What is pasted stays as it is, for the server to name:
 * taking characters out of it could leave another number.
 */
function refuseKey(event: KeyboardEvent<HTMLInputElement>, { mode, unsigned }: FormField): void {
  const { key, currentTarget: input } = event;
  const writes = key.length === 1 && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing;
  if (!writes || /\d/.test(key)) return;
  const start = input.selectionStart ?? 0;
  const rest = input.value.slice(0, start) + input.value.slice(input.selectionEnd ?? start);
  const isPoint = /[.,]/.test(key) && !/[.,]/.test(rest);
  const isMinus = key === '-' && !unsigned && start === 0 && !rest.includes('-');
  if (mode !== 'decimal' || !(isPoint || isMinus)) event.preventDefault();
}

function Control({ field, first, values, onChange, ...given }: Shared & { id: string }) {
  const value = values[field.name] ?? '';
  if (field.draw)
    return field.draw({ id: given.id, value, onChange, invalid: 'aria-invalid' in given, values, within: NOTHING });
  if (field.options) {
    return (
      <Select
        id={given.id}
        label={field.label}
        value={value || null}
        options={field.options}
        onChange={(value) => onChange(value ?? '')}
      />
    );
  }
  if (field.mode === 'image') return <ImageField {...given} label={field.label} value={value} onChange={onChange} />;
  const shared = {
    ...given,
    className: 'input',
    'data-autofocus': first || undefined,
    maxLength: field.maxLength,
    value,
  };
  if (field.mode === 'long')
    return <textarea {...shared} rows={4} onChange={(event) => onChange(event.target.value)} />;
  const { mode } = field;
  const typing = mode === 'numeric' || mode === 'decimal' || mode === 'url' ? mode : 'text';
  return (
    <input
      {...shared}
      type={TYPES[mode as keyof typeof TYPES] ?? 'text'}
      {...(mode === 'time' ? { step: 1 } : {})}
      {...(mode === 'secret' ? { autoComplete: 'new-password' } : {})}
      inputMode={typing}
      {...(mode === 'numeric' || mode === 'decimal' ? { onKeyDown: (event) => refuseKey(event, field) } : {})}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
