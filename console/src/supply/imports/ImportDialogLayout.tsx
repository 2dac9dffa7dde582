// The layout of the dialogs that import services or packages: search, selection, pages of lines, the state of the import and its
// result. It shows the server's errors at the fields of the lines and keeps the user's input.
import { type ReactNode, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { FieldErrors } from '@/form/problems';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { CloseButton, Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';
import { useUnsavedChanges } from '@/ui/unsavedChanges';
import { ImportResult } from './ImportResult';
import { LineHeaders, type LineProps } from './LineRow';
import { type ImportLine, searchLines } from './lines';
import { useImportLines } from './useImportLines';
import type { ImportRun } from './useImportRun';

const LINES_PER_PAGE = 20;

type ImportActionName = 'importServices' | 'importPackages';

interface LoaderProps {
  action: ImportActionName;
  externalPanelId: number;
  ids: readonly number[];
  onClose: () => void;
  children: (lines: readonly ImportLine[]) => ReactNode;
}

/** Renders a dialog with a progress bar until the lines are loaded, and then its children with the lines. */
export function ImportLinesLoader({ action, externalPanelId, ids, onClose, children }: LoaderProps) {
  const { t } = useTranslation();
  const { lines, loadedCount, problem, retry } = useImportLines(externalPanelId, ids, action === 'importPackages');
  if (lines) return children(lines);
  return (
    <Dialog
      title={t(`actions.${action}.title`, { count: ids.length, formattedCount: formatNumber(ids.length) })}
      isWide
      onClose={onClose}
      footer={<Button label={t(`actions.${action}.dismiss`, { count: 1 })} onClick={onClose} data-autofocus />}
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

/** The lines that the user selected for the import. All lines that the server can import are selected initially. */
export function useLineSelection(lines: readonly ImportLine[]) {
  const importableLines = useMemo(() => lines.filter((line) => !line.rejection), [lines]);
  const [selectedIds, setSelectedIds] = useState<ReadonlySet<number>>(
    () => new Set(importableLines.map(({ id }) => id)),
  );
  const selectedLines = useMemo(
    () => importableLines.filter(({ id }) => selectedIds.has(id)),
    [importableLines, selectedIds],
  );
  const setSelected = (ids: Iterable<number>, isSelected: boolean) =>
    setSelectedIds((selectedIds) => {
      const newSelectedIds = new Set(selectedIds);
      for (const id of ids) isSelected ? newSelectedIds.add(id) : newSelectedIds.delete(id);
      return newSelectedIds;
    });
  return { selectedIds, selectedLines, setSelected };
}

interface LayoutProps {
  action: ImportActionName;
  lines: readonly ImportLine[];
  selection: ReturnType<typeof useLineSelection>;
  run: ImportRun;
  /** Edits by line id. The search also finds edited names. */
  edits: ReadonlyMap<number, { name?: string }>;
  /** Names the missing value. Shown while `run.isReady` is false. */
  notReadyMessage: string;
  /** Fields above the lines, with the values that apply to all lines. */
  sharedFields: ReactNode;
  /** The headers of the columns to the right of `LineHeaders`. */
  extraHeaders: ReactNode;
  renderLine: (props: LineProps) => ReactNode;
  onClose: () => void;
  onDone: () => void;
}

/** Returns the reason why the import button is disabled, or false if the button is enabled. */
function getDisabledReason(
  run: ImportRun,
  selectedLines: readonly ImportLine[],
  notReadyMessage: string,
  t: (key: 'imports.selectLines' | 'imports.invalidNumbers') => string,
) {
  if (selectedLines.length === 0) return t('imports.selectLines');
  if (!run.isValid) return t('imports.invalidNumbers');
  return run.isReady ? false : notReadyMessage;
}

const joinErrorMessages = (errors: FieldErrors | undefined) =>
  Object.values(errors ?? {})
    .flat()
    .join(' ');

export function ImportDialogLayout(props: LayoutProps) {
  const { action, lines, selection, run, edits, notReadyMessage, sharedFields, extraHeaders, renderLine } = props;
  const { t } = useTranslation();
  const { selectedIds, selectedLines, setSelected } = selection;
  const { errors } = run;
  const [exclusionReasons, setExclusionReasons] = useState<ReadonlyMap<number, string>>(new Map());
  const [query, setQuery] = useState('');
  const [requestedPage, setRequestedPage] = useState(0);
  const matchingLines = searchLines(lines, edits, query);
  const formRef = useRef<HTMLFormElement>(null);
  const { confirmLeave } = useUnsavedChanges(edits.size > 0 && run.summary === null);
  const close = () => confirmLeave() && props.onClose();
  useFocusFirstError(formRef, run.rejectionCount, () => {
    const index = lines.findIndex(({ id }) => errors.lineErrors.has(id));
    if (index < 0) return;
    setQuery('');
    setRequestedPage(Math.floor(index / LINES_PER_PAGE));
  });
  if (run.summary) {
    return (
      <ImportResult
        {...{ lines, selectedIds, exclusionReasons, errors }}
        summary={run.summary}
        onClose={props.onClose}
        onDone={props.onDone}
      />
    );
  }
  const lastPage = Math.max(0, Math.ceil(matchingLines.length / LINES_PER_PAGE) - 1);
  const page = Math.min(requestedPage, lastPage);
  const invalidIds = selectedLines.filter(({ id }) => errors.lineErrors.has(id)).map(({ id }) => id);
  const excludeInvalidLines = () => {
    const reasons = invalidIds.map((id) => [id, joinErrorMessages(errors.lineErrors.get(id))] as const);
    setExclusionReasons((currentReasons) => new Map([...currentReasons, ...reasons]));
    setSelected(invalidIds, false);
  };
  const disabledReason = getDisabledReason(run, selectedLines, notReadyMessage, t);
  return (
    <Dialog
      title={t(`actions.${action}.title`, { count: lines.length, formattedCount: formatNumber(lines.length) })}
      isWide
      onClose={close}
      isBusy={run.isPending}
      footer={
        <>
          <RunStatus
            run={run}
            selectedCount={selectedLines.length}
            invalidCount={invalidIds.length}
            onExcludeInvalid={excludeInvalidLines}
          />
          <CloseButton label={t(`actions.${action}.dismiss`, { count: 1 })} />
          <Button
            variant="filled"
            type="submit"
            form="import-lines"
            label={t('imports.confirmImport', { formattedCount: formatNumber(selectedLines.length) })}
            busy={run.isPending}
            disabled={disabledReason}
            onKeyDown={(event) => event.repeat && event.preventDefault()}
          />
        </>
      }
    >
      <form
        ref={formRef}
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
            formattedCount: formatNumber(selectedLines.length),
            total: formatNumber(lines.length),
          })}
          onQueryChange={(query) => {
            setQuery(query);
            setRequestedPage(0);
          }}
        />
        <table className="import-lines">
          <thead>
            <tr>
              <LineHeaders />
              {extraHeaders}
            </tr>
          </thead>
          {matchingLines.slice(page * LINES_PER_PAGE, (page + 1) * LINES_PER_PAGE).map((line) =>
            renderLine({
              line,
              errors: errors.lineErrors.get(line.id),
              isSelected: selectedIds.has(line.id),
              onSelect: (isSelected) => setSelected([line.id], isSelected),
            }),
          )}
        </table>
        {matchingLines.length > LINES_PER_PAGE && (
          <Pagination
            page={page}
            lastPage={lastPage}
            lineCount={matchingLines.length}
            onPageChange={setRequestedPage}
          />
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
  onQueryChange: (query: string) => void;
}

/** The search field, and buttons that select or deselect all matching lines. */
function Toolbar({ query, matchingLines, selectionText, setSelected, onQueryChange }: ToolbarProps) {
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
        onChange={(event) => onQueryChange(event.target.value)}
        // Enter in the search must not submit the import.
        onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
      />
      <Button
        variant="plain"
        label={t('imports.selectAll', { formattedCount: formatNumber(matchingLines.length) })}
        onClick={() => setSelected(toIds(matchingLines.filter((line) => !line.rejection)), true)}
      />
      <Button
        variant="plain"
        label={t('table.clearSelection')}
        onClick={() => setSelected(toIds(matchingLines), false)}
      />
      <span className="grow" />
      <strong role="status">{selectionText}</strong>
    </div>
  );
}

interface RunStatusProps {
  run: ImportRun;
  selectedCount: number;
  invalidCount: number;
  onExcludeInvalid: () => void;
}

/** Shows the result of the last dry run, the progress of the import, and a button that excludes the rejected lines. */
function RunStatus({ run, selectedCount, invalidCount, onExcludeInvalid }: RunStatusProps) {
  const { t } = useTranslation();
  const { dryRunResult, isPending, importedCount } = run;
  return (
    <div className="import-said">
      <div role="status">
        {dryRunResult && t('imports.readyToImport', { formattedCount: formatNumber(dryRunResult.lineCount) })}
        {dryRunResult && dryRunResult.serviceTypes.length > 0 && (
          <div>{t('imports.newServiceTypes', { names: dryRunResult.serviceTypes.join(', ') })}</div>
        )}
      </div>
      {isPending && <progress value={importedCount} max={selectedCount} aria-label={t('imports.importing')} />}
      {!isPending && invalidCount > 0 && (
        <div className="import-wrong" role="alert">
          {t('imports.invalidLines', { formattedCount: formatNumber(invalidCount) })}
          <Button variant="plain" label={t('imports.excludeInvalid')} onClick={onExcludeInvalid} />
        </div>
      )}
    </div>
  );
}

/** After each rejected import, shows the page with the first invalid line and focuses the first invalid field. */
function useFocusFirstError(formRef: RefObject<HTMLFormElement | null>, rejectionCount: number, showPage: () => void) {
  const [handledRejectionCount, setHandledRejectionCount] = useState(0);
  useEffect(() => {
    if (rejectionCount === handledRejectionCount) return;
    showPage();
    setHandledRejectionCount(rejectionCount);
  });
  // React renders the page and `handledRejectionCount` together, so that the field exists when this effect runs.
  useEffect(() => {
    if (handledRejectionCount > 0) formRef.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [formRef, handledRejectionCount]);
}

interface PaginationProps {
  /** The index of the current page. The first page has the index 0. */
  page: number;
  /** The index of the last page. */
  lastPage: number;
  lineCount: number;
  onPageChange: (page: number) => void;
}

function Pagination({ page, lastPage, lineCount, onPageChange }: PaginationProps) {
  const { t } = useTranslation();
  const firstLine = page * LINES_PER_PAGE + 1;
  const lastLine = Math.min((page + 1) * LINES_PER_PAGE, lineCount);
  return (
    <nav className="pages" aria-label={t('table.pages')}>
      <span className="pages-range">
        {formatNumber(firstLine)}–{formatNumber(lastLine)} / {formatNumber(lineCount)}
      </span>
      <span className="grow" />
      <Button
        variant="plain"
        iconOnly
        icon="angle-left"
        label={t('table.previousPage')}
        disabled={page === 0}
        onClick={() => onPageChange(page - 1)}
      />
      <Button
        variant="plain"
        iconOnly
        icon="angle-right"
        label={t('table.nextPage')}
        disabled={page === lastPage}
        onClick={() => onPageChange(page + 1)}
      />
    </nav>
  );
}
