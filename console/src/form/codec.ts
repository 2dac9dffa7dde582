// How a field of a form and a value of the wire become each other. A field holds the text that a person typed; a codec says
// how a value is shown as such a text, what is sent for a text, and when two texts say the same.

/** The control that a field needs, where the field draws none of its own. */
export type FieldMode =
  | 'text'
  | 'numeric'
  | 'decimal'
  | 'url'
  | 'long'
  | 'tick'
  | 'date'
  | 'time'
  | 'secret'
  | 'image'
  | 'texts';

/** What a text in a field for numbers should be and is not. */
export type Wrong = 'number' | 'wholeNumber';

/** `Read` is the value in an answer of the server, `Sent` the value in a body, where those differ. */
export interface Codec<Sent, Read = Sent> {
  readonly mode?: FieldMode;
  readonly format: (value: Read | null | undefined) => string;
  /** A text that is no such value goes out as it was typed, so that the server names the field; `undefined` is left out. */
  readonly parse: (text: string) => Sent;
  /** Whether two texts say the same: "1.50" typed over "1.5" is no change. */
  readonly equal: (a: string, b: string) => boolean;
  /** What a text that is no such value should be; the form words it, as the server names a type. */
  readonly wrong?: (text: string) => Wrong | null;
}

/** Any codec whose value a field of the type `Sent` takes. */
export interface CodecFor<Sent> {
  readonly mode?: FieldMode;
  readonly format: (value: never) => string;
  readonly parse: (text: string) => Sent;
  readonly equal: (a: string, b: string) => boolean;
  readonly wrong?: (text: string) => Wrong | null;
}

/** The one place where a text goes out against the type of its field. JSON would make NaN the null that clears a field. */
export const asTyped = <Sent>(text: string): Sent => text.trim() as unknown as Sent;

/** Sends `value` for an empty field. */
export function or<Sent, Read>(codec: Codec<Sent | null, Read>, value: Sent): Codec<Sent, Read> {
  return { ...codec, parse: (text) => codec.parse(text) ?? value };
}

/** Leaves an empty field out. */
export function unlessEmpty<Sent, Read>(codec: Codec<Sent | null, Read>): Codec<Sent | undefined, Read> {
  return { ...codec, parse: (text) => codec.parse(text) ?? undefined };
}
