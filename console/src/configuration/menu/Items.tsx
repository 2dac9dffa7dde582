// All menu items as a table, including archived items.
import { ServerTable } from '@/table/ServerTable';
import { MENU_ITEM_LIST } from './lists';
import { MenuTabs } from './MenuTabs';

export default function Items() {
  return (
    <div className="with-tabs">
      <MenuTabs currentTab="items" />
      <ServerTable list={MENU_ITEM_LIST} />
    </div>
  );
}
