// How a call that changes something is made: tried only, or done once under a key. Every dry run of the console is asked here.

export interface How {
  dryRun: boolean;
  /** The same key, the same effect: a repeated call is answered, not done again. What is only tried needs none. */
  key?: string;
  signal?: AbortSignal | null;
}

/** The key of a call that makes something or moves money: repeated under the same key, it is answered and not done again. */
export const keyed = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** What a call needs of how it is made. */
export const initOf = ({ dryRun, key, signal }: How) => ({
  params: { query: queryOf(dryRun) },
  ...(key ? keyed(key) : {}),
  ...(signal ? { signal } : {}),
});

/** The same for a call to a path with arguments. */
export const initAt = <Path>(path: Path, how: How) => ({
  ...initOf(how),
  params: { path, query: queryOf(how.dryRun) },
});

const queryOf = (dryRun: boolean) => (dryRun ? { dry_run: '1' as const } : {});
