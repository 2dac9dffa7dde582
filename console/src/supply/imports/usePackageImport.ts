// State of an import of packages: the user's edits, the request, and the errors of each package.
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { createWriteOptions, type WriteOptions } from '@/api/writeOptions';
import { clearFieldErrors, type ImportErrors, type ImportLine, type ImportOutcome, NO_IMPORT_ERRORS } from './lines';
import {
  applyPackageEdit,
  buildImportPackagesBody,
  findInvalidPackageFields,
  type ImportPackagesBody,
  type PackageEdit,
  type PackageEdits,
  type SharedPackageValues,
} from './packages';
import { useImportRun } from './useImportRun';

async function sendImportPackagesRequest(body: ImportPackagesBody, options: WriteOptions): Promise<ImportOutcome> {
  return (
    await unwrap(api.POST('/api/v1/admin/external-panels/import-packages', { ...createWriteOptions(options), body }))
  ).data;
}

/** The edits of all packages, and the import of `selectedLines`. */
export function usePackageImport(externalPanelId: number, selectedLines: readonly ImportLine[]) {
  const [sharedValues, setSharedValues] = useState<SharedPackageValues>({
    type: 'auto',
    network_id: null,
    sync: false,
  });
  const [edits, setEdits] = useState<PackageEdits>(new Map());
  const [errors, setErrors] = useState<ImportErrors>(NO_IMPORT_ERRORS);
  const isValid = selectedLines.every(({ id }) => findInvalidPackageFields(edits.get(id) ?? {}).length === 0);
  const isReady = isValid && selectedLines.length > 0;
  const buildBody = (lines: readonly ImportLine[]) =>
    buildImportPackagesBody(externalPanelId, lines, edits, sharedValues);
  const importRun = useImportRun({
    selectedLines,
    isValid,
    isReady,
    buildBody,
    send: sendImportPackagesRequest,
    errors,
    setErrors,
  });
  return {
    ...importRun,
    sharedValues,
    edits,
    editPackage: (id: number, change: PackageEdit) => {
      setEdits((edits) => applyPackageEdit(edits, id, change));
      setErrors((errors) => clearFieldErrors(errors, [id], change));
    },
    editSharedValues: (change: Partial<SharedPackageValues>) => {
      setSharedValues((values) => ({ ...values, ...change }));
      // A shared value may have caused the errors of lines.
      setErrors(NO_IMPORT_ERRORS);
    },
  };
}
