// The menu of a row. It hides actions that the record does not allow (specification, section 6). All rows share one menu instance,
// which keeps long lists fast.
import { Menu } from 'primereact/menu';
import { type RefObject, type SyntheticEvent, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { toast } from '@/ui/toasts';
import type { AnyAction } from './action';
import type { List } from './listDefinition';

/** Opens the menu of a row at the element that was clicked. */
export type OpenMenu<Row> = (row: Row, event: SyntheticEvent) => void;

interface Props<Row extends { id: number }> {
  list: List<Row>;
  handle: RefObject<OpenMenu<Row> | null>;
  onAct: (action: AnyAction<Row>, row: Row) => void;
  /** Opens a record in the side panel. */
  onPeek: (id: number) => void;
}

export function RowMenu<Row extends { id: number }>({ list, handle, onAct, onPeek }: Props<Row>) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [row, setRow] = useState<Row | null>(null);
  const menu = useRef<Menu>(null);
  useImperativeHandle(handle, () => (row, event) => {
    // The menu measures itself when it opens, so its items must be rendered first.
    flushSync(() => setRow(row));
    menu.current?.toggle(event);
  });
  const { recordUrl } = list;
  const copy = async (id: string) => {
    await navigator.clipboard.writeText(id);
    toast({ tone: 'success', text: t('ui.copied', { text: id }) });
  };
  const items = row
    ? [
        ...(recordUrl
          ? [
              { label: t('table.open'), icon: 'pi pi-arrow-right', command: () => navigate(recordUrl(row)) },
              { label: t('table.peekBeside'), icon: 'pi pi-window-maximize', command: () => onPeek(row.id) },
            ]
          : []),
        ...(list.actions ?? [])
          .filter((action) => action.allows(row))
          .map((action) => ({
            label: t(`actions.${action.name as 'cancel'}.label`),
            icon: `pi pi-${action.icon}`,
            className: action.tone === 'danger' ? 'menu-danger' : '',
            command: () => onAct(action, row),
          })),
        ...(list.actions ?? [])
          .filter((action) => !action.allows(row) && action.isShownDisabled?.(row))
          .map((action) => ({
            label: t(`actions.${action.name as 'payWithdrawal'}.kept`),
            icon: `pi pi-${action.icon}`,
            disabled: true,
          })),
        { label: t('table.copyId'), icon: 'pi pi-copy', command: () => void copy(String(row.id)) },
      ]
    : [];
  return <Menu ref={menu} popup popupAlignment="right" model={items} />;
}
