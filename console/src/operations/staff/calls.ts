// One member of staff, who is found by the list: there is no other way to them.
import i18next from 'i18next';
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { page } from '@/api/table';

type Member = Schemas['StaffRow'];

export async function readMember(id: number, signal = new AbortController().signal): Promise<Member> {
  const asked = { search: '', filters: { id: String(id) }, plain: {}, sort: [] };
  const [found] = (await page<Member>('/api/v1/admin/staffs', asked, 0, 1, signal)).data;
  if (!found) throw new Problem({ status: 404, code: 'not_found', message: i18next.t('staff.none', { id }) });
  return found;
}
