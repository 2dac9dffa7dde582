// The screen with the list of external panels, to which the server sends orders, and the button that connects another external panel.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { ConnectDialog } from './ConnectDialog';
import { EXTERNAL_PANELS } from './externalPanelList';

export default function ExternalPanels() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [, navigate] = useLocation();
  const [isConnecting, setIsConnecting] = useState(false);
  return (
    <>
      <ServerTable
        list={EXTERNAL_PANELS}
        tools={
          <Button
            variant="filled"
            icon="plus"
            label={t('externalPanels.connect')}
            onClick={() => setIsConnecting(true)}
          />
        }
      />
      {isConnecting && (
        <ConnectDialog
          onClose={() => setIsConnecting(false)}
          onSaved={(panel) => {
            void queryClient.invalidateQueries({ queryKey: ['external-panels'] });
            navigate(`/external-panels/${panel.id}`);
          }}
        />
      )}
    </>
  );
}
