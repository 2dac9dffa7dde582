// The course of an import: lines are loaded, edited, tried on the server while there are few, sent, and told of.
import { useEffect, useRef, useState } from 'react';
import { api, told } from '@/api/client';
import { asProblem, isAbandoned, type Problem } from '@/api/problem';
import {
  type Body,
  bodyOf,
  chunksOf,
  type Edit,
  type Edits,
  edited,
  type ImportErrors,
  isPercent,
  isPlaced,
  type Line,
  NO_ERRORS,
  type Outcome,
  SENT_AT_ONCE,
  type SharedValues,
  sendAll,
  unreadable,
  withoutFields,
} from './lines';

/** More lines than these are tried when the import is confirmed, not at each change. */
const TRIED_AS_TYPED = 300;
const PAUSE_MS = 500;

/** What the import of some lines came to. */
export interface Imported {
  imported: readonly number[];
  serviceTypes: readonly string[];
}

/** What the server said of the lines as they are, without writing them. */
export interface Tried {
  count: number;
  serviceTypes: readonly string[];
}

/** The lines of some services of a panel; `loaded` counts them while they come. */
export function useLines(panel: number, ids: readonly number[]) {
  const [wanted] = useState(ids);
  const [lines, setLines] = useState<readonly Line[] | null>(null);
  const [loaded, setLoaded] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another round asks again.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const load = async () => {
      const all: Line[] = [];
      for (const some of chunksOf(wanted, SENT_AT_ONCE)) {
        const path = '/api/v1/admin/external-panels/{id}/services';
        const asked = api.POST(path, { params: { path: { id: panel } }, body: { ids: [...some] }, signal });
        all.push(...(await told(asked)).data);
        setLoaded(all.length);
      }
      setLines(all);
    };
    setProblem(null);
    load().catch((error: unknown) => isAbandoned(error) || setProblem(asProblem(error)));
    return () => controller.abort();
  }, [panel, wanted, round]);
  return { lines, loaded, problem, retry: () => setRound((round) => round + 1) };
}

async function send(body: Body, dryRun: boolean, key: string, signal?: AbortSignal): Promise<Outcome> {
  const asked = api.POST('/api/v1/admin/external-panels/import-services', {
    params: { query: dryRun ? { dry_run: '1' as const } : {} },
    headers: { 'Idempotency-Key': key },
    body,
    ...(signal ? { signal } : {}),
  });
  return (await told(asked)).data;
}

/** What is typed, and what is wrong with it. */
function useEdits() {
  const [shared, setShared] = useState<SharedValues>({
    margin: '',
    network_id: null,
    service_type_id: null,
    keep_categories: false,
  });
  const [edits, setEdits] = useState<Edits>(new Map());
  const [errors, setErrors] = useState<ImportErrors>(NO_ERRORS);
  return {
    shared,
    edits,
    errors,
    setErrors,
    edit: (ids: Iterable<number>, change: Edit) => {
      const all = [...ids];
      setEdits((edits) => edited(edits, all, change));
      setErrors((errors) => withoutFields(errors, all, change));
    },
    share: (change: Partial<SharedValues>) => {
      setShared((shared) => ({ ...shared, ...change }));
      // What was said of lines may have come from here.
      setErrors(NO_ERRORS);
    },
  };
}

interface Progress {
  imported: ReadonlySet<number>;
  serviceTypes: readonly string[];
  /** A request had no answer: what it did is known once it is repeated. */
  isUnanswered: boolean;
}

/** An import of `chosen`, those of the lines that are ticked. */
export function useImport(panel: number, chosen: readonly Line[]) {
  const { shared, edits, errors, setErrors, edit, share } = useEdits();
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [outcome, setOutcome] = useState<Imported | null>(null);
  /** Counts refusals of an import, so that the screen can lead to the first line that is wrong. */
  const [refusals, setRefusals] = useState(0);
  // The same lines under the same key: what was imported is not imported again after a lost answer.
  const keys = useRef(new Map<string, string>());
  /** What was imported before an answer was lost. */
  const progress = useRef<Progress>({ imported: new Set(), serviceTypes: [], isUnanswered: false });
  const isReadable = isPercent(shared.margin) && chosen.every(({ id }) => unreadable(edits.get(id) ?? {}).length === 0);
  const isReady = isReadable && isPlaced(chosen, edits, shared);
  const body = (lines: readonly Line[]) => bodyOf(panel, lines, edits, shared);

  const tries = isReady && chosen.length <= TRIED_AS_TYPED && !busy && outcome === null;
  const asked = tries ? JSON.stringify(body(chosen)) : null;
  const tried = useTried(asked, setErrors);

  const keyOf = (body: Body) => {
    const text = JSON.stringify(body);
    const key = keys.current.get(text) ?? crypto.randomUUID();
    keys.current.set(text, key);
    return key;
  };

  const start = async () => {
    setBusy(true);
    setProblem(null);
    const rest = chosen.filter(({ id }) => !progress.current.imported.has(id));
    try {
      // What was sent and had no answer may be imported: it is sent again under its key, and would be refused if it were tried.
      if (!progress.current.isUnanswered) {
        const rehearsed = await sendAll(
          (body, dryRun) => send(body, dryRun, crypto.randomUUID()),
          rest,
          body,
          true,
          () => undefined,
        );
        if (hasErrors(rehearsed.errors)) {
          setErrors(rehearsed.errors);
          setRefusals((count) => count + 1);
          return;
        }
        progress.current.serviceTypes = rehearsed.serviceTypes;
      }
      progress.current.isUnanswered = true;
      const before = [...progress.current.imported];
      const sent = await sendAll(
        (body, dryRun) => send(body, dryRun, keyOf(body)),
        rest,
        body,
        false,
        (imported) => {
          progress.current.imported = new Set([...before, ...imported]);
          setDone(progress.current.imported.size);
        },
      );
      progress.current.isUnanswered = false;
      const { imported, serviceTypes } = progress.current;
      setErrors(sent.errors);
      if (hasErrors(sent.errors) && imported.size === 0) setRefusals((count) => count + 1);
      else setOutcome({ imported: [...imported], serviceTypes });
    } catch (error) {
      setProblem(asProblem(error));
    } finally {
      setBusy(false);
    }
  };
  return {
    shared,
    share,
    edits,
    edit,
    errors,
    busy,
    done,
    problem,
    outcome,
    refusals,
    isReadable,
    isReady,
    tried,
    start,
  };
}

const hasErrors = (errors: ImportErrors) => errors.lines.size > 0 || Object.keys(errors.shared).length > 0;

/** What the server says of `asked`, a body as JSON, when nothing was typed for a while; what is wrong goes to `onWrong`. */
function useTried(asked: string | null, onWrong: (errors: ImportErrors) => void): Tried | null {
  const [tried, setTried] = useState<{ asked: string; is: Tried } | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another body is tried again.
  useEffect(() => {
    if (asked === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    const attempt = async () => {
      const whole = JSON.parse(asked) as Body;
      const lines = whole.services as unknown as readonly Line[];
      const sent = await sendAll(
        (body, dryRun) => send(body, dryRun, crypto.randomUUID(), signal),
        lines,
        () => whole,
        true,
        () => undefined,
      );
      if (signal.aborted) return;
      onWrong(sent.errors);
      if (!hasErrors(sent.errors)) {
        setTried({ asked, is: { count: sent.imported.length, serviceTypes: sent.serviceTypes } });
      }
    };
    // What fails here is told when the import is confirmed.
    const timer = window.setTimeout(() => void attempt().catch(() => undefined), PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      controller.abort();
    };
  }, [asked]);
  return tried !== null && tried.asked === asked ? tried.is : null;
}
