// The specification of a form: one codec for each field of the request body. It converts a record to the values of the form fields,
// and these values to a request body.
import type { AnyCodec, CodecError } from './codec';

/** The values of the form fields as strings, by field name. */
export type FormValues = Readonly<Record<string, string>>;

export type FormCodecs<Input> = { readonly [Name in keyof Input]?: AnyCodec<Input[Name]> };

/** A record with the fields that the codecs can format. */
type FormRecord<Codecs> = {
  readonly [Name in keyof Codecs]?: Codecs[Name] extends { format: (value: infer Read) => string } ? Read : never;
} & { readonly updated_at?: string | null | undefined };

type WithUpdatedAt<Body> = Body & { updated_at?: string };

export interface FormSpec<Input, Codecs> {
  readonly codecs: Readonly<Record<string, AnyCodec<unknown>>>;
  /** Returns the form values of a record, including its `updated_at`. */
  toValues: (record: FormRecord<Codecs>) => FormValues;
  /** Returns the body of a PATCH request: the fields that differ from `base`, and the `updated_at` of `base`. */
  toPatch: (values: FormValues, base: FormValues) => WithUpdatedAt<Partial<Pick<Input, keyof Codecs & keyof Input>>>;
  /** Returns the body of a new record: all non-empty fields, and every checkbox, because the default of the server may be true. */
  toCreateBody: (values: FormValues) => Partial<Pick<Input, keyof Codecs & keyof Input>>;
  /** Returns a body with all fields, and the `updated_at` of `base`. */
  toBody: (values: FormValues, base?: FormValues) => WithUpdatedAt<Pick<Input, keyof Codecs & keyof Input>>;
}

/**
 * Usage: `defineForm<Schemas['GradeInput']>()({ discount_fraction: orDefault(fractionAsPercentCodec, '0'), … })`. The compiler
 * rejects a codec of the wrong type.
 */
export function defineForm<Input extends object>() {
  return <const Codecs extends FormCodecs<Input>>(declaredCodecs: Codecs): FormSpec<Input, Codecs> => {
    const codecs = declaredCodecs as Readonly<Record<string, AnyCodec<unknown>>>;
    const entries = Object.entries(codecs);
    const buildBody = (fields: typeof entries, values: FormValues, base: FormValues) => {
      const bodyFields = fields.map(([name, codec]) => [name, codec.parse(values[name] ?? '')] as const);
      const version = base.updated_at ? [['updated_at', base.updated_at] as const] : [];
      return Object.fromEntries([...bodyFields.filter(([, value]) => value !== undefined), ...version]) as never;
    };
    return {
      codecs,
      toValues: (record) => {
        const fields = record as Readonly<Record<string, never>>;
        const values = entries.map(([name, codec]) => [name, codec.format(fields[name] as never)]);
        return Object.fromEntries(record.updated_at ? [...values, ['updated_at', record.updated_at]] : values);
      },
      toPatch: (values, base) =>
        buildBody(
          entries.filter(([name, { isEqual }]) => !isEqual(values[name] ?? '', base[name] ?? '')),
          values,
          base,
        ),
      toCreateBody: (values) =>
        buildBody(
          entries.filter(([name, { mode, isEqual }]) => mode === 'checkbox' || !isEqual(values[name] ?? '', '')),
          values,
          {},
        ),
      toBody: (values, base = {}) => buildBody(entries, values, base),
    };
  };
}

/** The specification of any form, for code that only detects changes and invalid input. */
export type AnyFormSpec = Pick<FormSpec<never, never>, 'codecs'>;

/** Whether any value differs from `base`. Values of fields without a codec are compared as strings. */
export function hasChanges(spec: AnyFormSpec | undefined, values: FormValues, base: FormValues): boolean {
  return Object.keys({ ...base, ...values }).some((name) => {
    const [value, baseValue] = [values[name] ?? '', base[name] ?? ''];
    return value !== baseValue && !spec?.codecs[name]?.isEqual(value, baseValue);
  });
}

/** Returns the fields with invalid input, and why the input is invalid. */
export function findInvalidFields(
  spec: AnyFormSpec | undefined,
  values: FormValues,
): readonly (readonly [name: string, CodecError])[] {
  return Object.entries(spec?.codecs ?? {}).flatMap(([name, codec]) => {
    const error = codec.validate?.(values[name] ?? '');
    return error ? [[name, error] as const] : [];
  });
}

/**
 * Adds the name of a group to the names of nested values or codecs, as in the server's field errors:
 * `withdrawal_options.min_amount`.
 */
export function addPrefix<Value>(
  group: string,
  values: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${group}.${name}`, value]));
}

/** Returns the values of a group, without the name of the group in their names. */
export function removePrefix(group: string, values: FormValues): FormValues {
  const groupValues = Object.entries(values).filter(([name]) => name.startsWith(`${group}.`));
  return Object.fromEntries(groupValues.map(([name, value]) => [name.slice(group.length + 1), value]));
}
