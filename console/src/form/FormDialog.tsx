// A dialog with a few fields, declared. Field errors stand at their fields, anything else below; what was typed stays,
// also when another person changed the record meanwhile; and closing it with unsaved changes asks first.
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { DeclaredField, type FormField } from './DeclaredField';
import { FormProblem } from './FormProblem';
import { aliased, isAt } from './problems';
import { type FormOptions, useForm } from './useForm';

export type { FormField } from './DeclaredField';

/** More fields than this stand in two columns. */
const MANY = 8;

interface Props<Answer> extends FormOptions<Answer> {
  title: string;
  confirm: string;
  fields: readonly FormField[];
  /** What the panel answers to what was typed, such as a price. */
  note?: ReactNode;
  /** Why nothing of it can be changed: the fields only show what is there, and nothing is sent. */
  locked?: ReactNode;
  /** In two columns; many fields are anyhow. */
  wide?: true;
  onClose: () => void;
}

/** The server names an English text that is missing without its language, as the other languages fall back to it. */
function englishOf(fields: readonly FormField[]): Readonly<Record<string, string>> {
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
  const aliases = englishOf(fields);
  const errors = aliased(form.errors, aliases);
  const names = [...fields.map(({ name }) => name), ...Object.keys(aliases)];
  const close = () => form.mayLeave() && onClose();
  const inColumns = wide || fields.length > MANY;
  const look = inColumns ? 'form form-wide' : 'form';
  const drawn = fields.map((field, at) => (
    <Fragment key={field.name}>
      {field.part && <h3 className="form-part">{field.part}</h3>}
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
      held={isPending}
      wide={inColumns || fields.some(({ row }) => row)}
      footer={
        locked ? (
          <CloseButton label={t('ui.close')} />
        ) : (
          <>
            <CloseButton label={t('ui.cancel')} />
            <Button
              look="filled"
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
        <fieldset className={look} disabled>
          {drawn}
        </fieldset>
      ) : (
        <form id="form-dialog" className={look} onSubmit={form.submit}>
          {drawn}
          {note}
          <FormProblem form={form} isDrawn={isAt(names)} />
        </form>
      )}
    </Dialog>
  );
}
