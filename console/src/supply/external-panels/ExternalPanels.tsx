// The list of external panels, to which this panel sends orders, and the button that connects another panel.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'wouter';
import { ServerTable } from '@/table/ServerTable';
import { Button } from '@/ui/Button';
import { ConnectDialog } from './ConnectDialog';
import { EXTERNAL_PANELS } from './declaration';

export default function ExternalPanels() {
  const { t } = useTranslation();
  const queries = useQueryClient();
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
            void queries.invalidateQueries({ queryKey: ['external-panels'] });
            navigate(`/external-panels/${panel.id}`);
          }}
        />
      )}
    </>
  );
}
