// The menu of a row. It hides the actions that are not allowed for the record (specification, section 6). All rows share one menu
// instance, which keeps long lists fast.
import { Menu } from 'primereact/menu';
import { type RefObject, type SyntheticEvent, useImperativeHandle, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { toast } from '@/ui/toasts';
import type { AnyAction } from './action';
import type { List } from './listDefinition';

/** Opens the menu of a row at the element that the user clicked. */
export type OpenMenu<Row> = (row: Row, event: SyntheticEvent) => void;

interface Props<Row extends { id: number }> {
  list: List<Row>;
  openMenuRef: RefObject<OpenMenu<Row> | null>;
  onAction: (action: AnyAction<Row>, row: Row) => void;
  /** Shows a record in the side panel. */
  onPreview: (id: number) => void;
}

export function RowMenu<Row extends { id: number }>({ list, openMenuRef, onAction, onPreview }: Props<Row>) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const [row, setRow] = useState<Row | null>(null);
  const menuRef = useRef<Menu>(null);
  useImperativeHandle(openMenuRef, () => (row, event) => {
    // The menu measures its size when it opens, so React must render the items first.
    flushSync(() => setRow(row));
    menuRef.current?.toggle(event);
  });
  const { getRecordUrl } = list;
  const copyId = async (id: string) => {
    await navigator.clipboard.writeText(id);
    toast({ tone: 'success', text: t('ui.copied', { text: id }) });
  };
  const items = row
    ? [
        ...(getRecordUrl
          ? [
              { label: t('table.open'), icon: 'pi pi-arrow-right', command: () => navigate(getRecordUrl(row)) },
              { label: t('table.openPreview'), icon: 'pi pi-window-maximize', command: () => onPreview(row.id) },
            ]
          : []),
        ...(list.actions ?? [])
          .filter((action) => action.isAllowedFor(row))
          .map((action) => ({
            label: t(`actions.${action.name as 'cancel'}.label`),
            icon: `pi pi-${action.icon}`,
            className: action.tone === 'danger' ? 'menu-danger' : '',
            command: () => onAction(action, row),
          })),
        ...(list.actions ?? [])
          .filter((action) => !action.isAllowedFor(row) && action.isShownDisabled?.(row))
          .map((action) => ({
            label: t(`actions.${action.name as 'markWithdrawalAsPaid'}.disabledReason`),
            icon: `pi pi-${action.icon}`,
            disabled: true,
          })),
        { label: t('table.copyId'), icon: 'pi pi-copy', command: () => void copyId(String(row.id)) },
      ]
    : [];
  return <Menu ref={menuRef} popup popupAlignment="right" model={items} />;
}
