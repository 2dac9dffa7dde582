// The form of the bulk action that enables or disables settings of many services.
import { useTranslation } from 'react-i18next';
import type { FormProps } from '@/table/action';
import { Switches } from '../Switches';
import type { ServiceRow } from './calls';
import { type ServiceSwitches, SWITCHES } from './fields';

export function SwitchesForm(props: FormProps<ServiceRow, ServiceSwitches>) {
  const { t } = useTranslation();
  const switches = SWITCHES.map((name) => ({ name, label: t(`services.fields.${name}`) }));
  return (
    <div className="switches">
      <Switches {...props} switches={switches} />
    </div>
  );
}
