//! Password links sent by email, for resets and invitations: a link works once and expires, and a reset request reveals nothing
//! about accounts.

use panel_contract::moment::Time;
use panel_contract::permission::Permission::{self, ManageStaff, ViewAudits, ViewOrders};
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::db::{Dialect, Sql};
use panel_server::background::quarantine_retry::poll_once;
use serde_json::{Value, json};

use crate::panel::{Answer, NOW, Panel};
use crate::people::PASSWORD;

both! {
    a_reset_link_sets_a_new_password_once;
    a_reset_request_reveals_nothing_about_accounts;
    reset_requests_are_throttled_like_sign_in;
    a_link_ends_after_an_hour_or_an_account_change;
    a_retried_email_has_the_only_link_that_works;
    a_link_requires_a_strong_password_and_keeps_the_second_factor;
    one_of_two_concurrent_uses_of_a_link_succeeds;
    an_invited_staff_member_sets_a_password;
    an_invitation_is_resent_and_withdrawn;
    inviting_requires_permission;
    without_mail_staff_are_created_with_a_password;
}

const ANNA_EMAIL: &str = "anna@panel.test";
const NEW_PASSWORD: &str = "lamps rain over violet";
const STAFFS: &str = "/api/v1/admin/staffs";

impl Panel {
    async fn request_reset(&self, from: &str, email: &str) -> Answer {
        self.call(from, None, "POST", "/password-resets", &json!({ "email": email })).await
    }

    async fn show_link(&self, token: &str) -> Answer {
        self.call("203.0.113.7", None, "POST", "/password-links/show", &json!({ "token": token })).await
    }

    async fn use_link(&self, token: &str, password: &str) -> Answer {
        let body = json!({ "token": token, "password": password });
        self.call("203.0.113.7", None, "POST", "/password-links/use", &body).await
    }

    /// Runs the due mail jobs. Returns the emails that they sent.
    async fn emails(&self) -> Vec<String> {
        let folder = self.app.config.mail.folder.clone().unwrap();
        for file in std::fs::read_dir(&folder).unwrap() {
            std::fs::remove_file(file.unwrap().path()).unwrap();
        }
        while poll_once(&self.app, QuarantineKind::Mail).await.unwrap() > 0 {}
        let files = std::fs::read_dir(folder).unwrap();
        files
            .map(|file| decode_soft_breaks(&std::fs::read_to_string(file.unwrap().path()).unwrap()))
            .collect()
    }

    /// Sends the due emails and returns the token of the only one.
    async fn emailed_token(&self) -> String {
        let emails = self.emails().await;
        assert_eq!(emails.len(), 1, "{emails:?}");
        token_in(&emails[0])
    }

    async fn times_audited(&self, event: &'static str) -> i64 {
        self.number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
    }

    async fn invite(&self, name: &str) -> Value {
        let email = format!("{name}@panel.test");
        let body = json!({ "name": name, "email": email, "permissions": ["view orders"] });
        let created = self.post(STAFFS, &body).await;
        assert_eq!(created.status, 200, "{}", created.text);
        created.json()["data"].clone()
    }

    async fn staff_row(&self, id: &Value) -> Value {
        let rows = self.get(STAFFS).await.json()["data"].clone();
        rows.as_array().unwrap().iter().find(|row| row["id"] == *id).unwrap().clone()
    }

    async fn act_on_staff(&self, staff: &str, id: &Value, action: &str) -> Answer {
        self.send(staff, "POST", &format!("{STAFFS}/{id}/{action}"), &json!({}), None).await
    }
}

impl Panel {
    /// Advances the clock and renews the owner's session, which would expire.
    async fn advance_and_sign_in_owner(&self, seconds: i64) {
        self.clock.advance_secs(seconds);
        let now = self.app.clock.now().0;
        let sql = Sql::new(
            "UPDATE sessions SET signed_in_at = ?, last_used_at = ?, expires_at = ? WHERE family_id = 'owner'",
        );
        self.execute(sql.bind(now).bind(now).bind(now + 86_400_000_000)).await;
    }
}

/// An email without the soft line breaks of quoted-printable.
fn decode_soft_breaks(email: &str) -> String {
    email.replace("=\r\n", "").replace("=3D", "=")
}

fn token_in(email: &str) -> String {
    let (_, rest) = email.split_once("/set-password#token=").unwrap_or_else(|| panic!("{email}"));
    rest.split_whitespace().next().unwrap().to_owned()
}

async fn panel_with_anna(dialect: Dialect) -> (Panel, i64) {
    let panel = Panel::with_mailbox(dialect).await;
    let id = panel.create_user(ANNA_EMAIL, &[ViewOrders]).await;
    (panel, id)
}

async fn a_reset_link_sets_a_new_password_once(dialect: Dialect) {
    let (panel, id) = panel_with_anna(dialect).await;
    let session = panel.login(ANNA_EMAIL, PASSWORD).await.token();
    let requested = panel.request_reset("203.0.113.9", " Anna@Panel.test ").await;
    assert_eq!((requested.status.as_u16(), requested.text.as_str()), (204, ""));
    let emails = panel.emails().await;
    assert_eq!(emails.len(), 1);
    assert!(emails[0].contains("anna@panel.test") && emails[0].contains("203.0.113.9"), "{}", emails[0]);
    let token = token_in(&emails[0]);
    assert_eq!(token.len(), 43, "256 bits: {token}");
    // The database stores only the hash of the token.
    for table in ["account_links", "jobs", "audits"] {
        let token_count_sql = match table {
            "jobs" => "SELECT count(*) FROM jobs WHERE payload LIKE ?",
            "audits" => "SELECT count(*) FROM audits WHERE new_values LIKE ?",
            _ => "SELECT count(*) FROM account_links WHERE email LIKE ? OR purpose LIKE ?",
        };
        let sql = Sql::new(token_count_sql).bind(format!("%{token}%"));
        let sql = if table == "account_links" { sql.bind(format!("%{token}%")) } else { sql };
        assert_eq!(panel.number(sql).await, 0, "{table}");
    }
    let link = panel.show_link(&token).await.json()["data"].clone();
    assert_eq!((&link["purpose"], &link["email"]), (&json!("password_reset"), &json!(ANNA_EMAIL)));
    assert_eq!(panel.who_am_i(&session).await.0, 200, "a reset request ends no session");
    let used = panel.use_link(&token, NEW_PASSWORD).await;
    assert_eq!((used.status.as_u16(), used.headers.get("authorization")), (204, None), "{}", used.text);
    assert_eq!(panel.who_am_i(&session).await, (401, "token_ended".into()));
    assert_eq!(panel.login(ANNA_EMAIL, PASSWORD).await.status, 422);
    panel.login(ANNA_EMAIL, NEW_PASSWORD).await.token();
    assert_eq!(
        panel.use_link(&token, "seven quiet river stones").await.status_and_code(),
        (409, "link_over".into())
    );
    assert_eq!(panel.show_link(&token).await.status_and_code(), (409, "link_over".into()));
    let emails = panel.emails().await;
    assert!(emails.len() == 1 && emails[0].contains("Your password was changed"), "{emails:?}");
    for event in ["user.password_reset_requested", "user.password_reset"] {
        let sql = Sql::new("SELECT count(*) FROM audits WHERE event = ? AND auditable_id = ?");
        assert_eq!(panel.number(sql.bind(event).bind(id)).await, 1, "{event}");
    }
}

async fn a_reset_request_reveals_nothing_about_accounts(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.create_user("customer@shop.test", &[]).await;
    panel.create_user("gone@panel.test", &[ViewOrders]).await;
    panel
        .execute(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'gone@panel.test'",
        ))
        .await;
    let mut answers = Vec::new();
    for (n, email) in
        [ANNA_EMAIL, "unknown@panel.test", "customer@shop.test", "gone@panel.test"].iter().enumerate()
    {
        let answer = panel.request_reset(&format!("203.0.113.{n}"), email).await;
        answers.push((answer.status.as_u16(), answer.text.clone()));
    }
    assert!(answers.iter().all(|answer| *answer == (204, String::new())), "{answers:?}");
    // Every address causes the same work (one job), so timing reveals nothing.
    let sql = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%password_reset%'";
    assert_eq!(panel.number(Sql::new(sql)).await, 4);
    let emails = panel.emails().await;
    assert!(emails.len() == 1 && emails[0].contains(ANNA_EMAIL), "{emails:?}");
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM account_links")).await, 1);
    assert_eq!(panel.job_counts().await, (4, 0, 0));
    let wrong = panel.request_reset("203.0.113.7", "nobody").await;
    assert_eq!((wrong.status.as_u16(), wrong.json()["errors"]["email"].is_array()), (422, true));
    assert_eq!(panel.use_link("", NEW_PASSWORD).await.status_and_code(), (409, "link_over".into()));
}

async fn reset_requests_are_throttled_like_sign_in(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    for email in [ANNA_EMAIL, "unknown@panel.test"] {
        let from = if email == ANNA_EMAIL { "203.0.113.7" } else { "198.51.100.7" };
        let requests = (0..8).map(|_| panel.request_reset(from, email));
        let answers = futures_util::future::join_all(requests).await;
        assert_eq!(answers.iter().filter(|answer| answer.status == 204).count(), 5, "{email}");
        assert!(
            answers
                .iter()
                .filter(|answer| answer.status != 204)
                .all(|answer| answer.status_and_code().0 == 429 && answer.retry_after_secs() > 0)
        );
    }
    // Sign-in is throttled by separate counters.
    panel.clock.advance_secs(61);
    panel.login(ANNA_EMAIL, PASSWORD).await.token();
    assert_eq!(panel.request_reset("203.0.113.7", ANNA_EMAIL).await.status, 204);
}

async fn a_link_ends_after_an_hour_or_an_account_change(dialect: Dialect) {
    let (panel, id) = panel_with_anna(dialect).await;
    let request_link = async || {
        panel.clock.advance_secs(600);
        assert_eq!(panel.request_reset("203.0.113.9", ANNA_EMAIL).await.status, 204);
        panel.emailed_token().await
    };
    let assert_link_over = async |token: &str| {
        assert_eq!(panel.show_link(token).await.status_and_code(), (409, "link_over".into()))
    };
    let first = request_link().await;
    panel.clock.advance_secs(3_599);
    assert_eq!(panel.show_link(&first).await.status, 200);
    panel.clock.advance_secs(2);
    assert_link_over(&first).await;
    // A newer link replaces the earlier one.
    let (older, newer) = (request_link().await, request_link().await);
    assert_link_over(&older).await;
    assert_eq!(panel.show_link(&newer).await.status, 200);
    // A password change by other means revokes the link.
    let token = panel.login(ANNA_EMAIL, PASSWORD).await.token();
    let body = json!({ "current_password": PASSWORD, "password": NEW_PASSWORD });
    assert_eq!(
        panel.call("203.0.113.7", Some(&token), "POST", "/api/v1/profile/password", &body).await.status,
        204
    );
    assert_link_over(&newer).await;
    panel.emails().await;
    // A changed email address revokes the link.
    let link_to_former_email = request_link().await;
    panel.execute(Sql::new("UPDATE users SET email = 'new@panel.test' WHERE id = ?").bind(id)).await;
    assert_link_over(&link_to_former_email).await;
    assert_eq!(
        panel.use_link(&link_to_former_email, "seven quiet river stones").await.status_and_code().0,
        409
    );
    panel.execute(Sql::new("UPDATE users SET email = ? WHERE id = ?").bind(ANNA_EMAIL).bind(id)).await;
    // Deactivating and reactivating the account does not restore the link.
    let path = format!("{STAFFS}/{id}");
    for is_active in [false, true] {
        let answer = panel.send("owner", "PATCH", &path, &json!({ "is_active": is_active }), None).await;
        assert_eq!(answer.status, 200, "{}", answer.text);
    }
    assert_link_over(&link_to_former_email).await;
    // Retention removes links a month after they ended.
    request_link().await;
    panel.clock.advance_secs(3_601 + 30 * 86_400);
    panel_server::background::retention::remove_due(&panel.app, None).await.unwrap();
    assert_eq!(panel.number(Sql::new("SELECT count(*) FROM account_links")).await, 0);
}

async fn a_retried_email_has_the_only_link_that_works(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.request_reset("203.0.113.9", ANNA_EMAIL).await;
    let first = panel.emailed_token().await;
    // The worker died after sending the email and before recording it.
    panel.execute(Sql::new("UPDATE jobs SET done_at = NULL")).await;
    let second = panel.emailed_token().await;
    assert_eq!(panel.show_link(&first).await.status_and_code(), (409, "link_over".into()));
    assert_eq!(panel.show_link(&second).await.status, 200);
    assert_eq!(panel.times_audited("user.password_reset_requested").await, 1);
    // An email that could not be sent for an hour is dropped, since its link has expired.
    panel.execute(Sql::new("UPDATE jobs SET done_at = NULL")).await;
    panel.clock.advance_secs(3_601);
    assert_eq!(panel.emails().await.len(), 0);
}

async fn a_link_requires_a_strong_password_and_keeps_the_second_factor(dialect: Dialect) {
    let (panel, id) = panel_with_anna(dialect).await;
    panel.execute(Sql::new("UPDATE users SET totp_secret = ? WHERE id = ?").bind(vec![1_u8]).bind(id)).await;
    panel.request_reset("203.0.113.9", ANNA_EMAIL).await;
    let token = panel.emailed_token().await;
    for weak in ["", "short", "Football123", "Anna-2026-panel"] {
        let answer = panel.use_link(&token, weak).await;
        assert_eq!(answer.status, 422, "{weak}: {}", answer.text);
        let errors = answer.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), ["password"], "{weak}");
    }
    assert_eq!(
        panel.use_link(&token, NEW_PASSWORD).await.status,
        204,
        "the refused passwords did not use the link up"
    );
    assert_eq!(panel.login(ANNA_EMAIL, NEW_PASSWORD).await.status_and_code(), (422, "otp_required".into()));
}

async fn one_of_two_concurrent_uses_of_a_link_succeeds(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.request_reset("203.0.113.9", ANNA_EMAIL).await;
    let token = panel.emailed_token().await;
    let uses = [NEW_PASSWORD, "seven quiet river stones"].map(|password| panel.use_link(&token, password));
    let answers = futures_util::future::join_all(uses).await;
    let mut statuses: Vec<u16> = answers.iter().map(|answer| answer.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409]);
    assert_eq!(panel.times_audited("user.password_reset").await, 1);
}

async fn an_invited_staff_member_sets_a_password(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let created = panel.invite("olga").await;
    let expires_at = created["invitation_expires_at"].as_str().unwrap().to_owned();
    assert_eq!(expires_at, Time(NOW + 7 * 86_400_000_000).to_string());
    assert_eq!(
        (&created["actions"]["invitable"], &created["actions"]["invitation_withdrawable"]),
        (&json!(true), &json!(true))
    );
    let emails = panel.emails().await;
    assert!(
        emails.len() == 1 && emails[0].contains("olga@panel.test") && emails[0].contains("invit"),
        "{emails:?}"
    );
    let token = token_in(&emails[0]);
    // An account without a password cannot sign in, and a reset does not replace the invitation.
    assert_eq!(panel.login("olga@panel.test", PASSWORD).await.status, 422);
    panel.request_reset("203.0.113.9", "olga@panel.test").await;
    assert_eq!(panel.emails().await.len(), 0);
    panel.advance_and_sign_in_owner(7 * 86_400 - 1).await;
    assert_eq!(panel.show_link(&token).await.json()["data"]["purpose"], "invitation");
    assert_eq!(panel.use_link(&token, NEW_PASSWORD).await.status, 204);
    panel.login("olga@panel.test", NEW_PASSWORD).await.token();
    let row = panel.staff_row(&created["id"]).await;
    assert_eq!((&row["invitation_expires_at"], &row["actions"]["invitable"]), (&Value::Null, &json!(false)));
    assert_eq!(panel.use_link(&token, PASSWORD).await.status_and_code(), (409, "link_over".into()));
    assert_eq!(
        (panel.times_audited("user.invited").await, panel.times_audited("user.invitation_accepted").await),
        (1, 1)
    );
    assert_eq!(
        panel.act_on_staff("owner", &created["id"], "invite").await.status_and_code(),
        (409, "has_password".into())
    );
}

async fn an_invitation_is_resent_and_withdrawn(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let created = panel.invite("olga").await;
    let id = created["id"].clone();
    let first = panel.emailed_token().await;
    panel.advance_and_sign_in_owner(8 * 86_400).await;
    assert_eq!(panel.show_link(&first).await.status_and_code(), (409, "link_over".into()));
    let dry_run =
        panel.send("owner", "POST", &format!("{STAFFS}/{id}/invite?dry_run=1"), &json!({}), None).await;
    assert_eq!((dry_run.status.as_u16(), panel.emails().await.len()), (200, 0));
    assert_eq!(panel.act_on_staff("owner", &id, "invite").await.status, 200);
    let second = panel.emailed_token().await;
    assert_eq!(panel.show_link(&second).await.status, 200);
    let withdrawn = panel.act_on_staff("owner", &id, "withdraw-invitation").await;
    assert_eq!(withdrawn.json()["data"]["invitation_expires_at"], Value::Null, "{}", withdrawn.text);
    assert_eq!(panel.use_link(&second, NEW_PASSWORD).await.status_and_code(), (409, "link_over".into()));
    assert_eq!(
        panel.act_on_staff("owner", &id, "withdraw-invitation").await.status_and_code(),
        (409, "no_invitation".into())
    );
    // An invitation that is withdrawn before its email is sent sends no email.
    panel.clock.advance_secs(1);
    assert_eq!(panel.act_on_staff("owner", &id, "invite").await.status, 200);
    assert_eq!(panel.act_on_staff("owner", &id, "withdraw-invitation").await.status, 200);
    assert_eq!(panel.emails().await.len(), 0);
    // Deactivating withdraws it too.
    panel.clock.advance_secs(1);
    assert_eq!(panel.act_on_staff("owner", &id, "invite").await.status, 200);
    let third = panel.emailed_token().await;
    let deactivate = json!({ "is_active": false });
    assert_eq!(panel.send("owner", "PATCH", &format!("{STAFFS}/{id}"), &deactivate, None).await.status, 200);
    assert_eq!(panel.use_link(&third, NEW_PASSWORD).await.status_and_code(), (409, "link_over".into()));
    assert_eq!(
        panel.act_on_staff("owner", &id, "invite").await.status_and_code(),
        (409, "deactivated".into())
    );
    assert_eq!(panel.times_audited("user.invitation_withdrawn").await, 2);
}

async fn inviting_requires_permission(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    panel.create_staff("junior", &[ManageStaff, ViewOrders]).await;
    panel.create_staff("clerk", &[ViewOrders]).await;
    let body = json!({ "name": "Chief", "email": "chief@panel.test", "permissions": [Permission::as_str(ViewAudits)] });
    let chief = panel.post(STAFFS, &body).await.json()["data"]["id"].clone();
    for action in ["invite", "withdraw-invitation"] {
        assert_eq!(
            panel.act_on_staff("junior", &chief, action).await.status_and_code(),
            (403, "outranked".into())
        );
        assert_eq!(panel.act_on_staff("clerk", &chief, action).await.status, 403);
        assert_eq!(panel.act_on_staff("owner", &json!(999), action).await.status, 404);
    }
    let customer = json!(panel.create_user("customer@shop.test", &[]).await);
    panel
        .execute(
            Sql::new("UPDATE users SET password_hash = NULL WHERE id = ?").bind(customer.as_i64().unwrap()),
        )
        .await;
    assert_eq!(
        panel.act_on_staff("owner", &customer, "invite").await.status,
        404,
        "the user is not a staff member"
    );
    let weak =
        json!({ "name": "X", "email": "x@panel.test", "password": "short", "permissions": ["view orders"] });
    assert_eq!(panel.post(STAFFS, &weak).await.status, 422, "a chosen password is validated");
}

async fn without_mail_staff_are_created_with_a_password(dialect: Dialect) {
    let panel = Panel::on(dialect).await;
    let body = json!({ "name": "Olga", "email": "olga@panel.test", "permissions": ["view orders"] });
    let refused = panel.post(STAFFS, &body).await;
    assert_eq!(refused.status_and_code(), (422, "mail_not_configured".into()));
    assert!(refused.json()["errors"]["password"].is_array(), "{}", refused.text);
    let body = json!({ "name": "Olga", "email": "olga@panel.test", "password": PASSWORD, "permissions": ["view orders"] });
    let created = panel.post(STAFFS, &body).await.json()["data"].clone();
    assert_eq!(
        (&created["invitation_expires_at"], &created["actions"]["invitable"]),
        (&Value::Null, &json!(false))
    );
    panel.execute(Sql::new("UPDATE users SET password_hash = NULL WHERE email = 'olga@panel.test'")).await;
    assert_eq!(
        panel.act_on_staff("owner", &created["id"], "invite").await.status_and_code(),
        (409, "mail_not_configured".into())
    );
    // A reset request still gets its usual response.
    assert_eq!(panel.request_reset("203.0.113.9", "olga@panel.test").await.status, 204);
}
