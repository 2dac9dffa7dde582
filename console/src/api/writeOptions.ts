// Options of a call that changes data: a dry run, or a write under an idempotency key. Every dry run of the console uses them.

export interface WriteOptions {
  dryRun: boolean;
  /** Idempotency key: the server replays its answer to a repeated call instead of repeating the effect. A dry run needs none. */
  key?: string;
  signal?: AbortSignal | null;
}

/** The idempotency header of a call that creates a record or moves money: the server replays its answer to a repeated key. */
export const withIdempotencyKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** The request init of a call with these options. */
export const writeInit = ({ dryRun, key, signal }: WriteOptions) => ({
  params: { query: dryRunQuery(dryRun) },
  ...(key ? withIdempotencyKey(key) : {}),
  ...(signal ? { signal } : {}),
});

/** The request init of a call with these options and path parameters. */
export const writeInitAt = <Path>(path: Path, options: WriteOptions) => ({
  ...writeInit(options),
  params: { path, query: dryRunQuery(options.dryRun) },
});

const dryRunQuery = (dryRun: boolean) => (dryRun ? { dry_run: '1' as const } : {});
