// A form in a dialog, with the given fields. Each field shows its own errors; other errors are shown below the fields. If another
// user has changed the record, the user's edits are kept. Before the dialog discards unsaved changes, it asks the user.
import { Fragment, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { type FormField, FormFieldControl } from './FormFieldControl';
import { FormProblem } from './FormProblem';
import { copyErrorsToAliases, isWithinFields } from './problems';
import { type FormOptions, useForm } from './useForm';

export type { FormField } from './FormFieldControl';

/** Forms with more fields than this have two columns. */
const MAX_FIELDS_IN_ONE_COLUMN = 8;

interface Props<Result> extends FormOptions<Result> {
  title: string;
  confirmLabel: string;
  fields: readonly FormField[];
  /** Content below the fields, such as the price of the current input. */
  note?: ReactNode;
  /** Why the user cannot change the record. If it is set, the fields are disabled and there is no save button. */
  lockedReason?: ReactNode;
  /** Shows two columns even if the form has few fields. */
  isWide?: true;
  onClose: () => void;
}

/**
 * Maps field names of the server to names of texts: the server reports a missing English text as `name` instead of
 * `translations.en.name`, because English is the fallback of the other languages.
 */
function createEnglishAliases(fields: readonly FormField[]): Readonly<Record<string, string>> {
  const aliases = fields.flatMap(({ name, texts = [] }) => texts.map((text) => [text.name, `${name}.en.${text.name}`]));
  return Object.fromEntries(aliases.filter(([text]) => fields.every(({ name }) => name !== text)));
}

export function FormDialog<Result>(props: Props<Result>) {
  const { title, confirmLabel, fields, note, lockedReason, isWide, onClose, ...options } = props;
  const { t } = useTranslation();
  const form = useForm<Result>({
    ...options,
    onDone: (result, savedForm) => {
      const nextStep = options.onDone?.(result, savedForm);
      if (nextStep !== 'stay') onClose();
      return nextStep;
    },
  });
  const { values, conflicts, isPending, setValue } = form;
  const aliases = createEnglishAliases(fields);
  const errors = copyErrorsToAliases(form.errors, aliases);
  const names = [...fields.map(({ name }) => name), ...Object.keys(aliases)];
  const close = () => form.confirmLeave() && onClose();
  const hasTwoColumns = isWide || fields.length > MAX_FIELDS_IN_ONE_COLUMN;
  const className = hasTwoColumns ? 'form form-wide' : 'form';
  const controls = fields.map((field, index) => (
    <Fragment key={field.name}>
      {field.section && <h3 className="form-part">{field.section}</h3>}
      <FormFieldControl
        field={field}
        autoFocus={index === 0}
        {...{ values, errors, conflicts }}
        spec={options.spec}
        onChange={(value) => lockedReason || setValue(field.name, value)}
      />
    </Fragment>
  ));
  return (
    <Dialog
      title={title}
      onClose={close}
      isBusy={isPending}
      isWide={hasTwoColumns || fields.some(({ fullWidth }) => fullWidth)}
      footer={
        lockedReason ? (
          <CloseButton label={t('ui.close')} />
        ) : (
          <>
            <CloseButton label={t('ui.cancel')} />
            <Button
              variant="filled"
              type="submit"
              form="form-dialog"
              label={confirmLabel}
              busy={isPending}
              onKeyDown={(event) => event.repeat && event.preventDefault()}
            />
          </>
        )
      }
    >
      {lockedReason}
      {lockedReason ? (
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
