// Generated from openapi.json by `npm run openapi`. Do not edit.
import type { Schemas } from './client';

/** The enumerations whose values appear in columns of lists. */
export type EnumName =
  | 'Approval'
  | 'BalanceType'
  | 'BillingType'
  | 'BonusCalculation'
  | 'CancelRequestCause'
  | 'CancelRequestStatus'
  | 'ChangeAction'
  | 'ChangeModel'
  | 'ChargeType'
  | 'ComboStatus'
  | 'CouponBonusType'
  | 'CouponPaymentType'
  | 'DeliveryStatus'
  | 'EventType'
  | 'ExternalStatus'
  | 'FreeTrialStatus'
  | 'InvoiceStatus'
  | 'JobStatus'
  | 'MenuItemStatus'
  | 'OfferPlace'
  | 'OfferPosition'
  | 'OfferStatus'
  | 'OrderSource'
  | 'OrderStatus'
  | 'PackageType'
  | 'PageStatus'
  | 'PanelServiceRejection'
  | 'PanelServiceType'
  | 'PanelStatus'
  | 'PanelType'
  | 'PaymentMethodStatus'
  | 'PaymentMethodType'
  | 'PaymentStrategy'
  | 'PaymentType'
  | 'Poller'
  | 'PromotionStatus'
  | 'ProviderStatus'
  | 'ProviderType'
  | 'QuarantineStatus'
  | 'RecurringOrderStatus'
  | 'ServiceTypeKind'
  | 'StatisticType'
  | 'SyncField'
  | 'SyncState'
  | 'TargetName'
  | 'TransactionType'
  | 'UserStatus'
  | 'ViewType'
  | 'WebhookStatus'
  | 'WithdrawalStatus';

export const Approval = ['pending', 'approved', 'rejected'] as const satisfies readonly Schemas['Approval'][];

export const BalanceType = ['main', 'task', 'referral'] as const satisfies readonly Schemas['BalanceType'][];

export const BannerPlace = ['dashboard_header', 'dashboard_tile', 'orders_header', 'order_header', 'drip_feed_header', 'subscription_header', 'services_header', 'services_footer', 'profile_header', 'tasks_header', 'create_order_header', 'sidebar', 'services_main', 'services_long', 'services_little_left', 'services_little_right', 'combo_orders_header', 'payments_header', 'affiliates_header'] as const satisfies readonly Schemas['BannerPlace'][];

export const BannerType = ['none', 'slider', 'content'] as const satisfies readonly Schemas['BannerType'][];

export const BillingType = ['prepaid', 'per_content', 'recurring'] as const satisfies readonly Schemas['BillingType'][];

export const BonusCalculation = ['percent', 'fixed'] as const satisfies readonly Schemas['BonusCalculation'][];

export const CancelReason = ['customer_request', 'wrong_link', 'private_account', 'duplicate', 'provider_failure', 'service_unavailable', 'rules_violation', 'other'] as const satisfies readonly Schemas['CancelReason'][];

export const CancelRequestCause = ['provider_rejected', 'not_supported', 'no_answer', 'not_ended', 'by_hand'] as const satisfies readonly Schemas['CancelRequestCause'][];

export const CancelRequestStatus = ['requested', 'sent', 'confirmed', 'rejected', 'expired'] as const satisfies readonly Schemas['CancelRequestStatus'][];

export const CaptchaProvider = ['recaptcha', 'hcaptcha', 'turnstile'] as const satisfies readonly Schemas['CaptchaProvider'][];

export const ChangeAction = ['created', 'updated', 'archived', 'unarchived', 'enabled', 'disabled', 'deleted', 'sorted', 'completed', 'copied', 'imported'] as const satisfies readonly Schemas['ChangeAction'][];

export const ChangeModel = ['service', 'service_type', 'network', 'package', 'provider', 'external_panel', 'coupon', 'discount', 'menu_item', 'page', 'special_offer', 'banner', 'label', 'target', 'auto_promotion', 'promotable_checker_group', 'grade', 'quest'] as const satisfies readonly Schemas['ChangeModel'][];

export const ChargeType = ['on_top', 'deducted'] as const satisfies readonly Schemas['ChargeType'][];

export const ComboStatus = ['in_moderation', 'in_processing', 'completed', 'canceled'] as const satisfies readonly Schemas['ComboStatus'][];

export const ContactStep = ['not_contacted', 'first_message', 'second_message', 'call', 'offer', 'agreed', 'rejected'] as const satisfies readonly Schemas['ContactStep'][];

export const ContentStatus = ['found', 'placed', 'skipped'] as const satisfies readonly Schemas['ContentStatus'][];

export const CountSource = ['counter', 'panel'] as const satisfies readonly Schemas['CountSource'][];

export const CouponBonusType = ['balance', 'discount'] as const satisfies readonly Schemas['CouponBonusType'][];

export const CouponGrouping = ['date', 'coupon'] as const satisfies readonly Schemas['CouponGrouping'][];

export const CouponPaymentType = ['deposit', 'order'] as const satisfies readonly Schemas['CouponPaymentType'][];

export const CouponSort = ['name', 'date', 'received', 'spent', 'usages'] as const satisfies readonly Schemas['CouponSort'][];

export const DeliveryStatus = ['pending', 'delivered', 'failed'] as const satisfies readonly Schemas['DeliveryStatus'][];

export const DescriptionLocation = ['header', 'footer'] as const satisfies readonly Schemas['DescriptionLocation'][];

export const DiscountType = ['orders', 'packages', 'all'] as const satisfies readonly Schemas['DiscountType'][];

export const DocumentGroup = ['card', 'id', 'selfie', 'additional_photo'] as const satisfies readonly Schemas['DocumentGroup'][];

export const ErasureTreatment = ['removed', 'overwritten', 'kept'] as const satisfies readonly Schemas['ErasureTreatment'][];

export const EventType = ['order.created', 'order.status_changed', 'order.completed', 'order.canceled', 'payment.created', 'withdrawal.created', 'withdrawal.status_changed', 'user.created', 'user.updated', 'user.status_changed', 'webhook.test'] as const satisfies readonly Schemas['EventType'][];

export const ExternalStatus = ['Creating', 'Pending', 'In progress', 'Processing', 'Completed', 'Partial', 'Canceled'] as const satisfies readonly Schemas['ExternalStatus'][];

export const FreeTrialStatus = ['pending', 'approved', 'rejected'] as const satisfies readonly Schemas['FreeTrialStatus'][];

export const HoldKind = ['withdrawal', 'drip_feed', 'subscription'] as const satisfies readonly Schemas['HoldKind'][];

export const InvoiceStatus = ['pending', 'paid', 'canceled'] as const satisfies readonly Schemas['InvoiceStatus'][];

export const JobStatus = ['waiting', 'running', 'done', 'given_up'] as const satisfies readonly Schemas['JobStatus'][];

export const LocaleCode = ['en', 'ru', 'es', 'fr', 'de', 'hi_IN', 'ko', 'pt_BR', 'tr', 'zh_CN', 'ja', 'vi'] as const satisfies readonly Schemas['LocaleCode'][];

export const MenuItemStatus = ['active', 'disabled', 'archived'] as const satisfies readonly Schemas['MenuItemStatus'][];

export const NotificationAudience = ['admin', 'support'] as const satisfies readonly Schemas['NotificationAudience'][];

export const NotificationKind = ['order_in_moderation', 'withdrawal_requested', 'withdrawal_paid', 'invoice_paid', 'free_trial_requested', 'verification_document_added', 'order_without_provider', 'external_panel_balance_low', 'subscription_feed_failing', 'subscription_paused', 'order_attempt_unknown', 'cancel_request_waiting', 'backup_overdue'] as const satisfies readonly Schemas['NotificationKind'][];

export const OfferPlace = ['home_page', 'dashboard', 'services', 'create_order', 'orders'] as const satisfies readonly Schemas['OfferPlace'][];

export const OfferPosition = ['top', 'middle', 'bottom', 'first', 'second', 'third', 'fourth'] as const satisfies readonly Schemas['OfferPosition'][];

export const OfferStatus = ['active', 'disabled', 'archived'] as const satisfies readonly Schemas['OfferStatus'][];

export const OrderSource = ['api', 'cabinet', 'order_widget', 'socpanel', 'perfect_panel_api', 'subscription', 'order_widget_multiple', 'buy_page', 'single_form', 'drip_feed', 'free_trial', 'package', 'order_widget_step_by_step', 'order_widget_mini'] as const satisfies readonly Schemas['OrderSource'][];

export const OrderStatus = ['in_processing', 'in_moderation', 'completed', 'stopped', 'canceled', 'unpaid'] as const satisfies readonly Schemas['OrderStatus'][];

export const PackageType = ['auto', 'manual'] as const satisfies readonly Schemas['PackageType'][];

export const PageStatus = ['active', 'archived'] as const satisfies readonly Schemas['PageStatus'][];

export const PanelParameter = ['comments', 'username', 'usernames', 'hashtag', 'hashtags', 'media', 'answer_number', 'groups', 'keywords', 'country', 'device', 'type_of_traffic', 'google_keyword', 'referring_url', 'language'] as const satisfies readonly Schemas['PanelParameter'][];

export const PanelServiceRejection = ['unknown_type', 'not_sold', 'unknown_parameter'] as const satisfies readonly Schemas['PanelServiceRejection'][];

export const PanelServiceType = ['Default', 'Package', 'Custom Comments', 'Custom Comments Package', 'Comment Likes', 'Comment Replies', 'Mentions', 'Mentions with Hashtags', 'Mentions Custom List', 'Mentions Hashtag', 'Mentions User Followers', 'Mentions Media Likers', 'Poll', 'Invites from Groups', 'SEO', 'Web Traffic', 'Subscriptions'] as const satisfies readonly Schemas['PanelServiceType'][];

export const PanelStatus = ['active', 'error', 'disabled', 'archived'] as const satisfies readonly Schemas['PanelStatus'][];

export const PanelType = ['perfect_panel', 'socpanel'] as const satisfies readonly Schemas['PanelType'][];

export const PasswordLinkPurpose = ['password_reset', 'invitation'] as const satisfies readonly Schemas['PasswordLinkPurpose'][];

export const PaymentMethodStatus = ['active', 'disabled'] as const satisfies readonly Schemas['PaymentMethodStatus'][];

export const PaymentMethodType = ['card', 'bank', 'crypto', 'paypal', 'wallet', 'cash', 'other'] as const satisfies readonly Schemas['PaymentMethodType'][];

export const PaymentStrategy = ['manual', 'gateway'] as const satisfies readonly Schemas['PaymentStrategy'][];

export const PaymentType = ['deposit', 'order', 'refund', 'bonus', 'manual', 'withdrawal', 'referral', 'task'] as const satisfies readonly Schemas['PaymentType'][];

export const Permission = ['view users', 'freeze users', 'deactivate users', 'activate users', 'manage users', 'manage grades for user', 'view orders', 'manage orders', 'write auto refill params', 'manage free trials', 'view finances', 'manage finances', 'view invoices', 'manage invoices', 'view withdrawals', 'manage withdrawals', 'approve withdrawal requests', 'mark as paid withdrawal requests', 'manage payment methods', 'view payment methods', 'view referral statistics', 'view services', 'manage services and providers', 'manage service types', 'manage packages', 'manage targets', 'view change logs', 'manage external panels', 'manage external panel orders', 'manage coupons', 'manage discounts', 'manage order widgets', 'manage grades', 'view grades', 'manage webhooks', 'manage panel settings', 'manage staff', 'view audits', 'use site api', 'manage api keys', 'manage personal data'] as const satisfies readonly Schemas['Permission'][];

export const Poller = ['mail', 'sync', 'telegram', 'webhook', 'subscription_poll', 'subscription_expiry', 'content', 'drip_feed', 'order', 'external_order', 'refill', 'cancel_request', 'counter', 'balance'] as const satisfies readonly Schemas['Poller'][];

export const PromotionStatus = ['active', 'scheduled', 'completed', 'disabled', 'archived'] as const satisfies readonly Schemas['PromotionStatus'][];

export const ProviderStatus = ['active', 'disabled', 'error', 'archived'] as const satisfies readonly Schemas['ProviderStatus'][];

export const ProviderType = ['external_panel', 'manual'] as const satisfies readonly Schemas['ProviderType'][];

export const QuarantineStatus = ['suspected', 'trying', 'quarantined'] as const satisfies readonly Schemas['QuarantineStatus'][];

export const RecurringOrderStatus = ['in_processing', 'completed', 'canceled'] as const satisfies readonly Schemas['RecurringOrderStatus'][];

export const RejectionReason = ['invalid_key', 'account_suspended', 'insufficient_funds', 'duplicate_link', 'quantity_below', 'quantity_above', 'unknown_service', 'service_disabled', 'invalid_link', 'invalid_request', 'too_many_calls'] as const satisfies readonly Schemas['RejectionReason'][];

export const SecondFactorMethod = ['totp', 'passkey', 'recovery_code'] as const satisfies readonly Schemas['SecondFactorMethod'][];

export const SellerStatus = ['new', 'in_progress', 'paid', 'cancel'] as const satisfies readonly Schemas['SellerStatus'][];

export const ServiceTypeKind = ['Youtube', 'Instagram', 'Tiktok', 'Facebook', 'Twitter', 'Telegram', 'Spotify', 'Soundcloud', 'Twitch', 'Discord', 'Linkedin', 'Pinterest', 'Reddit', 'Threads', 'Vk', 'Website', 'Other'] as const satisfies readonly Schemas['ServiceTypeKind'][];

export const SettingGroup = ['brand', 'colors', 'currencies', 'finances', 'orders', 'customers', 'navigation', 'banners', 'pages', 'security', 'integrations', 'instance'] as const satisfies readonly Schemas['SettingGroup'][];

export const SettingKind = ['flag', 'text', 'long_text', 'html', 'email', 'url', 'url_template', 'integer', 'money', 'fraction', 'enum', 'currency', 'color', 'image', 'secret', 'exchange_rates', 'meta_tags', 'ids', 'id', 'read_only'] as const satisfies readonly Schemas['SettingKind'][];

export const StatisticType = ['remains', 'charge'] as const satisfies readonly Schemas['StatisticType'][];

export const SupplyReportGrouping = ['provider', 'service', 'panel'] as const satisfies readonly Schemas['SupplyReportGrouping'][];

export const SyncField = ['source_price', 'default_price', 'min_price', 'name', 'min_quantity', 'max_quantity', 'quantity_step', 'own_prices', 'has_refill', 'drip_feed_is_allowed', 'description', 'short_description', 'meta_title', 'meta_description', 'reviews', 'labels', 'is_deactivated', 'availability'] as const satisfies readonly Schemas['SyncField'][];

export const SyncState = ['applied', 'held', 'accepted', 'rejected', 'outdated'] as const satisfies readonly Schemas['SyncState'][];

export const TargetAttachmentType = ['required', 'optional', 'fixed'] as const satisfies readonly Schemas['TargetAttachmentType'][];

export const TargetName = ['geotargeting', 'comment', 'keyword', 'seo_keyword', 'language'] as const satisfies readonly Schemas['TargetName'][];

export const TransactionType = ['income', 'outcome'] as const satisfies readonly Schemas['TransactionType'][];

export const UserStatus = ['active', 'frozen', 'deactivated'] as const satisfies readonly Schemas['UserStatus'][];

export const ViewType = ['float_input', 'input', 'multiselect', 'number_input', 'select', 'textarea', 'url_input'] as const satisfies readonly Schemas['ViewType'][];

export const WebhookStatus = ['active', 'failing', 'disabled', 'auto_disabled'] as const satisfies readonly Schemas['WebhookStatus'][];

export const WithdrawalStatus = ['pending', 'approved', 'paid', 'rejected'] as const satisfies readonly Schemas['WithdrawalStatus'][];
