// What the list is narrowed by, each to be taken away: also what no visible column shows.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { type Filter, filterName } from './declare';
import type { TableHandle } from './useTable';

export function Chips<Row extends { id: number }>({ table }: { table: TableHandle<Row> }) {
  const { t } = useTranslation();
  const { filters, search } = table.state;
  const names = Object.keys(filters);
  if (names.length === 0 && !search) return null;
  const labelOf = (name: string) => {
    const column = table.list.columns.find((column) => filterName(column) === name);
    return {
      text: t(
        (column?.label ?? table.list.searched?.[name] ?? `${table.list.name}.plain.${name}`) as 'orders.columns.id',
      ),
      filter: column?.filter,
    };
  };
  const shownValue = (value: string, filter: Filter | undefined) => {
    if (filter?.kind === 'flag') return value === '1' ? t('ui.yes') : t('ui.no');
    if (filter?.kind !== 'words')
      return value.length > 40 ? t('table.values', { count: value.split(',').length }) : value;
    return value
      .split(',')
      .map((word) => t(`${filter.texts}.${word}` as 'status.active', { defaultValue: word }))
      .join(', ');
  };
  return (
    <ul className="chips" aria-label={t('table.filters')}>
      {search && <Chip text={`“${search}”`} label={t('table.search')} onRemove={() => table.change({ search: '' })} />}
      {names.map((name) => {
        const { text, filter } = labelOf(name);
        return (
          <Chip
            key={name}
            label={text}
            text={shownValue(filters[name] ?? '', filter)}
            onRemove={() => table.filter(name, '')}
          />
        );
      })}
      <li>
        <Button look="plain" icon="filter-slash" label={t('table.reset')} onClick={table.reset} />
      </li>
    </ul>
  );
}

function Chip({ label, text, onRemove }: { label: string; text: string; onRemove: () => void }) {
  const { t } = useTranslation();
  return (
    <li className="chip">
      <span>
        {label}: <strong>{text}</strong>
      </span>
      <button type="button" aria-label={t('table.removeFilter', { column: label })} onClick={onRemove}>
        <i className="pi pi-times" aria-hidden />
      </button>
    </li>
  );
}
