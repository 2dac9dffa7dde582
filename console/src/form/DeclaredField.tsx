// Renders one declared form field: label, control by mode, hint, errors, and the conflicting value when another user has changed
// the field meanwhile.
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, Field } from '@/ui/Field';
import { ImageField } from '@/ui/ImageField';
import { Select } from '@/ui/Select';
import { ConflictMark, useConflictText } from './Conflict';
import type { FieldMode } from './codec';
import { checkbox, isChecked } from './codecs';
import { errorsAt, errorsWithin, type FieldErrors, NO_ERRORS } from './problems';
import type { AnyFormSpec, FormValues } from './spec';
import { TranslatedField, type TranslatedText } from './TranslatedField';

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  /** Overrides the mode of the field's codec. */
  mode?: FieldMode;
  /** A `decimal` that cannot be negative: a minus sign cannot be typed. */
  unsigned?: true;
  /** The texts that a `texts` field has in every language. */
  texts?: readonly TranslatedText[];
  /** Heading above the field, where a section of the form begins. */
  section?: string;
  options?: readonly { value: string; label: string }[];
  maxLength?: number;
  /** Height of a `long` field, in lines. */
  rows?: number;
  /** Custom control instead of an input. With `fullWidth` the control has no label around it and must name itself. */
  render?: (props: RenderProps) => ReactNode;
  fullWidth?: true;
  /** A `fullWidth` control that shows the errors of its own parts itself. */
  showsErrors?: true;
}

interface RenderProps {
  id: string;
  value: string;
  onChange: (value: string) => void;
  invalid: boolean;
  /** Current values of all fields. */
  values: FormValues;
  /** Errors inside of the field, keyed by the rest of the path: `3.percent` for `lines.3.percent`. */
  within: FieldErrors;
}

interface SharedProps {
  field: FormField;
  mode: FieldMode | undefined;
  first: boolean;
  values: FormValues;
  onChange: (value: string) => void;
}

interface Props extends Omit<SharedProps, 'mode'> {
  spec?: AnyFormSpec | undefined;
  /** Errors of all fields, by name. */
  errors: FieldErrors;
  /** Values that another user has saved in fields that were edited here, by name. */
  conflicts: FormValues;
}

export function DeclaredField({ errors, conflicts, spec, ...rest }: Props) {
  const { t } = useTranslation();
  const conflictOf = useConflictText(conflicts);
  const { field, first, values, onChange } = rest;
  const value = values[field.name] ?? '';
  const fieldErrors = errorsAt(errors, field.name);
  const mode = field.mode ?? spec?.codecs[field.name]?.mode;
  if (mode === 'checkbox') {
    const set = (on: boolean) => onChange(checkbox.format(on));
    const conflict = conflictOf(field.name, (value) => t(isChecked(value) ? 'ui.yes' : 'ui.no'));
    return (
      <Checkbox
        label={field.label}
        checked={isChecked(value)}
        onChange={set}
        hint={field.hint}
        conflict={conflict}
        errors={fieldErrors}
      />
    );
  }
  if (mode === 'texts') {
    const { name, label, texts = [] } = field;
    return <TranslatedField {...{ name, label, texts, value, errors, conflicts, first, onChange }} />;
  }
  const shared = { ...rest, mode };
  if (field.fullWidth && field.render) {
    const shown = field.showsErrors ? errors[field.name] : fieldErrors;
    return (
      <div className="field form-row">
        {field.render({
          id: field.name,
          value,
          onChange,
          invalid: fieldErrors !== undefined,
          values,
          within: errorsWithin(errors, field.name),
        })}
        {shown && <small className="field-error">{shown.join(' ')}</small>}
        <ConflictMark conflicts={conflicts} name={field.name} />
      </div>
    );
  }
  const conflict = conflictOf(field.name, (value) => field.options?.find((option) => option.value === value)?.label);
  const hint = field.hint ?? (mode === 'image' ? t('ui.image.hint') : undefined);
  return (
    <Field label={field.label} hint={hint} conflict={conflict} errors={fieldErrors}>
      {(controlProps) => <Control {...controlProps} {...shared} />}
    </Field>
  );
}

/** Input types by mode; modes without an entry are `text`. */
const INPUT_TYPES = { date: 'date', time: 'datetime-local', secret: 'password' } as const;

/**
 * Blocks keys that a number cannot contain. Pasted text stays as it is and the server reports it: removing characters could
 * leave another number.
 */
function blockNonNumericKey(event: KeyboardEvent<HTMLInputElement>, mode: FieldMode, unsigned: true | undefined): void {
  const { key, currentTarget: input } = event;
  const isCharacter = key.length === 1 && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing;
  if (!isCharacter || /\d/.test(key)) return;
  const start = input.selectionStart ?? 0;
  const unselected = input.value.slice(0, start) + input.value.slice(input.selectionEnd ?? start);
  const isPoint = /[.,]/.test(key) && !/[.,]/.test(unselected);
  const isMinus = key === '-' && !unsigned && start === 0 && !unselected.includes('-');
  if (mode !== 'decimal' || !(isPoint || isMinus)) event.preventDefault();
}

function Control({ field, mode, first, values, onChange, ...controlProps }: SharedProps & { id: string }) {
  const value = values[field.name] ?? '';
  if (field.render)
    return field.render({
      id: controlProps.id,
      value,
      onChange,
      invalid: 'aria-invalid' in controlProps,
      values,
      within: NO_ERRORS,
    });
  if (field.options) {
    return (
      <Select
        id={controlProps.id}
        label={field.label}
        value={value || null}
        placeholder={field.options.find((option) => option.value === '')?.label ?? ''}
        options={field.options}
        invalid={'aria-invalid' in controlProps}
        onChange={(value) => onChange(value ?? '')}
      />
    );
  }
  if (mode === 'image') return <ImageField {...controlProps} label={field.label} value={value} onChange={onChange} />;
  const shared = {
    ...controlProps,
    className: 'input',
    'data-autofocus': first || undefined,
    maxLength: field.maxLength,
    value,
  };
  if (mode === 'long')
    return <textarea {...shared} rows={field.rows ?? 4} onChange={(event) => onChange(event.target.value)} />;
  const inputMode = mode === 'numeric' || mode === 'decimal' || mode === 'url' ? mode : 'text';
  return (
    <input
      {...shared}
      type={INPUT_TYPES[mode as keyof typeof INPUT_TYPES] ?? 'text'}
      {...(mode === 'time' ? { step: 1 } : {})}
      {...(mode === 'secret' ? { autoComplete: 'new-password' } : {})}
      inputMode={inputMode}
      {...(mode === 'numeric' || mode === 'decimal'
        ? { onKeyDown: (event) => blockNonNumericKey(event, mode, field.unsigned) }
        : {})}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
