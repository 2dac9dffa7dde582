// The list of the services that have a label. Dialogs show this list before the user edits or deletes the label.
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';

type LabelService = Schemas['NamedRef'];

export async function fetchLabelServices(id: number, signal: AbortSignal): Promise<readonly LabelService[]> {
  const path = '/api/v1/admin/services/labels/used-services/{id}';
  return (await unwrap(api.GET(path, { params: { path: { id } }, signal }))).data;
}

export function LabelServices({ id }: { id: number }) {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['labels', 'used', id],
    queryFn: ({ signal }) => fetchLabelServices(id, signal),
  });
  if (!data) return <p className="loading">{t('ui.loading')}</p>;
  return <LabelServiceList services={data} />;
}

export function LabelServiceList({ services }: { services: readonly LabelService[] }) {
  const { t } = useTranslation();
  return (
    <>
      <p>{t('labels.usedByServices', { count: services.length })}</p>
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
