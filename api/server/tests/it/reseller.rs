//! The client for external panels, tested with the fake panel and all its behaviors. It uses no database, so one dialect is enough.

use std::sync::Arc;

use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_contract::panel_service_types::PanelParameter;
use panel_contract::rejections::RejectionReason;
use panel_demo::panel::state::{FakePanelState, FakeService, OrderBehavior};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_domain::reseller_protocol::rejections::PanelRejections;
use panel_domain::reseller_protocol::responses::ExternalOrderState;
use panel_platform::db::Dialect;
use panel_server::app::App;
use panel_server::supply::reseller::placement::Placement;
use panel_server::supply::reseller::{self, MessageSubject, PanelError};

use crate::panel::Panel;

const KEY: &str = "test-key";

/// The panel under test, which may call the loopback address, and a fake external panel with one service per behavior.
async fn panel_and_fake() -> (Panel, FakePanel) {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.timeout_seconds = 1;
    })
    .await;
    let mut panel_state = FakePanelState::new(KEY);
    let behaviors = [
        OrderBehavior::Delivered,
        OrderBehavior::Partial(40),
        OrderBehavior::Canceled,
        OrderBehavior::NotFound,
        OrderBehavior::Stuck,
        OrderBehavior::CompletedThenCanceled,
    ];
    for (id, behavior) in (1..).zip(behaviors) {
        panel_state.add_service(id, FakeService { behavior, ..FakeService::plain(&format!("Likes {id}")) });
    }
    panel_state
        .add_service(7, FakeService { kind: "Custom Comments", min: 1, ..FakeService::plain("Comments") });
    let fake_panel = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    (panel, fake_panel)
}

fn connection_to(fake_panel: &FakePanel) -> reseller::Panel<'_> {
    reseller::Panel {
        id: ExternalPanelId::new(1),
        endpoint: &fake_panel.url,
        token: KEY,
        is_this_product: false,
    }
}

fn request_for(n: u32) -> AddOrderRequest {
    AddOrderRequest::for_link(&format!("https://example.com/p/{n}")).quantity(600)
}

fn accepted_order_id(placement: Placement) -> String {
    let Placement::Accepted(id) = placement else { panic!("{placement:?}") };
    id
}

async fn place_order(app: &App, fake_panel: &FakePanel, service: &str, n: u32) -> String {
    accepted_order_id(
        reseller::add(app, connection_to(fake_panel), &PanelRejections::default(), service, &request_for(n))
            .await,
    )
}

#[tokio::test]
async fn places_polls_and_refills_an_order() {
    let (panel, fake_panel) = panel_and_fake().await;
    let app = &panel.app;
    let catalogue = reseller::services(app, connection_to(&fake_panel)).await.unwrap();
    assert_eq!((catalogue.services.len(), catalogue.unreadable), (7, 0));
    assert_eq!(
        (catalogue.services[0].rate, catalogue.services[6].kind.as_str()),
        (Money(1_000_000), "Custom Comments")
    );
    let before = reseller::balance(app, connection_to(&fake_panel)).await.unwrap();
    let order = place_order(app, &fake_panel, "1", 1).await;
    let after = reseller::balance(app, connection_to(&fake_panel)).await.unwrap();
    assert_eq!(before.balance.0 - after.balance.0, 600_000);
    let mut states = Vec::new();
    for _ in 0..4 {
        let state = reseller::status(app, connection_to(&fake_panel), &order).await.unwrap();
        states.push((state.state, state.remains.unwrap()));
        panel.clock.advance_secs(30);
    }
    assert_eq!(
        states,
        [
            (ExternalOrderState::Open, 600),
            (ExternalOrderState::Open, 600),
            (ExternalOrderState::Open, 300),
            (ExternalOrderState::Done, 0)
        ]
    );
    let refill = reseller::refill(app, connection_to(&fake_panel), &order).await.unwrap();
    assert_eq!(
        reseller::refill_status(app, connection_to(&fake_panel), &refill).await.unwrap(),
        "In progress"
    );
    panel.clock.advance_secs(601);
    assert_eq!(reseller::refill_status(app, connection_to(&fake_panel), &refill).await.unwrap(), "Completed");
    let calls = fake_panel.calls();
    assert!(
        calls.iter().all(|call| call["key"] == KEY) && !fake_panel.url.contains(KEY),
        "the key must be in the body and not in the URL"
    );
}

#[tokio::test]
async fn one_call_returns_the_state_of_every_order() {
    let (panel, fake_panel) = panel_and_fake().await;
    let app = &panel.app;
    let mut orders = Vec::new();
    for (n, service) in (0..).zip(["1", "2", "3", "4", "5"]) {
        orders.push(place_order(app, &fake_panel, service, n).await);
    }
    orders.push("999999".into());
    panel.clock.advance_secs(600);
    let calls_before = fake_panel.calls().len();
    let states = reseller::statuses(app, connection_to(&fake_panel), &orders).await.unwrap();
    assert_eq!(fake_panel.calls().len(), calls_before + 1, "all orders are polled in one call");
    let state =
        |index: usize| states[&orders[index]].as_ref().map(|state| (state.state, state.remains.unwrap()));
    assert_eq!(state(0), Ok((ExternalOrderState::Done, 0)));
    assert_eq!(state(1), Ok((ExternalOrderState::Partial, 360)));
    assert_eq!(state(2), Ok((ExternalOrderState::Canceled, 600)));
    assert_eq!(state(4), Ok((ExternalOrderState::Open, 600)));
    for lost in [3, 5] {
        assert_eq!(states[&orders[lost]], Err("Incorrect order ID".to_owned()));
    }
    let canceled = reseller::cancel(app, connection_to(&fake_panel), &orders).await.unwrap();
    assert_eq!(canceled[&orders[4]], Ok(()));
    assert_eq!(canceled[&orders[0]], Err("Order cannot be canceled".to_owned()));
    assert_eq!(canceled.len(), 6);
}

#[tokio::test]
async fn a_completed_order_can_become_canceled_later() {
    let (panel, fake_panel) = panel_and_fake().await;
    let order = place_order(&panel.app, &fake_panel, "6", 1).await;
    panel.clock.advance_secs(600);
    assert_eq!(
        reseller::status(&panel.app, connection_to(&fake_panel), &order).await.unwrap().state,
        ExternalOrderState::Done
    );
    panel.clock.advance_secs(4_000);
    assert_eq!(
        reseller::status(&panel.app, connection_to(&fake_panel), &order).await.unwrap().state,
        ExternalOrderState::Canceled
    );
}

#[tokio::test]
async fn rejections_keep_the_message_of_the_panel() {
    for behavior in [FakeBehavior::Correct, FakeBehavior::ErrorsAs4xx] {
        let (panel, fake_panel) = panel_and_fake().await;
        fake_panel.set_behavior(behavior);
        let app = &panel.app;
        let rejection_of = async |service: &str, request: AddOrderRequest| match reseller::add(
            app,
            connection_to(&fake_panel),
            &PanelRejections::default(),
            service,
            &request,
        )
        .await
        {
            Placement::Rejected(reason, message) => (reason, message),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            rejection_of("99", request_for(1)).await,
            (RejectionReason::UnknownService, "error.incorrect_service_id".into())
        );
        let below_minimum = AddOrderRequest::for_link("https://example.com").quantity(1);
        assert_eq!(rejection_of("1", below_minimum).await.0, RejectionReason::QuantityBelow);
        place_order(app, &fake_panel, "1", 1).await;
        assert_eq!(rejection_of("1", request_for(1)).await.0, RejectionReason::DuplicateLink);
        fake_panel.state().balance = Money(1);
        assert_eq!(
            rejection_of("1", request_for(2)).await,
            (RejectionReason::InsufficientFunds, "neworder.error.not_enough_funds".into())
        );
        let wrong_key = reseller::Panel { token: "stolen", ..connection_to(&fake_panel) };
        let refused = reseller::balance(app, wrong_key).await.unwrap_err();
        assert_eq!(refused, PanelError::Rejected(MessageSubject::Key, "Invalid API key".into()));
        assert!(refused.has_no_effect());
        assert_eq!(
            reseller::refill_status(app, connection_to(&fake_panel), "5").await.unwrap_err().to_string(),
            "Refill not found"
        );
    }
}

#[tokio::test]
async fn comments_are_sent_one_per_line() {
    let (panel, fake_panel) = panel_and_fake().await;
    let comments = "Nice & good=yes\nÜnïcode 🎉".to_owned();
    let request =
        AddOrderRequest::for_link("https://example.com/p").parameter(PanelParameter::Comments, comments);
    accepted_order_id(
        reseller::add(&panel.app, connection_to(&fake_panel), &PanelRejections::default(), "7", &request)
            .await,
    );
    assert_eq!(fake_panel.calls()[0]["comments"], "Nice & good=yes\nÜnïcode 🎉");
    assert_eq!(fake_panel.state().orders.values().next().unwrap().quantity, 2);
}

#[tokio::test]
async fn reads_plain_numbers_and_reports_unreadable_responses() {
    let (panel, fake_panel) = panel_and_fake().await;
    let app = &panel.app;
    fake_panel.set_behavior(FakeBehavior::JsonNumbers);
    let order = place_order(app, &fake_panel, "1", 1).await;
    assert_eq!(reseller::services(app, connection_to(&fake_panel)).await.unwrap().services.len(), 7);
    assert_eq!(reseller::status(app, connection_to(&fake_panel), &order).await.unwrap().remains, Some(600));
    fake_panel.set_behavior(FakeBehavior::UnknownStatuses);
    let odd = reseller::status(app, connection_to(&fake_panel), &order).await.unwrap();
    assert_eq!((odd.state, odd.status_text.as_str()), (ExternalOrderState::Unknown, "Pending (auto)"));
    fake_panel.set_behavior(FakeBehavior::EmptyData);
    let empty = reseller::services(app, connection_to(&fake_panel)).await.unwrap_err();
    assert!(matches!(&empty, PanelError::Unknown(text) if text.contains("Empty Data")), "{empty}");
}

#[tokio::test]
async fn an_add_call_without_a_clear_response_has_an_unknown_outcome() {
    for behavior in [
        FakeBehavior::NoAnswer,
        FakeBehavior::Truncated,
        FakeBehavior::ExecutesThen500,
        FakeBehavior::HtmlPage,
        FakeBehavior::BadGateway,
    ] {
        let (panel, fake_panel) = panel_and_fake().await;
        fake_panel.set_behavior(behavior);
        let outcome = reseller::add(
            &panel.app,
            connection_to(&fake_panel),
            &PanelRejections::default(),
            "1",
            &request_for(1),
        )
        .await;
        assert!(matches!(outcome, Placement::Unknown { message: None, .. }), "{behavior:?}: {outcome:?}");
        let was_received = matches!(
            behavior,
            FakeBehavior::NoAnswer | FakeBehavior::Truncated | FakeBehavior::ExecutesThen500
        );
        assert_eq!(fake_panel.state().orders.len(), usize::from(was_received), "{behavior:?}");
    }
    let (panel, _) = panel_and_fake().await;
    let unreachable = reseller::Panel {
        id: ExternalPanelId::new(2),
        endpoint: "http://127.0.0.1:9/api/v2",
        token: KEY,
        is_this_product: false,
    };
    let unreached =
        reseller::add(&panel.app, unreachable, &PanelRejections::default(), "1", &request_for(1)).await;
    assert!(matches!(unreached, Placement::NotSent(PanelError::NotSent(_))), "{unreached:?}");
    let private_address = reseller::Panel { endpoint: "https://10.0.0.1/api/v2", ..unreachable };
    let refused =
        reseller::add(&panel.app, private_address, &PanelRejections::default(), "1", &request_for(1)).await;
    assert!(matches!(refused, Placement::NotSent(PanelError::ForbiddenAddress(_))), "{refused:?}");
}

#[tokio::test]
async fn the_circuit_breaker_opens_and_closes_for_a_panel() {
    let (panel, fake_panel) = panel_and_fake().await;
    let app = &panel.app;
    fake_panel.set_behavior(FakeBehavior::BadGateway);
    for _ in 0..5 {
        assert!(matches!(
            reseller::balance(app, connection_to(&fake_panel)).await,
            Err(PanelError::Unknown(_))
        ));
    }
    let calls_before = fake_panel.calls().len();
    assert!(matches!(reseller::balance(app, connection_to(&fake_panel)).await, Err(PanelError::Paused(_))));
    assert_eq!(fake_panel.calls().len(), calls_before, "the client makes no call");
    let other = reseller::Panel { id: ExternalPanelId::new(2), ..connection_to(&fake_panel) };
    assert!(
        matches!(reseller::balance(app, other).await, Err(PanelError::Unknown(_))),
        "each panel has its own circuit breaker"
    );
    fake_panel.set_behavior(FakeBehavior::Correct);
    panel.clock.advance_secs(31);
    assert!(reseller::balance(app, connection_to(&fake_panel)).await.is_ok());
    assert!(reseller::balance(app, connection_to(&fake_panel)).await.is_ok());
    fake_panel.set_behavior(FakeBehavior::RateLimited);
    let busy = reseller::balance(app, connection_to(&fake_panel)).await.unwrap_err();
    assert!(busy.to_string().contains("429"), "{busy}");
    assert!(matches!(reseller::balance(app, connection_to(&fake_panel)).await, Err(PanelError::Paused(_))));
    fake_panel.set_behavior(FakeBehavior::Correct);
    panel.clock.advance_secs(61);
    assert!(reseller::balance(app, connection_to(&fake_panel)).await.is_ok());
}
