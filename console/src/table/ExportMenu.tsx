// The filter as a file. The server writes it: all pages, raw values, no formulas.
import { Menu } from 'primereact/menu';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { asProblem } from '@/api/problem';
import { EXPORTS, type ExportKind, exported } from '@/api/table';
import { Button } from '@/ui/Button';
import { download } from '@/ui/download';
import { toast } from '@/ui/toasts';
import type { TableHandle } from './useTable';

interface Props<Row extends { id: number }> {
  table: TableHandle<Row>;
  columns: readonly string[];
}

export function ExportMenu<Row extends { id: number }>({ table, columns }: Props<Row>) {
  const { t } = useTranslation();
  const menu = useRef<Menu>(null);
  const [busy, setBusy] = useState(false);
  const take = async (kind: ExportKind) => {
    setBusy(true);
    try {
      const file = await exported(table.list.path, table.query, columns, kind, new AbortController().signal);
      download(file, `${table.list.name}.${kind}`);
    } catch (error) {
      toast({ tone: 'error', text: asProblem(error).message });
    } finally {
      setBusy(false);
    }
  };
  const kinds = Object.keys(EXPORTS) as ExportKind[];
  const items = kinds.map((kind) => ({
    label: t(`table.export.${kind}`),
    icon: 'pi pi-file',
    command: () => void take(kind),
  }));
  return (
    <>
      <Button
        look="plain"
        iconOnly
        icon="download"
        label={t('table.export.title')}
        busy={busy}
        aria-haspopup="menu"
        onClick={(event) => menu.current?.toggle(event)}
      />
      <Menu ref={menu} popup popupAlignment="right" model={items} />
    </>
  );
}
