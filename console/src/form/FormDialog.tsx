// A dialog with declared fields. Field errors are shown at their fields, other errors below. The user's input is kept when another
// user has changed the record, and closing the dialog with unsaved changes asks first.
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { DeclaredField, type FormField } from './DeclaredField';
import { FormProblem } from './FormProblem';
import { isWithinFields, withAliases } from './problems';
import { type FormOptions, useForm } from './useForm';

export type { FormField } from './DeclaredField';

/** Forms with more fields than this have two columns. */
const MAX_FIELDS_IN_ONE_COLUMN = 8;

interface Props<Answer> extends FormOptions<Answer> {
  title: string;
  confirm: string;
  fields: readonly FormField[];
  /** Content below the fields, such as the price that the server computed for the current input. */
  note?: ReactNode;
  /** The reason why the record cannot be changed: the fields are disabled, and nothing is sent. */
  locked?: ReactNode;
  /** Two columns for a form with few fields. */
  wide?: true;
  onClose: () => void;
}

/** The server reports a missing English text without its language (`name`), as the other languages fall back to it. */
function englishAliases(fields: readonly FormField[]): Readonly<Record<string, string>> {
  const english = fields.flatMap(({ name, texts = [] }) => texts.map((text) => [text.name, `${name}.en.${text.name}`]));
  return Object.fromEntries(english.filter(([text]) => fields.every(({ name }) => name !== text)));
}

export function FormDialog<Answer>(props: Props<Answer>) {
  const { title, confirm, fields, note, locked, wide, onClose, ...options } = props;
  const { t } = useTranslation();
  const form = useForm<Answer>({
    ...options,
    onDone: (answer, done) => {
      const step = options.onDone?.(answer, done);
      if (step !== 'stay') onClose();
      return step;
    },
  });
  const { values, conflicts, isPending, change } = form;
  const aliases = englishAliases(fields);
  const errors = withAliases(form.errors, aliases);
  const names = [...fields.map(({ name }) => name), ...Object.keys(aliases)];
  const close = () => form.confirmLeave() && onClose();
  const inColumns = wide || fields.length > MAX_FIELDS_IN_ONE_COLUMN;
  const className = inColumns ? 'form form-wide' : 'form';
  const controls = fields.map((field, at) => (
    <Fragment key={field.name}>
      {field.section && <h3 className="form-part">{field.section}</h3>}
      <DeclaredField
        field={field}
        first={at === 0}
        {...{ values, errors, conflicts }}
        spec={options.spec}
        onChange={(value) => locked || change(field.name, value)}
      />
    </Fragment>
  ));
  return (
    <Dialog
      title={title}
      onClose={close}
      isBusy={isPending}
      wide={inColumns || fields.some(({ fullWidth }) => fullWidth)}
      footer={
        locked ? (
          <CloseButton label={t('ui.close')} />
        ) : (
          <>
            <CloseButton label={t('ui.cancel')} />
            <Button
              variant="filled"
              type="submit"
              form="form-dialog"
              label={confirm}
              busy={isPending}
              onKeyDown={(event) => event.repeat && event.preventDefault()}
            />
          </>
        )
      }
    >
      {locked}
      {locked ? (
        <fieldset className={className} disabled>
          {controls}
        </fieldset>
      ) : (
        <form id="form-dialog" className={className} onSubmit={form.submit}>
          {controls}
          {note}
          <FormProblem form={form} isShownAtField={isWithinFields(names)} />
        </form>
      )}
    </Dialog>
  );
}
