// Where orders go: other panels, how they do, and connecting one more.
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
  const [, go] = useLocation();
  const [connecting, setConnecting] = useState(false);
  return (
    <>
      <ServerTable
        list={EXTERNAL_PANELS}
        tools={
          <Button
            variant="filled"
            icon="plus"
            label={t('externalPanels.connect')}
            onClick={() => setConnecting(true)}
          />
        }
      />
      {connecting && (
        <ConnectDialog
          onClose={() => setConnecting(false)}
          onSaved={(panel) => {
            void queries.invalidateQueries({ queryKey: ['external-panels'] });
            go(`/external-panels/${panel.id}`);
          }}
        />
      )}
    </>
  );
}
