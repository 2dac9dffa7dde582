// Every form of the console with sample records, for tests of behavior that all forms have in common.
import type { ReactNode } from 'react';
import { LabelForm } from '@/catalogue/labels/LabelForm';
import { NetworkForm, ServiceTypeForm } from '@/catalogue/networks/forms';
import { BuyForm } from '@/catalogue/packages/BuyForm';
import PackagePage, { NewPackage } from '@/catalogue/packages/Editor';
import ServicePage, { NewService } from '@/catalogue/services/Editor';
import CheckerGroups from '@/catalogue/targets/CheckerGroups';
import { TargetForm } from '@/catalogue/targets/TargetForm';
import CustomPage from '@/configuration/menu/Custom';
import Pages from '@/configuration/menu/Pages';
import { WebhookForm } from '@/configuration/webhooks/WebhookForm';
import BannerPage from '@/marketing/banners/Editor';
import { CouponForm } from '@/marketing/coupons/CouponForm';
import { DiscountForm } from '@/marketing/discounts/DiscountForm';
import { AddServices } from '@/marketing/offers/AddServices';
import { OfferForm } from '@/marketing/offers/OfferForm';
import { WidgetForm } from '@/marketing/widgets/WidgetForm';
import { QuestForm } from '@/operations/free-trials/QuestForm';
import { GradeForm } from '@/operations/grades/GradeForm';
import { EditButtons } from '@/operations/orders/EditButtons';
import { PlaceForm } from '@/operations/orders/PlaceForm';
import { ProviderStatisticsForm } from '@/operations/orders/ProviderStatisticsForm';
import { Refills } from '@/operations/orders/Refills';
import Bonuses from '@/operations/payment-methods/Bonuses';
import { MethodForm } from '@/operations/payment-methods/MethodForm';
import { ManualPayment } from '@/operations/payments/ManualPayment';
import { GrantsForm, MemberForm, NewMemberForm, RoleForm } from '@/operations/staff/forms';
import { Access } from '@/operations/users/Access';
import { Affiliates } from '@/operations/users/Affiliates';
import { Documents } from '@/operations/users/Documents';
import { DiscountForm as OwnDiscountForm, ProfileForm, SellerForm } from '@/operations/users/forms';
import { Loyalty } from '@/operations/users/Loyalty';
import { BulkPricesForm, PriceForm } from '@/operations/users/priceForms';
import { DetailsForm } from '@/profile/DetailsForm';
import { Billing } from '@/supply/external-panels/Billing';
import { ConnectDialog } from '@/supply/external-panels/ConnectDialog';
import { PanelForm } from '@/supply/external-panels/PanelForm';
import { PanelImportRule } from '@/supply/imports/RuleForm';
import { ProviderForm } from '@/supply/providers/ProviderForm';
import { sample } from './sample';

const DONE = { onClose: () => undefined, onDone: () => undefined };
const SAVED = { onClose: () => undefined, onSaved: () => undefined };
const CHANGED = { onClose: () => undefined, onChanged: () => undefined };
const FOUND = { endpoint: 'https://panel.test/api/v2', api_token: 'secret', currency: 'EUR', balance: '7' };
const user = sample('User');
const order = sample('Order');
const none = null;

/** Forms by name, with the name of the button that opens the form, if it is not open initially. */
export const FORMS: readonly (readonly [name: string, render: () => ReactNode, open?: string | RegExp])[] = [
  ['a new coupon', () => <CouponForm id={null} {...SAVED} />],
  ['a coupon', () => <CouponForm id={7} {...SAVED} />],
  ['a new widget', () => <WidgetForm id={null} {...SAVED} />],
  ['a widget', () => <WidgetForm id={7} {...SAVED} />],
  ['a new offer', () => <OfferForm id={null} {...SAVED} />],
  ['an offer', () => <OfferForm id={7} {...SAVED} />],
  ['a new discount', () => <DiscountForm id={null} {...SAVED} />],
  ['a discount', () => <DiscountForm id={7} {...SAVED} />],
  ['promoted services', () => <AddServices {...DONE} />],
  ['a banner', () => <BannerPage params={{ place: sample('BannerPlaceSizes').place }} />],
  ['a new quest', () => <QuestForm quest={null} {...SAVED} />],
  ['a quest', () => <QuestForm quest={sample('FreeTrialQuest')} {...SAVED} />],
  ['a new grade', () => <GradeForm grade={null} {...SAVED} />],
  ['a grade', () => <GradeForm grade={sample('Grade')} {...SAVED} />],
  ['a new method', () => <MethodForm method={null} {...CHANGED} />],
  ['a method', () => <MethodForm method={sample('PaymentMethod')} {...CHANGED} />],
  ['a bonus', () => <Bonuses params={{ id: '7' }} />, /^Edit the bonus/],
  ['a new bonus', () => <Bonuses params={{ id: '7' }} />, 'New bonus'],
  ['a manual payment', () => <ManualPayment {...DONE} />],
  ['a profile', () => <ProfileForm user={user} {...CHANGED} />],
  ['a manager', () => <SellerForm user={user} {...CHANGED} />],
  ['an own discount', () => <OwnDiscountForm user={user} discount={sample('UserDiscount')} {...CHANGED} />],
  ['a new price', () => <PriceForm user={user} current={null} {...CHANGED} />],
  ['a price', () => <PriceForm user={user} current={sample('UserService')} {...CHANGED} />],
  ['many prices', () => <BulkPricesForm user={user} {...CHANGED} />],
  ['a grade of a user', () => <Loyalty user={user} />, 'Change grade'],
  ['an affiliate', () => <Affiliates user={user} />, /^Add/],
  ['a document', () => <Documents user={user} />, /^Add/],
  ['payment methods of a user', () => <Access user={user} />, /^Choose/],
  ['a new member', () => <NewMemberForm {...DONE} />],
  ['a member', () => <MemberForm member={sample('StaffRow')} {...DONE} />],
  ['grants', () => <GrantsForm user={sample('StaffRow')} read={async () => sample('StaffRow')} {...DONE} />],
  ['a new role', () => <RoleForm role={none} {...DONE} />],
  ['a role', () => <RoleForm role={sample('Role')} {...DONE} />],
  ['an order', () => <PlaceForm {...DONE} />],
  ['what providers did', () => <ProviderStatisticsForm order={order} onClose={() => undefined} />],
  ['an address of an order', () => <EditButtons order={order} onChanged={() => undefined} />, 'Edit link'],
  ['a comment of an order', () => <EditButtons order={order} onChanged={() => undefined} />, 'Edit comment'],
  ['a refill', () => <Refills order={{ ...order, status: 'completed' }} />, 'Request refill'],
  ['refill parameters', () => <Refills order={order} />, 'Auto-refill parameters'],
  ['a bought package', () => <BuyForm pkg={sample('Package')} {...DONE} />],
  ['a new network', () => <NetworkForm network={null} onClose={() => undefined} />],
  ['a network', () => <NetworkForm network={sample('Network')} onClose={() => undefined} />],
  ['a new service type', () => <ServiceTypeForm id={null} network={7} onClose={() => undefined} />],
  ['a service type', () => <ServiceTypeForm id={7} network={7} onClose={() => undefined} />],
  ['a new target', () => <TargetForm id={null} {...DONE} />],
  ['a target', () => <TargetForm id={7} {...DONE} />],
  ['a new check', () => <CheckerGroups />, 'New group'],
  ['a check', () => <CheckerGroups />, 'name'],
  ['a new label', () => <LabelForm label={null} {...DONE} />],
  ['a label', () => <LabelForm label={{ ...sample('LabelRow'), is_custom_comments: false }} {...DONE} />],
  ['a new package', () => <NewPackage />],
  ['a package', () => <PackagePage params={{ id: '7' }} />],
  ['a new service', () => <NewService />],
  ['a service', () => <ServicePage params={{ id: '7' }} />],
  ['a new menu item', () => <CustomPage />, 'New item'],
  ['a menu item', () => <CustomPage />, /^Edit/],
  ['a new page', () => <Pages />, 'New page'],
  ['a new webhook', () => <WebhookForm webhook={null} {...SAVED} />],
  ['a webhook', () => <WebhookForm webhook={sample('Webhook')} {...SAVED} />],
  ['a panel that was found', () => <PanelForm panel={null} found={{ ...FOUND, type: 'socpanel' }} {...SAVED} />],
  ['a panel', () => <PanelForm panel={sample('ExternalPanel')} {...SAVED} />],
  ['a payment to a panel', () => <Billing panel={sample('ExternalPanel')} />, 'New payment'],
  ['where a panel is', () => <ConnectDialog {...SAVED} />],
  ['a new provider', () => <ProviderForm provider={null} {...SAVED} />],
  ['a provider', () => <ProviderForm provider={sample('Provider')} {...SAVED} />],
  ['an import rule', () => <PanelImportRule id={7} />],
  ['own details', () => <DetailsForm />],
];
