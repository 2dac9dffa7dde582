// Declares an action on one or many records. The row menu, the bulk bar and the dialog share the declaration.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';
import type { WriteOptions } from '@/api/writeOptions';
import type { FieldErrors } from '@/form/problems';

/** The result of a run or a dry run. `record` is the record after the dry run of a single record. */
export type BulkOutcome = Schemas['BulkOutcome'] & {
  record?: unknown;
  /** The undo offers of several requests. */
  undos?: readonly UndoOffer[];
  /** Several calls were previewed separately, so that their charges are an upper bound. */
  isUpperBound?: boolean;
};

/** A request that the server can undo, with the number of its records. */
export type UndoOffer = Schemas['UndoOffer'];

/** The undo offers in the response to a single or a bulk call. */
export function undoOffers(answer: unknown): readonly UndoOffer[] {
  const { undos, undo } = (answer ?? {}) as { undos?: readonly UndoOffer[]; undo?: UndoOffer | null };
  return undos ?? (undo ? [undo] : []);
}

/** The input of an action's form, with the field names of the request, where the action does not declare a type. */
export type Input = Record<string, unknown>;

export interface FormProps<Row, Edited extends object = Input> {
  value: Edited;
  onChange: (value: Edited) => void;
  errors: FieldErrors;
  /** The record; null for a bulk action. */
  row: Row | null;
  count: number;
}

/** The errors of a field in any of the records of a bulk request: `services.3.price` for `price`. */
export function errorsOfAnyRecord(errors: FieldErrors, name: string): readonly string[] {
  return Object.entries(errors).flatMap(([field, messages]) => (field.endsWith(`.${name}`) ? messages : []));
}

/** Options of a call for one chunk of records, with an idempotency key per chunk. */
export interface ChunkOptions extends WriteOptions {
  key: string;
  /** Number of records of the whole run, when there are several chunks. */
  total?: number;
}

export type AnyAction<Row> = Action<Row> | CustomAction<Row>;

interface ActionBase<Row> {
  /** Its texts are under `actions.<name>`. */
  name: string;
  icon: string;
  tone?: 'danger';
  /** The flag of the record that the server has computed for the current user. */
  allows: (row: Row) => boolean;
  /** Whether the row menu shows the action as disabled, with the reason in the text `actions.<name>.kept`. */
  isShownDisabled?: (row: Row) => boolean;
  /** The action needs exactly one record and is not a bulk action. */
  single?: true;
}

/** An action with a custom dialog, which asks, sends and shows the outcome itself. */
export interface CustomAction<Row> extends ActionBase<Row> {
  Dialog: ComponentType<CustomDialogProps<Row>>;
  Form?: undefined;
}

export interface CustomDialogProps<Row> {
  ids: readonly number[];
  /** The record; null for a bulk action. */
  row: Row | null;
  onClose: () => void;
  /** Called after a change. */
  onDone: () => void;
}

/** An action with the standard dialog: preview, confirmation, run in chunks, outcome. */
export interface Action<Row, Edited extends object = Input> extends ActionBase<Row> {
  Dialog?: undefined;
  /** Runs the action for one record. */
  one: (id: number, input: Edited, options: ChunkOptions) => Promise<unknown>;
  /** Whether `one` supports a dry run; otherwise a single record is previewed by `many`. */
  previewsOne?: true;
  /** Runs the action for up to 10,000 records. Must support a dry run, because every action is previewed. */
  many: (ids: readonly number[], input: Edited, options: ChunkOptions) => Promise<BulkOutcome>;
  /** Largest number of records per call of `many`, when each record needs a request. */
  chunkSize?: number;
  initial?: Edited;
  /** Whether the form is complete enough for a dry run. */
  isReady?: (input: Edited) => boolean;
  /** Loads the initial input of the form for one record. */
  loadInitial?: (row: Row) => Promise<Edited>;
  Form?: ComponentType<FormProps<Row, Edited>>;
  /** Fields whose errors the form shows; the dialog shows other errors. */
  fields?: readonly (keyof Edited & string)[];
  /** Shows the record after the dry run. */
  PreviewDetails?: ComponentType<{ row: Row }>;
}

/** Erases the input type of an action, so that lists can have actions with different inputs. */
export function withInputErased<Row, Edited extends object>(declared: Action<Row, Edited>): Action<Row> {
  return declared as unknown as Action<Row>;
}
