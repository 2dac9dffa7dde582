// The preview of an import of providers, which shows the response to its dry run.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { formatMoney, formatNumber } from '@/i18n/format';

const MAX_SHOWN_ITEMS = 20;

/** Shows the first providers that the import would create, with their prices. `row` is the response to the dry run. */
export function ImportPreview({ row }: { row: unknown }) {
  const { t } = useTranslation();
  const { items, created } = row as Schemas['ImportOutcome'];
  return (
    <div className="import-preview">
      <table>
        <thead>
          <tr>
            <th>{t('panelServices.columns.name')}</th>
            <th className="end">{t('panelServices.panelPrice')}</th>
            <th className="end">{t('panelServices.cost')}</th>
            <th className="end">{t('panelServices.price')}</th>
          </tr>
        </thead>
        <tbody>
          {items.slice(0, MAX_SHOWN_ITEMS).map((item) => (
            <tr key={item.id}>
              <td>{item.name}</td>
              <td className="end">{item.external_panel_price}</td>
              <td className="end">{item.provider_price ? formatMoney(item.provider_price) : '–'}</td>
              <td className="end">{item.price ? formatMoney(item.price) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {created > MAX_SHOWN_ITEMS && (
        <p>{t('panelServices.andMore', { formattedCount: formatNumber(created - MAX_SHOWN_ITEMS) })}</p>
      )}
    </div>
  );
}
