// What can be done to records, one or many: a declaration that the row menu, the bulk bar and the dialog share.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';

/** What happened or would happen; `record` is the one that was tried, as it would be. */
export type BulkOutcome = Schemas['BulkOutcome'] & {
  record?: unknown;
  /** The offers of several requests. */
  undos?: readonly UndoOffer[];
  /** Several calls were tried apart, so that none knows what another charges the same customer. */
  isUpperBound?: boolean;
};

/** A request that the server can undo, and of how many records. */
export type UndoOffer = Schemas['UndoOffer'];

/** What an answer, of one record or of many, says that can be undone. */
export function undosOf(answer: unknown): readonly UndoOffer[] {
  const { undos, undo } = (answer ?? {}) as { undos?: readonly UndoOffer[]; undo?: UndoOffer | null };
  return undos ?? (undo ? [undo] : []);
}

/** What a form of an action edits, with the fields named as in the request. */
export type Input = Record<string, unknown>;

export interface FormProps<Row> {
  value: Input;
  onChange: (value: Input) => void;
  errors: Readonly<Record<string, readonly string[]>>;
  /** The record, where there is exactly one. */
  row: Row | null;
  count: number;
}

/** What is wrong with a field in any of the records that one request changes: `services.3.price` for `price`. */
export function errorsOfEach(errors: FormProps<unknown>['errors'], name: string): readonly string[] {
  return Object.entries(errors).flatMap(([field, messages]) => (field.endsWith(`.${name}`) ? messages : []));
}

/** How a call is made. */
export interface How {
  dryRun: boolean;
  /** The same key, the same effect: a repeated call is answered, not done again. */
  key: string;
  signal?: AbortSignal;
  /** Of how many records this call is a part, where it is one of several. */
  total?: number;
}

/** An action of either kind. */
export type AnyAction<Row> = Action<Row> | OwnAction<Row>;

interface Offered<Row> {
  /** Its texts stand under `actions.<name>`. */
  name: string;
  icon: string;
  tone?: 'danger';
  /** The record's own flag, as the server computed it for this caller. */
  allows: (row: Row) => boolean;
  /** Where it is missing although the caller holds the permission: the row menu says why, by `actions.<name>.kept`. */
  kept?: (row: Row) => boolean;
  /** It says something of exactly one record, so it is not offered for many. */
  single?: true;
}

/** An action whose dialog does everything: asks, sends, and tells what came of it. */
export interface OwnAction<Row> extends Offered<Row> {
  Dialog: ComponentType<OwnDialogProps<Row>>;
  Form?: undefined;
}

export interface OwnDialogProps<Row> {
  ids: readonly number[];
  /** The record, where there is exactly one. */
  row: Row | null;
  onClose: () => void;
  /** Something was changed. */
  onDone: () => void;
}

/** An action with the usual dialog: tried, confirmed, run in chunks, told. */
export interface Action<Row> extends Offered<Row> {
  Dialog?: undefined;
  /** One record; refused with a reason, or done. */
  one: (id: number, input: Input, how: How) => Promise<unknown>;
  /** Whether `one` takes a dry run. Without it one record is tried as many are. */
  triesOne?: true;
  /** Up to 10,000 records, with a dry run as well: every action shows what it would do before it is done. */
  many: (ids: readonly number[], input: Input, how: How) => Promise<BulkOutcome>;
  /** Most records of one call of `many`, where each costs a request. */
  chunk?: number;
  initial?: Input;
  /** Whether the form says enough to be tried on the server. */
  ready?: (input: Input) => boolean;
  /** Loads what the form starts with for one record. */
  start?: (row: Row) => Promise<Input>;
  Form?: ComponentType<FormProps<Row>>;
  /** What the dialog says of the record as it would be. */
  Would?: ComponentType<{ row: Row }>;
}
