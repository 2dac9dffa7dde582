// The standard dialog of an action. It previews the effect with a dry run (how many records, how much money), asks for a confirmation,
// runs the action and shows the outcome. The cancel button has the focus at first, and a key that is held down cannot confirm.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { canConfirmPrice, getBarProblem, isWithinFields } from '@/form/problems';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { Checkbox, Field } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { ActionPreview } from './ActionPreview';
import { type Action, type ActionInput, type AnyAction, type BulkOutcome, getUndoOffers } from './action';
import { BulkOutcomeSummary } from './BulkOutcomeSummary';
import { isLargeRun } from './bulkRun';
import { useAction } from './useAction';

export interface ActionDialogProps<Row extends { id: number }> {
  action: AnyAction<Row>;
  ids: readonly number[];
  row: Row | null;
  onClose: () => void;
  /** Runs after the action has changed records. */
  onDone: () => void;
  /** Selects these records in the list. Undefined if the dialog was not opened from a list. */
  onSelect?: (ids: readonly number[]) => void;
}

/** Props of the standard dialog, for actions that have no dialog of their own. */
export type StandardDialogProps<Row extends { id: number }> = ActionDialogProps<Row> & { action: Action<Row> };

export function ActionDialog<Row extends { id: number }>(props: ActionDialogProps<Row>) {
  const { action, ids, row, onClose, onDone } = props;
  if (action.Dialog) return <action.Dialog ids={ids} row={row} onClose={onClose} onDone={onDone} />;
  return <StandardDialog {...props} action={action} />;
}

function StandardDialog<Row extends { id: number }>(props: StandardDialogProps<Row>) {
  const { t, i18n } = useTranslation();
  const { action, ids, row, onClose } = props;
  const actionRun = useAction(props);
  const textKey = `actions.${action.name as 'cancel'}` as const;
  const title = t(`${textKey}.title`, { count: ids.length, formattedCount: formatNumber(ids.length), id: row?.id });
  const { Form, PreviewDetails } = action;
  const [typedCount, setTypedCount] = useState('');
  if (actionRun.outcome) {
    return (
      <Dialog
        title={title}
        onClose={onClose}
        footer={
          <>
            {actionRun.outcomeUndoButton && (
              <Button
                label={actionRun.outcomeUndoButton.label}
                onClick={() => {
                  actionRun.outcomeUndoButton?.onClick();
                  onClose();
                }}
              />
            )}
            <Button variant="filled" label={t('ui.done')} onClick={onClose} data-autofocus />
          </>
        }
      >
        <BulkOutcomeSummary
          actionName={action.name}
          outcome={actionRun.outcome}
          {...(props.onSelect ? { onSelect: props.onSelect } : {})}
          onClose={onClose}
        />
      </Dialog>
    );
  }
  const problem = actionRun.problem ?? actionRun.rejection;
  const barProblem = row ? getBarProblem(problem, isWithinFields(action.fields ?? [])) : problem;
  const isPriceConfirmed = actionRun.input.confirm_below_margin === true;
  const eligibleCount = actionRun.preview?.processed ?? ids.length;
  const confirmLabel =
    actionRun.processedCount > 0
      ? t('run.continue')
      : eligibleCount > 1
        ? t(`${textKey}.title`, { count: eligibleCount, formattedCount: formatNumber(eligibleCount) })
        : t(`${textKey}.confirm`);
  const requiresTypedCount = !row && actionRun.processedCount === 0 && isLargeRun(ids.length, actionRun.preview);
  const disabledReason = actionRun.isPreviewing
    ? t('run.loadingPreview')
    : actionRun.previewProblem
      ? t('run.previewNotReady')
      : actionRun.rejection && !row
        ? actionRun.rejection.message
        : eligibleCount === 0
          ? t('run.noRecordEligible')
          : requiresTypedCount &&
            typedCount.replace(/\D/g, '') !== String(eligibleCount) &&
            t('run.typeNumber', { number: eligibleCount });
  return (
    <Dialog
      title={title}
      role="alertdialog"
      onClose={onClose}
      isBusy={actionRun.isPending}
      footer={
        <>
          <CloseButton
            label={t(`${textKey}.dismiss`, { count: ids.length })}
            data-autofocus={Form ? undefined : true}
          />
          <Button
            variant="filled"
            tone={action.tone}
            type="submit"
            form="action"
            label={confirmLabel}
            busy={actionRun.isPending}
            disabled={disabledReason}
            onKeyDown={(event) => event.repeat && event.preventDefault()}
          />
        </>
      }
    >
      <form
        id="action"
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          if (!disabledReason && !actionRun.isPending) void actionRun.start();
        }}
      >
        {i18n.exists(`${textKey}.note`) && <p>{t(`${textKey}.note` as 'actions.cancelDripFeed.note')}</p>}
        <ActionPreview
          actionName={action.name}
          ids={ids}
          preview={actionRun.preview}
          isPreviewing={actionRun.isPreviewing}
          isIrreversible={hasRecordsWithoutUndo(actionRun.preview)}
        >
          {PreviewDetails && actionRun.preview?.record !== undefined && (
            <PreviewDetails row={actionRun.preview.record as Row} />
          )}
        </ActionPreview>
        {Form && (
          <Form
            value={actionRun.input}
            onChange={(input) => actionRun.setInput(removePriceConfirmation(input))}
            errors={problem?.fields ?? {}}
            row={row}
            count={ids.length}
          />
        )}
        {(isPriceConfirmed || canConfirmPrice(problem)) && (
          <Checkbox
            label={t('ui.confirmLowPrice')}
            checked={isPriceConfirmed}
            onChange={(checked) =>
              actionRun.setInput({
                ...removePriceConfirmation(actionRun.input),
                ...(checked ? { confirm_below_margin: true } : {}),
              })
            }
          />
        )}
        {requiresTypedCount &&
          eligibleCount > 0 &&
          !actionRun.isPreviewing &&
          !actionRun.previewProblem &&
          !actionRun.rejection && (
            <Field label={t('run.typeNumber', { number: eligibleCount })}>
              {(controlProps) => (
                <input
                  {...controlProps}
                  className="input"
                  inputMode="numeric"
                  autoComplete="off"
                  value={typedCount}
                  onChange={(event) => setTypedCount(event.target.value)}
                />
              )}
            </Field>
          )}
        {actionRun.previewProblem && (
          <>
            <ProblemBar problem={actionRun.previewProblem} />
            <Button label={t('ui.retry')} onClick={actionRun.retry} />
          </>
        )}
        {actionRun.isPreviewing && actionRun.previewedCount > 0 && (
          <progress value={actionRun.previewedCount} max={ids.length} aria-label={t('run.loadingPreview')} />
        )}
        {actionRun.processedCount > 0 && (
          <label className="progress">
            {t('run.progress', {
              processed: formatNumber(actionRun.processedCount),
              total: formatNumber(ids.length),
            })}
            <progress value={actionRun.processedCount} max={ids.length} />
          </label>
        )}
        {barProblem && <ProblemBar problem={barProblem} />}
      </form>
    </Dialog>
  );
}

/** Removes the confirmation of a low price, because the confirmation is valid only for the input that the user confirmed. */
function removePriceConfirmation({ confirm_below_margin: _, ...input }: ActionInput): ActionInput {
  return input;
}

/** Whether the run would change records that the server cannot restore: the dry run offers an undo for fewer records than it changes. */
function hasRecordsWithoutUndo(preview: BulkOutcome | null): boolean {
  if (!preview) return false;
  return (
    getUndoOffers(preview).reduce((restorableCount, offer) => restorableCount + offer.records, 0) < preview.processed
  );
}
