// A picker for a customer or staff member, found by a part of the name or email, or by id.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { Picker } from './Picker';

export type UserHit = Schemas['UserHit'];

interface Props {
  id?: string | undefined;
  label: string;
  value: UserHit | null;
  onChange: (user: UserHit | null) => void;
  invalid?: boolean | undefined;
}

const labelOf = (user: UserHit) => `${user.name} · ${user.email} · ${user.id}`;
const find = async (query: string) =>
  (await unwrap(api.GET('/api/v1/admin/users/search', { params: { query: { query } } }))).data;

export function UserPicker(props: Props) {
  const { t } = useTranslation();
  return <Picker {...props} find={find} labelOf={labelOf} placeholder={t('users.find')} empty={t('users.noHit')} />;
}
