// What would become of providers that are imported.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { formatMoney, formatNumber } from '@/i18n/format';

/** Items of a preview that are shown. */
const SHOWN = 20;

/** What would be made: the beginning of the list, with each price. */
export function Would({ row }: { row: unknown }) {
  const { t } = useTranslation();
  const { items, created } = row as Schemas['ImportOutcome'];
  return (
    <div className="import-preview">
      <table>
        <thead>
          <tr>
            <th>{t('panelServices.columns.name')}</th>
            <th className="end">{t('panelServices.theirs')}</th>
            <th className="end">{t('panelServices.cost')}</th>
            <th className="end">{t('panelServices.price')}</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, SHOWN).map((item) => (
            <tr key={item.id}>
              <td>{item.name}</td>
              <td className="end">{item.external_panel_price}</td>
              <td className="end">{item.provider_price ? formatMoney(item.provider_price) : '–'}</td>
              <td className="end">{item.price ? formatMoney(item.price) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {created > SHOWN && <p>{t('panelServices.more', { shown: formatNumber(created - SHOWN) })}</p>}
    </div>
  );
}
