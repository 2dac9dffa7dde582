// One field of a form as data: its label, its control by mode, its hint, its errors, and what another person made of it
// meanwhile.
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Field, Tick } from '@/ui/Field';
import { ImageField } from '@/ui/ImageField';
import { Select } from '@/ui/Select';
import type { FieldMode } from './codec';
import { isOn, tick } from './codecs';
import { NewerMark, useNewer } from './Newer';
import { errorsAt, type FieldErrors, NO_ERRORS, within } from './problems';
import type { AnySpec, FormValues } from './spec';
import { type TextOf, TranslatedField } from './TranslatedField';

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  /** The mode of its codec, unless it says another. */
  mode?: FieldMode;
  /** A `decimal` that cannot be below zero: it takes no minus. */
  unsigned?: true;
  /** What a `texts` field has in every language. */
  texts?: readonly TextOf[];
  /** The heading that stands before it, where a part of the form begins. */
  part?: string;
  options?: readonly { value: string; label: string }[];
  maxLength?: number;
  /** Lines of a `long` field. */
  rows?: number;
  /** A control of its own instead of an input; `row` takes the whole width and names itself. */
  draw?: (given: Drawn) => ReactNode;
  row?: true;
  /** A `row` that shows what is wrong within it in its own places. */
  showsErrors?: true;
}

interface Drawn {
  id: string;
  value: string;
  onChange: (value: string) => void;
  invalid: boolean;
  /** What the other fields hold now. */
  values: FormValues;
  /** What is wrong within the field, by what follows its name: `3.percent` for `lines.3.percent`. */
  within: FieldErrors;
}

interface Shared {
  field: FormField;
  mode: FieldMode | undefined;
  first: boolean;
  values: FormValues;
  onChange: (value: string) => void;
}

interface Props extends Omit<Shared, 'mode'> {
  spec?: AnySpec | undefined;
  /** Of all fields, by name. */
  errors: FieldErrors;
  /** What others saved meanwhile where something else was typed here, by name. */
  conflicts: FormValues;
}

export function DeclaredField({ errors, conflicts, spec, ...given }: Props) {
  const { t } = useTranslation();
  const newer = useNewer(conflicts);
  const { field, first, values, onChange } = given;
  const value = values[field.name] ?? '';
  const wrong = errorsAt(errors, field.name);
  const mode = field.mode ?? spec?.codecs[field.name]?.mode;
  if (mode === 'tick') {
    const set = (on: boolean) => onChange(tick.format(on));
    const now = newer(field.name, (value) => t(isOn(value) ? 'ui.yes' : 'ui.no'));
    return (
      <Tick label={field.label} checked={isOn(value)} onChange={set} hint={field.hint} newer={now} errors={wrong} />
    );
  }
  if (mode === 'texts') {
    const { name, label, texts = [] } = field;
    return <TranslatedField {...{ name, label, texts, value, errors, conflicts, first, onChange }} />;
  }
  const shared = { ...given, mode };
  if (field.row && field.draw) {
    const shown = field.showsErrors ? errors[field.name] : wrong;
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
        <NewerMark conflicts={conflicts} name={field.name} />
      </div>
    );
  }
  const conflict = newer(field.name, (value) => field.options?.find((option) => option.value === value)?.label);
  const usual = field.hint ?? (mode === 'image' ? t('ui.image.hint') : undefined);
  return (
    <Field label={field.label} hint={usual} newer={conflict} errors={wrong}>
      {(given) => <Control {...given} {...shared} />}
    </Field>
  );
}

/** The type of an input; what is no text has a picker of the browser's own. */
const TYPES = { date: 'date', time: 'datetime-local', secret: 'password' } as const;

/**
 * A field for numbers takes no key that writes anything else. What is pasted stays as it is, for the server to name:
 * taking characters out of it could leave another number.
 */
function refuseKey(event: KeyboardEvent<HTMLInputElement>, mode: FieldMode, unsigned: true | undefined): void {
  const { key, currentTarget: input } = event;
  const writes = key.length === 1 && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing;
  if (!writes || /\d/.test(key)) return;
  const start = input.selectionStart ?? 0;
  const rest = input.value.slice(0, start) + input.value.slice(input.selectionEnd ?? start);
  const isPoint = /[.,]/.test(key) && !/[.,]/.test(rest);
  const isMinus = key === '-' && !unsigned && start === 0 && !rest.includes('-');
  if (mode !== 'decimal' || !(isPoint || isMinus)) event.preventDefault();
}

function Control({ field, mode, first, values, onChange, ...given }: Shared & { id: string }) {
  const value = values[field.name] ?? '';
  if (field.draw)
    return field.draw({ id: given.id, value, onChange, invalid: 'aria-invalid' in given, values, within: NO_ERRORS });
  if (field.options) {
    return (
      <Select
        id={given.id}
        label={field.label}
        value={value || null}
        placeholder={field.options.find((option) => option.value === '')?.label ?? ''}
        options={field.options}
        invalid={'aria-invalid' in given}
        onChange={(value) => onChange(value ?? '')}
      />
    );
  }
  if (mode === 'image') return <ImageField {...given} label={field.label} value={value} onChange={onChange} />;
  const shared = {
    ...given,
    className: 'input',
    'data-autofocus': first || undefined,
    maxLength: field.maxLength,
    value,
  };
  if (mode === 'long')
    return <textarea {...shared} rows={field.rows ?? 4} onChange={(event) => onChange(event.target.value)} />;
  const typing = mode === 'numeric' || mode === 'decimal' || mode === 'url' ? mode : 'text';
  return (
    <input
      {...shared}
      type={TYPES[mode as keyof typeof TYPES] ?? 'text'}
      {...(mode === 'time' ? { step: 1 } : {})}
      {...(mode === 'secret' ? { autoComplete: 'new-password' } : {})}
      inputMode={typing}
      {...(mode === 'numeric' || mode === 'decimal'
        ? { onKeyDown: (event) => refuseKey(event, mode, field.unsigned) }
        : {})}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
