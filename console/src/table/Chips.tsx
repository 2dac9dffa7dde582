// The active filters as chips that can be removed, including filters of columns that are not visible.
import { useTranslation } from 'react-i18next';
import { useHasPermission } from '@/session/hooks';
import { Button } from '@/ui/Button';
import { type Column, enumText, type Filter, filterName } from './listDefinition';
import { fractionsToPercents } from './percentFilters';
import { parseIds, RECORDS, type RecordKind, useRecordTexts } from './records';
import type { TableHandle } from './useTable';

export function Chips<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  const { filters, search } = table.state;
  const names = Object.keys(filters);
  if (names.length === 0 && !search) return null;
  const formatValue = (name: string, value: string, filter: Filter | undefined) => {
    // A parameter without a column has no declared kind; by convention, the names of flags begin with `is_` or `has_`.
    if (filter?.kind === 'flag' || (!filter && /^(is|has)_/.test(name)))
      return value === '1' ? t('ui.yes') : t('ui.no');
    if (filter?.kind === 'fraction') return `${fractionsToPercents(value)} %`;
    if (filter?.kind !== 'enum' || !filter.texts)
      return value.length > 40 ? t('table.values', { count: value.split(',').length }) : value;
    return value
      .split(',')
      .map((part) => enumText(filter, part, t))
      .join(', ');
  };
  return (
    <ul className="chips" aria-label={t('table.filters')}>
      {search && <Chip text={`“${search}”`} label={t('table.search')} onRemove={() => table.change({ search: '' })} />}
      {names.map((name) => {
        const value = filters[name] ?? '';
        const column = findFilteredColumn(table.list.columns, name);
        const filter = column?.filter;
        const key = column?.label ?? table.list.hiddenFilters?.[name];
        const label = key ? t(key as 'columns.orders.id') : name;
        const setFilter = (value: string) => table.filter(name, value);
        if (filter?.kind === 'record' && parseIds(value).length > 0)
          return (
            <RecordChips key={name} kind={filter.recordKind} label={label} ids={parseIds(value)} onChange={setFilter} />
          );
        return <Chip key={name} label={label} text={formatValue(name, value, filter)} onRemove={() => setFilter('')} />;
      })}
      <li>
        <Button variant="plain" icon="filter-slash" label={t('table.reset')} onClick={table.reset} />
      </li>
    </ul>
  );
}

/** The column of a filter. The filter of a record's id, such as `user.id` or `provider_id`, belongs to the column of the record. */
export function findFilteredColumn<Row>(columns: readonly Column<Row>[], name: string): Column<Row> | undefined {
  const sameName = columns.find((column) => filterName(column) === name);
  const recordName = /^(.+)[._]id$/.exec(name)?.[1];
  return sameName ?? columns.find((column) => column.filter?.kind === 'record' && filterName(column) === recordName);
}

interface RecordChipsProps {
  kind: RecordKind;
  label: string;
  ids: readonly number[];
  onChange: (value: string) => void;
}

export function RecordChips({ kind, label, ids, onChange }: RecordChipsProps) {
  const { t } = useTranslation();
  const texts = useRecordTexts(kind, ids, useHasPermission()(RECORDS[kind].permission), t);
  return ids.map((id) => (
    <Chip
      key={id}
      label={label}
      text={texts.get(id) ?? String(id)}
      onRemove={() => onChange(ids.filter((other) => other !== id).join(','))}
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
