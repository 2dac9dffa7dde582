// The one dialog of every action: says what will happen to how many and to how much money, tried on the server, asks,
// runs, and tells what came of it. Focus is on the safe button, and a held key cannot press the other.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asksForPrice, beside, isAt } from '@/form/problems';
import { count } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { Field, Tick } from '@/ui/Field';
import { ProblemBar } from '@/ui/Notice';
import { type Action, type AnyAction, type BulkOutcome, type Input, undosOf } from './action';
import { Outcome } from './Outcome';
import { Preview } from './Preview';
import { isLarge } from './run';
import { useAction } from './useAction';

export interface ActionDialogProps<Row extends { id: number }> {
  action: AnyAction<Row>;
  ids: readonly number[];
  row: Row | null;
  onClose: () => void;
  /** Something was changed. */
  onDone: () => void;
  /** Wants these to be marked, where there is a list. */
  onSelect?: (ids: readonly number[]) => void;
}

/** A dialog of the usual kind; its action has none of its own. */
export type UsualDialogProps<Row extends { id: number }> = ActionDialogProps<Row> & { action: Action<Row> };

export function ActionDialog<Row extends { id: number }>(props: ActionDialogProps<Row>) {
  const { action, ids, row, onClose, onDone } = props;
  if (action.Dialog) return <action.Dialog ids={ids} row={row} onClose={onClose} onDone={onDone} />;
  return <UsualDialog {...props} action={action} />;
}

function UsualDialog<Row extends { id: number }>(props: UsualDialogProps<Row>) {
  const { t, i18n } = useTranslation();
  const { action, ids, row, onClose } = props;
  const run = useAction(props);
  const texts = `actions.${action.name as 'cancel'}` as const;
  const title = t(`${texts}.title`, { count: ids.length, shown: count(ids.length), id: row?.id });
  const { Form, Would } = action;
  const [typed, setTyped] = useState('');
  if (run.outcome) {
    return (
      <Dialog
        title={title}
        onClose={onClose}
        footer={
          <>
            {run.undoOutcome && (
              <Button
                label={run.undoOutcome.label}
                onClick={() => {
                  run.undoOutcome?.run();
                  onClose();
                }}
              />
            )}
            <Button look="filled" label={t('ui.done')} onClick={onClose} data-autofocus />
          </>
        }
      >
        <Outcome outcome={run.outcome} {...(props.onSelect ? { onSelect: props.onSelect } : {})} onClose={onClose} />
      </Dialog>
    );
  }
  const problem = run.problem ?? run.refused;
  const rest = row ? beside(problem, isAt(action.fields ?? [])) : problem;
  const isConfirmed = run.input.confirm_below_margin === true;
  const number = run.preview?.processed ?? ids.length;
  const asksNumber = !row && run.done === 0 && isLarge(ids.length, run.preview);
  const refusal = run.trying
    ? t('run.trying')
    : run.untried
      ? t('run.untried')
      : run.refused && !row
        ? run.refused.message
        : number === 0
          ? t('run.nothing')
          : asksNumber && typed.replace(/\D/g, '') !== String(number) && t('run.typeNumber', { number });
  return (
    <Dialog
      title={title}
      role="alertdialog"
      onClose={onClose}
      held={run.isPending}
      footer={
        <>
          <CloseButton label={t(`${texts}.keep`, { count: ids.length })} data-autofocus={Form ? undefined : true} />
          <Button
            look="filled"
            tone={action.tone}
            type="submit"
            form="action"
            label={run.done > 0 ? t('run.goOn') : t(`${texts}.confirm`, { count: ids.length })}
            busy={run.isPending}
            disabled={refusal}
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
          if (!refusal && !run.isPending) void run.start();
        }}
      >
        {i18n.exists(`${texts}.note`) && <p>{t(`${texts}.note` as 'actions.cancelDripFeed.note')}</p>}
        <Preview ids={ids} preview={run.preview} trying={run.trying} final={isFinal(run.preview)}>
          {Would && run.preview?.record !== undefined && <Would row={run.preview.record as Row} />}
        </Preview>
        {Form && (
          <Form
            value={run.input}
            onChange={(input) => run.setInput(unconfirmed(input))}
            errors={problem?.fields ?? {}}
            row={row}
            count={ids.length}
          />
        )}
        {(isConfirmed || asksForPrice(problem)) && (
          <Tick
            label={t('ui.confirmPrice')}
            checked={isConfirmed}
            onChange={(on) =>
              run.setInput({ ...unconfirmed(run.input), ...(on ? { confirm_below_margin: true } : {}) })
            }
          />
        )}
        {asksNumber && number > 0 && !run.trying && !run.untried && !run.refused && (
          <Field label={t('run.typeNumber', { number })}>
            {(given) => (
              <input
                {...given}
                className="input"
                inputMode="numeric"
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.target.value)}
              />
            )}
          </Field>
        )}
        {run.untried && (
          <>
            <ProblemBar problem={run.untried} />
            <Button label={t('ui.retry')} onClick={run.retry} />
          </>
        )}
        {run.trying && run.tried > 0 && <progress value={run.tried} max={ids.length} aria-label={t('run.trying')} />}
        {run.done > 0 && (
          <label className="progress">
            {t('run.progress', { done: count(run.done), of: count(ids.length) })}
            <progress value={run.done} max={ids.length} />
          </label>
        )}
        {rest && <ProblemBar problem={rest} />}
      </form>
    </Dialog>
  );
}

/** A confirmation is for the prices that stood in the form. */
function unconfirmed({ confirm_below_margin: _, ...input }: Input): Input {
  return input;
}

/** Whether there is no way back, of some records at least, as the server said when it tried. */
function isFinal(preview: BulkOutcome | null): boolean {
  if (!preview) return false;
  return undosOf(preview).reduce((sum, offer) => sum + offer.records, 0) < preview.processed;
}
