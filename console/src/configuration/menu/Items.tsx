// All items of the menu as a list, archived ones too.
import { ServerTable } from '@/table/ServerTable';
import { ITEMS } from './lists';
import { MenuTabs } from './MenuTabs';

export default function Items() {
  return (
    <div className="with-tabs">
      <MenuTabs now="items" />
      <ServerTable list={ITEMS} />
    </div>
  );
}
