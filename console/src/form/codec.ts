// A codec converts between the text of a form field and the value of the API: it formats a value, parses the user's input, and
// decides whether two texts mean the same value.

/** Which control a field has, unless it renders a custom one. */
export type FieldMode =
  | 'text'
  | 'numeric'
  | 'decimal'
  | 'url'
  | 'multiline'
  | 'checkbox'
  | 'date'
  | 'time'
  | 'secret'
  | 'image'
  | 'texts';

/** Why the input of a number field is invalid: it is not a number, or not a whole number. */
export type CodecError = 'number' | 'wholeNumber';

/** `Sent` is the type of the value in a request body, `Read` its type in a response. */
export interface Codec<Sent, Read = Sent> {
  readonly mode?: FieldMode;
  readonly format: (value: Read | null | undefined) => string;
  /** Returns invalid input unchanged, so that the server reports the field. `undefined` is omitted from the body. */
  readonly parse: (text: string) => Sent;
  /** Whether two texts mean the same value: "1.50" instead of "1.5" is not a change. */
  readonly equal: (a: string, b: string) => boolean;
  /** The error of invalid input. The form shows it instead of the server's message, which contains the name of a data type. */
  readonly validate?: (text: string) => CodecError | null;
}

/** Any codec that produces a `Sent`. */
export interface CodecFor<Sent> {
  readonly mode?: FieldMode;
  readonly format: (value: never) => string;
  readonly parse: (text: string) => Sent;
  readonly equal: (a: string, b: string) => boolean;
  readonly validate?: (text: string) => CodecError | null;
}

/** Puts invalid input into the body as a string, whatever the type of the field is: NaN would become null in JSON. */
export const asUnparsed = <Sent>(text: string): Sent => text.trim() as unknown as Sent;

/** Sends `defaultValue` if the field is empty. */
export function orDefault<Sent, Read>(codec: Codec<Sent | null, Read>, defaultValue: Sent): Codec<Sent, Read> {
  return { ...codec, parse: (text) => codec.parse(text) ?? defaultValue };
}

/** Omits the field from the body if it is empty. */
export function omitIfEmpty<Sent, Read>(codec: Codec<Sent | null, Read>): Codec<Sent | undefined, Read> {
  return { ...codec, parse: (text) => codec.parse(text) ?? undefined };
}
