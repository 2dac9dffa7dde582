// The specification of a form: one codec per field of the request body. It converts a record to field values, and field values to
// the body of a request.
import type { CodecError, CodecFor } from './codec';

/** Field values as text, as the user typed them. */
export type FormValues = Readonly<Record<string, string>>;

export type CodecsOf<Input> = { readonly [Name in keyof Input]?: CodecFor<Input[Name]> };

/** The fields of a record that the codecs format. */
type RecordOf<Codecs> = {
  readonly [Name in keyof Codecs]?: Codecs[Name] extends { format: (value: infer Read) => string } ? Read : never;
} & { readonly updated_at?: string | null | undefined };

type Versioned<Body> = Body & { updated_at?: string };

export interface FormSpec<Input, Codecs> {
  readonly codecs: Readonly<Record<string, CodecFor<unknown>>>;
  /** The field values of a record, and its `updated_at`. */
  toValues: (record: RecordOf<Codecs>) => FormValues;
  /** The body of a PATCH: the fields that differ from `base`, and the `updated_at` of `base`. */
  toPatch: (values: FormValues, base: FormValues) => Versioned<Partial<Pick<Input, keyof Codecs & keyof Input>>>;
  /** The body of a new record: all fields that are not empty, and every checkbox, because the server's default may be true. */
  toCreateBody: (values: FormValues) => Partial<Pick<Input, keyof Codecs & keyof Input>>;
  /** The body with all fields, and the `updated_at` of `base`. */
  toBody: (values: FormValues, base?: FormValues) => Versioned<Pick<Input, keyof Codecs & keyof Input>>;
}

/**
 * `defineForm<Schemas['GradeInput']>()({ discount_fraction: orDefault(fractionAsPercent, '0'), … })`. A codec of the wrong type
 * does not compile.
 */
export function defineForm<Input extends object>() {
  return <const Codecs extends CodecsOf<Input>>(declaredCodecs: Codecs): FormSpec<Input, Codecs> => {
    const codecs = declaredCodecs as Readonly<Record<string, CodecFor<unknown>>>;
    const entries = Object.entries(codecs);
    const bodyOf = (fields: typeof entries, values: FormValues, base: FormValues) => {
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
        bodyOf(
          entries.filter(([name, { equal }]) => !equal(values[name] ?? '', base[name] ?? '')),
          values,
          base,
        ),
      toCreateBody: (values) =>
        bodyOf(
          entries.filter(([name, { mode, equal }]) => mode === 'checkbox' || !equal(values[name] ?? '', '')),
          values,
          {},
        ),
      toBody: (values, base = {}) => bodyOf(entries, values, base),
    };
  };
}

/** A specification of any form, for code that detects changes and invalid input. */
export type AnyFormSpec = Pick<FormSpec<never, never>, 'codecs'>;

/** Whether any value differs from `base`. Values without a codec are compared as text. */
export function isChanged(spec: AnyFormSpec | undefined, values: FormValues, base: FormValues): boolean {
  return Object.keys({ ...base, ...values }).some((name) => {
    const [value, baseValue] = [values[name] ?? '', base[name] ?? ''];
    return value !== baseValue && !spec?.codecs[name]?.equal(value, baseValue);
  });
}

/** The fields with invalid input, and why it is invalid. */
export function invalidFields(
  spec: AnyFormSpec | undefined,
  values: FormValues,
): readonly (readonly [name: string, CodecError])[] {
  return Object.entries(spec?.codecs ?? {}).flatMap(([name, codec]) => {
    const error = codec.validate?.(values[name] ?? '');
    return error ? [[name, error] as const] : [];
  });
}

/**
 * Adds the name of the group to the names of nested values or codecs, as in the server's errors: `withdrawal_options.min_amount`.
 */
export function withPrefix<Value>(
  group: string,
  values: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${group}.${name}`, value]));
}

/** The values of a group, without the prefix in their names. */
export function withoutPrefix(group: string, values: FormValues): FormValues {
  const groupValues = Object.entries(values).filter(([name]) => name.startsWith(`${group}.`));
  return Object.fromEntries(groupValues.map(([name, value]) => [name.slice(group.length + 1), value]));
}
