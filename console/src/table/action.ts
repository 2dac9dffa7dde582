// What can be done to records, one or many: a declaration that the row menu, the bulk bar and the dialog share.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';
import type { How } from '@/api/how';
import type { FieldErrors } from '@/form/problems';

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

/** What a form of an action edits, with the fields named as in the request, where it has no type of its own. */
export type Input = Record<string, unknown>;

export interface FormProps<Row, Edited extends object = Input> {
  value: Edited;
  onChange: (value: Edited) => void;
  errors: FieldErrors;
  /** The record, where there is exactly one. */
  row: Row | null;
  count: number;
}

/** What is wrong with a field in any of the records that one request changes: `services.3.price` for `price`. */
export function errorsOfEach(errors: FieldErrors, name: string): readonly string[] {
  return Object.entries(errors).flatMap(([field, messages]) => (field.endsWith(`.${name}`) ? messages : []));
}

/** How an action is called: for a chunk of its records, under a key of its own. */
export interface ChunkHow extends How {
  key: string;
  /** Of how many records the chunk is a part, where it is one of several. */
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

/** An action with the usual dialog: tried, confirmed, run in chunks, and its outcome shown. */
export interface Action<Row, Edited extends object = Input> extends Offered<Row> {
  Dialog?: undefined;
  /** One record; refused with a reason, or done. */
  one: (id: number, input: Edited, how: ChunkHow) => Promise<unknown>;
  /** Whether `one` takes a dry run. Without it one record is tried as many are. */
  triesOne?: true;
  /** Up to 10,000 records, with a dry run as well: every action shows what it would do before it is done. */
  many: (ids: readonly number[], input: Edited, how: ChunkHow) => Promise<BulkOutcome>;
  /** Most records of one call of `many`, where each costs a request. */
  chunk?: number;
  initial?: Edited;
  /** Whether the form says enough to be tried on the server. */
  ready?: (input: Edited) => boolean;
  /** Loads what the form starts with for one record. */
  start?: (row: Row) => Promise<Edited>;
  Form?: ComponentType<FormProps<Row, Edited>>;
  /** Fields of one record at which the form shows what is wrong; the dialog shows the rest. */
  fields?: readonly (keyof Edited & string)[];
  /** What the dialog says of the record as it would be. */
  Would?: ComponentType<{ row: Row }>;
}

/** An action whose input has a type of its own, as lists hold it: the one place where that type is forgotten. */
export function typed<Row, Edited extends object>(declared: Action<Row, Edited>): Action<Row> {
  return declared as unknown as Action<Row>;
}
