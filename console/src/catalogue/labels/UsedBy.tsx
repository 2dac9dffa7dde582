// The services that have a label, for whoever is about to change or delete it.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, told } from '@/api/client';

/** The services, once they are read. */
export function useUsedBy(id: number, enabled = true) {
  return useQuery({
    enabled,
    queryKey: ['labels', 'used', id],
    queryFn: async () =>
      (await told(api.GET('/api/v1/admin/services/labels/used-services/{id}', { params: { path: { id } } }))).data,
  });
}

export function UsedBy({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data } = useUsedBy(id);
  if (!data) return <p className="loading">{t('ui.loading')}</p>;
  return (
    <>
      <p>{t('labels.used', { count: data.length })}</p>
      <ul className="used-by">
        {data.map((service) => (
          <li key={service.id}>
            {service.id} · {service.name}
          </li>
        ))}
      </ul>
    </>
  );
}
