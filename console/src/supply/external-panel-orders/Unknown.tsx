// The words by which a panel left open whether it took an order, and telling the panel that they mean that it did not.
// That counts for later answers only: this attempt stays unknown until a person resolves it.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { RejectionReason } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { choice, long } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useHasPermission } from '@/session/hooks';
import { PATH } from '@/supply/external-panels/declaration';
import { useReasons } from '@/supply/external-panels/RejectionLines';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import type { Row } from './declaration';

export function Unknown({ row }: { row: Row }) {
  const { t } = useTranslation();
  const may = useHasPermission();
  const [adding, setAdding] = useState(false);
  const { unknown_message: message, external_panel: panel } = row;
  return (
    <>
      {row.is_unknown && <p className="field-error">{t('attempts.unknown')}</p>}
      {message && (
        <Card title={t('attempts.words')}>
          <div className="card-stack">
            <pre className="code code-wraps">{message}</pre>
            {panel && may('manage external panels') && (
              <Button icon="plus" label={t('attempts.meansNotTaken')} onClick={() => setAdding(true)} />
            )}
          </div>
        </Card>
      )}
      {adding && message && panel && <AddMessage panel={panel} message={message} onClose={() => setAdding(false)} />}
    </>
  );
}

const MESSAGE = defineForm<Schemas['RejectionMessage']>()({ message: long, reason: choice(RejectionReason) });

interface Props {
  panel: { id: number; name: string };
  message: string;
  onClose: () => void;
}

function AddMessage({ panel, message, onClose }: Props) {
  const { t } = useTranslation();
  const reasons = useReasons();
  return (
    <FormDialog
      title={t('attempts.meansNotTaken')}
      confirm={t('externalPanels.rejections.add')}
      fields={[
        {
          name: 'message',
          label: t('attempts.words'),
          hint: t('externalPanels.rejections.hint'),
          maxLength: 500,
        },
        { name: 'reason', label: t('attempts.means', { panel: panel.name }), options: reasons },
      ]}
      note={<p className="form-row">{t('attempts.fromNowOn')}</p>}
      initial={{ message, reason: '' }}
      spec={MESSAGE}
      send={({ values }, key) =>
        unwrap(
          api.POST(`${PATH}/{id}/rejection-messages`, {
            params: { path: { id: panel.id } },
            body: MESSAGE.toBody(values),
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
