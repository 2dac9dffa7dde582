//! Endpoints of orders. A handler reads the input, calls the rules and stores, and builds the response.

use panel_contract::common::{BulkOutcome, Choice, Data};
use panel_contract::endpoints::order_requests::PlaceOrder;
use panel_contract::endpoints::orders::*;
use panel_contract::ids::{OrderId, RefillRequestId};
use panel_contract::orders::*;
use panel_domain::orders::{self, OrderAction};
use panel_kernel::error::{Error, Result};

use crate::context::Ctx;
use crate::http::Req;
use crate::http::api::Api;
use crate::operations::orders::apply::apply_action;
use crate::operations::orders::bulk_action::BulkAction;
use crate::operations::orders::refill::RefillDecision;
use crate::operations::orders::{create, detail, edit, list, refill, statistics, store};
use panel_contract::dictionary::enum_label;
use panel_platform::work::UnitOfWork;

pub fn routes(api: Api) -> Api {
    api.list_route::<ListOrders, _, _>(&list::ORDERS, list::to_response)
        .list_route::<ListChildPanelOrders, _, _>(&list::CHILD_PANEL_ORDERS, list::to_response)
        .route::<OrderStatistics, _, _, _>(order_statistics)
        .route::<PromotableStatistics, _, _, _>(promotable_statistics)
        .route::<CancelReasons, _, _, _>(cancel_reasons)
        .route::<ActivateOrders, _, _, _>(async |ctx, req: Req<ActivateOrders>| {
            run_action_on_many(ctx, OrderAction::Activate, &req.body.order_ids).await
        })
        .route::<PauseOrders, _, _, _>(async |ctx, req: Req<PauseOrders>| {
            run_action_on_many(ctx, OrderAction::Pause, &req.body.order_ids).await
        })
        .route::<CompleteOrders, _, _, _>(async |ctx, req: Req<CompleteOrders>| {
            run_action_on_many(ctx, OrderAction::Complete, &req.body.order_ids).await
        })
        .route::<ApproveOrders, _, _, _>(async |ctx, req: Req<ApproveOrders>| {
            run_action_on_many(ctx, OrderAction::Approve, &req.body.order_ids).await
        })
        .route::<RejectOrders, _, _, _>(async |ctx, req: Req<RejectOrders>| {
            run_action_on_many(ctx, OrderAction::Reject, &req.body.order_ids).await
        })
        .route::<CancelOrders, _, _, _>(cancel_orders)
        .route::<GetOrder, _, _, _>(get_order)
        .route::<ActivateOrder, _, _, _>(activate_order)
        .route::<ApproveOrder, _, _, _>(async |ctx, req: Req<ApproveOrder>| {
            run_action_on_one(ctx, OrderAction::Approve, req.path).await
        })
        .route::<RejectOrder, _, _, _>(async |ctx, req: Req<RejectOrder>| {
            run_action_on_one(ctx, OrderAction::Reject, req.path).await
        })
        .route::<PauseOrder, _, _, _>(async |ctx, req: Req<PauseOrder>| {
            run_action_on_one(ctx, OrderAction::Pause, req.path).await
        })
        .route::<CompleteOrder, _, _, _>(async |ctx, req: Req<CompleteOrder>| {
            run_action_on_one(ctx, OrderAction::Complete, req.path).await
        })
        .route::<CancelOrder, _, _, _>(cancel_order)
        .route::<GetRefundAmount, _, _, _>(get_refund_amount)
        .route::<SetHasRefill, _, _, _>(async |ctx, req: Req<SetHasRefill>| {
            apply_edit(ctx, req.path, edit::has_refill_edit(req.body.has_refill)).await
        })
        .route::<SetAutoRefillIsAllowed, _, _, _>(async |ctx, req: Req<SetAutoRefillIsAllowed>| {
            apply_edit(ctx, req.path, edit::auto_refill_edit(req.body.auto_refill_is_allowed)).await
        })
        .route::<ChangeOrderUrl, _, _, _>(async |ctx, req: Req<ChangeOrderUrl>| {
            apply_edit(ctx, req.path, edit::url_edit(&req.body.url)?).await
        })
        .route::<UpdateOrderComment, _, _, _>(async |ctx, req: Req<UpdateOrderComment>| {
            apply_edit(ctx, req.path, edit::comment_edit(req.body.comment.as_deref())?).await
        })
        .route::<ListRefillRequests, _, _, _>(list_refill_requests)
        .route::<CreateRefillRequest, _, _, _>(request_refill)
        .route::<CompleteRefillRequest, _, _, _>(async |ctx, req: Req<CompleteRefillRequest>| {
            close_refill(ctx, req.path, RefillDecision::Complete).await
        })
        .route::<RejectRefillRequest, _, _, _>(async |ctx, req: Req<RejectRefillRequest>| {
            close_refill(ctx, req.path, RefillDecision::Reject).await
        })
        .route::<GetAutoRefillParams, _, _, _>(get_auto_refill_params)
        .route::<UpdateAutoRefillParams, _, _, _>(update_auto_refill_params)
        .route::<PlaceOrder, _, _, _>(place_order)
}

async fn place_order(ctx: Ctx, req: Req<PlaceOrder>) -> Result<Data<Order>> {
    let mut work = ctx.begin().await?;
    let placed_order = create::create(&mut work, &req.body).await?;
    finish_with_order(work, placed_order.id).await
}

async fn get_order(ctx: Ctx, req: Req<GetOrder>) -> Result<OrderDetail> {
    detail::load_detail(&ctx, req.path).await
}

async fn order_statistics(ctx: Ctx, req: Req<OrderStatistics>) -> Result<Data<Vec<StatisticsRow>>> {
    Ok(Data { data: statistics::load_rows(&mut ctx.db(), &req.query, ctx.now().day()).await? })
}

async fn promotable_statistics(
    ctx: Ctx,
    req: Req<PromotableStatistics>,
) -> Result<Data<Vec<PromotableStatistic>>> {
    Ok(Data { data: statistics::load_viewer_counts(&mut ctx.db(), req.query.order).await? })
}

async fn cancel_reasons(_ctx: Ctx, _req: Req<CancelReasons>) -> Result<Vec<Choice>> {
    Ok(CancelReason::ALL
        .iter()
        .map(|reason| Choice { kind: reason.to_string(), label: enum_label(reason.as_str()) })
        .collect())
}

async fn run_action_on_many(ctx: Ctx, action: OrderAction, ids: &[OrderId]) -> Result<BulkOutcome> {
    let bulk_action = BulkAction { action, ids: orders::check_ids(ids)?, cancel: None, is_undoable: true };
    run_bulk_action(ctx, &bulk_action).await
}

async fn cancel_orders(ctx: Ctx, req: Req<CancelOrders>) -> Result<BulkOutcome> {
    let body = &req.body;
    let cancel = CancelInput {
        return_money: body.return_money,
        amount: None,
        cancel_reason: body.cancel_reason,
        cancel_description: body.cancel_description.clone(),
        send_email_notification: body.send_email_notification,
    };
    let ids = orders::check_ids(&body.order_ids);
    let ids_check = ids.clone().map(drop).map_err(Error::from);
    Error::merge_field_errors([ids_check, check_cancel_input(&cancel)])?;
    let bulk_action =
        BulkAction { action: OrderAction::Cancel, ids: ids?, cancel: Some(cancel), is_undoable: true };
    run_bulk_action(ctx, &bulk_action).await
}

fn check_cancel_input(input: &CancelInput) -> Result<()> {
    let [amount, reason] = [orders::check_cancel_amount(input), orders::check_cancel_reason(input)];
    Error::merge_field_errors([amount.map_err(Error::from), reason.map_err(Error::from)])
}

async fn run_bulk_action(ctx: Ctx, bulk_action: &BulkAction) -> Result<BulkOutcome> {
    let mut work = ctx.begin().await?;
    let outcome = apply_action(&mut work, bulk_action).await?.into_outcome(ctx.meta.dry_run)?;
    work.finish(outcome).await
}

async fn run_action_on_one(ctx: Ctx, action: OrderAction, id: OrderId) -> Result<Data<Order>> {
    let bulk_action = BulkAction { action, ids: vec![id], cancel: None, is_undoable: true };
    let mut work = ctx.begin().await?;
    apply_action(&mut work, &bulk_action).await?.into_single()?;
    finish_with_order(work, id).await
}

async fn activate_order(ctx: Ctx, req: Req<ActivateOrder>) -> Result<ActivatedOrder> {
    let bulk_action =
        BulkAction { action: OrderAction::Activate, ids: vec![req.path], cancel: None, is_undoable: true };
    let mut work = ctx.begin().await?;
    let result = apply_action(&mut work, &bulk_action).await?;
    let charged = result.total_charge()?;
    result.into_single()?;
    let data = load_order(&mut work, req.path).await?;
    work.finish(ActivatedOrder { data, charged }).await
}

async fn cancel_order(ctx: Ctx, req: Req<CancelOrder>) -> Result<CanceledOrder> {
    check_cancel_input(&req.body)?;
    let cancel = Some(req.body.clone());
    let bulk_action =
        BulkAction { action: OrderAction::Cancel, ids: vec![req.path], cancel, is_undoable: true };
    let mut work = ctx.begin().await?;
    let result = apply_action(&mut work, &bulk_action).await?;
    let refunded = result.total_refund()?;
    result.into_single()?;
    let data = load_order(&mut work, req.path).await?;
    work.finish(CanceledOrder { data, refunded }).await
}

async fn apply_edit(ctx: Ctx, id: OrderId, edit: edit::OrderEdit) -> Result<Data<Order>> {
    let mut work = ctx.begin().await?;
    edit::apply_edit(&mut work, id, edit).await?;
    finish_with_order(work, id).await
}

/// Loads the order for the response, and commits.
async fn finish_with_order(mut work: UnitOfWork, id: OrderId) -> Result<Data<Order>> {
    let data = load_order(&mut work, id).await?;
    work.finish(Data { data }).await
}

async fn load_order(work: &mut UnitOfWork, id: OrderId) -> Result<Order> {
    let scope = work.scope().clone();
    detail::load(work, &scope, id).await
}

async fn get_refund_amount(ctx: Ctx, req: Req<GetRefundAmount>) -> Result<Data<RefundAmount>> {
    let order = store::load_facts(&mut ctx.db(), req.path).await?;
    Ok(Data { data: RefundAmount { amount: order.bill().default_refund()? } })
}

async fn list_refill_requests(ctx: Ctx, req: Req<ListRefillRequests>) -> Result<Data<Vec<RefillRequest>>> {
    Ok(Data { data: refill::list_requests(&ctx, req.path).await? })
}

async fn request_refill(ctx: Ctx, req: Req<CreateRefillRequest>) -> Result<Data<RefillRequest>> {
    let mut work = ctx.begin().await?;
    let data = refill::request_refill(&mut work, req.path, req.body.quantity).await?;
    work.finish(Data { data }).await
}

async fn close_refill(
    ctx: Ctx,
    (order_id, id): (OrderId, RefillRequestId),
    decision: RefillDecision,
) -> Result<Data<RefillRequest>> {
    let mut work = ctx.begin().await?;
    let data = refill::close_request(&mut work, order_id, id, decision).await?;
    work.finish(Data { data }).await
}

async fn get_auto_refill_params(ctx: Ctx, req: Req<GetAutoRefillParams>) -> Result<Data<AutoRefillParams>> {
    Ok(Data { data: refill::load_params(&mut ctx.db(), req.path).await? })
}

async fn update_auto_refill_params(
    ctx: Ctx,
    req: Req<UpdateAutoRefillParams>,
) -> Result<Data<AutoRefillParams>> {
    let mut work = ctx.begin().await?;
    let data = refill::write_params(&mut work, req.path, &req.body).await?;
    work.finish(Data { data }).await
}
