// Makes a grade, or changes one: what is sent is what was changed.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, told } from '@/api/client';
import { FormDialog, type FormField } from '@/ui/FormDialog';
import { fractionOf, percentOf } from '@/ui/fraction';
import { toast } from '@/ui/toasts';
import type { Values } from '@/ui/useForm';
import { type Grade, PATH } from './declaration';

const PERIODS = ['thumbnail_period', 'consultation_chat_period'] as const;
const FLAGS = ['available_closed_sales', 'available_personal_manager'] as const;

function before(grade: Grade | null): Values {
  if (!grade) return { translations: '' };
  return {
    updated_at: grade.updated_at,
    translations: JSON.stringify(grade.translations),
    icon: grade.icon ?? '',
    discount_percent: percentOf(grade.discount_percent),
    spending_goal: grade.spending_goal,
    ...Object.fromEntries(PERIODS.map((name) => [name, grade[name] ? String(grade[name]) : ''])),
    ...Object.fromEntries(FLAGS.map((name) => [name, grade[name] ? 'yes' : ''])),
  };
}

/** A field as the wire has it. */
function sent(name: string, value: string): unknown {
  if (name === 'translations') return JSON.parse(value || '{}');
  if (name === 'icon') return value || null;
  if (name === 'discount_percent') return fractionOf(value) || '0';
  if (name === 'spending_goal') return value.replace(/\s/g, '').replace(',', '.') || '0';
  if ((PERIODS as readonly string[]).includes(name)) return value.trim() ? Number(value) : 0;
  if ((FLAGS as readonly string[]).includes(name)) return value === 'yes';
  return value;
}

function changed(was: Values, now: Values): Schemas['GradeInput'] {
  const differs = Object.entries(now).filter(([name, value]) => name === 'updated_at' || value !== (was[name] ?? ''));
  return Object.fromEntries(differs.map(([name, value]) => [name, sent(name, value)]));
}

interface Props {
  grade: Grade | null;
  onClose: () => void;
  onSaved: (grade: Grade) => void;
}

export function GradeForm({ grade, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const [key] = useState(() => crypto.randomUUID());
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('grades.names'),
      mode: 'texts',
      texts: [{ name: 'name', label: t('grades.columns.name'), hint: t('grades.nameHint'), maxLength: 100 }],
    },
    { name: 'discount_percent', label: t('grades.discountPercent'), mode: 'decimal', hint: t('grades.discountHint') },
    { name: 'spending_goal', label: t('grades.columns.goal'), mode: 'decimal', hint: t('grades.goalHint') },
    ...PERIODS.map(
      (name): FormField => ({ name, label: t(`grades.${name}`), mode: 'numeric', hint: t('grades.periodHint') }),
    ),
    ...FLAGS.map((name): FormField => ({ name, label: t(`grades.${name}`), mode: 'tick' })),
    { name: 'icon', label: t('grades.icon'), mode: 'image' },
  ];
  return (
    <FormDialog
      title={grade ? t('grades.edit') : t('grades.create')}
      confirm={grade ? t('ui.save') : t('grades.create')}
      fields={fields}
      wide
      initial={before(grade)}
      reload={
        grade ? async () => before((await told(api.GET(PATH, { params: { path: { id: grade.id } } }))).data) : undefined
      }
      onClose={onClose}
      onSave={async (values, was) => {
        const body = changed(was, values);
        const { data } = await told(
          grade
            ? api.PATCH(PATH, { params: { path: { id: grade.id } }, body })
            : api.POST('/api/v1/admin/grades', { body, headers: { 'Idempotency-Key': key } }),
        );
        toast({ tone: 'success', text: t('ui.saved') });
        onSaved(data);
      }}
    />
  );
}
