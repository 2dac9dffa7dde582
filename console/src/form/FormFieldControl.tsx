// Renders a form field from its description: label, control, hint, errors, and the value that another user has saved since the form
// was loaded. The mode of the field decides which control is rendered.
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Checkbox, Field } from '@/ui/Field';
import { ImageField } from '@/ui/ImageField';
import { Select } from '@/ui/Select';
import { ConflictNote, useConflictText } from './Conflict';
import type { FieldMode } from './codec';
import { checkboxCodec, isChecked } from './codecs';
import { collectFieldErrors, collectInnerErrors, type FieldErrors, NO_ERRORS } from './problems';
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
  /** Only for the mode `texts`: the texts that the record has in every language. */
  texts?: readonly TranslatedText[];
  /** Begins a section of the form: the heading above the field. */
  section?: string;
  options?: readonly { value: string; label: string }[];
  maxLength?: number;
  /** Height of a `multiline` field, in lines. */
  rows?: number;
  /** Renders a custom control instead of the control of the mode. */
  render?: (props: RenderProps) => ReactNode;
  /** The custom control has the width of the form and no label, so the control itself must set its accessible name. */
  fullWidth?: true;
  /** The `fullWidth` control itself shows the errors inside of the field, such as the error of `lines.3.percent`. */
  showsInnerErrors?: true;
}

interface RenderProps {
  id: string;
  value: string;
  onChange: (value: string) => void;
  invalid: boolean;
  /** The current values of all fields of the form. */
  values: FormValues;
  /** The errors inside of the field. Their keys have no field name: `3.percent` for `lines.3.percent`. */
  innerErrors: FieldErrors;
}

interface ControlProps {
  field: FormField;
  mode: FieldMode | undefined;
  /** Whether the dialog focuses the field when it opens. */
  autoFocus: boolean;
  values: FormValues;
  onChange: (value: string) => void;
}

interface Props extends Omit<ControlProps, 'mode'> {
  spec?: AnyFormSpec | undefined;
  /** The errors of all fields of the form, by field name. */
  errors: FieldErrors;
  /** By field name: the values that another user has saved in fields that this user is editing. */
  conflicts: FormValues;
}

export function FormFieldControl({ errors, conflicts, spec, ...controlProps }: Props) {
  const { t } = useTranslation();
  const getConflictText = useConflictText(conflicts);
  const { field, autoFocus, values, onChange } = controlProps;
  const value = values[field.name] ?? '';
  const fieldErrors = collectFieldErrors(errors, field.name);
  const mode = field.mode ?? spec?.codecs[field.name]?.mode;
  if (mode === 'checkbox') {
    const setChecked = (checked: boolean) => onChange(checkboxCodec.format(checked));
    const conflict = getConflictText(field.name, (value) => t(isChecked(value) ? 'ui.yes' : 'ui.no'));
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
    const shownErrors = field.showsInnerErrors ? errors[field.name] : fieldErrors;
    return (
      <div className="field form-row">
        {field.render({
          id: field.name,
          value,
          onChange,
          invalid: fieldErrors !== undefined,
          values,
          innerErrors: collectInnerErrors(errors, field.name),
        })}
        {shownErrors && <small className="field-error">{shownErrors.join(' ')}</small>}
        <ConflictNote conflicts={conflicts} name={field.name} />
      </div>
    );
  }
  const conflict = getConflictText(
    field.name,
    (value) => field.options?.find((option) => option.value === value)?.label,
  );
  const hint = field.hint ?? (mode === 'image' ? t('ui.image.hint') : undefined);
  return (
    <Field label={field.label} hint={hint} conflict={conflict} errors={fieldErrors}>
      {(fieldProps) => <InputControl {...fieldProps} {...controlProps} mode={mode} />}
    </Field>
  );
}

/** The type of the `<input>` by mode. Modes without an entry have the type `text`. */
const INPUT_TYPES = { date: 'date', time: 'datetime-local', secret: 'password' } as const;

/**
 * Blocks typed characters that a number cannot contain. Pasted text is not changed, because it could become another number if some
 * of its characters were removed: the form and the server report invalid numbers.
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

function InputControl({ field, mode, autoFocus, values, onChange, ...fieldProps }: ControlProps & { id: string }) {
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
