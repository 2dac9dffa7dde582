// The course of an import, whatever the lines are imported as: tried on the server while there are few, sent, and told of.
import { useEffect, useRef, useState } from 'react';
import type { WriteOptions } from '@/api/writeOptions';
import { useSubmit } from '@/form/useSubmit';
import { type ImportErrors, type Line, type Outcome, sendAll } from './lines';

/** More lines than these are tried when the import is confirmed, not at each change. */
const TRIED_AS_TYPED = 300;
const PAUSE_MS = 500;

/** What the import of some lines came to. */
export interface Imported {
  imported: readonly number[];
  serviceTypes: readonly string[];
}

/** What the server said of the lines as they are, without writing them. */
interface Tried {
  count: number;
  serviceTypes: readonly string[];
}

/** What an import sends, and where. */
export interface Call<B> {
  /** The lines that are ticked. */
  chosen: readonly Line[];
  /** Whether what was typed can be read. */
  isReadable: boolean;
  /** Whether the server can be asked. */
  isReady: boolean;
  body: (lines: readonly Line[]) => B;
  send: (body: B, how: WriteOptions) => Promise<Outcome>;
  errors: ImportErrors;
  setErrors: (errors: ImportErrors) => void;
}

interface Progress {
  imported: ReadonlySet<number>;
  serviceTypes: readonly string[];
  /** A request had no answer: what it did is known once it is repeated. */
  isUnanswered: boolean;
}

export type ImportRun = ReturnType<typeof useRun>;

/** An import of the lines that are ticked. */
export function useRun<B>({ chosen, isReadable, isReady, body, send, errors, setErrors }: Call<B>) {
  const [done, setDone] = useState(0);
  const [outcome, setOutcome] = useState<Imported | null>(null);
  /** Counts refusals of an import, so that the screen can lead to the first line that is wrong. */
  const [refusals, setRefusals] = useState(0);
  // The same lines under the same key: what was imported is not imported again after a lost answer.
  const keys = useRef(new Map<string, string>());
  /** What was imported before an answer was lost. */
  const progress = useRef<Progress>({ imported: new Set(), serviceTypes: [], isUnanswered: false });

  const keyOf = (body: B) => {
    const text = JSON.stringify(body);
    const key = keys.current.get(text) ?? crypto.randomUUID();
    keys.current.set(text, key);
    return key;
  };

  /** What was imported; null where a line is refused, which its errors say. */
  const importAll = async (): Promise<Imported | null> => {
    const rest = chosen.filter(({ id }) => !progress.current.imported.has(id));
    const refused = () => {
      setRefusals((count) => count + 1);
      return null;
    };
    // What was sent and had no answer may be imported: it is sent again under its key, and would be refused if it were tried.
    if (!progress.current.isUnanswered) {
      const rehearsed = await sendAll(
        (body, dryRun) => send(body, { dryRun }),
        rest,
        body,
        true,
        () => undefined,
      );
      if (hasErrors(rehearsed.errors)) {
        setErrors(rehearsed.errors);
        return refused();
      }
      progress.current.serviceTypes = rehearsed.serviceTypes;
    }
    progress.current.isUnanswered = true;
    const before = [...progress.current.imported];
    const sent = await sendAll(
      (body, dryRun) => send(body, { dryRun, key: keyOf(body) }),
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
    if (hasErrors(sent.errors) && imported.size === 0) return refused();
    return { imported: [...imported], serviceTypes };
  };
  const running = useSubmit({
    send: importAll,
    onDone: (imported) => {
      if (imported) setOutcome(imported);
    },
  });
  const { isPending, problem } = running;
  const tries = isReady && chosen.length <= TRIED_AS_TYPED && !isPending && outcome === null;
  const tried = useTried(tries ? { chosen, body: body(chosen), send } : null, setErrors);
  const start = () => running.submit();
  return { errors, isPending, done, problem, outcome, refusals, isReadable, isReady, tried, start };
}

const hasErrors = (errors: ImportErrors) => errors.lines.size > 0 || Object.keys(errors.shared).length > 0;

interface Asked<B> extends Pick<Call<B>, 'chosen' | 'send'> {
  body: B;
}

/** What the server says of the lines when nothing was typed for a while; what is wrong goes to `onWrong`. */
function useTried<B>(asked: Asked<B> | null, onWrong: (errors: ImportErrors) => void): Tried | null {
  const [tried, setTried] = useState<{ text: string; is: Tried } | null>(null);
  const text = asked && JSON.stringify(asked.body);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another body is tried again.
  useEffect(() => {
    if (asked === null || text === null) return;
    const controller = new AbortController();
    const { signal } = controller;
    const attempt = async () => {
      const sent = await sendAll(
        (body, dryRun) => asked.send(body, { dryRun, signal }),
        asked.chosen,
        () => asked.body,
        true,
        () => undefined,
      );
      if (signal.aborted) return;
      onWrong(sent.errors);
      if (!hasErrors(sent.errors)) {
        setTried({ text, is: { count: sent.imported.length, serviceTypes: sent.serviceTypes } });
      }
    };
    // What fails here is told when the import is confirmed.
    const timer = window.setTimeout(() => void attempt().catch(() => undefined), PAUSE_MS);
    return () => {
      window.clearTimeout(timer);
      controller.abort();
    };
  }, [text]);
  return tried !== null && tried.text === text ? tried.is : null;
}
