// The common parts of the dialogs that import services or packages: loading, search, selection, pages, validation by dry runs and
// the import. Shows the server's errors at the fields of the lines and keeps the user's input.
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldErrors } from '@/form/problems';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { useUnsaved } from '@/ui/unsaved';
import { ImportResult } from './ImportResult';
import { LineHeaders, type LineProps } from './LineRow';
import { type ImportLine, searchLines } from './lines';
import { useImportLines } from './useImportLines';
import type { ImportRun } from './useImportRun';

const LINES_PER_PAGE = 20;

type ActionName = 'importServices' | 'importPackages';

interface LoaderProps {
  action: ActionName;
  panelId: number;
  ids: readonly number[];
  onClose: () => void;
  children: (lines: readonly ImportLine[]) => ReactNode;
}

/** Renders a dialog with a progress bar until the lines are loaded, then its children with the lines. */
export function ImportLinesLoader({ action, panelId, ids, onClose, children }: LoaderProps) {
  const { t } = useTranslation();
  const { lines, loadedCount, problem, retry } = useImportLines(panelId, ids, action === 'importPackages');
  if (lines) return children(lines);
  return (
    <Dialog
      title={t(`actions.${action}.title`, { count: ids.length, shown: formatNumber(ids.length) })}
      wide
      onClose={onClose}
      footer={<Button label={t(`actions.${action}.keep`, { count: 1 })} onClick={onClose} data-autofocus />}
    >
      {problem ? (
        <>
          <ProblemBar problem={problem} />
          <Button label={t('ui.retry')} onClick={retry} />
        </>
      ) : (
        <label className="progress" role="status">
          {t('imports.loading', { loaded: formatNumber(loadedCount), total: formatNumber(ids.length) })}
          <progress value={loadedCount} max={ids.length} />
        </label>
      )}
    </Dialog>
  );
}

/** The selection of the lines to import. Initially it has all lines that the server can import. */
export function useLineSelection(lines: readonly ImportLine[]) {
  const importableLines = useMemo(() => lines.filter((line) => !line.refusal), [lines]);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>(
    () => new Set(importableLines.map(({ id }) => id)),
  );
  const selectedLines = useMemo(
    () => importableLines.filter(({ id }) => selectedIds.has(id)),
    [importableLines, selectedIds],
  );
  const setSelected = (ids: Iterable<number>, isSelected: boolean) =>
    setSelectedIds((selectedIds) => {
      const newSelection = new Set(selectedIds);
      for (const id of ids) isSelected ? newSelection.add(id) : newSelection.delete(id);
      return newSelection;
    });
  return { selectedIds, selectedLines, setSelected };
}

interface Props {
  action: ActionName;
  lines: readonly ImportLine[];
  selection: ReturnType<typeof useLineSelection>;
  run: ImportRun;
  /** Edits by line id. The search also finds edited names. */
  edits: ReadonlyMap<number, { name?: string }>;
  /** The text that names the missing value. Shown while `run.isReady` is false. */
  notReadyMessage: string;
  /** Fields for the shared values, above the lines. */
  sharedFields: ReactNode;
  /** The headers of the columns after the columns of `LineHeaders`. */
  headers: ReactNode;
  renderLine: (props: LineProps) => ReactNode;
  onClose: () => void;
  onDone: () => void;
}

/** Returns the reason why the import button is disabled, or false if it is enabled. */
function findDisabledReason(
  run: ImportRun,
  selectedLines: readonly ImportLine[],
  notReadyMessage: string,
  t: (key: 'imports.selectLines' | 'imports.invalidNumbers') => string,
) {
  if (selectedLines.length === 0) return t('imports.selectLines');
  if (!run.isValid) return t('imports.invalidNumbers');
  return run.isReady ? false : notReadyMessage;
}

const joinMessages = (errors: FieldErrors | undefined) =>
  Object.values(errors ?? {})
    .flat()
    .join(' ');

export function ImportDialogLayout(props: Props) {
  const { action, lines, selection, run, edits, notReadyMessage, sharedFields, headers, renderLine } = props;
  const { t } = useTranslation();
  const { selectedIds, selectedLines, setSelected } = selection;
  const { errors } = run;
  const [excludedReasons, setExcludedReasons] = useState<ReadonlyMap<number, string>>(new Map());
  const [query, setQuery] = useState('');
  const [requestedPage, setRequestedPage] = useState(0);
  const matchingLines = searchLines(lines, edits, query);
  const form = useRef<HTMLFormElement>(null);
  const { confirmLeave } = useUnsaved(edits.size > 0 && run.summary === null);
  const close = () => confirmLeave() && props.onClose();
  useFocusFirstError(form, run.rejectionCount, () => {
    const index = lines.findIndex(({ id }) => errors.lines.has(id));
    if (index < 0) return;
    setQuery('');
    setRequestedPage(Math.floor(index / LINES_PER_PAGE));
  });
  if (run.summary) {
    return (
      <ImportResult
        {...{ lines, selectedIds, excludedReasons, errors }}
        summary={run.summary}
        onClose={props.onClose}
        onDone={props.onDone}
      />
    );
  }
  const lastPage = Math.max(0, Math.ceil(matchingLines.length / LINES_PER_PAGE) - 1);
  const page = Math.min(requestedPage, lastPage);
  const invalidIds = selectedLines.filter(({ id }) => errors.lines.has(id)).map(({ id }) => id);
  const excludeInvalidLines = () => {
    const reasons = invalidIds.map((id) => [id, joinMessages(errors.lines.get(id))] as const);
    setExcludedReasons((oldReasons) => new Map([...oldReasons, ...reasons]));
    setSelected(invalidIds, false);
  };
  const disabledReason = findDisabledReason(run, selectedLines, notReadyMessage, t);
  return (
    <Dialog
      title={t(`actions.${action}.title`, { count: lines.length, shown: formatNumber(lines.length) })}
      wide
      onClose={close}
      isBusy={run.isPending}
      footer={
        <>
          <RunStatus
            run={run}
            selectedCount={selectedLines.length}
            invalidCount={invalidIds.length}
            onExclude={excludeInvalidLines}
          />
          <CloseButton label={t(`actions.${action}.keep`, { count: 1 })} />
          <Button
            variant="filled"
            type="submit"
            form="import-lines"
            label={t('imports.confirm', { shown: formatNumber(selectedLines.length) })}
            busy={run.isPending}
            disabled={disabledReason}
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
          if (!disabledReason && !run.isPending) void run.start();
        }}
      >
        {sharedFields}
        <Toolbar
          {...{ query, matchingLines, setSelected }}
          selectionText={t('imports.selected', {
            shown: formatNumber(selectedLines.length),
            total: formatNumber(lines.length),
          })}
          onQuery={(query) => {
            setQuery(query);
            setRequestedPage(0);
          }}
        />
        <table className="import-lines">
          <thead>
            <tr>
              <LineHeaders />
              {headers}
            </tr>
          </thead>
          {matchingLines.slice(page * LINES_PER_PAGE, (page + 1) * LINES_PER_PAGE).map((line) =>
            renderLine({
              line,
              errors: errors.lines.get(line.id),
              isSelected: selectedIds.has(line.id),
              onSelect: (isSelected) => setSelected([line.id], isSelected),
            }),
          )}
        </table>
        {matchingLines.length > LINES_PER_PAGE && (
          <Pagination page={page} lastPage={lastPage} total={matchingLines.length} onPage={setRequestedPage} />
        )}
        {matchingLines.length === 0 && <p className="none">{t('imports.noMatches')}</p>}
        {run.problem && <ProblemBar problem={run.problem} />}
      </form>
    </Dialog>
  );
}

interface ToolbarProps {
  query: string;
  matchingLines: readonly ImportLine[];
  selectionText: string;
  setSelected: (ids: Iterable<number>, isSelected: boolean) => void;
  onQuery: (query: string) => void;
}

/** The search, and buttons that select all matching lines or none of them. */
function Toolbar({ query, matchingLines, selectionText, setSelected, onQuery }: ToolbarProps) {
  const { t } = useTranslation();
  const toIds = (lines: readonly ImportLine[]) => lines.map(({ id }) => id);
  return (
    <div className="import-tools">
      <input
        type="search"
        className="input"
        aria-label={t('table.search')}
        placeholder={t('table.search')}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        // Enter in the search must not submit the import.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <Button
        variant="plain"
        label={t('imports.selectAll', { shown: formatNumber(matchingLines.length) })}
        onClick={() => setSelected(toIds(matchingLines.filter((line) => !line.refusal)), true)}
      />
      <Button variant="plain" label={t('table.selectNone')} onClick={() => setSelected(toIds(matchingLines), false)} />
      <span className="grow" />
      <strong role="status">{selectionText}</strong>
    </div>
  );
}

interface RunStatusProps {
  run: ImportRun;
  selectedCount: number;
  invalidCount: number;
  onExclude: () => void;
}

/** The result of the last dry run, the progress of the import, and a button that excludes rejected lines. */
function RunStatus({ run, selectedCount, invalidCount, onExclude }: RunStatusProps) {
  const { t } = useTranslation();
  const { dryRunResult, isPending, importedCount } = run;
  return (
    <div className="import-said">
      <div role="status">
        {dryRunResult && t('imports.ready', { shown: formatNumber(dryRunResult.count) })}
        {dryRunResult && dryRunResult.serviceTypes.length > 0 && (
          <div>{t('imports.newServiceTypes', { names: dryRunResult.serviceTypes.join(', ') })}</div>
        )}
      </div>
      {isPending && <progress value={importedCount} max={selectedCount} aria-label={t('imports.sending')} />}
      {!isPending && invalidCount > 0 && (
        <div className="import-wrong" role="alert">
          {t('imports.invalidLines', { shown: formatNumber(invalidCount) })}
          <Button variant="plain" label={t('imports.excludeInvalid')} onClick={onExclude} />
        </div>
      )}
    </div>
  );
}

/** After each rejected import, shows the page with the first invalid line and focuses the first invalid field. */
function useFocusFirstError(form: RefObject<HTMLFormElement | null>, rejectionCount: number, showPage: () => void) {
  const [handledCount, setHandledCount] = useState(0);
  useEffect(() => {
    if (rejectionCount === handledCount) return;
    showPage();
    setHandledCount(rejectionCount);
  });
  // React renders the page and `handledCount` together, so that the field exists when this effect runs.
  useEffect(() => {
    if (handledCount > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, handledCount]);
}

interface PaginationProps {
  /** The index of the page. It starts with 0, like `lastPage`. */
  page: number;
  lastPage: number;
  total: number;
  onPage: (page: number) => void;
}

function Pagination({ page, lastPage, total, onPage }: PaginationProps) {
  const { t } = useTranslation();
  const firstLine = page * LINES_PER_PAGE + 1;
  const lastLine = Math.min((page + 1) * LINES_PER_PAGE, total);
  return (
    <nav className="pages" aria-label={t('table.pages')}>
      <span className="pages-range">
        {formatNumber(firstLine)}–{formatNumber(lastLine)} / {formatNumber(total)}
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
        disabled={page === lastPage}
        onClick={() => onPage(page + 1)}
      />
    </nav>
  );
}
