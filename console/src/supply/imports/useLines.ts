// The lines of an import, loaded chunk by chunk.
import { useEffect, useState } from 'react';
import { api, unwrap } from '@/api/client';
import { asProblem, isAborted, type Problem } from '@/api/problem';
import { chunksOf, type Line, SENT_AT_ONCE } from './lines';

/** The lines of some services of a panel, refused as an import of services or of packages would; `loaded` counts them while
 * they come. */
export function useLines(panel: number, ids: readonly number[], asPackages: boolean) {
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
        const asked = api.POST(path, {
          params: { path: { id: panel } },
          body: { ids: [...some], as_packages: asPackages },
          signal,
        });
        all.push(...(await unwrap(asked)).data);
        setLoaded(all.length);
      }
      setLines(all);
    };
    setProblem(null);
    load().catch((error: unknown) => isAborted(error) || setProblem(asProblem(error)));
    return () => controller.abort();
  }, [panel, wanted, asPackages, round]);
  return { lines, loaded, problem, retry: () => setRound((round) => round + 1) };
}
