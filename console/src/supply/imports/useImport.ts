// An import of services: what is typed, what is sent, and what is wrong with it.
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { type WriteOptions, writeInit } from '@/api/writeOptions';
import {
  type Body,
  bodyOf,
  type Edit,
  type Edits,
  edited,
  type ImportErrors,
  isPercent,
  isPlaced,
  type Line,
  NO_ERRORS,
  type Outcome,
  type SharedValues,
  unreadable,
  withoutFields,
} from './lines';
import { useRun } from './useRun';

async function send(body: Body, how: WriteOptions): Promise<Outcome> {
  return (await unwrap(api.POST('/api/v1/admin/external-panels/import-services', { ...writeInit(how), body }))).data;
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

/** An import of `chosen`, those of the lines that are ticked. */
export function useImport(panel: number, chosen: readonly Line[]) {
  const { shared, edits, errors, setErrors, edit, share } = useEdits();
  const isReadable = isPercent(shared.margin) && chosen.every(({ id }) => unreadable(edits.get(id) ?? {}).length === 0);
  const isReady = isReadable && isPlaced(chosen, edits, shared);
  const body = (lines: readonly Line[]) => bodyOf(panel, lines, edits, shared);
  const run = useRun({ chosen, isReadable, isReady, body, send, errors, setErrors });
  return { ...run, shared, share, edits, edit };
}
