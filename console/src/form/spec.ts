// A form specification: one codec per field of the request body. It converts a record to field values, and field values to a
// body: all fields, the changed fields, or the fields of a new record.
import type { CodecError, CodecFor } from './codec';

/** Field values as text, as the user typed them. */
export type FormValues = Readonly<Record<string, string>>;

export type CodecsOf<Input> = { readonly [Name in keyof Input]?: CodecFor<Input[Name]> };

/** The fields of a record that the codecs read. */
type RecordOf<Codecs> = {
  readonly [Name in keyof Codecs]?: Codecs[Name] extends { format: (value: infer Read) => string } ? Read : never;
} & { readonly updated_at?: string | null | undefined };

type Versioned<Body> = Body & { updated_at?: string };

export interface FormSpec<Input, Codecs> {
  readonly codecs: Readonly<Record<string, CodecFor<unknown>>>;
  /** The field values of a record, with its `updated_at`. */
  toValues: (record: RecordOf<Codecs>) => FormValues;
  /** The body of a PATCH: fields that differ from `base`, with the `updated_at` of `base`. */
  toPatch: (values: FormValues, base: FormValues) => Versioned<Partial<Pick<Input, keyof Codecs & keyof Input>>>;
  /** The body of a new record: fields that are not empty, and every checkbox, because the server's default may be true. */
  toCreateBody: (values: FormValues) => Partial<Pick<Input, keyof Codecs & keyof Input>>;
  /** The body with every field, with the `updated_at` of `base`. */
  toBody: (values: FormValues, base?: FormValues) => Versioned<Pick<Input, keyof Codecs & keyof Input>>;
}

/**
 * `defineForm<Schemas['GradeInput']>()({ discount_percent: orDefault(percent, '0'), … })`: a codec of the wrong type does not
 * compile.
 */
export function defineForm<Input extends object>() {
  return <const Codecs extends CodecsOf<Input>>(declared: Codecs): FormSpec<Input, Codecs> => {
    const codecs = declared as Readonly<Record<string, CodecFor<unknown>>>;
    const all = Object.entries(codecs);
    const bodyOf = (fields: typeof all, values: FormValues, base: FormValues) => {
      const entries = fields.map(([name, codec]) => [name, codec.parse(values[name] ?? '')] as const);
      const version = base.updated_at ? [['updated_at', base.updated_at] as const] : [];
      return Object.fromEntries([...entries.filter(([, value]) => value !== undefined), ...version]) as never;
    };
    return {
      codecs,
      toValues: (record) => {
        const read = record as Readonly<Record<string, never>>;
        const values = all.map(([name, codec]) => [name, codec.format(read[name] as never)]);
        return Object.fromEntries(record.updated_at ? [...values, ['updated_at', record.updated_at]] : values);
      },
      toPatch: (values, base) =>
        bodyOf(
          all.filter(([name, { equal }]) => !equal(values[name] ?? '', base[name] ?? '')),
          values,
          base,
        ),
      toCreateBody: (values) =>
        bodyOf(
          all.filter(([name, { mode, equal }]) => mode === 'checkbox' || !equal(values[name] ?? '', '')),
          values,
          {},
        ),
      toBody: (values, base = {}) => bodyOf(all, values, base),
    };
  };
}

/** The part of a specification that detects changes and invalid input. */
export type AnyFormSpec = Pick<FormSpec<never, never>, 'codecs'>;

/** Whether any value differs from `base`. Values without a codec are compared as text. */
export function isChanged(spec: AnyFormSpec | undefined, values: FormValues, base: FormValues): boolean {
  return Object.keys({ ...base, ...values }).some((name) => {
    const [now, before] = [values[name] ?? '', base[name] ?? ''];
    return now !== before && !spec?.codecs[name]?.equal(now, before);
  });
}

/** The fields with invalid input, and why. */
export function invalidFields(
  spec: AnyFormSpec | undefined,
  values: FormValues,
): readonly (readonly [name: string, CodecError])[] {
  return Object.entries(spec?.codecs ?? {}).flatMap(([name, codec]) => {
    const error = codec.validate?.(values[name] ?? '');
    return error ? [[name, error] as const] : [];
  });
}

/** Prefixes the names of nested values or codecs with their group, as in the server's errors: `withdrawal_options.min_amount`. */
export function withPrefix<Value>(
  group: string,
  values: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${group}.${name}`, value]));
}

/** The values of a group, without the prefix in their names. */
export function withoutPrefix(group: string, values: FormValues): FormValues {
  const grouped = Object.entries(values).filter(([name]) => name.startsWith(`${group}.`));
  return Object.fromEntries(grouped.map(([name, value]) => [name.slice(group.length + 1), value]));
}
