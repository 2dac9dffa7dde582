// The page of the auto-promotion: its sorted networks, and the service types and services of the selected network.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { api, type Schemas, unwrap } from '@/api/client';
import { asProblem, type Problem } from '@/api/problem';
import { confirmationCodec, fractionAsPercentCodec } from '@/form/codecs';
import { FormDialog } from '@/form/FormDialog';
import { SortDialog } from '@/form/SortDialog';
import { defineForm } from '@/form/spec';
import { formatNumber } from '@/i18n/format';
import { Button } from '@/ui/Button';
import { Card } from '@/ui/Card';
import { Notice, ProblemBar } from '@/ui/Notice';
import { SortableList } from '@/ui/SortableList';
import { AddServicesDialog } from './AddServicesDialog';
import {
  AUTO_PROMOTION_QUERY_KEY,
  AUTO_PROMOTIONS_PATH,
  type PromotionDialog,
  updateLevel,
  updatePromotedServices,
} from './autoPromotionRequests';
import { InstantAction, PromotedServicesTable, PromotedTypesTable } from './PromotionTables';
import { OfferTabs } from './tabs';

const MARGIN_FORM = defineForm<Schemas['AutoPromotionLevelInput']>()({
  resale_margin_fraction: fractionAsPercentCodec,
  confirm_below_margin: confirmationCodec,
});

export default function AutoPromotion() {
  const { t } = useTranslation();
  const queryClient = useQueryClient();
  const [selectedNetworkId, setSelectedNetworkId] = useState<number | null>(null);
  const [dialog, setDialog] = useState<PromotionDialog | null>(null);
  const closeDialog = () => setDialog(null);
  const networksQuery = useQuery({
    queryKey: [AUTO_PROMOTION_QUERY_KEY, 'networks'],
    queryFn: async () => (await unwrap(api.GET(`${AUTO_PROMOTIONS_PATH}/networks`))).data,
  });
  const network = networksQuery.data?.find(({ id }) => id === selectedNetworkId) ?? networksQuery.data?.[0];
  const servicesQuery = useQuery({
    queryKey: [AUTO_PROMOTION_QUERY_KEY, 'services', network?.id],
    enabled: network !== undefined,
    queryFn: async () =>
      (
        await unwrap(
          api.GET(`${AUTO_PROMOTIONS_PATH}/services`, { params: { query: { network_id: String(network?.id) } } }),
        )
      ).data,
  });
  const typesQuery = useQuery({
    queryKey: [AUTO_PROMOTION_QUERY_KEY, 'types', network?.id],
    enabled: network !== undefined,
    queryFn: async () => {
      const request = { params: { query: { network_id: String(network?.id) } } };
      const { data } = await unwrap(api.GET(`${AUTO_PROMOTIONS_PATH}/service-types`, request));
      return data.filter((type) => type.services_count > 0);
    },
  });
  const refetch = () => queryClient.invalidateQueries({ queryKey: [AUTO_PROMOTION_QUERY_KEY] });
  const [actionProblem, setActionProblem] = useState<Problem | null>(null);
  const problem = actionProblem ?? (networksQuery.error ? asProblem(networksQuery.error) : null);
  return (
    <div className="record">
      <OfferTabs currentTab="auto-promotion" />
      <div className="record-head">
        <h1 tabIndex={-1}>{t('promotion.title')}</h1>
        <span className="grow" />
        {networksQuery.data && networksQuery.data.length > 1 && (
          <Button
            icon="sort-alt"
            label={t('promotion.sortNetworks')}
            onClick={() => setDialog({ kind: 'sortNetworks' })}
          />
        )}
        <Button
          variant="filled"
          icon="plus"
          label={t('promotion.add')}
          onClick={() => setDialog({ kind: 'addServices' })}
        />
      </div>
      {problem && <ProblemBar problem={problem} onRetry={() => void refetch()} />}
      {networksQuery.data?.length === 0 && <Notice icon="bolt" title={t('promotion.noServices')} />}
      {network && (
        <div className="levels">
          <Card title={t('promotion.networks')}>
            <SortableList
              isReadOnly
              label={t('promotion.networks')}
              items={networksQuery.data ?? []}
              onMove={() => undefined}
              selectedId={network.id}
              onSelect={({ id }) => setSelectedNetworkId(id)}
              renderAfterName={(item) => (
                <>
                  <span className="sort-more">
                    {formatNumber(item.enabled_services_count)} / {formatNumber(item.services_count)}
                  </span>
                  <Button
                    variant="plain"
                    iconOnly
                    icon="percentage"
                    label={t('promotion.marginOf', { name: item.name })}
                    onClick={() => setDialog({ kind: 'levelMargin', margin: { level: 'networks', ...item } })}
                  />
                  <InstantAction
                    send={() =>
                      unwrap(
                        api.POST(`${AUTO_PROMOTIONS_PATH}/networks/{id}/toggle`, { params: { path: { id: item.id } } }),
                      )
                    }
                    onProblem={setActionProblem}
                  >
                    {(submit) => (
                      <Button
                        variant="plain"
                        iconOnly
                        icon={item.is_enabled ? 'eye' : 'eye-slash'}
                        label={t(item.is_enabled ? 'promotion.disableNamed' : 'promotion.enableNamed', {
                          name: item.name,
                        })}
                        onClick={submit}
                      />
                    )}
                  </InstantAction>
                </>
              )}
            />
          </Card>
          <div className="promoted">
            <Card
              title={t('promotion.types')}
              headerActions={
                typesQuery.data &&
                typesQuery.data.length > 1 && (
                  <Button
                    variant="plain"
                    icon="sort-alt"
                    label={t('promotion.sortTypes')}
                    onClick={() => setDialog({ kind: 'sortTypes' })}
                  />
                )
              }
            >
              <PromotedTypesTable types={typesQuery.data ?? []} onOpenDialog={setDialog} onProblem={setActionProblem} />
            </Card>
            <Card title={network.name}>
              <PromotedServicesTable
                services={servicesQuery.data ?? []}
                onOpenDialog={setDialog}
                onProblem={setActionProblem}
              />
            </Card>
          </div>
        </div>
      )}
      {dialog?.kind === 'addServices' && <AddServicesDialog onClose={closeDialog} onDone={() => void refetch()} />}
      {dialog?.kind === 'sortNetworks' && (
        <SortDialog
          title={t('promotion.sortNetworks')}
          items={networksQuery.data ?? []}
          onClose={closeDialog}
          onSave={async (ids) => {
            await unwrap(api.POST(`${AUTO_PROMOTIONS_PATH}/sort`, { body: { networks: ids } }));
            await refetch();
          }}
        />
      )}
      {dialog?.kind === 'sortTypes' && network && (
        <SortDialog
          title={t('promotion.sortTypes')}
          items={typesQuery.data ?? []}
          onClose={closeDialog}
          onSave={async (ids) => {
            const request = { params: { path: { id: network.id } }, body: { service_types: ids } };
            await unwrap(api.POST(`${AUTO_PROMOTIONS_PATH}/networks/{id}/sort-service-types`, request));
            await refetch();
          }}
        />
      )}
      {dialog?.kind === 'sortServices' && (
        <SortDialog
          title={t('promotion.sortServices', { name: dialog.type.name })}
          items={(servicesQuery.data ?? [])
            .filter((row) => row.service_type.id === dialog.type.id)
            .map((row) => row.service)}
          onClose={closeDialog}
          onSave={async (ids) => {
            const request = { params: { path: { id: dialog.type.id } }, body: { services: ids } };
            await unwrap(api.POST(`${AUTO_PROMOTIONS_PATH}/service-types/{id}/sort-services`, request));
            await refetch();
          }}
        />
      )}
      {dialog?.kind === 'levelMargin' && (
        <FormDialog
          title={t('promotion.marginOf', { name: dialog.margin.name })}
          confirmLabel={t('ui.save')}
          fields={[
            {
              name: 'resale_margin_fraction',
              label: t('promotion.margin'),
              hint: t('promotion.levelMarginHint'),
            },
          ]}
          spec={MARGIN_FORM}
          initialValues={MARGIN_FORM.toValues({ resale_margin_fraction: dialog.margin.resale_margin_fraction })}
          send={({ values }) => updateLevel(dialog.margin.level, dialog.margin.id, MARGIN_FORM.toBody(values))}
          invalidatedQueries={[[AUTO_PROMOTION_QUERY_KEY]]}
          onClose={closeDialog}
        />
      )}
      {dialog?.kind === 'serviceMargin' && (
        <FormDialog
          title={dialog.promotedService.service.name}
          confirmLabel={t('ui.save')}
          fields={[
            {
              name: 'resale_margin_fraction',
              label: t('promotion.margin'),
              hint: t('promotion.marginHint'),
            },
          ]}
          spec={MARGIN_FORM}
          initialValues={MARGIN_FORM.toValues({
            resale_margin_fraction: dialog.promotedService.resale_margin_fraction,
          })}
          send={({ values }) =>
            updatePromotedServices({ services: [dialog.promotedService.service.id], ...MARGIN_FORM.toBody(values) })
          }
          invalidatedQueries={[[AUTO_PROMOTION_QUERY_KEY]]}
          onClose={closeDialog}
        />
      )}
    </div>
  );
}
