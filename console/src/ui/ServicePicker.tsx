// A service found by part of its name, or by id.
import { useTranslation } from 'react-i18next';
import type { Schemas } from '@/api/client';
import { page } from '@/api/table';
import { money } from '@/i18n/format';
import { Picker } from './Picker';

export type ServiceHit = Pick<Schemas['ServiceRow'], 'id' | 'name' | 'default_price' | 'min_price'>;

interface Props {
  id?: string | undefined;
  label: string;
  value: ServiceHit | null;
  onChange: (service: ServiceHit | null) => void;
  invalid?: boolean | undefined;
}

const MOST = 20;
/** Without a price where only its name is known. */
const shown = ({ id, name, default_price: price }: ServiceHit) => `${name} · ${id}${price && ` · ${money(price)}`}`;

/** Digits are an id, anything else part of a name. */
async function find(query: string): Promise<readonly ServiceHit[]> {
  const filters: Record<string, string> = /^\d+$/.test(query) ? { id: query } : { name: query };
  const asked = { search: '', filters, plain: {}, sort: [] };
  return (await page<ServiceHit>('/api/v1/admin/services', asked, 0, MOST, new AbortController().signal)).data;
}

export function ServicePicker(props: Props) {
  const { t } = useTranslation();
  return <Picker {...props} find={find} shown={shown} placeholder={t('services.find')} empty={t('services.noHit')} />;
}
