// The whole menu as a tree: put in order by dragging or by keys, each item edited beside it, new ones as drafts. Nothing is
// sent before "Save": then drafts are made, changed items changed, and the order written; what the server refuses of an item
// stands at that item.
import { useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, unwrap } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { DeclaredField } from '@/form/DeclaredField';
import { aliased, ENGLISH_NAME, NO_ERRORS } from '@/form/problems';
import { useSubmit } from '@/form/useSubmit';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { RecordPage } from '@/ui/Record';
import { SortableList } from '@/ui/SortableList';
import { useUnsaved } from '@/ui/unsaved';
import { MENU, type MenuItem, readMenu, useMenu } from './calls';
import { itemFields } from './fields';
import { MenuTabs } from './MenuTabs';
import {
  bodyOf,
  depthOf,
  type Entry,
  ITEM,
  indented,
  isChanged,
  moved,
  nameOf,
  orderOf,
  outdented,
  type Tree,
  treeOf,
  valuesOf,
} from './tree';

export default function MenuPage() {
  const { t } = useTranslation();
  return (
    <RecordPage query={useMenu()} list={{ href: '/', text: t('menu.home') }}>
      {(items) => <Editor key={items.map(({ id, updated_at }) => `${id} ${updated_at}`).join()} items={items} />}
    </RecordPage>
  );
}

function Editor({ items }: { items: readonly MenuItem[] }) {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const was = useMemo(() => treeOf(items), [items]);
  const [tree, setTree] = useState<Tree>(was);
  const [chosen, setChosen] = useState<number | null>(null);
  const isMoved = JSON.stringify(orderOf(tree)) !== JSON.stringify(orderOf(was));
  const isDirty = isMoved || tree.some(isChanged);
  const saving = useSubmit({
    send: async () => {
      const done = await saveAll(tree, isMoved || tree.some(({ was }) => !was));
      setTree(done.tree);
      if (!done.problem) return;
      const wrong = done.tree.find(({ errors }) => Object.keys(errors).length > 0);
      if (wrong) setChosen(wrong.id);
      throw done.problem;
    },
    success: t('ui.saved'),
    invalidates: [[MENU]],
    onDone: () => setChosen(null),
  });
  const { problem, isPending } = saving;
  useUnsaved(isDirty && !isPending);
  const entry = tree.find(({ id }) => id === chosen);
  const put = (id: number, change: Partial<Entry>) =>
    setTree((tree) => tree.map((one) => (one.id === id ? { ...one, ...change } : one)));
  const add = () => {
    const id = Math.min(0, ...tree.map(({ id }) => id)) - 1;
    setTree([...tree, { id, parent: null, was: null, values: valuesOf(null), errors: {} }]);
    setChosen(id);
  };
  const reload = async () => {
    queries.setQueryData([MENU, 'tree'], await readMenu());
    saving.forget();
  };
  const rows = tree.map((one) => ({ id: one.id, name: nameOf(one) || t('menuPages.unnamed'), entry: one }));
  return (
    <div className="editor">
      <h1 tabIndex={-1}>{t('menuPages.title')}</h1>
      <MenuTabs now="" />
      <p className="hint">{t('menuPages.hint')}</p>
      {problem && (
        <ProblemBar problem={problem}>
          {problem.status === 409 && <Button icon="refresh" label={t('ui.reload')} onClick={() => void reload()} />}
        </ProblemBar>
      )}
      <div className="menu-editor">
        <section className="card" aria-label={t('menuPages.order')}>
          <div className="card-head">
            <h2>{t('menuPages.order')}</h2>
            <Button icon="plus" label={t('menuPages.add')} onClick={add} />
          </div>
          {rows.length === 0 && <p className="hint">{t('menuPages.none')}</p>}
          <SortableList
            label={t('menuPages.order')}
            items={rows}
            chosen={chosen}
            onChoose={({ id }) => setChosen(id)}
            onMove={(from, to) => setTree(moved(tree, from, to))}
            more={({ entry }) => (
              <Row
                tree={tree}
                entry={entry}
                onTree={setTree}
                onDrop={() => setTree(tree.filter((one) => one !== entry))}
              />
            )}
          />
        </section>
        {entry && <Form key={entry.id} entry={entry} onChange={(change) => put(entry.id, change)} />}
      </div>
      <div className="editor-save">
        <Button
          label={t('services.discard')}
          disabled={!isDirty}
          onClick={() => {
            setTree(was);
            setChosen(null);
            saving.forget();
          }}
        />
        <Button
          look="filled"
          label={t('ui.save')}
          busy={isPending}
          disabled={!isDirty}
          onClick={() => void saving.submit()}
        />
      </div>
    </div>
  );
}

/** Sends item by item, then the order. What was sent is not sent again. */
async function saveAll(before: Tree, sorts: boolean): Promise<{ tree: Tree; problem: Problem | null }> {
  let tree = before;
  let problem: Problem | null = null;
  for (const entry of before.filter(isChanged)) {
    try {
      const body = bodyOf(entry);
      const { data } = entry.was
        ? await unwrap(
            api.PUT('/api/v1/admin/panel-menu-items/{id}', {
              params: { path: { id: entry.id } },
              body,
            }),
          )
        : await unwrap(api.POST('/api/v1/admin/panel-menu-items', { body }));
      tree = tree.map((one) => ({
        ...one,
        ...(one.id === entry.id ? { id: data.id, was: data, values: valuesOf(data), errors: {} } : {}),
        ...(one.parent === entry.id ? { parent: data.id } : {}),
      }));
    } catch (error) {
      problem = asProblem(error);
      const errors = problem.fields;
      tree = tree.map((one) => (one.id === entry.id ? { ...one, errors } : one));
    }
  }
  if (problem || !sorts) return { tree, problem };
  try {
    await unwrap(api.POST('/api/v1/admin/panel-menu-items/sort', { body: { menu_items: orderOf(tree) } }));
  } catch (error) {
    problem = asProblem(error);
  }
  return { tree, problem };
}

interface RowProps {
  tree: Tree;
  entry: Entry;
  onTree: (tree: Tree) => void;
  onDrop: () => void;
}

function Row({ tree, entry, onTree, onDrop }: RowProps) {
  const { t } = useTranslation();
  const name = nameOf(entry) || t('menuPages.unnamed');
  const [inside, outside] = [indented(tree, entry.id), outdented(tree, entry.id)];
  const isWrong = Object.keys(entry.errors).length > 0;
  return (
    <span className="menu-row" data-depth={depthOf(tree, entry)}>
      {isWrong && (
        <>
          <i className="pi pi-exclamation-circle field-error" aria-hidden />
          <span className="sr">{t('services.parts.wrong')}</span>
        </>
      )}
      {!isWrong && isChanged(entry) && <small>{t(entry.was ? 'menuPages.changed' : 'menuPages.draft')}</small>}
      {entry.values.is_enabled !== 'yes' && <small>{t('status.disabled')}</small>}
      <Button
        look="plain"
        iconOnly
        icon="angle-left"
        label={t('menuPages.outdent', { name })}
        disabled={!outside}
        onClick={() => outside && onTree(outside)}
      />
      <Button
        look="plain"
        iconOnly
        icon="angle-right"
        label={t('menuPages.indent', { name })}
        disabled={!inside}
        onClick={() => inside && onTree(inside)}
      />
      {!entry.was && (
        <Button look="plain" iconOnly icon="times" label={t('menuPages.drop', { name })} onClick={onDrop} />
      )}
    </span>
  );
}

const NO_CONFLICTS = {};

function Form({ entry, onChange }: { entry: Entry; onChange: (change: Partial<Entry>) => void }) {
  const { t } = useTranslation();
  const { errors } = entry;
  return (
    <section className="card form" aria-label={nameOf(entry) || t('menuPages.unnamed')}>
      {itemFields(t).map((field, at) => (
        <DeclaredField
          key={field.name}
          field={field}
          first={at === 0 && !entry.was}
          values={entry.values}
          errors={aliased(errors, ENGLISH_NAME)}
          conflicts={NO_CONFLICTS}
          spec={ITEM}
          onChange={(value) => onChange({ values: { ...entry.values, [field.name]: value }, errors: NO_ERRORS })}
        />
      ))}
    </section>
  );
}
