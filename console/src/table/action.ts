// Declares an action on one or many records. The row menu, the bulk bar and the dialog share the declaration.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';
import type { WriteOptions } from '@/api/writeOptions';
import type { FieldErrors } from '@/form/problems';

/** The result of a run or a dry run. */
export type BulkOutcome = Schemas['BulkOutcome'] & {
  /** The record as the action leaves it, if the action was called for a single record. */
  record?: unknown;
  /** The undo offers of several requests. */
  undos?: readonly UndoOffer[];
  /** The charges are an upper bound, because several calls were previewed separately. */
  isUpperBound?: boolean;
};

/** A request that the server can undo: its id, and how many records it has changed. */
export type UndoOffer = Schemas['UndoOffer'];

/** The undo offers in the response to a call for one or several records. */
export function undoOffers(response: unknown): readonly UndoOffer[] {
  const { undos, undo } = (response ?? {}) as { undos?: readonly UndoOffer[]; undo?: UndoOffer | null };
  return undos ?? (undo ? [undo] : []);
}

/** The input of an action's form, by field name of the request, for actions that declare no type of their own. */
export type Input = Record<string, unknown>;

export interface FormProps<Row, FormInput extends object = Input> {
  value: FormInput;
  onChange: (value: FormInput) => void;
  errors: FieldErrors;
  /** The record; null for a bulk action. */
  row: Row | null;
  count: number;
}

/** The errors of the field `name` in all records of a bulk request: for `price` those of `services.3.price`. */
export function errorsOfAnyRecord(errors: FieldErrors, name: string): readonly string[] {
  return Object.entries(errors).flatMap(([field, messages]) => (field.endsWith(`.${name}`) ? messages : []));
}

/** Options of a call for one chunk of records, with an idempotency key per chunk. */
export interface ChunkOptions extends WriteOptions {
  key: string;
  /** Number of records of the whole run, if it has several chunks. */
  total?: number;
}

export type AnyAction<Row> = Action<Row> | CustomAction<Row>;

interface ActionBase<Row> {
  /** The texts of the action are under the i18n key `actions.<name>`. */
  name: string;
  icon: string;
  tone?: 'danger';
  /** Whether the current user may do the action with this record: a flag that the server has computed. */
  allows: (row: Row) => boolean;
  /** Whether the row menu shows the action as disabled, with the reason in the text `actions.<name>.kept`. */
  isShownDisabled?: (row: Row) => boolean;
  /** The action is not offered for several records. */
  singleOnly?: true;
}

/** An action with a dialog of its own, which also sends the request and shows the outcome. */
export interface CustomAction<Row> extends ActionBase<Row> {
  Dialog: ComponentType<CustomDialogProps<Row>>;
  Form?: undefined;
}

export interface CustomDialogProps<Row> {
  ids: readonly number[];
  /** The record; null for a bulk action. */
  row: Row | null;
  onClose: () => void;
  /** Called after the action has changed records. */
  onDone: () => void;
}

/** An action with the standard dialog: preview, confirmation, run in chunks, outcome. */
export interface Action<Row, FormInput extends object = Input> extends ActionBase<Row> {
  Dialog?: undefined;
  /** Runs the action for one record. */
  runSingle: (id: number, input: FormInput, options: ChunkOptions) => Promise<unknown>;
  /** Whether `runSingle` supports a dry run; otherwise `runBulk` previews a single record. */
  hasSinglePreview?: true;
  /** Runs the action for up to 10,000 records. Must support a dry run, because every action is previewed. */
  runBulk: (ids: readonly number[], input: FormInput, options: ChunkOptions) => Promise<BulkOutcome>;
  /** Largest number of records per call of `runBulk`, if each record needs a request. */
  chunkSize?: number;
  initial?: FormInput;
  /** Whether the form is complete enough for a dry run. */
  isReady?: (input: FormInput) => boolean;
  /** Loads the initial input of the form for one record. */
  loadInitial?: (row: Row) => Promise<FormInput>;
  Form?: ComponentType<FormProps<Row, FormInput>>;
  /** Fields whose errors the form shows; the dialog shows all other errors. */
  fields?: readonly (keyof FormInput & string)[];
  /** Shows the record as the dry run leaves it. */
  PreviewDetails?: ComponentType<{ row: Row }>;
}

/** Erases the input type of an action, so that lists can have actions with different inputs. */
export function eraseInputType<Row, FormInput extends object>(action: Action<Row, FormInput>): Action<Row> {
  return action as unknown as Action<Row>;
}
