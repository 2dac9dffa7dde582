// The options of a request that changes data: a dry run, or a write with an idempotency key.

export interface WriteOptions {
  dryRun: boolean;
  /** Idempotency key. If the server receives the key again, it repeats its response, but not the change. A dry run needs no key. */
  key?: string;
  signal?: AbortSignal | null;
}

/** The header of a request that creates a record or moves money. If the server receives the key again, it only repeats its response. */
export const withIdempotencyKey = (key: string) => ({ headers: { 'Idempotency-Key': key } });

/** Creates the options of an `api` request without path parameters. */
export const createWriteOptions = ({ dryRun, key, signal }: WriteOptions) => ({
  params: { query: createDryRunQuery(dryRun) },
  ...(key ? withIdempotencyKey(key) : {}),
  ...(signal ? { signal } : {}),
});

export const createWriteOptionsWithPath = <Path>(path: Path, options: WriteOptions) => ({
  ...createWriteOptions(options),
  params: { path, query: createDryRunQuery(options.dryRun) },
});

const createDryRunQuery = (dryRun: boolean) => (dryRun ? { dry_run: '1' as const } : {});
