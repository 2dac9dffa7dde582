// A dialog with a few fields, declared. Field errors stand at their fields, anything else below; what was typed stays,
// also when somebody else changed the record meanwhile; and closing it with unsaved changes asks first.
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import { Dialog } from './Dialog';
import { Field, Tick } from './Field';
import { ImageField } from './ImageField';
import { ProblemBar } from './Notice';
import { Select } from './Select';
import { type TextOf, TranslatedField } from './TranslatedField';
import { useUnsaved } from './unsaved';
import { type Saving, useForm } from './useForm';

export interface FormField {
  name: string;
  label: string;
  hint?: string;
  /** A tick is `yes` or empty; `image`: an address, a data URL or nothing; `texts`: JSON of all languages. */
  mode?: 'text' | 'numeric' | 'decimal' | 'url' | 'long' | 'tick' | 'date' | 'image' | 'texts';
  /** What a `texts` field has in every language. */
  texts?: readonly TextOf[];
  options?: readonly { value: string; label: string }[];
  maxLength?: number;
}

const NONE: Readonly<Record<string, readonly string[]>> = {};

/** More fields than this stand in two columns. */
const MANY = 8;

interface Props extends Omit<Saving, 'texts'> {
  title: string;
  confirm: string;
  fields: readonly FormField[];
}

export function FormDialog({ title, confirm, fields, ...saving }: Props) {
  const { t } = useTranslation();
  const { values, clashes, busy, problem, isDirty, save, change, loadNewer } = useForm({
    ...saving,
    texts: fields.filter((field) => field.mode === 'texts').map((field) => field.name),
  });
  // What is being saved may lead on to another screen.
  const mayLeave = useUnsaved(isDirty && !busy);
  const close = () => mayLeave() && saving.onClose();
  const errors = problem?.fields ?? NONE;
  const isAtField = (key: string) =>
    fields.some(({ name, mode }) => key === name || (mode === 'texts' && key.startsWith(`${name}.`)));
  const isPlain = problem && !Object.keys(errors).some(isAtField);
  const isWide = fields.length > MANY;
  return (
    <Dialog
      title={title}
      onClose={close}
      held={busy}
      wide={isWide}
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
      <form id="form-dialog" className={isWide ? 'form form-wide' : 'form'} onSubmit={save}>
        {fields.map((field, at) =>
          field.mode === 'tick' ? (
            <Tick
              key={field.name}
              label={field.label}
              checked={values[field.name] === 'yes'}
              onChange={(on) => change(field.name, on ? 'yes' : '')}
            />
          ) : field.mode === 'texts' ? (
            <TranslatedField
              key={field.name}
              name={field.name}
              label={field.label}
              texts={field.texts ?? []}
              value={values[field.name] ?? ''}
              errors={errors}
              clashes={clashes}
              first={at === 0}
              onChange={(value) => change(field.name, value)}
            />
          ) : (
            <Field
              key={field.name}
              label={field.label}
              hint={
                field.name in clashes
                  ? t('ui.newer.clash', { value: clashes[field.name] || '–' })
                  : (field.hint ?? (field.mode === 'image' ? t('ui.image.hint') : undefined))
              }
              errors={errors[field.name]}
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
        {isPlain && (
          <ProblemBar problem={problem}>
            {loadNewer && (
              <Button label={t('ui.newer.load')} icon="refresh" busy={busy} onClick={() => void loadNewer()} />
            )}
          </ProblemBar>
        )}
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
