// What can be done with one row. Actions that the record does not allow are not there (specification, section 6).
import { Menu } from 'primereact/menu';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { Button } from '@/ui/Button';
import { toast } from '@/ui/toasts';
import type { Action } from './action';

interface Props<Row extends { id: number }> {
  row: Row;
  actions: readonly Action<Row>[];
  href: string | undefined;
  onAct: (action: Action<Row>, row: Row) => void;
}

export function RowMenu<Row extends { id: number }>(props: Props<Row>) {
  const { t } = useTranslation();
  // The menu itself is only made when it is wanted: a hundred rows would carry a hundred of them.
  const [opened, setOpened] = useState(false);
  return opened ? (
    <OpenMenu {...props} />
  ) : (
    <Button
      look="plain"
      iconOnly
      icon="ellipsis-v"
      label={t('table.rowMenu', { id: props.row.id })}
      aria-haspopup="menu"
      onClick={() => setOpened(true)}
    />
  );
}

function OpenMenu<Row extends { id: number }>({ row, actions, href, onAct }: Props<Row>) {
  const { t } = useTranslation();
  const [, navigate] = useLocation();
  const menu = useRef<Menu>(null);
  const shown = useRef(false);
  const items = [
    ...(href ? [{ label: t('table.open'), icon: 'pi pi-arrow-right', command: () => navigate(href) }] : []),
    ...actions
      .filter((action) => action.allows(row))
      .map((action) => ({
        label: t(`actions.${action.name as 'cancel'}.label`),
        icon: `pi pi-${action.icon}`,
        className: action.tone === 'danger' ? 'menu-danger' : '',
        command: () => onAct(action, row),
      })),
    {
      label: t('table.copyId'),
      icon: 'pi pi-copy',
      command: () =>
        void navigator.clipboard
          .writeText(String(row.id))
          .then(() => toast({ tone: 'success', text: t('ui.copied', { text: String(row.id) }) })),
    },
  ];
  return (
    <>
      <Button
        look="plain"
        iconOnly
        icon="ellipsis-v"
        label={t('table.rowMenu', { id: row.id })}
        aria-haspopup="menu"
        onClick={(event) => menu.current?.toggle(event)}
        ref={(button: HTMLButtonElement | null) => {
          // Opened by the press that made this.
          if (!button || shown.current) return;
          shown.current = true;
          button.focus();
          queueMicrotask(() => button.click());
        }}
      />
      <Menu ref={menu} popup popupAlignment="right" model={items} />
    </>
  );
}
