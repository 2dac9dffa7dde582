// State of an import of services: the user's edits, the request, and the errors of each line.
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { type WriteOptions, writeInit } from '@/api/writeOptions';
import {
  applyEdit,
  buildImportServicesBody,
  clearFieldErrors,
  findInvalidFields,
  hasDestination,
  type ImportErrors,
  type ImportLine,
  type ImportOutcome,
  type ImportServicesBody,
  isPercentOrEmpty,
  type LineEdit,
  type LineEdits,
  NO_ERRORS,
  type SharedValues,
} from './lines';
import { useImportRun } from './useImportRun';

async function send(body: ImportServicesBody, options: WriteOptions): Promise<ImportOutcome> {
  return (await unwrap(api.POST('/api/v1/admin/external-panels/import-services', { ...writeInit(options), body })))
    .data;
}

function useEdits() {
  const [shared, setShared] = useState<SharedValues>({
    margin: '',
    network_id: null,
    service_type_id: null,
    keep_categories: false,
  });
  const [edits, setEdits] = useState<LineEdits>(new Map());
  const [errors, setErrors] = useState<ImportErrors>(NO_ERRORS);
  return {
    shared,
    edits,
    errors,
    setErrors,
    editLines: (ids: Iterable<number>, change: LineEdit) => {
      const lineIds = [...ids];
      setEdits((edits) => applyEdit(edits, lineIds, change));
      setErrors((errors) => clearFieldErrors(errors, lineIds, change));
    },
    editShared: (change: Partial<SharedValues>) => {
      setShared((shared) => ({ ...shared, ...change }));
      // A shared value may have caused the errors of lines.
      setErrors(NO_ERRORS);
    },
  };
}

/** The edits of all lines, and the import of `selectedLines`. */
export function useServiceImport(panelId: number, selectedLines: readonly ImportLine[]) {
  const { shared, edits, errors, setErrors, editLines, editShared } = useEdits();
  const isValid =
    isPercentOrEmpty(shared.margin) &&
    selectedLines.every(({ id }) => findInvalidFields(edits.get(id) ?? {}).length === 0);
  const isReady = isValid && hasDestination(selectedLines, edits, shared);
  const buildBody = (lines: readonly ImportLine[]) => buildImportServicesBody(panelId, lines, edits, shared);
  const run = useImportRun({ selectedLines, isValid, isReady, buildBody, send, errors, setErrors });
  return { ...run, shared, editShared, edits, editLines };
}
