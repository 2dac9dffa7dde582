// A dialog with a few fields, declared. Field errors stand at their fields, anything else below; what was typed stays,
// and closing it with unsaved changes asks first.
import { type FormEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem, type Problem } from '@/api/problem';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { Field, Tick } from './Field';
import { ImageField } from './ImageField';
import { ProblemBar } from './Notice';
import { Select } from './Select';
import { useUnsaved } from './unsaved';

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  /** A tick is `yes` or empty; `image`: an address, a data URL or nothing, as the API takes it. */
  mode?: 'text' | 'numeric' | 'decimal' | 'url' | 'long' | 'tick' | 'date' | 'image';
  options?: readonly { value: string; label: string }[];
  maxLength?: number;
}

/** More fields than this stand in two columns. */
const MANY = 8;

type Values = Record<string, string>;

interface Props {
  title: string;
  confirm: string;
  fields: readonly FormField[];
  initial: Values;
  onSave: (values: Values) => Promise<void>;
  onClose: () => void;
}

export function FormDialog({ title, confirm, fields, initial, onSave, onClose }: Props) {
  const { t } = useTranslation();
  const [values, setValues] = useState(initial);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const isDirty = fields.some(({ name }) => (values[name] ?? '') !== (initial[name] ?? ''));
  // What is being saved may lead on to another screen.
  const mayLeave = useUnsaved(isDirty && !busy);
  const close = () => mayLeave() && onClose();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      await onSave(values);
      onClose();
    } catch (error) {
      setProblem(asProblem(error));
      setBusy(false);
    }
  };
  const change = (name: string, value: string) => {
    setValues({ ...values, [name]: value });
    setProblem(null);
  };
  const isPlain = problem && !fields.some(({ name }) => name in problem.fields);
  return (
    <Dialog
      title={title}
      onClose={close}
      held={busy}
      wide={fields.length > MANY}
      footer={
        <>
          <Button label={t('ui.cancel')} onClick={close} />
          <Button
            look="filled"
            type="submit"
            form="form-dialog"
            label={confirm}
            busy={busy}
            onKeyDown={(event) => event.repeat && event.preventDefault()}
          />
        </>
      }
    >
      <form id="form-dialog" className={fields.length > MANY ? 'form form-wide' : 'form'} onSubmit={save}>
        {fields.map((field, at) =>
          field.mode === 'tick' ? (
            <Tick
              key={field.name}
              label={field.label}
              checked={values[field.name] === 'yes'}
              onChange={(on) => change(field.name, on ? 'yes' : '')}
            />
          ) : (
            <Field
              key={field.name}
              label={field.label}
              hint={field.hint ?? (field.mode === 'image' ? t('ui.image.hint') : undefined)}
              errors={problem?.fields[field.name]}
            >
              {(given) => (
                <Control
                  {...given}
                  field={field}
                  first={at === 0}
                  value={values[field.name] ?? ''}
                  onChange={(value) => change(field.name, value)}
                />
              )}
            </Field>
          ),
        )}
        {isPlain && <ProblemBar problem={problem} />}
      </form>
    </Dialog>
  );
}

interface ControlProps {
  id: string;
  field: FormField;
  first: boolean;
  value: string;
  onChange: (value: string) => void;
}

function Control({ field, first, value, onChange, ...given }: ControlProps) {
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
      type={mode === 'date' ? 'date' : 'text'}
      inputMode={typing}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
