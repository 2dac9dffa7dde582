// The lines of an import, without any UI: a line is a service that an external panel sells. Combines the lines with the user's
// edits, builds the requests, and assigns the server's errors to lines. Amounts are computed exactly, as whole millionths.
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { fractionToPercent, fromMillionths, normalizeDecimal, percentToFraction, toMillionths } from '@/form/decimal';
import type { FieldErrors } from '@/form/problems';

export type ImportLine = Schemas['ImportableService'];
export type ImportServiceItem = Schemas['ImportServiceItem'];
export type ImportServicesBody = Schemas['ImportServicesInput'];
export type ImportOutcome = Schemas['ImportOutcome'];

/** The switches of an imported service: each makes later syncs copy a part of the service from its panel. */
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
 * Returns the name of the panel's switch that is the default of a service's switch. Only the switch for descriptions has another
 * name.
 */
export const toPanelSyncFlag = (flag: (typeof SERVICE_SYNC_FLAGS)[number]) =>
  flag === 'sync_description_field' ? 'sync_description' : flag;

/** The values of all lines that have no edited value. `margin` is the percentage as the user typed it. */
export interface SharedValues {
  margin: string;
  network_id: number | null;
  service_type_id: number | null;
  keep_categories: boolean;
}

/**
 * The edits of a line, as the user typed them. If a field is missing, the line has the shared value or the value of the panel. A
 * line never has both a price and a margin.
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
  shared: FieldErrors;
  lines: ReadonlyMap<number, FieldErrors>;
}

export const NO_ERRORS: ImportErrors = { shared: {}, lines: new Map() };

const ONE_MILLION = 1_000_000n;

/** Parses an amount as the user typed it ("1 234,5"). Returns null for other text and for negative amounts. */
export function parseMillionths(text: string): bigint | null {
  const amount = toMillionths(normalizeDecimal(text));
  return amount !== null && amount >= 0n ? amount : null;
}

/** The price of a line, and its margin in percent. Null if the cost is unknown or the user's input is not a number. */
export interface ComputedPrice {
  price: string | null;
  margin: string | null;
  /** The price is below the lowest price that the server accepts in an import. */
  isTooLow: boolean;
}

/** Computes the price as the server does: the cost plus the margin, rounded up to the millionth. */
export function computePrice(line: ImportLine, edit: LineEdit, shared: SharedValues): ComputedPrice {
  const cost = line.provider_price == null ? null : parseMillionths(line.provider_price);
  const lowestPrice = line.lowest_price == null ? null : parseMillionths(line.lowest_price);
  const editedPrice = edit.price?.trim() ? parseMillionths(edit.price) : undefined;
  const marginPercent = edit.margin?.trim() || shared.margin.trim() || fractionToPercent(line.margin_fraction);
  const margin = parseMillionths(percentToFraction(marginPercent));
  const isTooLow = (price: bigint) => lowestPrice !== null && price < lowestPrice;
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
  const rounded = (fraction / 100n) * 100n;
  return fractionToPercent(fromMillionths(rounded));
}

/** Validates numbers before they are sent. Returns the API names of the fields whose text is not a number. */
export function findInvalidFields(edit: LineEdit): readonly ('price' | 'margin_fraction')[] {
  const invalid: ('price' | 'margin_fraction')[] = [];
  if (edit.price?.trim() && parseMillionths(edit.price) === null) invalid.push('price');
  if (edit.margin?.trim() && !isPercentOrEmpty(edit.margin)) invalid.push('margin_fraction');
  return invalid;
}

/** Whether the text is empty or a percentage that is not negative. */
export const isPercentOrEmpty = (text: string) => !text.trim() || parseMillionths(percentToFraction(text)) !== null;

/**
 * Builds a line of the request. It contains the panel's prices that the user saw: the server rejects the line if they have
 * changed.
 */
export function buildImportItem(line: ImportLine, edit: LineEdit): ImportServiceItem {
  const flags = SERVICE_SYNC_FLAGS.flatMap((flag) => (edit[flag] === undefined ? [] : [[flag, edit[flag]] as const]));
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
    ...Object.fromEntries(flags),
  };
}

export function buildImportServicesBody(
  panelId: number,
  lines: readonly ImportLine[],
  edits: LineEdits,
  shared: SharedValues,
): ImportServicesBody {
  return {
    external_panel_id: panelId,
    services: lines.map((line) => buildImportItem(line, edits.get(line.id) ?? {})),
    ...(shared.margin.trim() ? { margin_fraction: percentToFraction(shared.margin) } : {}),
    ...(shared.network_id ? { network_id: shared.network_id } : {}),
    ...(shared.service_type_id ? { service_type_id: shared.service_type_id } : {}),
    ...(shared.keep_categories ? { keep_categories: true } : {}),
  };
}

/**
 * Whether every line has the destination that the server requires: a service type, or a network in which the category becomes
 * one.
 */
export function hasDestination(lines: readonly ImportLine[], edits: LineEdits, shared: SharedValues): boolean {
  const getEdit = (line: ImportLine) => edits.get(line.id) ?? {};
  return (
    lines.length > 0 &&
    lines.every((line) => {
      if (getEdit(line).service_type_id || shared.service_type_id) return true;
      return shared.keep_categories && Boolean(getEdit(line).network_id || shared.network_id);
    })
  );
}

/** Applies one change to several lines. A new margin removes the price of a line, and a new price removes the margin. */
export function applyEdit(edits: LineEdits, ids: Iterable<number>, change: LineEdit): LineEdits {
  const newEdits = new Map(edits);
  for (const id of ids) {
    const { price, margin, ...otherFields } = newEdits.get(id) ?? {};
    const keptValues = {
      ...(price !== undefined && change.margin === undefined ? { price } : {}),
      ...(margin !== undefined && change.price === undefined ? { margin } : {}),
    };
    // A service type belongs to one network.
    if (change.network_id !== undefined && change.network_id !== otherFields.network_id)
      otherFields.service_type_id = null;
    newEdits.set(id, { ...otherFields, ...keptValues, ...change });
  }
  return newEdits;
}

/** The lines whose name, category, type or id at the panel contains the query, in upper or lower case. */
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
const LINE_FIELD = /^(?:services|packages)\.(\d+)\.(.+)$/;

/** Assigns the field errors of a response to the lines of the request, whose ids are `ids`. Returns null without field errors. */
export function parseImportErrors(error: unknown, ids: readonly number[]): ImportErrors | null {
  if (!(error instanceof Problem) || error.status !== 422 || Object.keys(error.fields).length === 0) return null;
  const shared: Record<string, readonly string[]> = {};
  const lines = new Map<number, FieldErrors>();
  for (const [field, messages] of Object.entries(error.fields)) {
    const [, index, name] = LINE_FIELD.exec(field) ?? [];
    const id = index === undefined ? undefined : ids[Number(index)];
    if (id === undefined || name === undefined) shared[field] = messages;
    else lines.set(id, { ...lines.get(id), [name]: messages });
  }
  return { shared, lines };
}

/** Merges the errors of several requests. */
export function mergeErrors(errorsOfRequests: readonly ImportErrors[]): ImportErrors {
  return {
    shared: Object.assign({}, ...errorsOfRequests.map(({ shared }) => shared)),
    lines: new Map(errorsOfRequests.flatMap(({ lines }) => [...lines])),
  };
}

/** Removes the errors of the fields in `change` and of fields that depend on them, until the server checks them again. */
export function clearFieldErrors(errors: ImportErrors, ids: Iterable<number>, change: object): ImportErrors {
  const names = Object.keys(change).flatMap((name) => {
    if (name === 'margin' || name === 'price')
      return ['margin_fraction', 'price', 'external_panel_price', 'provider_price'];
    // The server rejects a package that has a fixed cost and a discount, and reports the error for only one of them.
    if (name === 'fixed_cost' || name === 'discount') return ['fixed_cost', 'discount_fraction'];
    return name === 'network_id' || name === 'service_type_id' ? ['network_id', 'service_type_id'] : [name];
  });
  const lines = new Map(errors.lines);
  for (const id of ids) {
    const remainingErrors = Object.entries(lines.get(id) ?? {}).filter(([name]) => !names.includes(name));
    if (remainingErrors.length > 0) lines.set(id, Object.fromEntries(remainingErrors));
    else lines.delete(id);
  }
  return { shared: errors.shared, lines };
}

/** The server processes so many lines within about a second, so that the progress bar moves often enough. */
export const LINES_PER_REQUEST = 1_000;

export function splitIntoChunks<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

export interface SendResult {
  /** Ids of the imported lines. After a dry run: ids of the lines that an import would import. */
  importedIds: readonly number[];
  /** Names of the service types that the import creates for the panel's categories. */
  serviceTypes: readonly string[];
  errors: ImportErrors;
}

/**
 * Sends the lines in chunks, one request per chunk. A dry run sends all chunks, so that the user sees all errors at once; an
 * import stops at the first chunk that the server rejects. Other problems than field errors are thrown. After each successful
 * chunk, `onProgress` gets the ids of all lines that were sent successfully.
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
  const errors: ImportErrors[] = [];
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
      errors.push(chunkErrors);
      if (!dryRun) break;
    }
  }
  return { importedIds, serviceTypes: [...serviceTypes], errors: mergeErrors(errors) };
}
