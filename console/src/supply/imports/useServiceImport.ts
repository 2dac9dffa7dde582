// State of an import of services: the user's edits, the request, and the errors of each line.
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { createWriteOptions, type WriteOptions } from '@/api/writeOptions';
import {
  applyEdit,
  buildImportServicesBody,
  clearFieldErrors,
  findInvalidFields,
  hasServiceTypeForEachLine,
  type ImportErrors,
  type ImportLine,
  type ImportOutcome,
  type ImportServicesBody,
  isPercentOrEmpty,
  type LineEdit,
  type LineEdits,
  NO_IMPORT_ERRORS,
  type SharedValues,
} from './lines';
import { useImportRun } from './useImportRun';

async function sendImportServicesRequest(body: ImportServicesBody, options: WriteOptions): Promise<ImportOutcome> {
  return (
    await unwrap(api.POST('/api/v1/admin/external-panels/import-services', { ...createWriteOptions(options), body }))
  ).data;
}

function useEdits() {
  const [sharedValues, setSharedValues] = useState<SharedValues>({
    margin: '',
    network_id: null,
    service_type_id: null,
    keep_categories: false,
  });
  const [edits, setEdits] = useState<LineEdits>(new Map());
  const [errors, setErrors] = useState<ImportErrors>(NO_IMPORT_ERRORS);
  return {
    sharedValues,
    edits,
    errors,
    setErrors,
    editLines: (ids: Iterable<number>, change: LineEdit) => {
      const lineIds = [...ids];
      setEdits((edits) => applyEdit(edits, lineIds, change));
      setErrors((errors) => clearFieldErrors(errors, lineIds, change));
    },
    editSharedValues: (change: Partial<SharedValues>) => {
      setSharedValues((values) => ({ ...values, ...change }));
      // A shared value may have caused the errors of lines.
      setErrors(NO_IMPORT_ERRORS);
    },
  };
}

/** The edits of all lines, and the import of `selectedLines`. */
export function useServiceImport(externalPanelId: number, selectedLines: readonly ImportLine[]) {
  const { sharedValues, edits, errors, setErrors, editLines, editSharedValues } = useEdits();
  const isValid =
    isPercentOrEmpty(sharedValues.margin) &&
    selectedLines.every(({ id }) => findInvalidFields(edits.get(id) ?? {}).length === 0);
  const isReady = isValid && hasServiceTypeForEachLine(selectedLines, edits, sharedValues);
  const buildBody = (lines: readonly ImportLine[]) =>
    buildImportServicesBody(externalPanelId, lines, edits, sharedValues);
  const importRun = useImportRun({
    selectedLines,
    isValid,
    isReady,
    buildBody,
    send: sendImportServicesRequest,
    errors,
    setErrors,
  });
  return { ...importRun, sharedValues, editSharedValues, edits, editLines };
}
