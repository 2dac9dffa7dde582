// The form fields that menu items and custom menu items share.
import type { TFunction } from 'i18next';
import type { FormField } from '@/form/FormDialog';

export function createItemFields(t: TFunction): FormField[] {
  return [
    {
      name: 'translations',
      label: t('menuPages.texts'),
      texts: [{ name: 'name', label: t('menuPages.columns.name'), maxLength: 100 }],
    },
    { name: 'url', label: t('menuPages.columns.url'), hint: t('menuPages.urlHint'), mode: 'url', maxLength: 2000 },
    { name: 'icon', label: t('menuPages.icon'), hint: t('menuPages.iconHint'), maxLength: 50 },
    { name: 'is_enabled', label: t('menuPages.isVisible') },
    { name: 'is_allowed_for_authorized', label: t('menuPages.columns.forSignedIn') },
    { name: 'is_allowed_for_guest', label: t('menuPages.columns.forGuests') },
    { name: 'is_blank', label: t('menuPages.columns.newTab') },
  ];
}
