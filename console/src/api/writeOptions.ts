// The options of a call that changes data: a dry run, or a write with an idempotency key.

export interface WriteOptions {
  dryRun: boolean;
  /** Idempotency key: the server replays its response to a repeated call and does not repeat the effect. A dry run needs none. */
  key?: string;
  signal?: AbortSignal | null;
}

/** The header for a call that creates a record or moves money: the server replays its response to a repeated key. */
export const withIdempotencyKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

export const writeInit = ({ dryRun, key, signal }: WriteOptions) => ({
  params: { query: dryRunQuery(dryRun) },
  ...(key ? withIdempotencyKey(key) : {}),
  ...(signal ? { signal } : {}),
});

export const writeInitWithPath = <Path>(path: Path, options: WriteOptions) => ({
  ...writeInit(options),
  params: { path, query: dryRunQuery(options.dryRun) },
});

const dryRunQuery = (dryRun: boolean) => (dryRun ? { dry_run: '1' as const } : {});
