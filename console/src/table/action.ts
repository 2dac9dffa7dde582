// The declaration of an action on one or several records. The row menu, the bulk bar and the dialog use the same declaration.
import type { ComponentType } from 'react';
import type { Schemas } from '@/api/client';
import type { WriteOptions } from '@/api/writeOptions';
import type { FieldErrors } from '@/form/problems';

/** The result of a run or a dry run. */
export type BulkOutcome = Schemas['BulkOutcome'] & {
  /** The record after the action. Only set if the action ran for a single record. */
  record?: unknown;
  /** The undo offers of all requests of the run. */
  undos?: readonly UndoOffer[];
  /** Whether the real charges can be lower than these, because the server previewed several chunks separately. */
  isUpperBound?: boolean;
};

/** A request that the server can undo: the request id, and how many records the request changed. */
export type UndoOffer = Schemas['UndoOffer'];

/** Returns the undo offers in the response to a request for one or several records. */
export function getUndoOffers(response: unknown): readonly UndoOffer[] {
  const { undos, undo } = (response ?? {}) as { undos?: readonly UndoOffer[]; undo?: UndoOffer | null };
  return undos ?? (undo ? [undo] : []);
}

/** The values of an action's form by field name, for actions that do not declare a type of their own. */
export type ActionInput = Record<string, unknown>;

export interface FormProps<Row, FormInput extends object = ActionInput> {
  value: FormInput;
  onChange: (value: FormInput) => void;
  errors: FieldErrors;
  /** The record, or null if the action runs for several records. */
  row: Row | null;
  count: number;
}

/** Returns the errors of a field in all records of a bulk request: `price` returns the errors of `services.3.price` and so on. */
export function getFieldErrorsOfAllRecords(errors: FieldErrors, name: string): readonly string[] {
  return Object.entries(errors).flatMap(([field, messages]) => (field.endsWith(`.${name}`) ? messages : []));
}

/** Options of a request for one chunk of records. Each chunk has its own idempotency key. */
export interface ChunkOptions extends WriteOptions {
  key: string;
  /** Number of records of the whole run, if the run has several chunks. */
  total?: number;
}

export type AnyAction<Row> = Action<Row> | CustomAction<Row>;

interface ActionBase<Row> {
  /** Also the i18n key of the texts of the action: `actions.<name>`. */
  name: string;
  icon: string;
  tone?: 'danger';
  /** Whether the current user may run the action for this record, according to the flags that the server sent with the record. */
  isAllowedFor: (row: Row) => boolean;
  /** Whether the row menu shows the action as disabled, with the reason in the text `actions.<name>.disabledReason`. */
  isShownDisabled?: (row: Row) => boolean;
  /** The bulk bar does not offer the action. */
  isSingleRecordOnly?: true;
}

/** An action with its own dialog. The dialog sends the request and shows the outcome. */
export interface CustomAction<Row> extends ActionBase<Row> {
  Dialog: ComponentType<CustomDialogProps<Row>>;
  Form?: undefined;
}

export interface CustomDialogProps<Row> {
  ids: readonly number[];
  /** The record, or null if the action runs for several records. */
  row: Row | null;
  onClose: () => void;
  /** Runs after the action has changed records. */
  onDone: () => void;
}

/** An action with the standard dialog, which shows a preview, asks for a confirmation, runs in chunks and shows the outcome. */
export interface Action<Row, FormInput extends object = ActionInput> extends ActionBase<Row> {
  Dialog?: undefined;
  /** Runs the action for one record. */
  runSingle: (id: number, input: FormInput, options: ChunkOptions) => Promise<unknown>;
  /** `runSingle` supports a dry run. Without this flag, the dialog previews a single record with `runBulk`. */
  hasSinglePreview?: true;
  /** Runs the action for up to 10,000 records. It must support a dry run, because the dialog previews every action. */
  runBulk: (ids: readonly number[], input: FormInput, options: ChunkOptions) => Promise<BulkOutcome>;
  /** Maximum number of records per call of `runBulk`, for actions that send one request per record. */
  chunkSize?: number;
  initial?: FormInput;
  /** Whether the form is complete enough for a dry run. */
  isReady?: (input: FormInput) => boolean;
  /** Loads the initial input of the form for one record. */
  loadInitial?: (row: Row) => Promise<FormInput>;
  Form?: ComponentType<FormProps<Row, FormInput>>;
  /** The fields whose errors the form shows. The dialog shows all other errors. */
  fields?: readonly (keyof FormInput & string)[];
  /** Shows the record after the dry run. */
  PreviewDetails?: ComponentType<{ row: Row }>;
}

/** Removes the input type of an action, so that one list can have actions with different inputs. */
export function asUntypedAction<Row, FormInput extends object>(action: Action<Row, FormInput>): Action<Row> {
  return action as unknown as Action<Row>;
}
