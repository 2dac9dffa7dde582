// The types of what src/api/lists has: a list as the contract declares it, without anything of a screen.
import type { Permission } from '@/session/hooks';
import type { Schemas } from './client';
import type { WordSet } from './words';

export interface DeclaredColumn {
  readonly name: string;
  readonly kind:
    | 'id'
    | 'number'
    | 'money'
    | 'fraction'
    | 'percent'
    | 'time'
    | 'text'
    | 'record'
    | 'word'
    | 'words'
    | 'countries'
    | 'exact'
    | 'choice'
    | 'flag'
    | 'json';
  /** The records that a column of kind `record` names. */
  readonly of?: 'user' | 'service' | 'provider' | 'external_panel' | 'payment_method';
  /** The closed set of a column of kind `word` or `words`. */
  readonly set?: WordSet;
  readonly words?: readonly string[];
  readonly permission?: Permission;
  /** The row has no field of this name: it can be filtered by. */
  readonly inRow?: false;
  /** No screen offers it: it has no label. */
  readonly offered?: false;
  /** It can be neither sorted nor filtered by. */
  readonly searchable?: false;
  /** The column that is searched in its place: `user` for `user.name`. */
  readonly filteredBy?: string;
  readonly aliasOf?: string;
}

export interface Declared {
  readonly name: string;
  readonly path: string;
  /** The list whose labels it has. */
  readonly labels: string;
  /** The columns that are shown without being asked for. */
  readonly wide: readonly string[];
  readonly columns: readonly DeclaredColumn[];
  /** What the wire accepts beside the columns. */
  readonly filters: readonly DeclaredColumn[];
  readonly order?: readonly (readonly [string, boolean])[];
  readonly length?: number;
}

/** Ties a declaration to the type of its rows. */
interface Of<Name extends keyof Schemas> {
  readonly row?: Schemas[Name];
}

export const declared =
  <Name extends keyof Schemas>() =>
  <const D extends Declared>(list: D): D & Of<Name> =>
    list;
