// Exports all rows that match the filters. The server creates the file. It contains the rows of all pages, raw values and no formulas.
import { Menu } from 'primereact/menu';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { EXPORT_MEDIA_TYPES, type ExportFormat, exportRows } from '@/api/table';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { download } from '@/ui/download';
import type { TableHandle } from './useTable';

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  columns: readonly string[];
}

export function ExportMenu<Row extends { id: number }>({ table, columns }: Props<Row>) {
  const { t } = useTranslation();
  const menuRef = useRef<Menu>(null);
  const { submit, isPending } = useSubmit({
    send: (format: ExportFormat) =>
      exportRows(table.list.path, table.query, columns, format, new AbortController().signal),
    onDone: (file, format) => download(file, `${table.list.name}.${format}`),
    showProblemAs: 'toast',
  });
  const formats = Object.keys(EXPORT_MEDIA_TYPES) as ExportFormat[];
  const items = formats.map((format) => ({
    label: t(`table.export.${format}`),
    icon: 'pi pi-file',
    command: () => void submit(format),
  }));
  return (
    <>
      <Button
        variant="plain"
        iconOnly
        icon="download"
        label={t('table.export.title')}
        busy={isPending}
        aria-haspopup="menu"
        onClick={(event) => menuRef.current?.toggle(event)}
      />
      <Menu ref={menuRef} popup popupAlignment="right" model={items} />
    </>
  );
}
