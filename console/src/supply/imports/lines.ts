// The lines of an import: what the panel sells, what was edited of it, what is sent, and what the server said of each. No
// drawing here. Money is exact: amounts are whole millionths.
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { fractionToPercent, fromMillionths, normalizeDecimal, percentToFraction, toMillionths } from '@/form/decimal';
import type { FieldErrors } from '@/form/problems';

export type Line = Schemas['ImportableService'];
export type Item = Schemas['ImportServiceItem'];
export type Body = Schemas['ImportServicesInput'];
export type Outcome = Schemas['ImportOutcome'];

/** What of a service can follow its panel. */
export const FLAGS = [
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

/** The switch of a panel that a service's switch begins as. */
export const panelFlag = (flag: (typeof FLAGS)[number]) =>
  flag === 'sync_description_field' ? 'sync_description' : flag;

/** What stands for all lines that do not say otherwise; the margin is a percentage as it was typed. */
export interface SharedValues {
  margin: string;
  network_id: number | null;
  service_type_id: number | null;
  keep_categories: boolean;
}

/** What was typed at a line; what is not there is as the panel and the shared values have it. A price or a margin, not both. */
export interface Edit extends Partial<Record<(typeof FLAGS)[number], boolean>> {
  name?: string;
  description?: string;
  price?: string;
  margin?: string;
  network_id?: number | null;
  service_type_id?: number | null;
  promotable_checker_group_id?: number | null;
}

export type Edits = ReadonlyMap<number, Edit>;

/** What is wrong: with the shared values, and with each line by its id. */
export interface ImportErrors {
  shared: FieldErrors;
  lines: ReadonlyMap<number, FieldErrors>;
}

export const NO_ERRORS: ImportErrors = { shared: {}, lines: new Map() };

const UNIT = 1_000_000n;

/** An amount as it is typed ("1 234,5") in millionths; null where it is none, or below zero. */
export function micros(typed: string): bigint | null {
  const amount = toMillionths(normalizeDecimal(typed));
  return amount !== null && amount >= 0n ? amount : null;
}

/** What a line would be sold for, and with which margin in percent; null where the cost or what was typed is no number. */
export interface Priced {
  price: string | null;
  margin: string | null;
  /** Below the lowest price that an import takes. */
  isTooLow: boolean;
}

/** As the server works it out: the cost and the margin on top, rounded up to the millionth. */
export function priced(line: Line, edit: Edit, shared: SharedValues): Priced {
  const cost = line.provider_price == null ? null : micros(line.provider_price);
  const lowest = line.lowest_price == null ? null : micros(line.lowest_price);
  const typed = edit.price?.trim() ? micros(edit.price) : undefined;
  const wanted = edit.margin?.trim() || shared.margin.trim() || fractionToPercent(line.margin_percent);
  const share = micros(percentToFraction(wanted));
  const isTooLow = (price: bigint) => lowest !== null && price < lowest;
  if (typed !== undefined) {
    const margin = cost === null || cost === 0n || typed === null ? null : ((typed - cost) * UNIT) / cost;
    return {
      price: typed === null ? null : fromMillionths(typed),
      margin: margin === null ? null : hundredths(margin),
      isTooLow: typed !== null && isTooLow(typed),
    };
  }
  if (cost === null || share === null) return { price: null, margin: null, isTooLow: false };
  const price = (cost * (UNIT + share) + UNIT - 1n) / UNIT;
  return { price: fromMillionths(price), margin: fractionToPercent(fromMillionths(share)), isTooLow: isTooLow(price) };
}

/** A share in millionths as a percentage with at most two decimals. */
function hundredths(share: bigint): string {
  const rounded = (share / 100n) * 100n;
  return fractionToPercent(fromMillionths(rounded));
}

/** What is wrong with what was typed before any server sees it: names of fields. */
export function unreadable(edit: Edit): readonly ('price' | 'margin_percent')[] {
  const wrong: ('price' | 'margin_percent')[] = [];
  if (edit.price?.trim() && micros(edit.price) === null) wrong.push('price');
  if (edit.margin?.trim() && !isPercent(edit.margin)) wrong.push('margin_percent');
  return wrong;
}

/** Whether a percentage can be read; an empty one is none. */
export const isPercent = (typed: string) => !typed.trim() || micros(percentToFraction(typed)) !== null;

/** A line as it is sent. What the panel asked goes along: the server refuses the line where that changed meanwhile. */
export function itemOf(line: Line, edit: Edit): Item {
  const flags = FLAGS.flatMap((flag) => (edit[flag] === undefined ? [] : [[flag, edit[flag]] as const]));
  return {
    id: line.id,
    external_panel_price: line.external_panel_price,
    ...(line.provider_price ? { provider_price: line.provider_price } : {}),
    ...(edit.name === undefined ? {} : { name: edit.name }),
    ...(edit.description === undefined ? {} : { description: edit.description }),
    ...(edit.price?.trim() ? { price: normalizeDecimal(edit.price) } : {}),
    ...(edit.margin?.trim() ? { margin_percent: percentToFraction(edit.margin) } : {}),
    ...(edit.network_id ? { network_id: edit.network_id } : {}),
    ...(edit.service_type_id ? { service_type_id: edit.service_type_id } : {}),
    ...(edit.promotable_checker_group_id ? { promotable_checker_group_id: edit.promotable_checker_group_id } : {}),
    ...Object.fromEntries(flags),
  };
}

/** The body of an import of some lines. */
export function bodyOf(panel: number, lines: readonly Line[], edits: Edits, shared: SharedValues): Body {
  return {
    external_panel_id: panel,
    services: lines.map((line) => itemOf(line, edits.get(line.id) ?? {})),
    ...(shared.margin.trim() ? { margin_percent: percentToFraction(shared.margin) } : {}),
    ...(shared.network_id ? { network_id: shared.network_id } : {}),
    ...(shared.service_type_id ? { service_type_id: shared.service_type_id } : {}),
    ...(shared.keep_categories ? { keep_categories: true } : {}),
  };
}

/** Whether it is said of every line where its service belongs; before that the server is not asked. */
export function isPlaced(lines: readonly Line[], edits: Edits, shared: SharedValues): boolean {
  const of = (line: Line) => edits.get(line.id) ?? {};
  return (
    lines.length > 0 &&
    lines.every((line) => {
      if (of(line).service_type_id || shared.service_type_id) return true;
      return shared.keep_categories && Boolean(of(line).network_id || shared.network_id);
    })
  );
}

/** Changes some lines at once. A price of a line gives way to a margin, and the other way round. */
export function edited(edits: Edits, ids: Iterable<number>, change: Edit): Edits {
  const next = new Map(edits);
  for (const id of ids) {
    const { price, margin, ...rest } = next.get(id) ?? {};
    const kept = {
      ...(price !== undefined && change.margin === undefined ? { price } : {}),
      ...(margin !== undefined && change.price === undefined ? { margin } : {}),
    };
    // A type of another network is none of this one.
    if (change.network_id !== undefined && change.network_id !== rest.network_id) rest.service_type_id = null;
    next.set(id, { ...rest, ...kept, ...change });
  }
  return next;
}

/** Lines of which a text is a part: of their names, categories, types or ids. */
export function found(
  lines: readonly Line[],
  edits: ReadonlyMap<number, { name?: string }>,
  query: string,
): readonly Line[] {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return lines;
  return lines.filter((line) =>
    [line.name, edits.get(line.id)?.name ?? '', line.category, line.type, line.external_panel_service_id].some((text) =>
      text.toLowerCase().includes(wanted),
    ),
  );
}

const AT = /^(?:services|packages)\.(\d+)\.(.+)$/;

/** What a refusal says of the lines that were sent; null where it is no refusal of fields. */
export function errorsOf(error: unknown, ids: readonly number[]): ImportErrors | null {
  if (!(error instanceof Problem) || error.status !== 422 || Object.keys(error.fields).length === 0) return null;
  const shared: Record<string, readonly string[]> = {};
  const lines = new Map<number, FieldErrors>();
  for (const [field, messages] of Object.entries(error.fields)) {
    const [, at, name] = AT.exec(field) ?? [];
    const id = at === undefined ? undefined : ids[Number(at)];
    if (id === undefined || name === undefined) shared[field] = messages;
    else lines.set(id, { ...lines.get(id), [name]: messages });
  }
  return { shared, lines };
}

/** The errors of several requests together. */
export function joined(all: readonly ImportErrors[]): ImportErrors {
  return {
    shared: Object.assign({}, ...all.map(({ shared }) => shared)),
    lines: new Map(all.flatMap(({ lines }) => [...lines])),
  };
}

/** What is still wrong after a change: nothing is known of the fields that were changed. */
export function withoutFields(errors: ImportErrors, ids: Iterable<number>, change: object): ImportErrors {
  const names = Object.keys(change).flatMap((name) => {
    if (name === 'margin' || name === 'price')
      return ['margin_percent', 'price', 'external_panel_price', 'provider_price'];
    // Of two fields that exclude each other, the server names one.
    if (name === 'fixed_cost' || name === 'discount') return ['fixed_cost', 'discount_percent'];
    return name === 'network_id' || name === 'service_type_id' ? ['network_id', 'service_type_id'] : [name];
  });
  const lines = new Map(errors.lines);
  for (const id of ids) {
    const left = Object.entries(lines.get(id) ?? {}).filter(([name]) => !names.includes(name));
    if (left.length > 0) lines.set(id, Object.fromEntries(left));
    else lines.delete(id);
  }
  return { shared: errors.shared, lines };
}

/** Lines of one request: an answer comes within a second, and a bar moves. */
export const SENT_AT_ONCE = 1_000;

export function chunksOf<T>(all: readonly T[], size: number): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, n) => all.slice(n * size, (n + 1) * size));
}

/** What sending came to. */
export interface Sent {
  /** Ids of what was imported, or would be. */
  imported: readonly number[];
  /** Names of the service types that are made for categories. */
  serviceTypes: readonly string[];
  errors: ImportErrors;
}

/**
 * Sends lines, a chunk a request. A dry run goes through all of them, so that everything that is wrong is known at once; an
 * import ends at the first chunk that the server refuses. Anything else that goes wrong is thrown, by way of `onDone` after
 * what was done before it.
 */
export async function sendAll<B>(
  send: (body: B, dryRun: boolean) => Promise<Outcome>,
  lines: readonly Line[],
  bodyOfSome: (lines: readonly Line[]) => B,
  dryRun: boolean,
  onDone: (imported: readonly number[]) => void,
): Promise<Sent> {
  const imported: number[] = [];
  const serviceTypes = new Set<string>();
  const errors: ImportErrors[] = [];
  for (const some of chunksOf(lines, SENT_AT_ONCE)) {
    const ids = some.map(({ id }) => id);
    try {
      const outcome = await send(bodyOfSome(some), dryRun);
      imported.push(...ids);
      for (const name of outcome.service_types ?? []) serviceTypes.add(name);
      onDone(imported);
    } catch (error) {
      const wrong = errorsOf(error, ids);
      if (!wrong) throw error;
      errors.push(wrong);
      if (!dryRun) break;
    }
  }
  return { imported, serviceTypes: [...serviceTypes], errors: joined(errors) };
}
