// Shows a response that does not reveal whether the external panel accepted the order. A dialog saves the text of the response as a
// rejection message of the external panel. The message applies only to later responses: this attempt stays unknown until staff resolve
// it.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { RejectionReason } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { enumCodec, multilineTextCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useHasPermission } from '@/session/hooks';
import { EXTERNAL_PANELS_PATH } from '@/supply/external-panels/externalPanelList';
import { useRejectionReasonOptions } from '@/supply/external-panels/RejectionMessagesField';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import type { ExternalPanelOrder } from './externalPanelOrderList';

export function UnknownResponse({ attempt }: { attempt: ExternalPanelOrder }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const { unknown_message: message, external_panel: externalPanel } = attempt;
  return (
    <>
      {attempt.is_unknown && <p className="field-error">{t('externalPanelOrders.unknownResponse')}</p>}
      {message && (
        <Card title={t('externalPanelOrders.panelMessage')}>
          <div className="card-stack">
            <pre className="code code-wraps">{message}</pre>
            {externalPanel && hasPermission('manage external panels') && (
              <Button
                icon="plus"
                label={t('externalPanelOrders.addRejectionMessage')}
                onClick={() => setIsDialogOpen(true)}
              />
            )}
          </div>
        </Card>
      )}
      {isDialogOpen && message && externalPanel && (
        <RejectionMessageDialog
          externalPanel={externalPanel}
          message={message}
          onClose={() => setIsDialogOpen(false)}
        />
      )}
    </>
  );
}

const REJECTION_MESSAGE_FORM = defineForm<Schemas['RejectionMessage']>()({
  message: multilineTextCodec,
  reason: enumCodec(RejectionReason),
});

interface RejectionMessageDialogProps {
  externalPanel: { id: number; name: string };
  message: string;
  onClose: () => void;
}

function RejectionMessageDialog({ externalPanel, message, onClose }: RejectionMessageDialogProps) {
  const { t } = useTranslation();
  const reasonOptions = useRejectionReasonOptions();
  return (
    <FormDialog
      title={t('externalPanelOrders.addRejectionMessage')}
      confirmLabel={t('externalPanels.rejections.add')}
      fields={[
        {
          name: 'message',
          label: t('externalPanelOrders.panelMessage'),
          hint: t('externalPanels.rejections.hint'),
          maxLength: 500,
        },
        {
          name: 'reason',
          label: t('externalPanelOrders.messageMeaning', { panel: externalPanel.name }),
          options: reasonOptions,
        },
      ]}
      note={<p className="form-row">{t('externalPanelOrders.rejectionMessageNote')}</p>}
      initialValues={{ message, reason: '' }}
      spec={REJECTION_MESSAGE_FORM}
      send={({ values }, idempotencyKey) =>
        unwrap(
          api.POST(`${EXTERNAL_PANELS_PATH}/{id}/rejection-messages`, {
            params: { path: { id: externalPanel.id } },
            body: REJECTION_MESSAGE_FORM.toBody(values),
            ...withIdempotencyKey(idempotencyKey),
          }),
        )
      }
      successMessage={t('ui.saved')}
      invalidatedQueries={[['external-panels']]}
      onClose={onClose}
    />
  );
}
