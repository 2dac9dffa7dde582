// The types of the generated list declarations in src/api/lists. A declaration contains facts of the API contract, and nothing about
// screens.
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
    | 'enum'
    | 'enum_list'
    | 'countries'
    | 'exact_text'
    | 'open_enum'
    | 'flag'
    | 'json';
  /** The type of record that a column of kind `record` refers to. */
  readonly recordKind?: 'user' | 'service' | 'provider' | 'external_panel' | 'payment_method';
  /** The enumeration of a column of kind `enum` or `enum_list`. */
  readonly enumName?: EnumName;
  readonly values?: readonly string[];
  readonly permission?: Permission;
  /** The rows have no field of this name, because the column is only a filter. */
  readonly inRow?: false;
  /** The column has no label, so screens neither show nor offer it. */
  readonly hasLabel?: false;
  /** Users can neither sort nor filter by the column. */
  readonly searchable?: false;
  /** The column by which the server sorts and filters instead of this column: `user` for `user.name`. */
  readonly filteredBy?: string;
  readonly aliasOf?: string;
}

export interface ListDeclaration {
  readonly name: string;
  readonly path: string;
  /** The name of the list whose column labels are used. */
  readonly labels: string;
  /** Names of the columns that are shown by default. */
  readonly defaultColumns: readonly string[];
  readonly columns: readonly ColumnDeclaration[];
  /** Query parameters that the server accepts in addition to the columns. */
  readonly filters: readonly ColumnDeclaration[];
  /** Pairs of a column name and a flag that is true for descending order. */
  readonly defaultSort?: readonly (readonly [string, boolean])[];
  readonly pageSize?: number;
}

/** Adds the type of the rows to the type of a declaration. The field `row` exists only in the type, never in a value. */
interface WithRowType<Name extends keyof Schemas> {
  readonly row?: Schemas[Name];
}

export const declareList =
  <Name extends keyof Schemas>() =>
  <const D extends ListDeclaration>(list: D): D & WithRowType<Name> =>
    list;
