// Loads the lines of an import in chunks.
import { useEffect, useState } from 'react';
import { api, unwrap } from '@/api/client';
import { asProblem, isAborted, type Problem } from '@/api/problem';
import { type ImportLine, LINES_PER_REQUEST, splitIntoChunks } from './lines';

/**
 * Loads the lines of the given services of an external panel. `lines` is null until all chunks are loaded; `loadedCount` grows with
 * each chunk. `rejection` is the reason why the server cannot import a line as a package (with `asPackages`) or as a service.
 */
export function useImportLines(externalPanelId: number, ids: readonly number[], asPackages: boolean) {
  // Uses the ids of the first render, because a new array in a later render must not load the lines again.
  const [requestedIds] = useState(ids);
  const [lines, setLines] = useState<readonly ImportLine[] | null>(null);
  const [loadedCount, setLoadedCount] = useState(0);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [retryCount, setRetryCount] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `retryCount` is a dependency, so that a retry loads the lines again.
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const loadLines = async () => {
      const loadedLines: ImportLine[] = [];
      for (const chunk of splitIntoChunks(requestedIds, LINES_PER_REQUEST)) {
        const path = '/api/v1/admin/external-panels/{id}/services';
        const request = api.POST(path, {
          params: { path: { id: externalPanelId } },
          body: { ids: [...chunk], as_packages: asPackages },
          signal,
        });
        loadedLines.push(...(await unwrap(request)).data);
        setLoadedCount(loadedLines.length);
      }
      setLines(loadedLines);
    };
    setProblem(null);
    loadLines().catch((error: unknown) => isAborted(error) || setProblem(asProblem(error)));
    return () => controller.abort();
  }, [externalPanelId, requestedIds, asPackages, retryCount]);
  return { lines, loadedCount, problem, retry: () => setRetryCount((count) => count + 1) };
}
