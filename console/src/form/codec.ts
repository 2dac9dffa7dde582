// A codec converts between the text of a form field and the value of the API: it formats a value, parses the user's input, and
// decides whether two texts represent the same value.

/** Which control is rendered for a field without a custom control. */
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
  /** Returns invalid input unchanged, so that the server rejects the field. If it returns `undefined`, the body omits the field. */
  readonly parse: (text: string) => Sent;
  /** Whether two texts represent the same value, such as "1.50" and "1.5". */
  readonly isEqual: (a: string, b: string) => boolean;
  /**
   * Returns the error of invalid input. The form shows it instead of the server's message, which contains the name of a data type.
   */
  readonly validate?: (text: string) => CodecError | null;
}

/** A codec that parses input to `Sent`, whatever it formats. */
export interface AnyCodec<Sent> {
  readonly mode?: FieldMode;
  readonly format: (value: never) => string;
  readonly parse: (text: string) => Sent;
  readonly isEqual: (a: string, b: string) => boolean;
  readonly validate?: (text: string) => CodecError | null;
}

/** Returns invalid input as a string, whatever the type of the field is, because NaN would become null in JSON. */
export const asInvalidInput = <Sent>(text: string): Sent => text.trim() as unknown as Sent;

/** Returns a codec that sends `defaultValue` if the field is empty. */
export function orDefault<Sent, Read>(codec: Codec<Sent | null, Read>, defaultValue: Sent): Codec<Sent, Read> {
  return { ...codec, parse: (text) => codec.parse(text) ?? defaultValue };
}

/** Returns a codec that omits an empty field from the body. */
export function omitIfEmpty<Sent, Read>(codec: Codec<Sent | null, Read>): Codec<Sent | undefined, Read> {
  return { ...codec, parse: (text) => codec.parse(text) ?? undefined };
}
