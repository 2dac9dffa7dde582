// Verification documents of a customer. A picture is loaded when somebody wants to see it: every look is audited.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, get, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { asProblem } from '@/api/problem';
import { DocumentGroup } from '@/api/words';
import { choice, image } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Panel } from '@/ui/Facts';
import { ProblemBar } from '@/ui/Notice';
import { When } from '@/ui/When';

type User = Schemas['User'];
type Document = Schemas['VerificationDocument'];

const DOCUMENT = formOf<Schemas['VerificationDocumentInput']>()({ group: choice(DocumentGroup), picture: image });

export function Documents({ user }: { user: User }) {
  const { t } = useTranslation();
  const [adding, setAdding] = useState(false);
  const [shown, setShown] = useState<{ document: Document; url: string } | null>(null);
  const params = { path: { id: user.id } };
  const key = ['users', 'documents', user.id];
  const { data, error, refetch } = useQuery({
    queryKey: key,
    queryFn: async () => (await unwrap(api.GET('/api/v1/admin/users/{id}/verification-documents', { params }))).data,
  });
  // A picture is kept in memory only while it is looked at.
  useEffect(
    () => () => {
      if (shown) URL.revokeObjectURL(shown.url);
    },
    [shown],
  );
  const { submit: show } = useSubmit({
    send: async (document: Document) => (await get(document.url, { accept: 'image/*' })).blob(),
    onDone: (picture, document) => setShown({ document, url: URL.createObjectURL(picture) }),
    shows: 'toast',
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
          <Panel key={group} title={t(`users.documents.${group}`)}>
            {documents.length === 0 && <p className="none">{t('users.documents.none')}</p>}
            {documents.length > 0 && (
              <ul className="plain-list">
                {documents.map((document) => (
                  <li key={document.id} className="record-actions">
                    <When at={document.created_at} />
                    <Button
                      icon="eye"
                      label={t('users.documents.show')}
                      aria-label={`${t('users.documents.show')}: ${t(`users.documents.${group}`)} ${document.id}`}
                      onClick={() => void show(document)}
                    />
                  </li>
                ))}
              </ul>
            )}
          </Panel>
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
            const call = { params, body: DOCUMENT.wholeOf(values), ...keyed(key) };
            return unwrap(api.POST('/api/v1/admin/users/{id}/verification-documents', call));
          }}
          invalidates={[key]}
          onClose={() => setAdding(false)}
        />
      )}
      {shown && (
        <Dialog title={t(`users.documents.${shown.document.group}`)} wide onClose={() => setShown(null)}>
          <img className="document" src={shown.url} alt={t(`users.documents.${shown.document.group}`)} />
        </Dialog>
      )}
    </>
  );
}
