// Makes a grade, or changes one: what is sent is what was changed.
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { keyed } from '@/api/how';
import { or } from '@/form/codec';
import { image, money, percent, quantity, texts, tick } from '@/form/codecs';
import { FormDialog, type FormField } from '@/form/FormDialog';
import { formOf } from '@/form/spec';
import { type Grade, PATH } from './declaration';

const GRADE = formOf<Schemas['GradeInput']>()({
  translations: texts,
  discount_percent: or(percent, '0'),
  spending_goal: or(money, '0'),
  thumbnail_period: or(quantity, 0),
  consultation_chat_period: or(quantity, 0),
  available_closed_sales: tick,
  available_personal_manager: tick,
  icon: image,
});
const PERIODS = ['thumbnail_period', 'consultation_chat_period'] as const;
const FLAGS = ['available_closed_sales', 'available_personal_manager'] as const;

/** A period of no days is shown as an empty field. */
const valuesOf = (grade: Grade) =>
  GRADE.valuesOf({
    ...grade,
    thumbnail_period: grade.thumbnail_period || null,
    consultation_chat_period: grade.consultation_chat_period || null,
  });

interface Props {
  grade: Grade | null;
  onClose: () => void;
  onSaved: (grade: Grade) => void;
}

export function GradeForm({ grade, onClose, onSaved }: Props) {
  const { t } = useTranslation();
  const fields: FormField[] = [
    {
      name: 'translations',
      label: t('grades.names'),
      texts: [{ name: 'name', label: t('grades.columns.name'), hint: t('grades.nameHint'), maxLength: 100 }],
    },
    { name: 'discount_percent', label: t('grades.discountPercent'), hint: t('grades.discountHint') },
    { name: 'spending_goal', label: t('grades.columns.goal'), hint: t('grades.goalHint') },
    ...PERIODS.map((name): FormField => ({ name, label: t(`grades.${name}`), hint: t('grades.periodHint') })),
    ...FLAGS.map((name): FormField => ({ name, label: t(`grades.${name}`) })),
    { name: 'icon', label: t('grades.icon') },
  ];
  return (
    <FormDialog
      title={grade ? t('grades.edit') : t('grades.create')}
      confirm={grade ? t('ui.save') : t('grades.create')}
      fields={fields}
      wide
      spec={GRADE}
      initial={grade ? valuesOf(grade) : { translations: '' }}
      reload={
        grade
          ? async () => valuesOf((await unwrap(api.GET(PATH, { params: { path: { id: grade.id } } }))).data)
          : undefined
      }
      send={({ values, base }, key) => {
        const body = grade ? GRADE.changesOf(values, base) : GRADE.newOf(values);
        return unwrap(
          grade
            ? api.PATCH(PATH, { params: { path: { id: grade.id } }, body })
            : api.POST('/api/v1/admin/grades', { body, ...keyed(key) }),
        );
      }}
      success={t('ui.saved')}
      onDone={({ data }) => onSaved(data)}
      onClose={onClose}
    />
  );
}
