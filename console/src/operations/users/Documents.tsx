// The verification documents of a customer. The page loads a picture only when a staff member opens it, because the server
// audits every access.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, get, type Schemas, unwrap } from '@/api/client';
import { asProblem } from '@/api/problem';
import { DocumentGroup } from '@/api/words';
import { withIdempotencyKey } from '@/api/writeOptions';
import { choice, image } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { defineForm } from '@/form/spec';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { DateTime } from '@/ui/DateTime';
import { Dialog } from '@/ui/Dialog';
import { ProblemBar } from '@/ui/Notice';

type User = Schemas['User'];
type Document = Schemas['VerificationDocument'];

const DOCUMENT = defineForm<Schemas['VerificationDocumentInput']>()({ group: choice(DocumentGroup), picture: image });

export function Documents({ user }: { user: User }) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState(false);
  const [opened, setOpened] = useState<{ document: Document; url: string } | null>(null);
  const params = { path: { id: user.id } };
  const key = ['users', 'documents', user.id];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/users/{id}/verification-documents', { params }))).data,
  });
  // The browser keeps the picture in memory until its object URL is revoked.
  useEffect(
    () => () => {
      if (opened) URL.revokeObjectURL(opened.url);
    },
    [opened],
  );
  const { submit: open } = useSubmit({
    send: async (document: Document) => (await get(document.url, { accept: 'image/*' })).blob(),
    onDone: (picture, document) => setOpened({ document, url: URL.createObjectURL(picture) }),
    showProblemAs: 'toast',
  });
  return (
    <>
      <div className="record-actions">
        <span className="field-hint">{t('users.documents.audited')}</span>
        {user.actions.editable && (
          <Button icon="plus" label={t('users.documents.add')} onClick={() => setAdding(true)} />
        )}
      </div>
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      <div className="record-grid">
        {data?.map(({ group, documents }) => (
          <Card key={group} title={t(`users.documents.${group}`)}>
            {documents.length === 0 && <p className="none">{t('users.documents.none')}</p>}
            {documents.length > 0 && (
              <ul className="plain-list">
                {documents.map((document) => (
                  <li key={document.id} className="record-actions">
                    <DateTime at={document.created_at} />
                    <Button
                      icon="eye"
                      label={t('users.documents.show')}
                      aria-label={`${t('users.documents.show')}: ${t(`users.documents.${group}`)} ${document.id}`}
                      onClick={() => void open(document)}
                    />
                  </li>
                ))}
              </ul>
            )}
          </Card>
        ))}
      </div>
      {adding && (
        <FormDialog
          title={t('users.documents.add')}
          confirm={t('users.documents.add')}
          fields={[
            {
              name: 'group',
              label: t('users.documents.group'),
              options: DocumentGroup.map((value) => ({ value, label: t(`users.documents.${value}`) })),
            },
            { name: 'picture', label: t('users.documents.picture') },
          ]}
          initial={{ group: 'id', picture: '' }}
          spec={DOCUMENT}
          send={({ values }, key) => {
            const call = { params, body: DOCUMENT.toBody(values), ...withIdempotencyKey(key) };
            return unwrap(api.POST('/api/v1/admin/users/{id}/verification-documents', call));
          }}
          invalidates={[key]}
          onClose={() => setAdding(false)}
        />
      )}
      {opened && (
        <Dialog title={t(`users.documents.${opened.document.group}`)} wide onClose={() => setOpened(null)}>
          <img className="document" src={opened.url} alt={t(`users.documents.${opened.document.group}`)} />
        </Dialog>
      )}
    </>
  );
}
