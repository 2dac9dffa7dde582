//! Password links sent by email, for resets and invitations: a link works once and expires, and a reset request does not reveal
//! whether an account exists.

use panel_contract::moment::Time;
use panel_contract::permission::Permission::{self, ManageStaff, ViewAudits, ViewOrders};
use panel_contract::quarantine::Poller as QuarantineKind;
use panel_platform::db::{Dialect, Sql};
use panel_server::background::quarantine_retry::poll_once;
use serde_json::{Value, json};

use crate::panel::{NOW, Panel, TestResponse};
use crate::test_users::PASSWORD;

test_both_databases! {
    a_reset_link_sets_a_new_password_once;
    a_reset_request_does_not_reveal_whether_an_account_exists;
    reset_requests_are_throttled_like_sign_in;
    a_link_expires_after_an_hour_or_an_account_change;
    a_retried_email_replaces_the_link_of_the_first_email;
    a_link_requires_a_strong_password_and_keeps_the_second_factor;
    one_of_two_concurrent_uses_of_a_link_succeeds;
    an_invited_staff_member_sets_a_password;
    an_invitation_is_resent_and_withdrawn;
    inviting_requires_permission;
    without_a_mail_server_staff_are_created_with_a_password;
}

const ANNA_EMAIL: &str = "anna@panel.test";
const NEW_PASSWORD: &str = "lamps rain over violet";
const STAFFS_PATH: &str = "/api/v1/admin/staffs";

impl Panel {
    async fn request_password_reset(&self, address: &str, email: &str) -> TestResponse {
        self.request_from(address, None, "POST", "/password-resets", &json!({ "email": email })).await
    }

    async fn show_link(&self, token: &str) -> TestResponse {
        self.request_from("203.0.113.7", None, "POST", "/password-links/show", &json!({ "token": token }))
            .await
    }

    async fn use_link(&self, token: &str, password: &str) -> TestResponse {
        let body = json!({ "token": token, "password": password });
        self.request_from("203.0.113.7", None, "POST", "/password-links/use", &body).await
    }

    /// Runs the due mail jobs. Returns the emails that they sent.
    async fn send_due_emails(&self) -> Vec<String> {
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

    /// Sends the due emails, which must be exactly one. Returns the token in the email.
    async fn send_email_and_read_token(&self) -> String {
        let emails = self.send_due_emails().await;
        assert_eq!(emails.len(), 1, "{emails:?}");
        extract_token(&emails[0])
    }

    async fn count_audits(&self, event: &'static str) -> i64 {
        self.fetch_number(Sql::new("SELECT count(*) FROM audits WHERE event = ?").bind(event)).await
    }

    async fn invite(&self, name: &str) -> Value {
        let email = format!("{name}@panel.test");
        let body = json!({ "name": name, "email": email, "permissions": ["view orders"] });
        let create_response = self.post(STAFFS_PATH, &body).await;
        assert_eq!(create_response.status, 200, "{}", create_response.text);
        create_response.json()["data"].clone()
    }

    async fn fetch_staff_row(&self, id: &Value) -> Value {
        let rows = self.get(STAFFS_PATH).await.json()["data"].clone();
        rows.as_array().unwrap().iter().find(|row| row["id"] == *id).unwrap().clone()
    }

    async fn act_on_staff(&self, staff: &str, id: &Value, action: &str) -> TestResponse {
        self.send(staff, "POST", &format!("{STAFFS_PATH}/{id}/{action}"), &json!({}), None).await
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

fn extract_token(email: &str) -> String {
    let (_, text_after) = email.split_once("/set-password#token=").unwrap_or_else(|| panic!("{email}"));
    text_after.split_whitespace().next().unwrap().to_owned()
}

async fn panel_with_anna(dialect: Dialect) -> (Panel, i64) {
    let panel = Panel::with_mailbox(dialect).await;
    let id = panel.create_user(ANNA_EMAIL, &[ViewOrders]).await;
    (panel, id)
}

async fn a_reset_link_sets_a_new_password_once(dialect: Dialect) {
    let (panel, id) = panel_with_anna(dialect).await;
    let session_token = panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    let reset_response = panel.request_password_reset("203.0.113.9", " Anna@Panel.test ").await;
    assert_eq!((reset_response.status.as_u16(), reset_response.text.as_str()), (204, ""));
    let emails = panel.send_due_emails().await;
    assert_eq!(emails.len(), 1);
    assert!(emails[0].contains("anna@panel.test") && emails[0].contains("203.0.113.9"), "{}", emails[0]);
    let token = extract_token(&emails[0]);
    assert_eq!(token.len(), 43, "the token must have 256 bits: {token}");
    // The database stores only the hash of the token.
    for table in ["account_links", "jobs", "audits"] {
        let token_count_sql = match table {
            "jobs" => "SELECT count(*) FROM jobs WHERE payload LIKE ?",
            "audits" => "SELECT count(*) FROM audits WHERE new_values LIKE ?",
            _ => "SELECT count(*) FROM account_links WHERE email LIKE ? OR purpose LIKE ?",
        };
        let sql = Sql::new(token_count_sql).bind(format!("%{token}%"));
        let sql = if table == "account_links" { sql.bind(format!("%{token}%")) } else { sql };
        assert_eq!(panel.fetch_number(sql).await, 0, "{table}");
    }
    let link_data = panel.show_link(&token).await.json()["data"].clone();
    assert_eq!((&link_data["purpose"], &link_data["email"]), (&json!("password_reset"), &json!(ANNA_EMAIL)));
    assert_eq!(panel.profile_status(&session_token).await.0, 200, "a reset request must not end a session");
    let use_response = panel.use_link(&token, NEW_PASSWORD).await;
    assert_eq!(
        (use_response.status.as_u16(), use_response.headers.get("authorization")),
        (204, None),
        "{}",
        use_response.text
    );
    assert_eq!(panel.profile_status(&session_token).await, (401, "token_ended".into()));
    assert_eq!(panel.login(ANNA_EMAIL, PASSWORD).await.status, 422);
    panel.login(ANNA_EMAIL, NEW_PASSWORD).await.session_token();
    assert_eq!(
        panel.use_link(&token, "seven quiet river stones").await.status_and_code(),
        (409, "link_over".into())
    );
    assert_eq!(panel.show_link(&token).await.status_and_code(), (409, "link_over".into()));
    let emails = panel.send_due_emails().await;
    assert!(emails.len() == 1 && emails[0].contains("Your password was changed"), "{emails:?}");
    for event in ["user.password_reset_requested", "user.password_reset"] {
        let sql = Sql::new("SELECT count(*) FROM audits WHERE event = ? AND auditable_id = ?");
        assert_eq!(panel.fetch_number(sql.bind(event).bind(id)).await, 1, "{event}");
    }
}

async fn a_reset_request_does_not_reveal_whether_an_account_exists(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.create_user("customer@shop.test", &[]).await;
    panel.create_user("gone@panel.test", &[ViewOrders]).await;
    panel
        .execute(Sql::new(
            "UPDATE users SET status = 'deactivated', deactivated_at = 1 WHERE email = 'gone@panel.test'",
        ))
        .await;
    let mut responses = Vec::new();
    for (index, email) in
        [ANNA_EMAIL, "unknown@panel.test", "customer@shop.test", "gone@panel.test"].iter().enumerate()
    {
        let response = panel.request_password_reset(&format!("203.0.113.{index}"), email).await;
        responses.push((response.status.as_u16(), response.text.clone()));
    }
    assert!(responses.iter().all(|response| *response == (204, String::new())), "{responses:?}");
    // Each address causes the same work (one job), so the response time does not reveal whether the account exists.
    let sql = "SELECT count(*) FROM jobs WHERE kind = 'mail' AND payload LIKE '%password_reset%'";
    assert_eq!(panel.fetch_number(Sql::new(sql)).await, 4);
    let emails = panel.send_due_emails().await;
    assert!(emails.len() == 1 && emails[0].contains(ANNA_EMAIL), "{emails:?}");
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM account_links")).await, 1);
    assert_eq!(panel.job_counts().await, (4, 0, 0));
    let invalid_email_response = panel.request_password_reset("203.0.113.7", "nobody").await;
    assert_eq!(
        (invalid_email_response.status.as_u16(), invalid_email_response.json()["errors"]["email"].is_array()),
        (422, true)
    );
    assert_eq!(panel.use_link("", NEW_PASSWORD).await.status_and_code(), (409, "link_over".into()));
}

async fn reset_requests_are_throttled_like_sign_in(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    for email in [ANNA_EMAIL, "unknown@panel.test"] {
        let address = if email == ANNA_EMAIL { "203.0.113.7" } else { "198.51.100.7" };
        let requests = (0..8).map(|_| panel.request_password_reset(address, email));
        let responses = futures_util::future::join_all(requests).await;
        assert_eq!(responses.iter().filter(|response| response.status == 204).count(), 5, "{email}");
        assert!(
            responses.iter().filter(|response| response.status != 204).all(|response| response
                .status_and_code()
                .0
                == 429
                && response.retry_after_secs() > 0)
        );
    }
    // Sign-in has separate counters.
    panel.clock.advance_secs(61);
    panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    assert_eq!(panel.request_password_reset("203.0.113.7", ANNA_EMAIL).await.status, 204);
}

async fn a_link_expires_after_an_hour_or_an_account_change(dialect: Dialect) {
    let (panel, id) = panel_with_anna(dialect).await;
    let request_link = async || {
        panel.clock.advance_secs(600);
        assert_eq!(panel.request_password_reset("203.0.113.9", ANNA_EMAIL).await.status, 204);
        panel.send_email_and_read_token().await
    };
    let assert_link_over = async |token: &str| {
        assert_eq!(panel.show_link(token).await.status_and_code(), (409, "link_over".into()))
    };
    let first_token = request_link().await;
    panel.clock.advance_secs(3_599);
    assert_eq!(panel.show_link(&first_token).await.status, 200);
    panel.clock.advance_secs(2);
    assert_link_over(&first_token).await;
    // A newer link replaces the earlier one.
    let (older_token, newer_token) = (request_link().await, request_link().await);
    assert_link_over(&older_token).await;
    assert_eq!(panel.show_link(&newer_token).await.status, 200);
    // A password change without the link revokes the link.
    let token = panel.login(ANNA_EMAIL, PASSWORD).await.session_token();
    let body = json!({ "current_password": PASSWORD, "password": NEW_PASSWORD });
    assert_eq!(
        panel
            .request_from("203.0.113.7", Some(&token), "POST", "/api/v1/profile/password", &body)
            .await
            .status,
        204
    );
    assert_link_over(&newer_token).await;
    panel.send_due_emails().await;
    // A changed email address revokes the link.
    let token_for_former_email = request_link().await;
    panel.execute(Sql::new("UPDATE users SET email = 'new@panel.test' WHERE id = ?").bind(id)).await;
    assert_link_over(&token_for_former_email).await;
    assert_eq!(
        panel.use_link(&token_for_former_email, "seven quiet river stones").await.status_and_code().0,
        409
    );
    panel.execute(Sql::new("UPDATE users SET email = ? WHERE id = ?").bind(ANNA_EMAIL).bind(id)).await;
    // Deactivating and reactivating the account does not restore the link.
    let path = format!("{STAFFS_PATH}/{id}");
    for is_active in [false, true] {
        let response = panel.send("owner", "PATCH", &path, &json!({ "is_active": is_active }), None).await;
        assert_eq!(response.status, 200, "{}", response.text);
    }
    assert_link_over(&token_for_former_email).await;
    // Retention removes links a month after they ended.
    request_link().await;
    panel.clock.advance_secs(3_601 + 30 * 86_400);
    panel_server::background::retention::remove_expired_records(&panel.app, None).await.unwrap();
    assert_eq!(panel.fetch_number(Sql::new("SELECT count(*) FROM account_links")).await, 0);
}

async fn a_retried_email_replaces_the_link_of_the_first_email(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.request_password_reset("203.0.113.9", ANNA_EMAIL).await;
    let first_token = panel.send_email_and_read_token().await;
    // Simulate a worker that died after it sent the email and before it recorded that.
    panel.execute(Sql::new("UPDATE jobs SET done_at = NULL")).await;
    let second_token = panel.send_email_and_read_token().await;
    assert_eq!(panel.show_link(&first_token).await.status_and_code(), (409, "link_over".into()));
    assert_eq!(panel.show_link(&second_token).await.status, 200);
    assert_eq!(panel.count_audits("user.password_reset_requested").await, 1);
    // The worker drops an email that it could not send for an hour, because the link has expired.
    panel.execute(Sql::new("UPDATE jobs SET done_at = NULL")).await;
    panel.clock.advance_secs(3_601);
    assert_eq!(panel.send_due_emails().await.len(), 0);
}

async fn a_link_requires_a_strong_password_and_keeps_the_second_factor(dialect: Dialect) {
    let (panel, id) = panel_with_anna(dialect).await;
    panel.execute(Sql::new("UPDATE users SET totp_secret = ? WHERE id = ?").bind(vec![1_u8]).bind(id)).await;
    panel.request_password_reset("203.0.113.9", ANNA_EMAIL).await;
    let token = panel.send_email_and_read_token().await;
    for weak_password in ["", "short", "Football123", "Anna-2026-panel"] {
        let response = panel.use_link(&token, weak_password).await;
        assert_eq!(response.status, 422, "{weak_password}: {}", response.text);
        let errors = response.json()["errors"].clone();
        assert_eq!(errors.as_object().unwrap().keys().collect::<Vec<_>>(), ["password"], "{weak_password}");
    }
    assert_eq!(
        panel.use_link(&token, NEW_PASSWORD).await.status,
        204,
        "rejected passwords must not use up the link"
    );
    assert_eq!(panel.login(ANNA_EMAIL, NEW_PASSWORD).await.status_and_code(), (422, "otp_required".into()));
}

async fn one_of_two_concurrent_uses_of_a_link_succeeds(dialect: Dialect) {
    let (panel, _) = panel_with_anna(dialect).await;
    panel.request_password_reset("203.0.113.9", ANNA_EMAIL).await;
    let token = panel.send_email_and_read_token().await;
    let use_requests =
        [NEW_PASSWORD, "seven quiet river stones"].map(|password| panel.use_link(&token, password));
    let responses = futures_util::future::join_all(use_requests).await;
    let mut statuses: Vec<u16> = responses.iter().map(|response| response.status.as_u16()).collect();
    statuses.sort_unstable();
    assert_eq!(statuses, [204, 409]);
    assert_eq!(panel.count_audits("user.password_reset").await, 1);
}

async fn an_invited_staff_member_sets_a_password(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let invited_record = panel.invite("olga").await;
    let expires_at = invited_record["invitation_expires_at"].as_str().unwrap().to_owned();
    assert_eq!(expires_at, Time(NOW + 7 * 86_400_000_000).to_string());
    assert_eq!(
        (&invited_record["actions"]["invitable"], &invited_record["actions"]["invitation_withdrawable"]),
        (&json!(true), &json!(true))
    );
    let emails = panel.send_due_emails().await;
    assert!(
        emails.len() == 1 && emails[0].contains("olga@panel.test") && emails[0].contains("invit"),
        "{emails:?}"
    );
    let token = extract_token(&emails[0]);
    // An account without a password cannot sign in, and a reset does not replace the invitation.
    assert_eq!(panel.login("olga@panel.test", PASSWORD).await.status, 422);
    panel.request_password_reset("203.0.113.9", "olga@panel.test").await;
    assert_eq!(panel.send_due_emails().await.len(), 0);
    panel.advance_and_sign_in_owner(7 * 86_400 - 1).await;
    assert_eq!(panel.show_link(&token).await.json()["data"]["purpose"], "invitation");
    assert_eq!(panel.use_link(&token, NEW_PASSWORD).await.status, 204);
    panel.login("olga@panel.test", NEW_PASSWORD).await.session_token();
    let row = panel.fetch_staff_row(&invited_record["id"]).await;
    assert_eq!((&row["invitation_expires_at"], &row["actions"]["invitable"]), (&Value::Null, &json!(false)));
    assert_eq!(panel.use_link(&token, PASSWORD).await.status_and_code(), (409, "link_over".into()));
    assert_eq!(
        (panel.count_audits("user.invited").await, panel.count_audits("user.invitation_accepted").await),
        (1, 1)
    );
    assert_eq!(
        panel.act_on_staff("owner", &invited_record["id"], "invite").await.status_and_code(),
        (409, "has_password".into())
    );
}

async fn an_invitation_is_resent_and_withdrawn(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    let invited_record = panel.invite("olga").await;
    let id = invited_record["id"].clone();
    let first_token = panel.send_email_and_read_token().await;
    panel.advance_and_sign_in_owner(8 * 86_400).await;
    assert_eq!(panel.show_link(&first_token).await.status_and_code(), (409, "link_over".into()));
    let dry_run =
        panel.send("owner", "POST", &format!("{STAFFS_PATH}/{id}/invite?dry_run=1"), &json!({}), None).await;
    assert_eq!((dry_run.status.as_u16(), panel.send_due_emails().await.len()), (200, 0));
    assert_eq!(panel.act_on_staff("owner", &id, "invite").await.status, 200);
    let second_token = panel.send_email_and_read_token().await;
    assert_eq!(panel.show_link(&second_token).await.status, 200);
    let withdraw_response = panel.act_on_staff("owner", &id, "withdraw-invitation").await;
    assert_eq!(
        withdraw_response.json()["data"]["invitation_expires_at"],
        Value::Null,
        "{}",
        withdraw_response.text
    );
    assert_eq!(
        panel.use_link(&second_token, NEW_PASSWORD).await.status_and_code(),
        (409, "link_over".into())
    );
    assert_eq!(
        panel.act_on_staff("owner", &id, "withdraw-invitation").await.status_and_code(),
        (409, "no_invitation".into())
    );
    // No email is sent for an invitation that staff withdraw before the worker sends the email.
    panel.clock.advance_secs(1);
    assert_eq!(panel.act_on_staff("owner", &id, "invite").await.status, 200);
    assert_eq!(panel.act_on_staff("owner", &id, "withdraw-invitation").await.status, 200);
    assert_eq!(panel.send_due_emails().await.len(), 0);
    // The deactivation of the account withdraws the invitation too.
    panel.clock.advance_secs(1);
    assert_eq!(panel.act_on_staff("owner", &id, "invite").await.status, 200);
    let third_token = panel.send_email_and_read_token().await;
    let deactivate_body = json!({ "is_active": false });
    assert_eq!(
        panel.send("owner", "PATCH", &format!("{STAFFS_PATH}/{id}"), &deactivate_body, None).await.status,
        200
    );
    assert_eq!(panel.use_link(&third_token, NEW_PASSWORD).await.status_and_code(), (409, "link_over".into()));
    assert_eq!(
        panel.act_on_staff("owner", &id, "invite").await.status_and_code(),
        (409, "deactivated".into())
    );
    assert_eq!(panel.count_audits("user.invitation_withdrawn").await, 2);
}

async fn inviting_requires_permission(dialect: Dialect) {
    let panel = Panel::with_mailbox(dialect).await;
    panel.create_staff("junior", &[ManageStaff, ViewOrders]).await;
    panel.create_staff("clerk", &[ViewOrders]).await;
    let body = json!({ "name": "Chief", "email": "chief@panel.test", "permissions": [Permission::as_str(ViewAudits)] });
    let chief_id = panel.post(STAFFS_PATH, &body).await.json()["data"]["id"].clone();
    for action in ["invite", "withdraw-invitation"] {
        assert_eq!(
            panel.act_on_staff("junior", &chief_id, action).await.status_and_code(),
            (403, "outranked".into())
        );
        assert_eq!(panel.act_on_staff("clerk", &chief_id, action).await.status, 403);
        assert_eq!(panel.act_on_staff("owner", &json!(999), action).await.status, 404);
    }
    let customer_id = json!(panel.create_user("customer@shop.test", &[]).await);
    panel
        .execute(
            Sql::new("UPDATE users SET password_hash = NULL WHERE id = ?")
                .bind(customer_id.as_i64().unwrap()),
        )
        .await;
    assert_eq!(
        panel.act_on_staff("owner", &customer_id, "invite").await.status,
        404,
        "the user is not a staff member"
    );
    let weak_body =
        json!({ "name": "X", "email": "x@panel.test", "password": "short", "permissions": ["view orders"] });
    assert_eq!(
        panel.post(STAFFS_PATH, &weak_body).await.status,
        422,
        "a password that staff choose must be validated"
    );
}

async fn without_a_mail_server_staff_are_created_with_a_password(dialect: Dialect) {
    let panel = Panel::start(dialect).await;
    let body = json!({ "name": "Olga", "email": "olga@panel.test", "permissions": ["view orders"] });
    let rejection = panel.post(STAFFS_PATH, &body).await;
    assert_eq!(rejection.status_and_code(), (422, "mail_not_configured".into()));
    assert!(rejection.json()["errors"]["password"].is_array(), "{}", rejection.text);
    let body = json!({ "name": "Olga", "email": "olga@panel.test", "password": PASSWORD, "permissions": ["view orders"] });
    let created_record = panel.post(STAFFS_PATH, &body).await.json()["data"].clone();
    assert_eq!(
        (&created_record["invitation_expires_at"], &created_record["actions"]["invitable"]),
        (&Value::Null, &json!(false))
    );
    panel.execute(Sql::new("UPDATE users SET password_hash = NULL WHERE email = 'olga@panel.test'")).await;
    assert_eq!(
        panel.act_on_staff("owner", &created_record["id"], "invite").await.status_and_code(),
        (409, "mail_not_configured".into())
    );
    // A reset request still gets the usual response.
    assert_eq!(panel.request_password_reset("203.0.113.9", "olga@panel.test").await.status, 204);
}
