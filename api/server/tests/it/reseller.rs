//! The client for external panels, tested with all behaviors of the fake panel. The client uses no database, so SQLite is enough.

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

const API_KEY: &str = "test-key";

/// Starts the panel under test, which may send requests to loopback addresses, and a fake external panel with one service per behavior.
async fn start_panel_and_fake_panel() -> (Panel, FakePanel) {
    let panel = Panel::with_config(Dialect::Sqlite, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.timeout_seconds = 1;
    })
    .await;
    let mut panel_state = FakePanelState::new(API_KEY);
    let behaviors = [
        OrderBehavior::Delivered,
        OrderBehavior::Partial(40),
        OrderBehavior::Canceled,
        OrderBehavior::NotFound,
        OrderBehavior::Stuck,
        OrderBehavior::CompletedThenCanceled,
    ];
    for (id, behavior) in (1..).zip(behaviors) {
        panel_state
            .add_service(id, FakeService { behavior, ..FakeService::with_name(&format!("Likes {id}")) });
    }
    panel_state.add_service(
        7,
        FakeService {
            service_type: "Custom Comments",
            min_quantity: 1,
            ..FakeService::with_name("Comments")
        },
    );
    let fake_panel = FakePanel::start(panel_state, Arc::new(panel.clock.clone())).await.unwrap();
    (panel, fake_panel)
}

fn connection_to(fake_panel: &FakePanel) -> reseller::PanelApi<'_> {
    reseller::PanelApi {
        id: ExternalPanelId::new(1),
        endpoint: &fake_panel.url,
        token: API_KEY,
        is_same_product: false,
    }
}

fn add_order_request(number: u32) -> AddOrderRequest {
    AddOrderRequest::for_link(&format!("https://example.com/p/{number}")).quantity(600)
}

fn accepted_order_id(placement: Placement) -> String {
    let Placement::Accepted(id) = placement else { panic!("{placement:?}") };
    id
}

async fn place_order(app: &App, fake_panel: &FakePanel, service: &str, number: u32) -> String {
    accepted_order_id(
        reseller::place_order(
            app,
            connection_to(fake_panel),
            &PanelRejections::default(),
            service,
            &add_order_request(number),
        )
        .await,
    )
}

#[tokio::test]
async fn places_polls_and_refills_an_order() {
    let (panel, fake_panel) = start_panel_and_fake_panel().await;
    let app = &panel.app;
    let catalogue = reseller::fetch_services(app, connection_to(&fake_panel)).await.unwrap();
    assert_eq!((catalogue.services.len(), catalogue.unreadable), (7, 0));
    assert_eq!(
        (catalogue.services[0].rate, catalogue.services[6].kind.as_str()),
        (Money(1_000_000), "Custom Comments")
    );
    let balance_before = reseller::fetch_balance(app, connection_to(&fake_panel)).await.unwrap();
    let order_id = place_order(app, &fake_panel, "1", 1).await;
    let balance_after = reseller::fetch_balance(app, connection_to(&fake_panel)).await.unwrap();
    assert_eq!(balance_before.balance.0 - balance_after.balance.0, 600_000);
    let mut states = Vec::new();
    for _ in 0..4 {
        let order_state = reseller::fetch_status(app, connection_to(&fake_panel), &order_id).await.unwrap();
        states.push((order_state.state, order_state.remains.unwrap()));
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
    let refill_id = reseller::request_refill(app, connection_to(&fake_panel), &order_id).await.unwrap();
    assert_eq!(
        reseller::fetch_refill_status(app, connection_to(&fake_panel), &refill_id).await.unwrap(),
        "In progress"
    );
    panel.clock.advance_secs(601);
    assert_eq!(
        reseller::fetch_refill_status(app, connection_to(&fake_panel), &refill_id).await.unwrap(),
        "Completed"
    );
    let requests = fake_panel.requests();
    assert!(
        requests.iter().all(|request| request["key"] == API_KEY) && !fake_panel.url.contains(API_KEY),
        "the key must be in the body and not in the URL"
    );
}

#[tokio::test]
async fn one_request_returns_the_state_of_every_order() {
    let (panel, fake_panel) = start_panel_and_fake_panel().await;
    let app = &panel.app;
    let mut order_ids = Vec::new();
    for (number, service) in (0..).zip(["1", "2", "3", "4", "5"]) {
        order_ids.push(place_order(app, &fake_panel, service, number).await);
    }
    order_ids.push("999999".into());
    panel.clock.advance_secs(600);
    let request_count_before = fake_panel.requests().len();
    let states = reseller::fetch_statuses(app, connection_to(&fake_panel), &order_ids).await.unwrap();
    assert_eq!(
        fake_panel.requests().len(),
        request_count_before + 1,
        "all orders must be polled with one request"
    );
    let order_state = |index: usize| {
        states[&order_ids[index]]
            .as_ref()
            .map(|order_state| (order_state.state, order_state.remains.unwrap()))
    };
    assert_eq!(order_state(0), Ok((ExternalOrderState::Done, 0)));
    assert_eq!(order_state(1), Ok((ExternalOrderState::Partial, 360)));
    assert_eq!(order_state(2), Ok((ExternalOrderState::Canceled, 600)));
    assert_eq!(order_state(4), Ok((ExternalOrderState::Open, 600)));
    for lost_index in [3, 5] {
        assert_eq!(states[&order_ids[lost_index]], Err("Incorrect order ID".to_owned()));
    }
    let cancel_results =
        reseller::request_cancels(app, connection_to(&fake_panel), &order_ids).await.unwrap();
    assert_eq!(cancel_results[&order_ids[4]], Ok(()));
    assert_eq!(cancel_results[&order_ids[0]], Err("Order cannot be canceled".to_owned()));
    assert_eq!(cancel_results.len(), 6);
}

#[tokio::test]
async fn a_completed_order_can_become_canceled_later() {
    let (panel, fake_panel) = start_panel_and_fake_panel().await;
    let order_id = place_order(&panel.app, &fake_panel, "6", 1).await;
    panel.clock.advance_secs(600);
    assert_eq!(
        reseller::fetch_status(&panel.app, connection_to(&fake_panel), &order_id).await.unwrap().state,
        ExternalOrderState::Done
    );
    panel.clock.advance_secs(4_000);
    assert_eq!(
        reseller::fetch_status(&panel.app, connection_to(&fake_panel), &order_id).await.unwrap().state,
        ExternalOrderState::Canceled
    );
}

#[tokio::test]
async fn rejections_contain_the_message_of_the_external_panel() {
    for behavior in [FakeBehavior::Correct, FakeBehavior::ErrorsAs4xx] {
        let (panel, fake_panel) = start_panel_and_fake_panel().await;
        fake_panel.set_behavior(behavior);
        let app = &panel.app;
        let expect_rejection = async |service: &str, request: AddOrderRequest| match reseller::place_order(
            app,
            connection_to(&fake_panel),
            &PanelRejections::default(),
            service,
            &request,
        )
        .await
        {
            Placement::Rejected(reason, message) => (reason, message),
            other_panel => panic!("{other_panel:?}"),
        };
        assert_eq!(
            expect_rejection("99", add_order_request(1)).await,
            (RejectionReason::UnknownService, "error.incorrect_service_id".into())
        );
        let below_minimum = AddOrderRequest::for_link("https://example.com").quantity(1);
        assert_eq!(expect_rejection("1", below_minimum).await.0, RejectionReason::QuantityBelow);
        place_order(app, &fake_panel, "1", 1).await;
        assert_eq!(expect_rejection("1", add_order_request(1)).await.0, RejectionReason::DuplicateLink);
        fake_panel.state().balance = Money(1);
        assert_eq!(
            expect_rejection("1", add_order_request(2)).await,
            (RejectionReason::InsufficientFunds, "neworder.error.not_enough_funds".into())
        );
        let connection_with_wrong_key = reseller::PanelApi { token: "stolen", ..connection_to(&fake_panel) };
        let rejection = reseller::fetch_balance(app, connection_with_wrong_key).await.unwrap_err();
        assert_eq!(rejection, PanelError::Rejected(MessageSubject::Key, "Invalid API key".into()));
        assert!(rejection.has_no_effect());
        assert_eq!(
            reseller::fetch_refill_status(app, connection_to(&fake_panel), "5")
                .await
                .unwrap_err()
                .to_string(),
            "Refill not found"
        );
    }
}

#[tokio::test]
async fn comments_are_sent_one_per_line() {
    let (panel, fake_panel) = start_panel_and_fake_panel().await;
    let comments = "Nice & good=yes\nÜnïcode 🎉".to_owned();
    let request =
        AddOrderRequest::for_link("https://example.com/p").parameter(PanelParameter::Comments, comments);
    accepted_order_id(
        reseller::place_order(
            &panel.app,
            connection_to(&fake_panel),
            &PanelRejections::default(),
            "7",
            &request,
        )
        .await,
    );
    assert_eq!(fake_panel.requests()[0]["comments"], "Nice & good=yes\nÜnïcode 🎉");
    assert_eq!(fake_panel.state().orders.values().next().unwrap().quantity, 2);
}

#[tokio::test]
async fn accepts_json_numbers_and_reports_unreadable_responses() {
    let (panel, fake_panel) = start_panel_and_fake_panel().await;
    let app = &panel.app;
    fake_panel.set_behavior(FakeBehavior::JsonNumbers);
    let order_id = place_order(app, &fake_panel, "1", 1).await;
    assert_eq!(reseller::fetch_services(app, connection_to(&fake_panel)).await.unwrap().services.len(), 7);
    assert_eq!(
        reseller::fetch_status(app, connection_to(&fake_panel), &order_id).await.unwrap().remains,
        Some(600)
    );
    fake_panel.set_behavior(FakeBehavior::UnknownStatuses);
    let unknown_status = reseller::fetch_status(app, connection_to(&fake_panel), &order_id).await.unwrap();
    assert_eq!(
        (unknown_status.state, unknown_status.status_text.as_str()),
        (ExternalOrderState::Unknown, "Pending (auto)")
    );
    fake_panel.set_behavior(FakeBehavior::EmptyData);
    let empty_data_error = reseller::fetch_services(app, connection_to(&fake_panel)).await.unwrap_err();
    assert!(
        matches!(&empty_data_error, PanelError::Unknown(text) if text.contains("Empty Data")),
        "{empty_data_error}"
    );
}

#[tokio::test]
async fn an_add_request_without_a_clear_response_has_an_unknown_outcome() {
    for behavior in [
        FakeBehavior::NoResponse,
        FakeBehavior::Truncated,
        FakeBehavior::ExecutesThen500,
        FakeBehavior::HtmlPage,
        FakeBehavior::BadGateway,
    ] {
        let (panel, fake_panel) = start_panel_and_fake_panel().await;
        fake_panel.set_behavior(behavior);
        let placement = reseller::place_order(
            &panel.app,
            connection_to(&fake_panel),
            &PanelRejections::default(),
            "1",
            &add_order_request(1),
        )
        .await;
        assert!(matches!(placement, Placement::Unknown { message: None, .. }), "{behavior:?}: {placement:?}");
        let was_received = matches!(
            behavior,
            FakeBehavior::NoResponse | FakeBehavior::Truncated | FakeBehavior::ExecutesThen500
        );
        assert_eq!(fake_panel.state().orders.len(), usize::from(was_received), "{behavior:?}");
    }
    let (panel, _) = start_panel_and_fake_panel().await;
    let unreachable_panel = reseller::PanelApi {
        id: ExternalPanelId::new(2),
        endpoint: "http://127.0.0.1:9/api/v2",
        token: API_KEY,
        is_same_product: false,
    };
    let placement_without_request = reseller::place_order(
        &panel.app,
        unreachable_panel,
        &PanelRejections::default(),
        "1",
        &add_order_request(1),
    )
    .await;
    assert!(
        matches!(placement_without_request, Placement::NotSent(PanelError::NotSent(_))),
        "{placement_without_request:?}"
    );
    let private_panel = reseller::PanelApi { endpoint: "https://10.0.0.1/api/v2", ..unreachable_panel };
    let rejection = reseller::place_order(
        &panel.app,
        private_panel,
        &PanelRejections::default(),
        "1",
        &add_order_request(1),
    )
    .await;
    assert!(matches!(rejection, Placement::NotSent(PanelError::ForbiddenAddress(_))), "{rejection:?}");
}

#[tokio::test]
async fn the_circuit_breaker_opens_and_closes_for_a_panel() {
    let (panel, fake_panel) = start_panel_and_fake_panel().await;
    let app = &panel.app;
    fake_panel.set_behavior(FakeBehavior::BadGateway);
    for _ in 0..5 {
        assert!(matches!(
            reseller::fetch_balance(app, connection_to(&fake_panel)).await,
            Err(PanelError::Unknown(_))
        ));
    }
    let request_count_before = fake_panel.requests().len();
    assert!(matches!(
        reseller::fetch_balance(app, connection_to(&fake_panel)).await,
        Err(PanelError::Paused(_))
    ));
    assert_eq!(fake_panel.requests().len(), request_count_before, "the client must not send a request");
    let other_panel = reseller::PanelApi { id: ExternalPanelId::new(2), ..connection_to(&fake_panel) };
    assert!(
        matches!(reseller::fetch_balance(app, other_panel).await, Err(PanelError::Unknown(_))),
        "each external panel must have its own circuit breaker"
    );
    fake_panel.set_behavior(FakeBehavior::Correct);
    panel.clock.advance_secs(31);
    assert!(reseller::fetch_balance(app, connection_to(&fake_panel)).await.is_ok());
    assert!(reseller::fetch_balance(app, connection_to(&fake_panel)).await.is_ok());
    fake_panel.set_behavior(FakeBehavior::RateLimited);
    let rate_limit_error = reseller::fetch_balance(app, connection_to(&fake_panel)).await.unwrap_err();
    assert!(rate_limit_error.to_string().contains("429"), "{rate_limit_error}");
    assert!(matches!(
        reseller::fetch_balance(app, connection_to(&fake_panel)).await,
        Err(PanelError::Paused(_))
    ));
    fake_panel.set_behavior(FakeBehavior::Correct);
    panel.clock.advance_secs(61);
    assert!(reseller::fetch_balance(app, connection_to(&fake_panel)).await.is_ok());
}
