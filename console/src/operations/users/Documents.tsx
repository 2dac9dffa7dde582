// The verification documents of a customer. The page loads an image only when a staff member opens it, because the server writes
// an audit entry for every access.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, get, type Schemas, unwrap } from '@/api/client';
import { DocumentGroup } from '@/api/enums';
import { asProblem } from '@/api/problem';
import { withIdempotencyKey } from '@/api/writeOptions';
import { enumCodec, imageCodec } from '@/form/codecs';
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

const DOCUMENT_FORM = defineForm<Schemas['VerificationDocumentInput']>()({
  group: enumCodec(DocumentGroup),
  picture: imageCodec,
});

export function Documents({ user }: { user: User }) {
  const { t } = useTranslation();
  const [isAdding, setIsAdding] = useState(false);
  const [shownDocument, setShownDocument] = useState<{ document: Document; url: string } | null>(null);
  const params = { path: { id: user.id } };
  const queryKey = ['users', 'documents', user.id];
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/users/{id}/verification-documents', { params }))).data,
  });
  // The browser keeps the image in memory until its object URL is revoked.
  useEffect(
    () => () => {
      if (shownDocument) URL.revokeObjectURL(shownDocument.url);
    },
    [shownDocument],
  );
  const { submit: loadDocument } = useSubmit({
    send: async (document: Document) => (await get(document.url, { accept: 'image/*' })).blob(),
    onDone: (imageFile, document) => setShownDocument({ document, url: URL.createObjectURL(imageFile) }),
    showProblemAs: 'toast',
  });
  return (
    <>
      <div className="record-actions">
        <span className="field-hint">{t('users.documents.auditHint')}</span>
        {user.actions.editable && (
          <Button icon="plus" label={t('users.documents.add')} onClick={() => setIsAdding(true)} />
        )}
      </div>
      {error && <ProblemBar problem={asProblem(error)} onRetry={() => void refetch()} />}
      <div className="record-grid">
        {data?.map(({ group, documents }) => (
          <Card key={group} title={t(`users.documents.${group}`)}>
            {documents.length === 0 && <p className="none">{t('users.documents.noDocuments')}</p>}
            {documents.length > 0 && (
              <ul className="plain-list">
                {documents.map((document) => (
                  <li key={document.id} className="record-actions">
                    <DateTime time={document.created_at} />
                    <Button
                      icon="eye"
                      label={t('users.documents.show')}
                      aria-label={`${t('users.documents.show')}: ${t(`users.documents.${group}`)} ${document.id}`}
                      onClick={() => void loadDocument(document)}
                    />
                  </li>
                ))}
              </ul>
            )}
          </Card>
        ))}
      </div>
      {isAdding && (
        <FormDialog
          title={t('users.documents.add')}
          confirmLabel={t('users.documents.add')}
          fields={[
            {
              name: 'group',
              label: t('users.documents.group'),
              options: DocumentGroup.map((value) => ({ value, label: t(`users.documents.${value}`) })),
            },
            { name: 'picture', label: t('users.documents.image') },
          ]}
          initialValues={{ group: 'id', picture: '' }}
          spec={DOCUMENT_FORM}
          send={({ values }, key) => {
            const request = { params, body: DOCUMENT_FORM.toBody(values), ...withIdempotencyKey(key) };
            return unwrap(api.POST('/api/v1/admin/users/{id}/verification-documents', request));
          }}
          invalidatedQueries={[queryKey]}
          onClose={() => setIsAdding(false)}
        />
      )}
      {shownDocument && (
        <Dialog
          title={t(`users.documents.${shownDocument.document.group}`)}
          isWide
          onClose={() => setShownDocument(null)}
        >
          <img
            className="document"
            src={shownDocument.url}
            alt={t(`users.documents.${shownDocument.document.group}`)}
          />
        </Dialog>
      )}
    </>
  );
}
