// How a call that changes something is made: tried only, or done once under a key. Every dry run of the console is asked here.

export interface How {
  dryRun: boolean;
  /** The same key, the same effect: a repeated call is answered, not done again. What is only tried needs none. */
  key?: string;
  signal?: AbortSignal | null;
}

/** What a call needs of how it is made. */
export const initOf = ({ dryRun, key, signal }: How) => ({
  params: { query: queryOf(dryRun) },
  ...(key ? { headers: { 'Idempotency-Key': key } } : {}),
  ...(signal ? { signal } : {}),
});

/** The same for a call to a path with arguments. */
export const initAt = <Path>(path: Path, how: How) => ({
  ...initOf(how),
  params: { path, query: queryOf(how.dryRun) },
});

const queryOf = (dryRun: boolean) => (dryRun ? { dry_run: '1' as const } : {});
