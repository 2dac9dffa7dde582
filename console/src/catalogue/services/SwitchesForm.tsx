// The form of the bulk action that enables or disables settings of many services.
import { useTranslation } from 'react-i18next';
import type { FormProps } from '@/table/action';
import { Switches } from '../Switches';
import { type ServiceSwitches, SWITCH_FIELDS } from './fields';
import type { ServiceRow } from './requests';

export function SwitchesForm(props: FormProps<ServiceRow, ServiceSwitches>) {
  const { t } = useTranslation();
  const switches = SWITCH_FIELDS.map((name) => ({ name, label: t(`services.fields.${name}`) }));
  return (
    <div className="switches">
      <Switches {...props} switches={switches} />
    </div>
  );
}
