// Where imported packages belong, and what would become of packages and providers.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { count, money } from '@/i18n/format';
import type { FormProps } from '@/table/action';
import { Field } from '@/ui/Field';
import { Select } from '@/ui/Select';

type Row = Schemas['PanelService'];

/** Items of a preview that are shown. */
const SHOWN = 20;

/** The network: packages have no service type. */
export function NetworkField({ value, onChange, errors }: FormProps<Row>) {
  const { t } = useTranslation();
  const { data: networks = [] } = useQuery({
    queryKey: ['networks'],
    queryFn: async () => (await told(api.GET('/api/v1/admin/networks'))).data,
  });
  return (
    <Field label={t('panelServices.network')} errors={errors.network_id}>
      {(given) => (
        <Select
          id={given.id}
          label={t('panelServices.network')}
          value={(value.network_id as number | undefined) ?? null}
          options={networks.map((network) => ({ value: network.id, label: network.name }))}
          placeholder={t('panelServices.chooseNetwork')}
          onChange={(network_id) => onChange({ ...value, network_id })}
        />
      )}
    </Field>
  );
}

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
              <td className="end">{item.provider_price ? money(item.provider_price) : '–'}</td>
              <td className="end">{item.price ? money(item.price) : '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {created > SHOWN && <p>{t('panelServices.more', { shown: count(created - SHOWN) })}</p>}
    </div>
  );
}
