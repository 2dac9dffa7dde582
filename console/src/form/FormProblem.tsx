// The error bar of a form: it shows the errors that no field shows, and the buttons that resolve a conflict or a low price.
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/Button';
import { ProblemBar } from '@/ui/Notice';
import { problemForBar } from './problems';
import type { Form } from './useForm';

interface Props {
  form: Pick<Form<unknown>, 'problem' | 'loadLatest' | 'confirmPrice' | 'isPending'>;
  /** Whether the form shows the errors of a field at the field. */
  isShownAtField: (field: string) => boolean;
}

export function FormProblem({ form, isShownAtField }: Props) {
  const { t } = useTranslation();
  const { problem, loadLatest, confirmPrice, isPending } = form;
  const barProblem = problemForBar(problem, isShownAtField);
  return (
    <>
      {confirmPrice && <Button label={t('ui.confirmPrice')} busy={isPending} onClick={() => void confirmPrice()} />}
      {barProblem && (
        <ProblemBar problem={barProblem}>
          {loadLatest && (
            <Button label={t('ui.newer.load')} icon="refresh" busy={isPending} onClick={() => void loadLatest()} />
          )}
        </ProblemBar>
      )}
    </>
  );
}
