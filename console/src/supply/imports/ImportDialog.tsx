// Importing services: what each line would be here, editable, tried on the server and sent. What the server refuses stands at
// its line and field, and nothing that was typed is lost.
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { count } from '@/i18n/format';
import type { OwnDialogProps } from '@/table/action';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { useUnsaved } from '@/ui/unsaved';
import type { PanelServiceRow } from './calls';
import { ImportLine } from './ImportLine';
import { ImportResult } from './ImportResult';
import { ChangeTicked, SharedFields } from './LineTools';
import { found, type Line } from './lines';
import { useImport, useLines } from './useImport';

/** Lines that are drawn at once. */
const PAGE = 20;

export function ImportDialog({ ids, onClose, onDone, panel }: OwnDialogProps<PanelServiceRow> & { panel: number }) {
  const { t } = useTranslation();
  const { lines, loaded, problem, retry } = useLines(panel, ids);
  if (lines) return <Editor {...{ lines, panel, onClose, onDone }} />;
  return (
    <Dialog
      title={t('actions.importServices.title', { count: ids.length, shown: count(ids.length) })}
      wide
      onClose={onClose}
      footer={<Button label={t('actions.importServices.keep', { count: 1 })} onClick={onClose} data-autofocus />}
    >
      {problem ? (
        <>
          <ProblemBar problem={problem} />
          <Button label={t('ui.retry')} onClick={retry} />
        </>
      ) : (
        <label className="progress" role="status">
          {t('imports.loading', { done: count(loaded), of: count(ids.length) })}
          <progress value={loaded} max={ids.length} />
        </label>
      )}
    </Dialog>
  );
}

interface EditorProps {
  lines: readonly Line[];
  panel: number;
  onClose: () => void;
  onDone: () => void;
}

function Editor({ lines, panel, onClose, onDone }: EditorProps) {
  const { t } = useTranslation();
  const importable = useMemo(() => lines.filter((line) => !line.refusal), [lines]);
  const [ticked, setTicked] = useState<ReadonlySet<number>>(() => new Set(importable.map(({ id }) => id)));
  const [leftOut, setLeftOut] = useState<ReadonlyMap<number, string>>(new Map());
  const chosen = useMemo(() => importable.filter(({ id }) => ticked.has(id)), [importable, ticked]);
  const run = useImport(panel, chosen);
  const { shared, edits, edit, errors } = run;
  const [query, setQuery] = useState('');
  const [page, setPage] = useState(0);
  const shown = found(lines, edits, query);
  const form = useRef<HTMLFormElement>(null);
  const mayLeave = useUnsaved(edits.size > 0 && run.outcome === null);
  const close = () => mayLeave() && onClose();
  const tick = (some: Iterable<number>, on: boolean) =>
    setTicked((ticked) => {
      const next = new Set(ticked);
      for (const id of some) on ? next.add(id) : next.delete(id);
      return next;
    });
  useLeadToError(form, run.refusals, () => {
    const at = lines.findIndex(({ id }) => errors.lines.has(id));
    if (at < 0) return;
    setQuery('');
    setPage(Math.floor(at / PAGE));
  });
  if (run.outcome) {
    return (
      <ImportResult {...{ lines, ticked, leftOut, errors }} outcome={run.outcome} onClose={onClose} onDone={onDone} />
    );
  }
  const last = Math.max(0, Math.ceil(shown.length / PAGE) - 1);
  const at = Math.min(page, last);
  const wrongIds = chosen.filter(({ id }) => errors.lines.has(id)).map(({ id }) => id);
  const leaveOut = () => {
    const reasons = wrongIds.map(
      (id) =>
        [
          id,
          Object.values(errors.lines.get(id) ?? {})
            .flat()
            .join(' '),
        ] as const,
    );
    setLeftOut((all) => new Map([...all, ...reasons]));
    tick(wrongIds, false);
  };
  const refusal =
    chosen.length === 0
      ? t('imports.tickSome')
      : !run.isReadable
        ? t('imports.unreadable')
        : run.isReady
          ? false
          : t('imports.place');
  return (
    <Dialog
      title={t('actions.importServices.title', { count: lines.length, shown: count(lines.length) })}
      wide
      onClose={close}
      held={run.busy}
      footer={
        <>
          <Said run={run} chosen={chosen.length} wrong={wrongIds.length} onLeaveOut={leaveOut} />
          <Button label={t('actions.importServices.keep', { count: 1 })} disabled={run.busy} onClick={close} />
          <Button
            look="filled"
            type="submit"
            form="import-lines"
            label={t('imports.confirm', { shown: count(chosen.length) })}
            busy={run.busy}
            disabled={refusal}
            onKeyDown={(event) => event.repeat && event.preventDefault()}
          />
        </>
      }
    >
      <form
        ref={form}
        id="import-lines"
        className="form import-editor"
        onSubmit={(event) => {
          event.preventDefault();
          if (!refusal && !run.busy) void run.start();
        }}
      >
        <SharedFields shared={shared} errors={errors.shared} onChange={run.share} />
        <ChangeTicked ids={chosen.map(({ id }) => id)} onApply={(change) => edit(ticked, change)} />
        <div className="import-tools">
          <input
            type="search"
            className="input"
            aria-label={t('table.search')}
            placeholder={t('table.search')}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setPage(0);
            }}
            // Looking for a line confirms nothing.
            onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
          />
          <Button
            look="plain"
            label={t('imports.tickAll', { shown: count(shown.length) })}
            onClick={() =>
              tick(
                shown.filter((line) => !line.refusal).map(({ id }) => id),
                true,
              )
            }
          />
          <Button
            look="plain"
            label={t('table.selectNone')}
            onClick={() =>
              tick(
                shown.map(({ id }) => id),
                false,
              )
            }
          />
          <span className="grow" />
          <strong role="status">{t('imports.ticked', { shown: count(chosen.length), of: count(lines.length) })}</strong>
        </div>
        <table className="import-lines">
          <thead>
            <tr>
              <th scope="col">{t('imports.columns.import')}</th>
              <th scope="col">{t('panelServices.columns.name')}</th>
              <th scope="col" className="end">
                {t('panelServices.cost')}
              </th>
              <th scope="col">{t('panelServices.price')}</th>
              <th scope="col">{t('imports.columns.margin')}</th>
              <th scope="col">{t('imports.columns.place')}</th>
              <th scope="col">
                <span className="sr">{t('imports.columns.more')}</span>
              </th>
            </tr>
          </thead>
          {shown.slice(at * PAGE, (at + 1) * PAGE).map((line) => (
            <ImportLine
              key={line.id}
              line={line}
              edit={edits.get(line.id) ?? {}}
              shared={shared}
              errors={errors.lines.get(line.id)}
              ticked={ticked.has(line.id)}
              onTick={(on) => tick([line.id], on)}
              onEdit={(change) => edit([line.id], change)}
            />
          ))}
        </table>
        {shown.length > PAGE && <Pages page={at} last={last} total={shown.length} onPage={setPage} />}
        {shown.length === 0 && <p className="none">{t('imports.none')}</p>}
        {run.problem && <ProblemBar problem={run.problem} />}
      </form>
    </Dialog>
  );
}

interface SaidProps {
  run: ReturnType<typeof useImport>;
  chosen: number;
  wrong: number;
  onLeaveOut: () => void;
}

/** What the server said of the lines, beside the button that sends them. */
function Said({ run, chosen, wrong, onLeaveOut }: SaidProps) {
  const { t } = useTranslation();
  const { tried, busy, done } = run;
  return (
    <div className="import-said">
      <div role="status">
        {tried && t('imports.would', { shown: count(tried.count) })}
        {tried && tried.serviceTypes.length > 0 && (
          <div>{t('imports.makesTypes', { names: tried.serviceTypes.join(', ') })}</div>
        )}
      </div>
      {busy && <progress value={done} max={chosen} aria-label={t('imports.sending')} />}
      {!busy && wrong > 0 && (
        <div className="import-wrong" role="alert">
          {t('imports.wrong', { shown: count(wrong) })}
          <Button look="plain" label={t('imports.leaveOut')} onClick={onLeaveOut} />
        </div>
      )}
    </div>
  );
}

/** After each refusal: to the page of the first line that is wrong, and into its first field. */
function useLeadToError(form: RefObject<HTMLFormElement | null>, refusals: number, lead: () => void) {
  const [led, setLed] = useState(0);
  useEffect(() => {
    if (refusals === led) return;
    lead();
    setLed(refusals);
  });
  // The page of the line is drawn in the same pass as `led`.
  useEffect(() => {
    if (led > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, led]);
}

interface PagesProps {
  page: number;
  last: number;
  total: number;
  onPage: (page: number) => void;
}

function Pages({ page, last, total, onPage }: PagesProps) {
  const { t } = useTranslation();
  return (
    <nav className="pages" aria-label={t('table.pages')}>
      <span className="pages-range">
        {count(page * PAGE + 1)}–{count(Math.min((page + 1) * PAGE, total))} / {count(total)}
      </span>
      <span className="grow" />
      <Button
        look="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      />
      <Button
        look="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page === last}
        onClick={() => onPage(page + 1)}
      />
    </nav>
  );
}
