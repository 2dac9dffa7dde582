// The icon of an external panel. The server downloads the icon, because the console loads no images from other hosts.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { get } from '@/api/client';

const HOUR_MS = 3_600_000;

/** The image has an empty `alt`, because the name of the external panel is next to the icon. Renders nothing if there is no icon. */
export function PanelIcon({ id }: { id: number }) {
  const { data } = useQuery({
    queryKey: ['external-panel-icon', id],
    queryFn: async ({ signal }) =>
      (await get(`/api/v1/admin/external-panels/${id}/icon`, { accept: 'image/*', signal })).blob(),
    staleTime: HOUR_MS,
    retry: false,
  });
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!data || data.size === 0) return;
    const url = URL.createObjectURL(data);
    setUrl(url);
    return () => {
      setUrl(null);
      URL.revokeObjectURL(url);
    };
  }, [data]);
  return url && <img className="panel-icon" src={url} alt="" width={24} height={24} onError={() => setUrl(null)} />;
}
