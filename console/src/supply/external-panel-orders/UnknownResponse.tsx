// Shows a response from which the server cannot tell whether the panel accepted the order, and a dialog that saves its text as a
// rejection message of the panel. The message applies only to later responses: this attempt stays unknown until staff resolve it.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { RejectionReason } from '@/api/enums';
import { withIdempotencyKey } from '@/api/writeOptions';
import { choice, multilineText } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useHasPermission } from '@/session/hooks';
import { EXTERNAL_PANELS_PATH } from '@/supply/external-panels/declaration';
import { useReasonOptions } from '@/supply/external-panels/RejectionMessagesField';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import type { ExternalPanelOrder } from './declaration';

export function UnknownResponse({ attempt }: { attempt: ExternalPanelOrder }) {
  const { t } = useTranslation();
  const hasPermission = useHasPermission();
  const [isDialogOpen, setIsDialogOpen] = useState(false);
  const { unknown_message: message, external_panel: panel } = attempt;
  return (
    <>
      {attempt.is_unknown && <p className="field-error">{t('attempts.unknownResponse')}</p>}
      {message && (
        <Card title={t('attempts.panelMessage')}>
          <div className="card-stack">
            <pre className="code code-wraps">{message}</pre>
            {panel && hasPermission('manage external panels') && (
              <Button icon="plus" label={t('attempts.addRejectionMessage')} onClick={() => setIsDialogOpen(true)} />
            )}
          </div>
        </Card>
      )}
      {isDialogOpen && message && panel && (
        <RejectionMessageDialog panel={panel} message={message} onClose={() => setIsDialogOpen(false)} />
      )}
    </>
  );
}

const REJECTION_MESSAGE_FORM = defineForm<Schemas['RejectionMessage']>()({
  message: multilineText,
  reason: choice(RejectionReason),
});

interface DialogProps {
  panel: { id: number; name: string };
  message: string;
  onClose: () => void;
}

function RejectionMessageDialog({ panel, message, onClose }: DialogProps) {
  const { t } = useTranslation();
  const reasonOptions = useReasonOptions();
  return (
    <FormDialog
      title={t('attempts.addRejectionMessage')}
      confirmLabel={t('externalPanels.rejections.add')}
      fields={[
        {
          name: 'message',
          label: t('attempts.panelMessage'),
          hint: t('externalPanels.rejections.hint'),
          maxLength: 500,
        },
        { name: 'reason', label: t('attempts.messageMeaning', { panel: panel.name }), options: reasonOptions },
      ]}
      note={<p className="form-row">{t('attempts.rejectionMessageNote')}</p>}
      initial={{ message, reason: '' }}
      spec={REJECTION_MESSAGE_FORM}
      send={({ values }, key) =>
        unwrap(
          api.POST(`${EXTERNAL_PANELS_PATH}/{id}/rejection-messages`, {
            params: { path: { id: panel.id } },
            body: REJECTION_MESSAGE_FORM.toBody(values),
            ...withIdempotencyKey(key),
          }),
        )
      }
      success={t('ui.saved')}
      invalidates={[['external-panels']]}
      onClose={onClose}
    />
  );
}
