// The lines of an import, without any UI. A line is a service that an external panel sells. This module combines the lines with
// the user's edits, builds the requests, and assigns the server's errors to lines. It computes amounts exactly, in whole millionths.
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { fractionToPercent, fromMillionths, normalizeDecimal, percentToFraction, toMillionths } from '@/form/decimal';
import type { FieldErrors } from '@/form/problems';

export type ImportLine = Schemas['ImportableService'];
export type ImportServiceItem = Schemas['ImportServiceItem'];
export type ImportServicesBody = Schemas['ImportServicesInput'];
export type ImportOutcome = Schemas['ImportOutcome'];

/** The sync flags of an imported service. Each flag makes later syncs copy one part of the external panel's service. */
export const SERVICE_SYNC_FLAGS = [
  'sync_prices',
  'sync_name',
  'sync_params',
  'sync_service_details',
  'sync_description_field',
  'sync_short_description',
  'sync_labels',
  'sync_meta',
  'sync_reviews',
] as const;

/**
 * Returns the flag of the external panel that is the default of a service's flag. Both have the same name, except the flag for
 * descriptions.
 */
export const toExternalPanelSyncFlag = (flag: (typeof SERVICE_SYNC_FLAGS)[number]) =>
  flag === 'sync_description_field' ? 'sync_description' : flag;

/** Values of all lines in which the user has not edited the field. `margin` is the percentage as the user typed it. */
export interface SharedValues {
  margin: string;
  network_id: number | null;
  service_type_id: number | null;
  keep_categories: boolean;
}

/**
 * The edits of a line, as the user typed them. If a field is missing, the shared value applies, or else the value of the external
 * panel. An edit never contains both a price and a margin.
 */
export interface LineEdit extends Partial<Record<(typeof SERVICE_SYNC_FLAGS)[number], boolean>> {
  name?: string;
  description?: string;
  price?: string;
  margin?: string;
  network_id?: number | null;
  service_type_id?: number | null;
  promotable_checker_group_id?: number | null;
}

export type LineEdits = ReadonlyMap<number, LineEdit>;

/** Errors of the shared values, and of each line by its id. */
export interface ImportErrors {
  sharedErrors: FieldErrors;
  lineErrors: ReadonlyMap<number, FieldErrors>;
}

export const NO_IMPORT_ERRORS: ImportErrors = { sharedErrors: {}, lineErrors: new Map() };

const ONE_MILLION = 1_000_000n;

/** Parses an amount that the user typed, such as "1 234,5". Returns null if the text is not a number, or is negative. */
export function parseMillionths(text: string): bigint | null {
  const amount = toMillionths(normalizeDecimal(text));
  return amount !== null && amount >= 0n ? amount : null;
}

/** The price of a line, and its margin in percent. Both are null if the cost is unknown or the user's input is not a number. */
export interface ComputedPrice {
  price: string | null;
  margin: string | null;
  /** Whether the price is below the minimum price that the server accepts in an import. */
  isTooLow: boolean;
}

/** Computes the price as the server does: the cost plus the margin, rounded up to the millionth. */
export function computePrice(line: ImportLine, edit: LineEdit, sharedValues: SharedValues): ComputedPrice {
  const cost = line.provider_price == null ? null : parseMillionths(line.provider_price);
  const minPrice = line.lowest_price == null ? null : parseMillionths(line.lowest_price);
  const editedPrice = edit.price?.trim() ? parseMillionths(edit.price) : undefined;
  const marginPercent = edit.margin?.trim() || sharedValues.margin.trim() || fractionToPercent(line.margin_fraction);
  const margin = parseMillionths(percentToFraction(marginPercent));
  const isTooLow = (price: bigint) => minPrice !== null && price < minPrice;
  if (editedPrice !== undefined) {
    const resultingMargin =
      cost === null || cost === 0n || editedPrice === null ? null : ((editedPrice - cost) * ONE_MILLION) / cost;
    return {
      price: editedPrice === null ? null : fromMillionths(editedPrice),
      margin: resultingMargin === null ? null : toRoundedPercent(resultingMargin),
      isTooLow: editedPrice !== null && isTooLow(editedPrice),
    };
  }
  if (cost === null || margin === null) return { price: null, margin: null, isTooLow: false };
  const price = (cost * (ONE_MILLION + margin) + ONE_MILLION - 1n) / ONE_MILLION;
  return { price: fromMillionths(price), margin: fractionToPercent(fromMillionths(margin)), isTooLow: isTooLow(price) };
}

/** Converts a fraction in millionths to a percentage with at most two decimals. */
function toRoundedPercent(fraction: bigint): string {
  const roundedFraction = (fraction / 100n) * 100n;
  return fractionToPercent(fromMillionths(roundedFraction));
}

/** Validates numbers before the request. Returns the API names of the fields whose text is not a number. */
export function findInvalidFields(edit: LineEdit): readonly ('price' | 'margin_fraction')[] {
  const invalidFields: ('price' | 'margin_fraction')[] = [];
  if (edit.price?.trim() && parseMillionths(edit.price) === null) invalidFields.push('price');
  if (edit.margin?.trim() && !isPercentOrEmpty(edit.margin)) invalidFields.push('margin_fraction');
  return invalidFields;
}

/** Whether the text is empty or a percentage that is not negative. */
export const isPercentOrEmpty = (text: string) => !text.trim() || parseMillionths(percentToFraction(text)) !== null;

/**
 * Builds a line of the request. The line contains the external panel's prices that the user saw, because the server rejects the
 * line if these prices have changed since then.
 */
export function buildImportItem(line: ImportLine, edit: LineEdit): ImportServiceItem {
  const editedFlags = SERVICE_SYNC_FLAGS.flatMap((flag) =>
    edit[flag] === undefined ? [] : [[flag, edit[flag]] as const],
  );
  return {
    id: line.id,
    external_panel_price: line.external_panel_price,
    ...(line.provider_price ? { provider_price: line.provider_price } : {}),
    ...(edit.name === undefined ? {} : { name: edit.name }),
    ...(edit.description === undefined ? {} : { description: edit.description }),
    ...(edit.price?.trim() ? { price: normalizeDecimal(edit.price) } : {}),
    ...(edit.margin?.trim() ? { margin_fraction: percentToFraction(edit.margin) } : {}),
    ...(edit.network_id ? { network_id: edit.network_id } : {}),
    ...(edit.service_type_id ? { service_type_id: edit.service_type_id } : {}),
    ...(edit.promotable_checker_group_id ? { promotable_checker_group_id: edit.promotable_checker_group_id } : {}),
    ...Object.fromEntries(editedFlags),
  };
}

export function buildImportServicesBody(
  externalPanelId: number,
  lines: readonly ImportLine[],
  edits: LineEdits,
  sharedValues: SharedValues,
): ImportServicesBody {
  return {
    external_panel_id: externalPanelId,
    services: lines.map((line) => buildImportItem(line, edits.get(line.id) ?? {})),
    ...(sharedValues.margin.trim() ? { margin_fraction: percentToFraction(sharedValues.margin) } : {}),
    ...(sharedValues.network_id ? { network_id: sharedValues.network_id } : {}),
    ...(sharedValues.service_type_id ? { service_type_id: sharedValues.service_type_id } : {}),
    ...(sharedValues.keep_categories ? { keep_categories: true } : {}),
  };
}

/**
 * Whether every line has the service type that the server requires: an existing one, or a network in which the server creates
 * a service type for the category of the line.
 */
export function hasServiceTypeForEachLine(
  lines: readonly ImportLine[],
  edits: LineEdits,
  sharedValues: SharedValues,
): boolean {
  const getEdit = (line: ImportLine) => edits.get(line.id) ?? {};
  return (
    lines.length > 0 &&
    lines.every((line) => {
      if (getEdit(line).service_type_id || sharedValues.service_type_id) return true;
      return sharedValues.keep_categories && Boolean(getEdit(line).network_id || sharedValues.network_id);
    })
  );
}

/** Applies one change to several lines. A new margin removes the price of a line, and a new price removes the margin. */
export function applyEdit(edits: LineEdits, ids: Iterable<number>, change: LineEdit): LineEdits {
  const newEdits = new Map(edits);
  for (const id of ids) {
    const { price, margin, ...otherFields } = newEdits.get(id) ?? {};
    const remainingPriceOrMargin = {
      ...(price !== undefined && change.margin === undefined ? { price } : {}),
      ...(margin !== undefined && change.price === undefined ? { margin } : {}),
    };
    // A service type belongs to one network.
    if (change.network_id !== undefined && change.network_id !== otherFields.network_id)
      otherFields.service_type_id = null;
    newEdits.set(id, { ...otherFields, ...remainingPriceOrMargin, ...change });
  }
  return newEdits;
}

/** Returns the lines whose name, category, type or external id contains the query. The search ignores case. */
export function searchLines(
  lines: readonly ImportLine[],
  edits: ReadonlyMap<number, { name?: string }>,
  query: string,
): readonly ImportLine[] {
  const searchText = query.trim().toLowerCase();
  if (!searchText) return lines;
  return lines.filter((line) =>
    [line.name, edits.get(line.id)?.name ?? '', line.category, line.type, line.external_panel_service_id].some((text) =>
      text.toLowerCase().includes(searchText),
    ),
  );
}

/** The key of a field error: `services.3.price` is the price of the fourth line of the request. */
const LINE_FIELD_PATTERN = /^(?:services|packages)\.(\d+)\.(.+)$/;

/**
 * Assigns the field errors of a response to the lines of the request. `ids` are the ids of these lines. Returns null if the error
 * has no field errors.
 */
export function parseImportErrors(error: unknown, ids: readonly number[]): ImportErrors | null {
  if (!(error instanceof Problem) || error.status !== 422 || Object.keys(error.fields).length === 0) return null;
  const sharedErrors: Record<string, readonly string[]> = {};
  const lineErrors = new Map<number, FieldErrors>();
  for (const [field, messages] of Object.entries(error.fields)) {
    const [, index, name] = LINE_FIELD_PATTERN.exec(field) ?? [];
    const id = index === undefined ? undefined : ids[Number(index)];
    if (id === undefined || name === undefined) sharedErrors[field] = messages;
    else lineErrors.set(id, { ...lineErrors.get(id), [name]: messages });
  }
  return { sharedErrors, lineErrors };
}

/** Merges the errors of several requests. */
export function mergeErrors(errorsOfRequests: readonly ImportErrors[]): ImportErrors {
  return {
    sharedErrors: Object.assign({}, ...errorsOfRequests.map(({ sharedErrors }) => sharedErrors)),
    lineErrors: new Map(errorsOfRequests.flatMap(({ lineErrors }) => [...lineErrors])),
  };
}

/**
 * Removes the errors of the fields in `change` and of the fields that depend on them, because only the server can validate the new
 * values.
 */
export function clearFieldErrors(errors: ImportErrors, ids: Iterable<number>, change: object): ImportErrors {
  const affectedFields = Object.keys(change).flatMap((name) => {
    if (name === 'margin' || name === 'price')
      return ['margin_fraction', 'price', 'external_panel_price', 'provider_price'];
    // The server rejects a package that has a fixed cost and a discount, and reports the error for only one of them.
    if (name === 'fixed_cost' || name === 'discount') return ['fixed_cost', 'discount_fraction'];
    return name === 'network_id' || name === 'service_type_id' ? ['network_id', 'service_type_id'] : [name];
  });
  const lineErrors = new Map(errors.lineErrors);
  for (const id of ids) {
    const remainingErrors = Object.entries(lineErrors.get(id) ?? {}).filter(([name]) => !affectedFields.includes(name));
    if (remainingErrors.length > 0) lineErrors.set(id, Object.fromEntries(remainingErrors));
    else lineErrors.delete(id);
  }
  return { sharedErrors: errors.sharedErrors, lineErrors };
}

/** The server processes 1,000 lines in about one second, so the progress bar moves about once per second. */
export const LINES_PER_REQUEST = 1_000;

export function splitIntoChunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

export interface SendResult {
  /** Ids of the imported lines. After a dry run: ids of the lines in the chunks that the server accepted. */
  importedIds: readonly number[];
  /** Names of the service types that the import creates for categories of the external panel. */
  serviceTypes: readonly string[];
  errors: ImportErrors;
}

/**
 * Sends the lines in chunks, one request per chunk. A dry run sends all chunks, so that the user sees all errors at once; an
 * import stops at the first chunk that the server rejects. Throws all errors that are not field errors. After each accepted
 * chunk, `onProgress` receives the ids of the lines of all accepted chunks.
 */
export async function sendInChunks<Body>(
  send: (body: Body, dryRun: boolean) => Promise<ImportOutcome>,
  lines: readonly ImportLine[],
  buildBody: (lines: readonly ImportLine[]) => Body,
  dryRun: boolean,
  onProgress: (importedIds: readonly number[]) => void,
): Promise<SendResult> {
  const importedIds: number[] = [];
  const serviceTypes = new Set<string>();
  const errorsOfChunks: ImportErrors[] = [];
  for (const chunk of splitIntoChunks(lines, LINES_PER_REQUEST)) {
    const ids = chunk.map(({ id }) => id);
    try {
      const outcome = await send(buildBody(chunk), dryRun);
      importedIds.push(...ids);
      for (const name of outcome.service_types ?? []) serviceTypes.add(name);
      onProgress(importedIds);
    } catch (error) {
      const chunkErrors = parseImportErrors(error, ids);
      if (!chunkErrors) throw error;
      errorsOfChunks.push(chunkErrors);
      if (!dryRun) break;
    }
  }
  return { importedIds, serviceTypes: [...serviceTypes], errors: mergeErrors(errorsOfChunks) };
}
