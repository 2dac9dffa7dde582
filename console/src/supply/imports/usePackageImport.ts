// An import of packages: what is typed, what is sent, and what is wrong with it.
import { useState } from 'react';
import { api, unwrap } from '@/api/client';
import { type WriteOptions, writeInit } from '@/api/writeOptions';
import { type ImportErrors, type Line, NO_ERRORS, type Outcome, withoutFields } from './lines';
import {
  editedPackage,
  type PackageEdit,
  type PackageEdits,
  type PackagesBody,
  packagesBody,
  type SharedPackageValues,
  unreadablePackage,
} from './packages';
import { useRun } from './useRun';

async function send(body: PackagesBody, how: WriteOptions): Promise<Outcome> {
  return (await unwrap(api.POST('/api/v1/admin/external-panels/import-packages', { ...writeInit(how), body }))).data;
}

/** An import of `chosen`, those of the packages that are ticked. */
export function usePackageImport(panel: number, chosen: readonly Line[]) {
  const [shared, setShared] = useState<SharedPackageValues>({ type: 'auto', network_id: null, sync: false });
  const [edits, setEdits] = useState<PackageEdits>(new Map());
  const [errors, setErrors] = useState<ImportErrors>(NO_ERRORS);
  const isReadable = chosen.every(({ id }) => unreadablePackage(edits.get(id) ?? {}).length === 0);
  const isReady = isReadable && chosen.length > 0;
  const body = (lines: readonly Line[]) => packagesBody(panel, lines, edits, shared);
  const run = useRun({ chosen, isReadable, isReady, body, send, errors, setErrors });
  return {
    ...run,
    shared,
    edits,
    edit: (id: number, change: PackageEdit) => {
      setEdits((edits) => editedPackage(edits, id, change));
      setErrors((errors) => withoutFields(errors, [id], change));
    },
    share: (change: Partial<SharedPackageValues>) => {
      setShared((shared) => ({ ...shared, ...change }));
      // What was said of lines may have come from here.
      setErrors(NO_ERRORS);
    },
  };
}
