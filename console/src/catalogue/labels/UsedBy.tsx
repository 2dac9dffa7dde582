// The services that have a label, for the person who is about to change or delete it.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';

type Service = Schemas['Named'];

/** Reads the services that have a label. */
export async function usedServices(id: number, signal: AbortSignal): Promise<readonly Service[]> {
  const path = '/api/v1/admin/services/labels/used-services/{id}';
  return (await unwrap(api.GET(path, { params: { path: { id } }, signal }))).data;
}

export function UsedBy({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['labels', 'used', id],
    queryFn: ({ signal }) => usedServices(id, signal),
  });
  if (!data) return <p className="loading">{t('ui.loading')}</p>;
  return <UsedServices services={data} />;
}

export function UsedServices({ services }: { services: readonly Service[] }) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('labels.used', { count: services.length })}</p>
      <ul className="used-by">
        {services.map((service) => (
          <li key={service.id}>
            {service.id} · {service.name}
          </li>
        ))}
      </ul>
    </>
  );
}
