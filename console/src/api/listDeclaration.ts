// The types of the generated declarations in src/api/lists. They have what the contract declares, and nothing about screens.
import type { Permission } from '@/session/hooks';
import type { Schemas } from './client';
import type { EnumName } from './enums';

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
  readonly recordKind?: 'user' | 'service' | 'provider' | 'external_panel' | 'payment_method';
  /** The enumeration of a column of kind `word` or `words`. */
  readonly enumName?: EnumName;
  readonly values?: readonly string[];
  readonly permission?: Permission;
  /** Rows have no field of this name: the column is only a filter. */
  readonly inRow?: false;
  /** Without a label, screens neither show nor offer the column. */
  readonly hasLabel?: false;
  /** Users can neither sort nor filter by the column. */
  readonly searchable?: false;
  /** The column by which the server sorts and filters instead: `user` for `user.name`. */
  readonly filteredBy?: string;
  readonly aliasOf?: string;
}

export interface ListDeclaration {
  readonly name: string;
  readonly path: string;
  /** The list whose column labels it uses. */
  readonly labels: string;
  /** Names of the columns that are shown by default. */
  readonly defaultColumns: readonly string[];
  readonly columns: readonly ColumnDeclaration[];
  /** Query parameters that the server accepts in addition to the columns. */
  readonly filters: readonly ColumnDeclaration[];
  /** Names of columns, each with whether it is sorted in descending order. */
  readonly defaultSort?: readonly (readonly [string, boolean])[];
  readonly pageSize?: number;
}

/** Adds the type of the rows to the type of a declaration; no value has the field `row`. */
interface WithRowType<Name extends keyof Schemas> {
  readonly row?: Schemas[Name];
}

export const declareList =
  <Name extends keyof Schemas>() =>
  <const D extends ListDeclaration>(list: D): D & WithRowType<Name> =>
    list;
