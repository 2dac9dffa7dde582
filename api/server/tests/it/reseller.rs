//! The client for external panels, tested with the fake panel and all its behaviors. It uses no database, so one dialect is enough.

use std::sync::Arc;

use panel_contract::amount::Money;
use panel_contract::ids::ExternalPanelId;
use panel_contract::panel_service_types::PanelParameter;
use panel_contract::rejections::RejectionReason;
use panel_demo::panel::world::{Offer, OrderBehavior, World};
use panel_demo::panel::{FakeBehavior, FakePanel};
use panel_domain::reseller_protocol::add_order::AddOrderRequest;
use panel_domain::reseller_protocol::read::ExternalOrderState;
use panel_domain::reseller_protocol::rejections::Rejections;
use panel_platform::db::Dialect;
use panel_server::app::App;
use panel_server::supply::reseller::placement::Placement;
use panel_server::supply::reseller::{self, PanelError, Reason};

use crate::panel::Panel;

const KEY: &str = "key-of-ours";

/// Our panel, which may call the loopback address, and a fake panel with one service per behavior.
async fn both_panels() -> (Panel, FakePanel) {
    let ours = Panel::with(Dialect::Sqlite, |config| {
        config.outbound.allow_http = true;
        config.outbound.allowed_networks = vec!["127.0.0.0/8".parse().unwrap()];
        config.outbound.seconds = 1;
    })
    .await;
    let mut world = World::new(KEY);
    let behaviors = [
        OrderBehavior::Delivered,
        OrderBehavior::Partial(40),
        OrderBehavior::Canceled,
        OrderBehavior::Lost,
        OrderBehavior::Stuck,
        OrderBehavior::Fickle,
    ];
    for (id, behavior) in (1..).zip(behaviors) {
        world.sell(id, Offer { behavior, ..Offer::plain(&format!("Likes {id}")) });
    }
    world.sell(7, Offer { kind: "Custom Comments", min: 1, ..Offer::plain("Comments") });
    let theirs = FakePanel::start(world, Arc::new(ours.clock.clone())).await.unwrap();
    (ours, theirs)
}

fn at(theirs: &FakePanel) -> reseller::Panel<'_> {
    reseller::Panel { id: ExternalPanelId::new(1), endpoint: &theirs.url, token: KEY, is_own_kind: false }
}

fn likes(n: u32) -> AddOrderRequest {
    AddOrderRequest::for_link(&format!("https://example.com/p/{n}")).quantity(600)
}

fn accepted(placement: Placement) -> String {
    let Placement::Accepted(id) = placement else { panic!("{placement:?}") };
    id
}

async fn add(app: &App, theirs: &FakePanel, service: &str, n: u32) -> String {
    accepted(reseller::add(app, at(theirs), &Rejections::default(), service, &likes(n)).await)
}

#[tokio::test]
async fn an_order_lives_from_add_to_refill() {
    let (ours, theirs) = both_panels().await;
    let app = &ours.app;
    let catalogue = reseller::services(app, at(&theirs)).await.unwrap();
    assert_eq!((catalogue.services.len(), catalogue.unreadable), (7, 0));
    assert_eq!(
        (catalogue.services[0].rate, catalogue.services[6].kind.as_str()),
        (Money(1_000_000), "Custom Comments")
    );
    let before = reseller::balance(app, at(&theirs)).await.unwrap();
    let order = add(app, &theirs, "1", 1).await;
    let after = reseller::balance(app, at(&theirs)).await.unwrap();
    assert_eq!(before.balance.0 - after.balance.0, 600_000);
    let mut seen = Vec::new();
    for _ in 0..4 {
        let state = reseller::status(app, at(&theirs), &order).await.unwrap();
        seen.push((state.state, state.remains.unwrap()));
        ours.clock.advance_secs(30);
    }
    assert_eq!(
        seen,
        [
            (ExternalOrderState::Open, 600),
            (ExternalOrderState::Open, 600),
            (ExternalOrderState::Open, 300),
            (ExternalOrderState::Done, 0)
        ]
    );
    let refill = reseller::refill(app, at(&theirs), &order).await.unwrap();
    assert_eq!(reseller::refill_status(app, at(&theirs), &refill).await.unwrap(), "In progress");
    ours.clock.advance_secs(601);
    assert_eq!(reseller::refill_status(app, at(&theirs), &refill).await.unwrap(), "Completed");
    let calls = theirs.calls();
    assert!(
        calls.iter().all(|call| call["key"] == KEY) && !theirs.url.contains(KEY),
        "the key travels in the body"
    );
}

#[tokio::test]
async fn a_hundred_orders_are_asked_at_once_and_each_has_its_own_end() {
    let (ours, theirs) = both_panels().await;
    let app = &ours.app;
    let mut orders = Vec::new();
    for (n, service) in (0..).zip(["1", "2", "3", "4", "5"]) {
        orders.push(add(app, &theirs, service, n).await);
    }
    orders.push("999999".into());
    ours.clock.advance_secs(600);
    let calls = theirs.calls().len();
    let states = reseller::statuses(app, at(&theirs), &orders).await.unwrap();
    assert_eq!(theirs.calls().len(), calls + 1, "in one call");
    let state = |at: usize| states[&orders[at]].as_ref().map(|state| (state.state, state.remains.unwrap()));
    assert_eq!(state(0), Ok((ExternalOrderState::Done, 0)));
    assert_eq!(state(1), Ok((ExternalOrderState::Partial, 360)));
    assert_eq!(state(2), Ok((ExternalOrderState::Canceled, 600)));
    assert_eq!(state(4), Ok((ExternalOrderState::Open, 600)));
    for lost in [3, 5] {
        assert_eq!(states[&orders[lost]], Err("Incorrect order ID".to_owned()));
    }
    let canceled = reseller::cancel(app, at(&theirs), &orders).await.unwrap();
    assert_eq!(canceled[&orders[4]], Ok(()));
    assert_eq!(canceled[&orders[0]], Err("Order cannot be canceled".to_owned()));
    assert_eq!(canceled.len(), 6);
}

#[tokio::test]
async fn a_completed_order_may_be_said_to_be_canceled_later() {
    let (ours, theirs) = both_panels().await;
    let order = add(&ours.app, &theirs, "6", 1).await;
    ours.clock.advance_secs(600);
    assert_eq!(
        reseller::status(&ours.app, at(&theirs), &order).await.unwrap().state,
        ExternalOrderState::Done
    );
    ours.clock.advance_secs(4_000);
    assert_eq!(
        reseller::status(&ours.app, at(&theirs), &order).await.unwrap().state,
        ExternalOrderState::Canceled
    );
}

#[tokio::test]
async fn refusals_keep_the_panels_message() {
    for temper in [FakeBehavior::Good, FakeBehavior::Strict] {
        let (ours, theirs) = both_panels().await;
        theirs.behave(temper);
        let app = &ours.app;
        let no = async |service: &str, request: AddOrderRequest| match reseller::add(
            app,
            at(&theirs),
            &Rejections::default(),
            service,
            &request,
        )
        .await
        {
            Placement::Rejected(reason, words) => (reason, words),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            no("99", likes(1)).await,
            (RejectionReason::UnknownService, "error.incorrect_service_id".into())
        );
        let few = AddOrderRequest::for_link("https://example.com").quantity(1);
        assert_eq!(no("1", few).await.0, RejectionReason::QuantityBelow);
        add(app, &theirs, "1", 1).await;
        assert_eq!(no("1", likes(1)).await.0, RejectionReason::DuplicateLink);
        theirs.world().balance = Money(1);
        assert_eq!(
            no("1", likes(2)).await,
            (RejectionReason::InsufficientFunds, "neworder.error.not_enough_funds".into())
        );
        let stranger = reseller::Panel { token: "stolen", ..at(&theirs) };
        let refused = reseller::balance(app, stranger).await.unwrap_err();
        assert_eq!(refused, PanelError::Rejected(Reason::Key, "Invalid API key".into()));
        assert!(refused.has_no_effect());
        assert_eq!(
            reseller::refill_status(app, at(&theirs), "5").await.unwrap_err().to_string(),
            "Refill not found"
        );
    }
}

#[tokio::test]
async fn comments_come_line_by_line() {
    let (ours, theirs) = both_panels().await;
    let comments = "Nice & good=yes\nÜnïcode 🎉".to_owned();
    let request = AddOrderRequest::for_link("https://example.com/p").with(PanelParameter::Comments, comments);
    accepted(reseller::add(&ours.app, at(&theirs), &Rejections::default(), "7", &request).await);
    assert_eq!(theirs.calls()[0]["comments"], "Nice & good=yes\nÜnïcode 🎉");
    assert_eq!(theirs.world().orders.values().next().unwrap().quantity, 2);
}

#[tokio::test]
async fn odd_answers_change_nothing_and_plain_numbers_are_read() {
    let (ours, theirs) = both_panels().await;
    let app = &ours.app;
    theirs.behave(FakeBehavior::Numbers);
    let order = add(app, &theirs, "1", 1).await;
    assert_eq!(reseller::services(app, at(&theirs)).await.unwrap().services.len(), 7);
    assert_eq!(reseller::status(app, at(&theirs), &order).await.unwrap().remains, Some(600));
    theirs.behave(FakeBehavior::Odd);
    let odd = reseller::status(app, at(&theirs), &order).await.unwrap();
    assert_eq!((odd.state, odd.word.as_str()), (ExternalOrderState::Unknown, "Pending (auto)"));
    theirs.behave(FakeBehavior::Empty);
    let empty = reseller::services(app, at(&theirs)).await.unwrap_err();
    assert!(matches!(&empty, PanelError::Unknown(text) if text.contains("Empty Data")), "{empty}");
}

#[tokio::test]
async fn an_add_that_is_not_certain_says_so() {
    for temper in [
        FakeBehavior::Silent,
        FakeBehavior::Half,
        FakeBehavior::Forgetful,
        FakeBehavior::Html,
        FakeBehavior::Down,
    ] {
        let (ours, theirs) = both_panels().await;
        theirs.behave(temper);
        let unclear = reseller::add(&ours.app, at(&theirs), &Rejections::default(), "1", &likes(1)).await;
        assert!(matches!(unclear, Placement::Unknown { message: None, .. }), "{temper:?}: {unclear:?}");
        let taken = matches!(temper, FakeBehavior::Silent | FakeBehavior::Half | FakeBehavior::Forgetful);
        assert_eq!(theirs.world().orders.len(), usize::from(taken), "{temper:?}");
    }
    let (ours, _) = both_panels().await;
    let unreachable = reseller::Panel {
        id: ExternalPanelId::new(2),
        endpoint: "http://127.0.0.1:9/api/v2",
        token: KEY,
        is_own_kind: false,
    };
    let unreached = reseller::add(&ours.app, unreachable, &Rejections::default(), "1", &likes(1)).await;
    assert!(matches!(unreached, Placement::NotSent(PanelError::NotSent(_))), "{unreached:?}");
    let inside = reseller::Panel { endpoint: "https://10.0.0.1/api/v2", ..unreachable };
    let refused = reseller::add(&ours.app, inside, &Rejections::default(), "1", &likes(1)).await;
    assert!(matches!(refused, Placement::NotSent(PanelError::ForbiddenAddress(_))), "{refused:?}");
}

#[tokio::test]
async fn the_circuit_breaker_opens_and_closes_for_a_panel() {
    let (ours, theirs) = both_panels().await;
    let app = &ours.app;
    theirs.behave(FakeBehavior::Down);
    for _ in 0..5 {
        assert!(matches!(reseller::balance(app, at(&theirs)).await, Err(PanelError::Unknown(_))));
    }
    let calls = theirs.calls().len();
    assert!(matches!(reseller::balance(app, at(&theirs)).await, Err(PanelError::Paused(_))));
    assert_eq!(theirs.calls().len(), calls, "the client makes no call");
    let other = reseller::Panel { id: ExternalPanelId::new(2), ..at(&theirs) };
    assert!(matches!(reseller::balance(app, other).await, Err(PanelError::Unknown(_))), "each has its own");
    theirs.behave(FakeBehavior::Good);
    ours.clock.advance_secs(31);
    assert!(reseller::balance(app, at(&theirs)).await.is_ok());
    assert!(reseller::balance(app, at(&theirs)).await.is_ok());
    theirs.behave(FakeBehavior::Busy);
    let busy = reseller::balance(app, at(&theirs)).await.unwrap_err();
    assert!(busy.to_string().contains("429"), "{busy}");
    assert!(matches!(reseller::balance(app, at(&theirs)).await, Err(PanelError::Paused(_))));
    theirs.behave(FakeBehavior::Good);
    ours.clock.advance_secs(61);
    assert!(reseller::balance(app, at(&theirs)).await.is_ok());
}
