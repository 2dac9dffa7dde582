// A dialog with a few fields, declared. Field errors stand at their fields, anything else below; what was typed stays,
// also when somebody else changed the record meanwhile; and closing it with unsaved changes asks first.
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './Button';
import { beside, isAt } from './beside';
import { DeclaredField, type FormField } from './DeclaredField';
import { Dialog } from './Dialog';
import { ProblemBar } from './Notice';
import { useUnsaved } from './unsaved';
import { type Saving, useForm } from './useForm';

export type { FormField } from './DeclaredField';

const NONE: Readonly<Record<string, readonly string[]>> = {};

/** More fields than this stand in two columns. */
const MANY = 8;

interface Props extends Omit<Saving, 'texts'> {
  title: string;
  confirm: string;
  fields: readonly FormField[];
  /** What the panel said of what was typed, such as a price. */
  note?: ReactNode;
  /** In two columns; many fields are anyhow. */
  wide?: true;
}

export function FormDialog({ title, confirm, fields, note, wide, ...saving }: Props) {
  const { t } = useTranslation();
  const { values, clashes, busy, problem, isDirty, save, change, loadNewer, confirmPrice } = useForm({
    ...saving,
    texts: fields.filter((field) => field.mode === 'texts').map((field) => field.name),
  });
  // What is being saved may lead on to another screen.
  const mayLeave = useUnsaved(isDirty && !busy);
  const close = () => mayLeave() && saving.onClose();
  const errors = problem?.fields ?? NONE;
  const rest = beside(problem, isAt(fields.map(({ name }) => name)));
  const inColumns = wide || fields.length > MANY;
  return (
    <Dialog
      title={title}
      onClose={close}
      held={busy}
      wide={inColumns || fields.some(({ row }) => row)}
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
      <form id="form-dialog" className={inColumns ? 'form form-wide' : 'form'} onSubmit={save}>
        {fields.map((field, at) => (
          <Fragment key={field.name}>
            {field.part && <h3 className="form-part">{field.part}</h3>}
            <DeclaredField
              field={field}
              first={at === 0}
              values={values}
              errors={errors}
              clashes={clashes}
              onChange={(value) => change(field.name, value)}
            />
          </Fragment>
        ))}
        {note}
        {confirmPrice && <Button label={t('ui.confirmPrice')} busy={busy} onClick={() => void confirmPrice()} />}
        {rest && (
          <ProblemBar problem={rest}>
            {loadNewer && (
              <Button label={t('ui.newer.load')} icon="refresh" busy={busy} onClick={() => void loadNewer()} />
            )}
          </ProblemBar>
        )}
      </form>
    </Dialog>
  );
}
