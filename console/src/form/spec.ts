// A form, declared once: a codec for each field of the body that it sends. It reads a record into fields, and it says what of
// them is sent: what differs from the record, or everything.
import type { CodecFor, Wrong } from './codec';

/** What the fields of a form hold: texts as they are typed. */
export type FormValues = Readonly<Record<string, string>>;

export type CodecsOf<Input> = { readonly [Name in keyof Input]?: CodecFor<Input[Name]> };

/** The record that a form reads, as far as its codecs ask for it. */
type ReadBy<Codecs> = {
  readonly [Name in keyof Codecs]?: Codecs[Name] extends { format: (value: infer Read) => string } ? Read : never;
} & { readonly updated_at?: string | null | undefined };

type Stamped<Body> = Body & { updated_at?: string };

export interface FormSpec<Input, Codecs> {
  readonly codecs: Readonly<Record<string, CodecFor<unknown>>>;
  /** A record as the fields hold it, with its stamp. */
  valuesOf: (record: ReadBy<Codecs>) => FormValues;
  /** What differs from `base`, as it is sent, with the stamp of `base`. */
  changesOf: (values: FormValues, base: FormValues) => Stamped<Partial<Pick<Input, keyof Codecs & keyof Input>>>;
  /**
   * A new record: every field that is not empty, and every tick, as a tick that is left out of a body is on where the server
   * has it on by default.
   */
  newOf: (values: FormValues) => Partial<Pick<Input, keyof Codecs & keyof Input>>;
  /** Every field as it is sent, with the stamp of `base`. */
  wholeOf: (values: FormValues, base?: FormValues) => Stamped<Pick<Input, keyof Codecs & keyof Input>>;
}

/** `formOf<Schemas['GradeInput']>()({ discount_percent: or(percent, '0'), … })`: a codec of another type does not compile. */
export function formOf<Input extends object>() {
  return <const Codecs extends CodecsOf<Input>>(declared: Codecs): FormSpec<Input, Codecs> => {
    const codecs = declared as Readonly<Record<string, CodecFor<unknown>>>;
    const all = Object.entries(codecs);
    const bodyOf = (fields: typeof all, values: FormValues, base: FormValues) => {
      const sent = fields.map(([name, codec]) => [name, codec.parse(values[name] ?? '')] as const);
      const stamp = base.updated_at ? [['updated_at', base.updated_at] as const] : [];
      return Object.fromEntries([...sent.filter(([, value]) => value !== undefined), ...stamp]) as never;
    };
    return {
      codecs,
      valuesOf: (record) => {
        const read = record as Readonly<Record<string, never>>;
        const values = all.map(([name, codec]) => [name, codec.format(read[name] as never)]);
        return Object.fromEntries(record.updated_at ? [...values, ['updated_at', record.updated_at]] : values);
      },
      changesOf: (values, base) =>
        bodyOf(
          all.filter(([name, { equal }]) => !equal(values[name] ?? '', base[name] ?? '')),
          values,
          base,
        ),
      newOf: (values) =>
        bodyOf(
          all.filter(([name, { mode, equal }]) => mode === 'tick' || !equal(values[name] ?? '', '')),
          values,
          {},
        ),
      wholeOf: (values, base = {}) => bodyOf(all, values, base),
    };
  };
}

/** What a form needs of a spec to know what was changed, whatever it sends. */
export type AnySpec = Pick<FormSpec<never, never>, 'codecs'>;

/** Whether any field says something else than `base`; what has no codec is compared as text. */
export function isChanged(spec: AnySpec | undefined, values: FormValues, base: FormValues): boolean {
  return Object.keys({ ...base, ...values }).some((name) => {
    const [now, before] = [values[name] ?? '', base[name] ?? ''];
    return now !== before && !spec?.codecs[name]?.equal(now, before);
  });
}

/** The fields whose text is no such value as they hold, and what it should be. */
export function wrongIn(spec: AnySpec | undefined, values: FormValues): readonly (readonly [name: string, Wrong])[] {
  return Object.entries(spec?.codecs ?? {}).flatMap(([name, codec]) => {
    const wrong = codec.wrong?.(values[name] ?? '');
    return wrong ? [[name, wrong] as const] : [];
  });
}

/** The values, or the codecs, of a group of a record, named `withdrawal_options.min_amount` as the server names what is wrong with them. */
export function prefixed<Value>(
  group: string,
  values: Readonly<Record<string, Value>>,
): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${group}.${name}`, value]));
}

/** The other way: the values of a group, by the names that they have in it. */
export function groupOf(group: string, values: FormValues): FormValues {
  const own = Object.entries(values).filter(([name]) => name.startsWith(`${group}.`));
  return Object.fromEntries(own.map(([name, value]) => [name.slice(group.length + 1), value]));
}
