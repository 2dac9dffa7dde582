// The screen with the table of all menu items, including archived items.
import { ServerTable } from '@/table/ServerTable';
import { MENU_ITEM_LIST } from './lists';
import { MenuTabs } from './MenuTabs';

export default function MenuItems() {
  return (
    <div className="with-tabs">
      <MenuTabs currentTab="items" />
      <ServerTable list={MENU_ITEM_LIST} />
    </div>
  );
}
