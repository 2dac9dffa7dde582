// Exports all rows that match the filters as a file. The server writes it: all pages, raw values, no formulas.
import { Menu } from 'primereact/menu';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { EXPORTS, type ExportKind, exportRows } from '@/api/table';
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
  const menu = useRef<Menu>(null);
  const { submit, isPending } = useSubmit({
    send: (kind: ExportKind) => exportRows(table.list.path, table.query, columns, kind, new AbortController().signal),
    onDone: (file, kind) => download(file, `${table.list.name}.${kind}`),
    showProblemAs: 'toast',
  });
  const kinds = Object.keys(EXPORTS) as ExportKind[];
  const items = kinds.map((kind) => ({
    label: t(`table.export.${kind}`),
    icon: 'pi pi-file',
    command: () => void submit(kind),
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
        onClick={(event) => menu.current?.toggle(event)}
      />
      <Menu ref={menu} popup popupAlignment="right" model={items} />
    </>
  );
}
