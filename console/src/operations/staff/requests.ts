// Fetches one staff member from the list, because the API has no endpoint for a single staff member.
import i18next from 'i18next';
import type { Schemas } from '@/api/client';
import { Problem } from '@/api/problem';
import { fetchPage } from '@/api/table';

type Member = Schemas['StaffRow'];

export async function fetchMember(id: number, signal = new AbortController().signal): Promise<Member> {
  const query = { search: '', filters: { id: String(id) }, parameters: {}, sort: [] };
  const [member] = (await fetchPage<Member>('/api/v1/admin/staffs', query, 0, 1, signal)).data;
  if (!member)
    throw new Problem({ status: 404, code: 'not_found', message: i18next.t('staff.memberNotFound', { id }) });
  return member;
}
