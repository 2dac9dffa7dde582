// The dialog of an import, whatever the lines are imported as: they are loaded, searched, ticked, tried on the server and sent.
// What the server refuses stands at its line and field, and nothing that was typed is lost.
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldErrors } from '@/form/problems';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { useUnsaved } from '@/ui/unsaved';
import { ImportResult } from './ImportResult';
import { LineHeads, type LineProps } from './LineFrame';
import { found, type Line } from './lines';
import { useLines } from './useLines';
import type { ImportRun } from './useRun';

/** Lines that are drawn at once. */
const PAGE = 20;

type ActionName = 'importServices' | 'importPackages';

interface LoadedProps {
  name: ActionName;
  panel: number;
  ids: readonly number[];
  onClose: () => void;
  children: (lines: readonly Line[]) => ReactNode;
}

/** Loads the lines, and shows how far that is. */
export function Loaded({ name, panel, ids, onClose, children }: LoadedProps) {
  const { t } = useTranslation();
  const { lines, loaded, problem, retry } = useLines(panel, ids, name === 'importPackages');
  if (lines) return children(lines);
  return (
    <Dialog
      title={t(`actions.${name}.title`, { count: ids.length, shown: formatNumber(ids.length) })}
      wide
      onClose={onClose}
      footer={<Button label={t(`actions.${name}.keep`, { count: 1 })} onClick={onClose} data-autofocus />}
    >
      {problem ? (
        <>
          <ProblemBar problem={problem} />
          <Button label={t('ui.retry')} onClick={retry} />
        </>
      ) : (
        <label className="progress" role="status">
          {t('imports.loading', { done: formatNumber(loaded), of: formatNumber(ids.length) })}
          <progress value={loaded} max={ids.length} />
        </label>
      )}
    </Dialog>
  );
}

/** Which lines are imported: at first all that can be. */
export function useTicked(lines: readonly Line[]) {
  const importable = useMemo(() => lines.filter((line) => !line.refusal), [lines]);
  const [ticked, setTicked] = useState<ReadonlySet<number>>(() => new Set(importable.map(({ id }) => id)));
  const chosen = useMemo(() => importable.filter(({ id }) => ticked.has(id)), [importable, ticked]);
  const tick = (some: Iterable<number>, on: boolean) =>
    setTicked((ticked) => {
      const next = new Set(ticked);
      for (const id of some) on ? next.add(id) : next.delete(id);
      return next;
    });
  return { ticked, chosen, tick };
}

interface Props {
  name: ActionName;
  lines: readonly Line[];
  selection: ReturnType<typeof useTicked>;
  run: ImportRun;
  /** Names that were typed, by line: a search finds them, too. */
  names: ReadonlyMap<number, { name?: string }>;
  /** What to do where the lines can be read and the server cannot be asked yet. */
  missing: string;
  /** What stands for all lines, above them. */
  top: ReactNode;
  /** The heads of the columns beside those that every line has. */
  head: ReactNode;
  row: (props: LineProps) => ReactNode;
  onClose: () => void;
  onDone: () => void;
}

/** Why the import cannot be sent now, if it cannot. */
function refusalOf(
  run: ImportRun,
  chosen: readonly Line[],
  missing: string,
  t: (key: 'imports.tickSome' | 'imports.unreadable') => string,
) {
  if (chosen.length === 0) return t('imports.tickSome');
  if (!run.isReadable) return t('imports.unreadable');
  return run.isReady ? false : missing;
}

/** The sentences about a line as one text. */
const sentencesOf = (errors: FieldErrors | undefined) =>
  Object.values(errors ?? {})
    .flat()
    .join(' ');

export function ImportFrame({ name, lines, selection, run, names, missing, top, head, row, onClose, onDone }: Props) {
  const { t } = useTranslation();
  const { ticked, chosen, tick } = selection;
  const { errors } = run;
  const [leftOut, setLeftOut] = useState<ReadonlyMap<number, string>>(new Map());
  const [query, setQuery] = useState('');
  const [page, setPage] = useState(0);
  const shown = found(lines, names, query);
  const form = useRef<HTMLFormElement>(null);
  const { confirmLeave } = useUnsaved(names.size > 0 && run.outcome === null);
  const close = () => confirmLeave() && onClose();
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
    setLeftOut((all) => new Map([...all, ...wrongIds.map((id) => [id, sentencesOf(errors.lines.get(id))] as const)]));
    tick(wrongIds, false);
  };
  const refusal = refusalOf(run, chosen, missing, t);
  return (
    <Dialog
      title={t(`actions.${name}.title`, { count: lines.length, shown: formatNumber(lines.length) })}
      wide
      onClose={close}
      isBusy={run.isPending}
      footer={
        <>
          <RunStatus run={run} chosen={chosen.length} wrong={wrongIds.length} onLeaveOut={leaveOut} />
          <CloseButton label={t(`actions.${name}.keep`, { count: 1 })} />
          <Button
            variant="filled"
            type="submit"
            form="import-lines"
            label={t('imports.confirm', { shown: formatNumber(chosen.length) })}
            busy={run.isPending}
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
          if (!refusal && !run.isPending) void run.start();
        }}
      >
        {top}
        <Tools
          {...{ query, shown, tick }}
          said={t('imports.ticked', { shown: formatNumber(chosen.length), of: formatNumber(lines.length) })}
          onQuery={(query) => {
            setQuery(query);
            setPage(0);
          }}
        />
        <table className="import-lines">
          <thead>
            <tr>
              <LineHeads />
              {head}
            </tr>
          </thead>
          {shown.slice(at * PAGE, (at + 1) * PAGE).map((line) =>
            row({
              line,
              errors: errors.lines.get(line.id),
              ticked: ticked.has(line.id),
              onTick: (on) => tick([line.id], on),
            }),
          )}
        </table>
        {shown.length > PAGE && <Pages page={at} last={last} total={shown.length} onPage={setPage} />}
        {shown.length === 0 && <p className="none">{t('imports.none')}</p>}
        {run.problem && <ProblemBar problem={run.problem} />}
      </form>
    </Dialog>
  );
}

interface ToolsProps {
  query: string;
  shown: readonly Line[];
  said: string;
  tick: (ids: Iterable<number>, on: boolean) => void;
  onQuery: (query: string) => void;
}

/** Search, and which of the found lines are imported. */
function Tools({ query, shown, said, tick, onQuery }: ToolsProps) {
  const { t } = useTranslation();
  const ids = (lines: readonly Line[]) => lines.map(({ id }) => id);
  return (
    <div className="import-tools">
      <input
        type="search"
        className="input"
        aria-label={t('table.search')}
        placeholder={t('table.search')}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        // Looking for a line confirms nothing.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <Button
        variant="plain"
        label={t('imports.tickAll', { shown: formatNumber(shown.length) })}
        onClick={() => tick(ids(shown.filter((line) => !line.refusal)), true)}
      />
      <Button variant="plain" label={t('table.selectNone')} onClick={() => tick(ids(shown), false)} />
      <span className="grow" />
      <strong role="status">{said}</strong>
    </div>
  );
}

interface RunStatusProps {
  run: ImportRun;
  chosen: number;
  wrong: number;
  onLeaveOut: () => void;
}

/** What the server said of the lines, beside the button that sends them. */
function RunStatus({ run, chosen, wrong, onLeaveOut }: RunStatusProps) {
  const { t } = useTranslation();
  const { tried, isPending, done } = run;
  return (
    <div className="import-said">
      <div role="status">
        {tried && t('imports.would', { shown: formatNumber(tried.count) })}
        {tried && tried.serviceTypes.length > 0 && (
          <div>{t('imports.makesTypes', { names: tried.serviceTypes.join(', ') })}</div>
        )}
      </div>
      {isPending && <progress value={done} max={chosen} aria-label={t('imports.sending')} />}
      {!isPending && wrong > 0 && (
        <div className="import-wrong" role="alert">
          {t('imports.wrong', { shown: formatNumber(wrong) })}
          <Button variant="plain" label={t('imports.leaveOut')} onClick={onLeaveOut} />
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
        {formatNumber(page * PAGE + 1)}–{formatNumber(Math.min((page + 1) * PAGE, total))} / {formatNumber(total)}
      </span>
      <span className="grow" />
      <Button
        variant="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page === 0}
        onClick={() => onPage(page - 1)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page === last}
        onClick={() => onPage(page + 1)}
      />
    </nav>
  );
}
