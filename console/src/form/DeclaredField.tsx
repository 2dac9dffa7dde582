// Renders a declared form field: label, control, hint, errors, and the value that another user has saved in the meantime. The mode
// of the field decides which control it has.
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, Field } from '@/ui/Field';
import { ImageField } from '@/ui/ImageField';
import { Select } from '@/ui/Select';
import { ConflictMark, useConflictTextOf } from './Conflict';
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
  /** A `decimal` field in which the user cannot type a minus sign. */
  unsigned?: true;
  /** With the mode `texts`: the texts that the record has in every language. */
  texts?: readonly TranslatedText[];
  /** Heading above the field, which begins a section of the form. */
  section?: string;
  options?: readonly { value: string; label: string }[];
  maxLength?: number;
  /** Height of a `multiline` field, in lines. */
  rows?: number;
  /** Renders a custom control. With `fullWidth` it is not inside of a `<label>`, so it needs an accessible name of its own. */
  render?: (props: RenderProps) => ReactNode;
  fullWidth?: true;
  /** The `fullWidth` control shows the errors inside of the field, such as those of `lines.3.percent`, itself. */
  showsErrors?: true;
}

interface RenderProps {
  id: string;
  value: string;
  onChange: (value: string) => void;
  invalid: boolean;
  /** Current values of all fields. */
  values: FormValues;
  /** Errors inside of the field, without the name of the field in their keys: `3.percent` for `lines.3.percent`. */
  innerErrors: FieldErrors;
}

interface SharedProps {
  field: FormField;
  mode: FieldMode | undefined;
  /** Whether the dialog focuses the field when it opens. */
  autoFocus: boolean;
  values: FormValues;
  onChange: (value: string) => void;
}

interface Props extends Omit<SharedProps, 'mode'> {
  spec?: AnyFormSpec | undefined;
  /** Errors of all fields, by name. */
  errors: FieldErrors;
  /** By field name: values that another user has saved in fields that the user is editing. */
  conflicts: FormValues;
}

export function DeclaredField({ errors, conflicts, spec, ...controlProps }: Props) {
  const { t } = useTranslation();
  const conflictOf = useConflictTextOf(conflicts);
  const { field, autoFocus, values, onChange } = controlProps;
  const value = values[field.name] ?? '';
  const fieldErrors = errorsAt(errors, field.name);
  const mode = field.mode ?? spec?.codecs[field.name]?.mode;
  if (mode === 'checkbox') {
    const setChecked = (checked: boolean) => onChange(checkbox.format(checked));
    const conflict = conflictOf(field.name, (value) => t(isChecked(value) ? 'ui.yes' : 'ui.no'));
    return (
      <Checkbox
        label={field.label}
        checked={isChecked(value)}
        onChange={setChecked}
        hint={field.hint}
        conflict={conflict}
        errors={fieldErrors}
      />
    );
  }
  if (mode === 'texts') {
    const { name, label, texts = [] } = field;
    return <TranslatedField {...{ name, label, texts, value, errors, conflicts, autoFocus, onChange }} />;
  }
  if (field.fullWidth && field.render) {
    const shownErrors = field.showsErrors ? errors[field.name] : fieldErrors;
    return (
      <div className="field form-row">
        {field.render({
          id: field.name,
          value,
          onChange,
          invalid: fieldErrors !== undefined,
          values,
          innerErrors: errorsWithin(errors, field.name),
        })}
        {shownErrors && <small className="field-error">{shownErrors.join(' ')}</small>}
        <ConflictMark conflicts={conflicts} name={field.name} />
      </div>
    );
  }
  const conflict = conflictOf(field.name, (value) => field.options?.find((option) => option.value === value)?.label);
  const hint = field.hint ?? (mode === 'image' ? t('ui.image.hint') : undefined);
  return (
    <Field label={field.label} hint={hint} conflict={conflict} errors={fieldErrors}>
      {(fieldProps) => <Control {...fieldProps} {...controlProps} mode={mode} />}
    </Field>
  );
}

/** Input types by mode; modes without an entry are `text`. */
const INPUT_TYPES = { date: 'date', time: 'datetime-local', secret: 'password' } as const;

/**
 * Blocks keys that a number cannot contain. It does not change pasted text: without some of its characters it could be another
 * number. The server reports what is invalid.
 */
function blockNonNumericKey(event: KeyboardEvent<HTMLInputElement>, mode: FieldMode, unsigned: true | undefined): void {
  const { key, currentTarget: input } = event;
  const isCharacter = key.length === 1 && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing;
  if (!isCharacter || /\d/.test(key)) return;
  const start = input.selectionStart ?? 0;
  const unselectedText = input.value.slice(0, start) + input.value.slice(input.selectionEnd ?? start);
  const isPoint = /[.,]/.test(key) && !/[.,]/.test(unselectedText);
  const isMinus = key === '-' && !unsigned && start === 0 && !unselectedText.includes('-');
  if (mode !== 'decimal' || !(isPoint || isMinus)) event.preventDefault();
}

function Control({ field, mode, autoFocus, values, onChange, ...fieldProps }: SharedProps & { id: string }) {
  const value = values[field.name] ?? '';
  if (field.render)
    return field.render({
      id: fieldProps.id,
      value,
      onChange,
      invalid: 'aria-invalid' in fieldProps,
      values,
      innerErrors: NO_ERRORS,
    });
  if (field.options) {
    return (
      <Select
        id={fieldProps.id}
        label={field.label}
        value={value || null}
        placeholder={field.options.find((option) => option.value === '')?.label ?? ''}
        options={field.options}
        invalid={'aria-invalid' in fieldProps}
        onChange={(value) => onChange(value ?? '')}
      />
    );
  }
  if (mode === 'image') return <ImageField {...fieldProps} label={field.label} value={value} onChange={onChange} />;
  const inputProps = {
    ...fieldProps,
    className: 'input',
    'data-autofocus': autoFocus || undefined,
    maxLength: field.maxLength,
    value,
  };
  if (mode === 'multiline')
    return <textarea {...inputProps} rows={field.rows ?? 4} onChange={(event) => onChange(event.target.value)} />;
  const inputMode = mode === 'numeric' || mode === 'decimal' || mode === 'url' ? mode : 'text';
  return (
    <input
      {...inputProps}
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
