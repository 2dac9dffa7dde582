// A picker with which the user finds a service by a part of its name or by its id.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { fetchPage } from '@/api/table';
import { formatMoney } from '@/i18n/format';
import { Picker } from './Picker';

export type ServiceSearchResult = Pick<Schemas['ServiceRow'], 'id' | 'name' | 'default_price' | 'min_price'>;

type ServiceOption = Pick<ServiceSearchResult, 'id' | 'name' | 'default_price'>;

interface Props<Service> {
  id?: string | undefined;
  label: string;
  value: Service | null;
  onChange: (service: Service | null) => void;
  invalid?: boolean | undefined;
}

const MAX_RESULTS = 20;
/** `default_price` is an empty string if only the name of the service was loaded. */
const formatLabel = ({ id, name, default_price: price }: ServiceOption) =>
  `${name} · ${id}${price && ` · ${formatMoney(price)}`}`;

/** Searches by id if the query has only digits, otherwise by a part of the name. */
async function searchServices(query: string): Promise<readonly ServiceSearchResult[]> {
  const filters: Record<string, string> = /^\d+$/.test(query) ? { id: query } : { name: query };
  const tableQuery = { search: '', filters, parameters: {}, sort: [] };
  return (
    await fetchPage<ServiceSearchResult>(
      '/api/v1/admin/services',
      tableQuery,
      0,
      MAX_RESULTS,
      new AbortController().signal,
    )
  ).data;
}

/** Searches in all services. The user must have the permission to view services. */
export function ServicePicker(props: Props<ServiceSearchResult>) {
  return <CustomServicePicker {...props} search={searchServices} />;
}

/** Searches with the given function, for example only in the services that a package may contain. */
export function CustomServicePicker<Service extends ServiceOption>(
  props: Props<Service> & { search: (query: string) => Promise<readonly Service[]> },
) {
  const { t } = useTranslation();
  return (
    <Picker
      {...props}
      formatLabel={formatLabel}
      placeholder={t('services.searchPlaceholder')}
      emptyText={t('services.noMatches')}
    />
  );
}
