// Runs an import of services or packages: sends dry runs while the user edits, a dry run of all lines after the user confirms, and
// then the import itself in chunks.
import { useEffect, useRef, useState } from 'react';
import type { WriteOptions } from '@/api/writeOptions';
import { useSubmit } from '@/form/useSubmit';
import { type ImportErrors, type ImportLine, type ImportOutcome, sendInChunks } from './lines';

/** With more lines, a dry run is slow, so the server validates the lines only after the user has confirmed the import. */
const MAX_LINES_OF_DRY_RUN_WHILE_EDITING = 300;
const DEBOUNCE_MS = 500;

export interface ImportSummary {
  /** Ids of the imported lines. */
  importedIds: readonly number[];
  /** Names of the service types that the import created. */
  serviceTypes: readonly string[];
}

/** The result of a dry run in which the server accepted all lines. */
interface DryRunResult {
  lineCount: number;
  /** Names of the service types that the import would create. */
  serviceTypes: readonly string[];
}

export interface ImportRunOptions<Body> {
  selectedLines: readonly ImportLine[];
  /** Whether every number that the user typed can be parsed. */
  isValid: boolean;
  /** Whether the lines have all values that the server requires. */
  isReady: boolean;
  /** Builds the request body for a chunk of the lines. */
  buildBody: (lines: readonly ImportLine[]) => Body;
  send: (body: Body, options: WriteOptions) => Promise<ImportOutcome>;
  errors: ImportErrors;
  setErrors: (errors: ImportErrors) => void;
}

interface ImportProgress {
  importedIds: ReadonlySet<number>;
  serviceTypes: readonly string[];
  /**
   * True from the first request of the import until its last response. Also true after a lost response, because then only a
   * retry with the same idempotency key shows whether the server imported the lines.
   */
  isResponseMissing: boolean;
}

export type ImportRun = ReturnType<typeof useImportRun>;

export function useImportRun<Body>(options: ImportRunOptions<Body>) {
  const { selectedLines, isValid, isReady, buildBody, send, errors, setErrors } = options;
  const [importedCount, setImportedCount] = useState(0);
  const [summary, setSummary] = useState<ImportSummary | null>(null);
  /** Counts the rejected imports, so that the dialog moves the focus to the first invalid field after each of them. */
  const [rejectionCount, setRejectionCount] = useState(0);
  /** Idempotency keys by request body: a retry after a lost response does not import the lines twice. */
  const idempotencyKeys = useRef(new Map<string, string>());
  /** Survives a lost response, so that a retry continues at the line where the import stopped. */
  const progress = useRef<ImportProgress>({ importedIds: new Set(), serviceTypes: [], isResponseMissing: false });

  const getIdempotencyKey = (body: Body) => {
    const bodyText = JSON.stringify(body);
    const key = idempotencyKeys.current.get(bodyText) ?? crypto.randomUUID();
    idempotencyKeys.current.set(bodyText, key);
    return key;
  };

  /** Returns null if the server rejects a line before it has imported any line. In this case `errors` contains the reasons. */
  const importSelectedLines = async (): Promise<ImportSummary | null> => {
    const remainingLines = selectedLines.filter(({ id }) => !progress.current.importedIds.has(id));
    const countRejection = () => {
      setRejectionCount((count) => count + 1);
      return null;
    };
    // After a lost response, the server may have imported the lines already, and would reject them in a dry run. It does not reject
    // a retry with the same idempotency key.
    if (!progress.current.isResponseMissing) {
      const dryRun = await sendInChunks(
        (body, isDryRun) => send(body, { dryRun: isDryRun }),
        remainingLines,
        buildBody,
        true,
        () => undefined,
      );
      if (containsErrors(dryRun.errors)) {
        setErrors(dryRun.errors);
        return countRejection();
      }
      progress.current.serviceTypes = dryRun.serviceTypes;
    }
    progress.current.isResponseMissing = true;
    const alreadyImportedIds = [...progress.current.importedIds];
    const result = await sendInChunks(
      (body, isDryRun) => send(body, { dryRun: isDryRun, key: getIdempotencyKey(body) }),
      remainingLines,
      buildBody,
      false,
      (importedIds) => {
        progress.current.importedIds = new Set([...alreadyImportedIds, ...importedIds]);
        setImportedCount(progress.current.importedIds.size);
      },
    );
    progress.current.isResponseMissing = false;
    const { importedIds, serviceTypes } = progress.current;
    setErrors(result.errors);
    if (containsErrors(result.errors) && importedIds.size === 0) return countRejection();
    return { importedIds: [...importedIds], serviceTypes };
  };
  const { submit, isPending, problem } = useSubmit({
    send: importSelectedLines,
    onDone: (summary) => {
      if (summary) setSummary(summary);
    },
  });
  const isDryRunWhileEditing =
    isReady && selectedLines.length <= MAX_LINES_OF_DRY_RUN_WHILE_EDITING && !isPending && summary === null;
  const dryRunResult = useDryRun(
    isDryRunWhileEditing ? { selectedLines, body: buildBody(selectedLines), send } : null,
    setErrors,
  );
  return {
    errors,
    isPending,
    importedCount,
    problem,
    summary,
    rejectionCount,
    isValid,
    isReady,
    dryRunResult,
    start: () => submit(),
  };
}

const containsErrors = (errors: ImportErrors) =>
  errors.lineErrors.size > 0 || Object.keys(errors.sharedErrors).length > 0;

interface DryRunRequest<Body> extends Pick<ImportRunOptions<Body>, 'selectedLines' | 'send'> {
  body: Body;
}

/**
 * Sends a dry run when the user has not edited for `DEBOUNCE_MS`. Returns null until the server has accepted the current body.
 * Calls `onErrors` after every dry run, with empty errors if the server accepted all lines.
 */
function useDryRun<Body>(
  request: DryRunRequest<Body> | null,
  onErrors: (errors: ImportErrors) => void,
): DryRunResult | null {
  const [acceptedDryRun, setAcceptedDryRun] = useState<{ bodyText: string; result: DryRunResult } | null>(null);
  const bodyText = request && JSON.stringify(request.body);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a change of the body starts another dry run.
  useEffect(() => {
    if (request === null || bodyText === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    const sendDryRun = async () => {
      const result = await sendInChunks(
        (body, dryRun) => request.send(body, { dryRun, signal }),
        request.selectedLines,
        () => request.body,
        true,
        () => undefined,
      );
      if (signal.aborted) return;
      onErrors(result.errors);
      if (!containsErrors(result.errors)) {
        setAcceptedDryRun({
          bodyText,
          result: { lineCount: result.importedIds.length, serviceTypes: result.serviceTypes },
        });
      }
    };
    // Ignores problems such as a lost connection, because the dry run after the confirmation shows them.
    const timer = window.setTimeout(() => void sendDryRun().catch(() => undefined), DEBOUNCE_MS);
    return () => {
      window.clearTimeout(timer);
      controller.abort();
    };
  }, [bodyText]);
  return acceptedDryRun !== null && acceptedDryRun.bodyText === bodyText ? acceptedDryRun.result : null;
}
