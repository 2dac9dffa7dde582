// Types of the generated declarations in src/api/lists: a list as the contract declares it, without anything about a screen.
import type { Permission } from '@/session/hooks';
import type { Schemas } from './client';
import type { WordSet } from './words';

export interface ColumnDeclaration {
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
  /** The type of record that a column of kind `record` refers to. */
  readonly of?: 'user' | 'service' | 'provider' | 'external_panel' | 'payment_method';
  /** The enumeration of a column of kind `word` or `words`. */
  readonly set?: WordSet;
  readonly words?: readonly string[];
  readonly permission?: Permission;
  /** A row has no field of this name: the column is only a filter. */
  readonly inRow?: false;
  /** Screens do not show the column: it has no label. */
  readonly offered?: false;
  /** The list can be neither sorted nor filtered by the column. */
  readonly searchable?: false;
  /** The column that is used to filter and sort instead: `user` for `user.name`. */
  readonly filteredBy?: string;
  readonly aliasOf?: string;
}

export interface ListDeclaration {
  readonly name: string;
  readonly path: string;
  /** The list whose column labels it uses. */
  readonly labels: string;
  /** Names of the columns that are shown by default. */
  readonly wide: readonly string[];
  readonly columns: readonly ColumnDeclaration[];
  /** Query parameters that the server accepts in addition to the columns. */
  readonly filters: readonly ColumnDeclaration[];
  readonly order?: readonly (readonly [string, boolean])[];
  readonly length?: number;
}

/** Ties a declaration to the type of its rows. */
interface WithRow<Name extends keyof Schemas> {
  readonly row?: Schemas[Name];
}

export const declareList =
  <Name extends keyof Schemas>() =>
  <const D extends ListDeclaration>(list: D): D & WithRow<Name> =>
    list;
