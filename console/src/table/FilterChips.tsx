// Shows the active filters as removable chips, including filters of columns that are not visible.
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { type Column, type Filter, getFilterName, translateEnumValue } from './listDefinition';
import { fractionsToPercents } from './percentFilters';
import { parseIds, RECORD_LOOKUPS, type RecordKind, useRecordTexts } from './recordLookups';
import type { TableHandle } from './useTable';

export function FilterChips<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  const { filters, search } = table.state;
  const filterNames = Object.keys(filters);
  if (filterNames.length === 0 && !search) return null;
  const formatValue = (name: string, value: string, filter: Filter | undefined) => {
    // A parameter without a column has no declared kind. By convention, the names of flags begin with `is_` or `has_`.
    if (filter?.kind === 'flag' || (!filter && /^(is|has)_/.test(name)))
      return value === '1' ? t('ui.yes') : t('ui.no');
    if (filter?.kind === 'fraction') return `${fractionsToPercents(value)} %`;
    if (filter?.kind !== 'enum' || !filter.textPrefix)
      return value.length > 40 ? t('table.valueCount', { count: value.split(',').length }) : value;
    return value
      .split(',')
      .map((enumValue) => translateEnumValue(filter, enumValue, t))
      .join(', ');
  };
  return (
    <ul className="chips" aria-label={t('table.filters')}>
      {search && (
        <Chip text={`“${search}”`} label={t('table.search')} onRemove={() => table.changeState({ search: '' })} />
      )}
      {filterNames.map((name) => {
        const value = filters[name] ?? '';
        const column = findFilteredColumn(table.list.columns, name);
        const filter = column?.filter;
        const labelKey = column?.label ?? table.list.hiddenFilters?.[name];
        const label = labelKey ? t(labelKey as 'columns.orders.id') : name;
        const setFilter = (value: string) => table.setFilter(name, value);
        if (filter?.kind === 'record' && parseIds(value).length > 0)
          return (
            <RecordChips key={name} kind={filter.recordKind} label={label} ids={parseIds(value)} onChange={setFilter} />
          );
        return <Chip key={name} label={label} text={formatValue(name, value, filter)} onRemove={() => setFilter('')} />;
      })}
      <li>
        <Button variant="plain" icon="filter-slash" label={t('table.resetFilters')} onClick={table.resetFilters} />
      </li>
    </ul>
  );
}

/** Returns the column of a filter. A filter by a record's id, such as `user.id` or `provider_id`, belongs to the column of the record. */
export function findFilteredColumn<Row>(columns: readonly Column<Row>[], name: string): Column<Row> | undefined {
  const columnWithName = columns.find((column) => getFilterName(column) === name);
  const recordName = /^(.+)[._]id$/.exec(name)?.[1];
  return (
    columnWithName ?? columns.find((column) => column.filter?.kind === 'record' && getFilterName(column) === recordName)
  );
}

interface RecordChipsProps {
  kind: RecordKind;
  label: string;
  ids: readonly number[];
  onChange: (value: string) => void;
}

export function RecordChips({ kind, label, ids, onChange }: RecordChipsProps) {
  const { t } = useTranslation();
  const texts = useRecordTexts(kind, ids, useHasPermission()(RECORD_LOOKUPS[kind].permission), t);
  return ids.map((id) => (
    <Chip
      key={id}
      label={label}
      text={texts.get(id) ?? String(id)}
      onRemove={() => onChange(ids.filter((otherId) => otherId !== id).join(','))}
    />
  ));
}

function Chip({ label, text, onRemove }: { label: string; text: string; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <li className="chip">
      <span title={text}>
        {label}: <strong>{text}</strong>
      </span>
      <button type="button" aria-label={t('table.removeFilter', { column: label })} onClick={onRemove}>
        <i className="pi pi-times" aria-hidden />
      </button>
    </li>
  );
}
