// Made from openapi.json by `npm run openapi`. Never edit it.

export interface paths {
    "/api/v1/admin/application": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Dictionaries.
         * @description Who may call it: bearer.
         */
        get: operations["application"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/audits": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what, newest first.
         * @description Who may call it: view audits.
         */
        get: operations["list_audits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/audits/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Looks whether entries are as they were sealed, up to 100 seals a call.
         * @description Who may call it: view audits.
         */
        get: operations["verify_audits"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/banners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All banners with their slides, and the places there are.
         * @description Who may call it: bearer.
         */
        get: operations["list_banners"];
        put?: never;
        /**
         * A new banner for a place that has none, as JSON or multipart.
         * @description Who may call it: manage panel settings.
         */
        post: operations["create_banner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/banners/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes a banner, as JSON or multipart with `_method=PUT`.
         * @description Who may call it: manage panel settings.
         */
        post: operations["update_banner"];
        /**
         * Deletes a banner with its slides.
         * @description Who may call it: manage panel settings.
         */
        delete: operations["delete_banner"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/child-panel-orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Orders of child panels, with the filters of the orders list.
         * @description Who may call it: view orders.
         */
        get: operations["list_child_panel_orders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/combo-orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Combo orders, newest first.
         * @description Who may call it: view orders.
         */
        get: operations["list_combo_orders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/combo-orders/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves one; its orders in moderation are approved with it.
         * @description Who may call it: manage orders.
         */
        post: operations["approve_combo_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/combo-orders/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Completes one; its orders in processing are completed with it.
         * @description Who may call it: manage orders.
         */
        post: operations["complete_combo_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/combo-orders/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rejects one; its orders are canceled and their money goes back.
         * @description Who may call it: manage orders.
         */
        post: operations["reject_combo_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/combo-orders/in-moderation-count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How many wait for moderation.
         * @description Who may call it: view orders.
         */
        get: operations["count_combos_in_moderation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/drip-feeds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Drip-feeds, newest first.
         * @description Who may call it: view orders.
         */
        get: operations["list_drip_feeds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/drip-feeds/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels one: no more runs, placed orders go on, the money of the other runs goes back.
         * @description Who may call it: manage orders.
         */
        post: operations["cancel_drip_feed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/free-trial-quests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Quests, newest first.
         * @description Who may call it: manage free trials.
         */
        get: operations["list_free_trial_quests"];
        put?: never;
        /**
         * Makes a quest, as JSON or multipart with its images.
         * @description Who may call it: manage free trials.
         */
        post: operations["create_free_trial_quest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/free-trial-quests/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One quest.
         * @description Who may call it: manage free trials.
         */
        get: operations["get_free_trial_quest"];
        /**
         * Changes a quest, as JSON or multipart.
         * @description Who may call it: manage free trials.
         */
        put: operations["update_free_trial_quest"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/free-trial-quests/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts a quest away: nobody sees it any more, its requests stay.
         * @description Who may call it: manage free trials.
         */
        post: operations["archive_free_trial_quest"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/free-trials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Requests for free trials, newest first.
         * @description Who may call it: manage free trials.
         */
        get: operations["list_free_trials"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/free-trials/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves one: an order that costs nothing is placed and linked.
         * @description Who may call it: manage free trials.
         */
        post: operations["approve_free_trial"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/free-trials/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rejects one.
         * @description Who may call it: manage free trials.
         */
        post: operations["reject_free_trial"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/grades": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Grades, archived ones by `is_archived`.
         * @description Who may call it: view grades|manage grades.
         */
        get: operations["list_grades"];
        put?: never;
        /**
         * Makes a grade.
         * @description Who may call it: manage grades.
         */
        post: operations["create_grade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/grades/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One grade.
         * @description Who may call it: view grades|manage grades.
         */
        get: operations["get_grade"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes what is given.
         * @description Who may call it: manage grades.
         */
        patch: operations["update_grade"];
        trace?: never;
    };
    "/api/v1/admin/grades/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts it away; refused while customers have it.
         * @description Who may call it: manage grades.
         */
        post: operations["archive_grade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/grades/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes it back.
         * @description Who may call it: manage grades.
         */
        post: operations["unarchive_grade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/grades/available": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Grades that customers can have, the cheapest to reach first.
         * @description Who may call it: view grades|manage grades|manage grades for user.
         */
        get: operations["available_grades"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/handoff-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A single-use sign-in code for the console, good for 60 seconds.
         * @description Who may call it: bearer.
         */
        post: operations["create_handoff_code"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Invoices, newest first.
         * @description Who may call it: view invoices.
         */
        get: operations["list_invoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/invoices/{id}/mark-as-paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A pending one was paid: credits the customer's main balance once, and the payment method's bonus beside it.
         * @description Who may call it: manage invoices.
         */
        post: operations["mark_invoice_paid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/locales": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Languages of the interface.
         * @description Who may call it: bearer.
         */
        get: operations["locales"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/networks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All networks with their service types, in their order.
         * @description Who may call it: view services|manage service types.
         */
        get: operations["list_networks"];
        put?: never;
        /**
         * A new network, placed last.
         * @description Who may call it: manage service types.
         */
        post: operations["create_network"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/networks/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes a network.
         * @description Who may call it: manage service types.
         */
        put: operations["update_network"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/networks/{id}/service-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The service types of a network, in their order.
         * @description Who may call it: view services|manage service types.
         */
        get: operations["list_network_service_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/networks/{id}/sort-service-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts all service types of a network in an order.
         * @description Who may call it: manage service types.
         */
        post: operations["sort_service_types"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/networks/sort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts all networks in an order.
         * @description Who may call it: manage service types.
         */
        post: operations["sort_networks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Orders, newest first; also filtered by subscription_id, drip_feed_id, combo_order_id.
         * @description Who may call it: view orders.
         */
        get: operations["list_orders"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One order with everything about it.
         * @description Who may call it: view orders.
         */
        get: operations["get_order"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activates one stopped or unpaid order; an unpaid one is charged.
         * @description Who may call it: manage orders.
         */
        post: operations["activate_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves one order in moderation.
         * @description Who may call it: manage orders.
         */
        post: operations["approve_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/auto-refill-params": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How an order refills by itself.
         * @description Who may call it: view orders.
         */
        get: operations["get_auto_refill_params"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes how an order refills by itself.
         * @description Who may call it: write auto refill params.
         */
        patch: operations["update_auto_refill_params"];
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels one order, with or without returning money.
         * @description Who may call it: manage orders.
         */
        post: operations["cancel_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/change-url": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Gives one order another address.
         * @description Who may call it: manage orders.
         */
        post: operations["change_order_url"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Completes one order.
         * @description Who may call it: manage orders.
         */
        post: operations["complete_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/order-refill-requests": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Refills asked for, newest first.
         * @description Who may call it: view orders.
         */
        get: operations["list_refill_requests"];
        put?: never;
        /**
         * Asks for a refill.
         * @description Who may call it: manage orders.
         */
        post: operations["create_refill_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pauses one order in processing.
         * @description Who may call it: manage orders.
         */
        post: operations["pause_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/refund-amount": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a cancel with money would return.
         * @description Who may call it: view orders.
         */
        get: operations["refund_amount"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rejects one order in moderation.
         * @description Who may call it: manage orders.
         */
        post: operations["reject_order"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/set-auto-refill-is-allowed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Whether refills come by themselves.
         * @description Who may call it: manage orders.
         */
        post: operations["set_auto_refill_is_allowed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/set-has-refill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Whether a refill may be asked for.
         * @description Who may call it: manage orders.
         */
        post: operations["set_has_refill"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/{id}/update-comment": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes the staff's comment.
         * @description Who may call it: manage orders.
         */
        post: operations["update_order_comment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Activates many orders.
         * @description Who may call it: manage orders.
         */
        post: operations["activate_orders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves many orders in moderation.
         * @description Who may call it: manage orders.
         */
        post: operations["approve_orders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels many orders, with or without returning money.
         * @description Who may call it: manage orders.
         */
        post: operations["cancel_orders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/cancel-reasons": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why an order can be canceled.
         * @description Who may call it: view orders.
         */
        get: operations["cancel_reasons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/change-provider": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Moves orders to another provider.
         * @description Who may call it: manage orders.
         */
        post: operations["change_provider"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Completes many orders.
         * @description Who may call it: manage orders.
         */
        post: operations["complete_orders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Pauses many orders.
         * @description Who may call it: manage orders.
         */
        post: operations["pause_orders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/promotable-statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Looks at the promoted thing of one order.
         * @description Who may call it: view orders.
         */
        get: operations["promotable_statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rejects many orders in moderation.
         * @description Who may call it: manage orders.
         */
        post: operations["reject_orders"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/orders/statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Orders placed per day, week or month, with money.
         * @description Who may call it: view orders.
         */
        get: operations["order_statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/packages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Packages; `is_archived` 0 or 1.
         * @description Who may call it: manage packages.
         */
        get: operations["list_packages"];
        put?: never;
        /**
         * A new package.
         * @description Who may call it: manage packages.
         */
        post: operations["create_package"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/packages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One package with everything about it.
         * @description Who may call it: manage packages.
         */
        get: operations["get_package"];
        /**
         * Changes a package.
         * @description Who may call it: manage packages.
         */
        put: operations["update_package"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/packages/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a package off sale for good; what was bought goes on.
         * @description Who may call it: manage packages.
         */
        post: operations["archive_package"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/packages/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Brings an archived package back.
         * @description Who may call it: manage packages.
         */
        post: operations["unarchive_package"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/packages/available-service-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Service types with their networks, in their order.
         * @description Who may call it: manage packages.
         */
        get: operations["package_service_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/packages/available-services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The first 50 services on sale, by name.
         * @description Who may call it: manage packages.
         */
        get: operations["package_services"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/packages/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes many packages at once, all of them or none.
         * @description Who may call it: manage packages.
         */
        patch: operations["bulk_update_packages"];
        trace?: never;
    };
    "/api/v1/admin/packages/total-cost": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a package would cost; the same rule as when it is saved.
         * @description Who may call it: manage packages.
         */
        post: operations["package_total_cost"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-method-bonuses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes and changes bonuses of a payment method.
         * @description Who may call it: manage payment methods.
         */
        post: operations["set_payment_method_bonuses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-method-bonuses/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Deletes a bonus.
         * @description Who may call it: manage payment methods.
         */
        delete: operations["delete_payment_method_bonus"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Payment methods in their order.
         * @description Who may call it: view payment methods|manage payment methods.
         */
        get: operations["list_payment_methods"];
        put?: never;
        /**
         * Makes a payment method, as JSON or multipart with its images.
         * @description Who may call it: manage payment methods.
         */
        post: operations["create_payment_method"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-methods/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A payment method; which secrets are set, never what they are.
         * @description Who may call it: view payment methods|manage payment methods.
         */
        get: operations["get_payment_method"];
        put?: never;
        /**
         * Changes a payment method, as JSON or multipart with `_method=PUT`.
         * @description Who may call it: manage payment methods.
         */
        post: operations["update_payment_method"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-methods/{id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Customers can no longer use it.
         * @description Who may call it: manage payment methods.
         */
        post: operations["disable_payment_method"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-methods/{id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Customers can use it.
         * @description Who may call it: manage payment methods.
         */
        post: operations["enable_payment_method"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-methods/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Types, strategies, charge types and currencies.
         * @description Who may call it: view payment methods|manage payment methods.
         */
        get: operations["payment_method_collections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-methods/get-available-for-order-widget": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Enabled payment methods in their order, for order widgets.
         * @description Who may call it: manage order widgets|manage payment methods.
         */
        get: operations["payment_methods_for_order_widget"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payment-methods/sort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts all payment methods in order; a list that misses or adds one is a 409.
         * @description Who may call it: manage payment methods.
         */
        post: operations["sort_payment_methods"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Movements on customers' balances, newest first.
         * @description Who may call it: view finances.
         */
        get: operations["list_payments"];
        put?: never;
        /**
         * Credits or debits a customer by hand; an Idempotency-Key is required.
         * @description Who may call it: manage finances.
         */
        post: operations["create_payment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/payments/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Types, transaction types and balance types.
         * @description Who may call it: view finances.
         */
        get: operations["payment_collections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every permission there is, with its group.
         * @description Who may call it: manage staff.
         */
        get: operations["list_permissions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/promotable-checker-groups": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The groups of checks that addresses go through, by name.
         * @description Who may call it: view services.
         */
        get: operations["list_promotable_checker_groups"];
        put?: never;
        /**
         * A new group of checks.
         * @description Who may call it: manage targets.
         */
        post: operations["create_promotable_checker_group"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/promotable-checker-groups/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes a group of checks.
         * @description Who may call it: manage targets.
         */
        put: operations["update_promotable_checker_group"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/provider-statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Books by hand what providers did for an order on a day; what stood there for that day is replaced.
         * @description Who may call it: manage services and providers.
         */
        post: operations["add_provider_statistics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/providers-packages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Packages that external panels sell, newest first.
         * @description Who may call it: manage packages|manage external panels.
         */
        get: operations["list_provider_packages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/providers-packages/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A package of an external panel with what is in it.
         * @description Who may call it: manage packages|manage external panels.
         */
        get: operations["get_provider_package"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/providers/available-for-order-recreate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Active providers that an order can move to, by name or page by page.
         * @description Who may call it: view orders.
         */
        get: operations["available_for_order_recreate"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/providers/get-available-for-manual-add-statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The providers of an order's service, with what each has done for the order so far.
         * @description Who may call it: view orders.
         */
        get: operations["list_providers_of_order"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/referral-program-statistics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What referrals bought and what their affiliates earned, by period, affiliate or referral.
         * @description Who may call it: view referral statistics.
         */
        get: operations["referral_statistics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Roles, by name.
         * @description Who may call it: manage staff.
         */
        get: operations["list_roles"];
        put?: never;
        /**
         * Makes a role.
         * @description Who may call it: manage staff.
         */
        post: operations["create_role"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/roles/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One role.
         * @description Who may call it: manage staff.
         */
        get: operations["get_role"];
        put?: never;
        post?: never;
        /**
         * Deletes a role that nobody has.
         * @description Who may call it: manage staff.
         */
        delete: operations["delete_role"];
        options?: never;
        head?: never;
        /**
         * Changes a role, and with it what everybody who has it may do.
         * @description Who may call it: manage staff.
         */
        patch: operations["update_role"];
        trace?: never;
    };
    "/api/v1/admin/saved-views": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One's own and the shared views of one list.
         * @description Who may call it: bearer.
         */
        get: operations["list_saved_views"];
        put?: never;
        /**
         * Saves a view.
         * @description Who may call it: bearer.
         */
        post: operations["create_saved_view"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/saved-views/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes a view.
         * @description Who may call it: bearer.
         */
        put: operations["update_saved_view"];
        post?: never;
        /**
         * Deletes a view.
         * @description Who may call it: bearer.
         */
        delete: operations["delete_saved_view"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/service-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Service types.
         * @description Who may call it: view services|manage service types.
         */
        get: operations["list_service_types"];
        put?: never;
        /**
         * A new service type, placed last in its network.
         * @description Who may call it: manage service types.
         */
        post: operations["create_service_type"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/service-types/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One service type with everything about it.
         * @description Who may call it: view services|manage service types.
         */
        get: operations["get_service_type"];
        /**
         * Changes a service type.
         * @description Who may call it: manage service types.
         */
        put: operations["update_service_type"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/service-types/{id}/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The services of a service type that are not archived, in their order.
         * @description Who may call it: view services|manage service types.
         */
        get: operations["list_services_of_type"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/service-types/{id}/sort-services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts all services of a service type in an order.
         * @description Who may call it: manage service types.
         */
        post: operations["sort_services"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/service-types/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a service type can be about.
         * @description Who may call it: view services|manage service types.
         */
        get: operations["list_service_type_collections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Services; `is_archived` 0 or 1.
         * @description Who may call it: view services.
         */
        get: operations["list_services"];
        put?: never;
        /**
         * A new service, placed last in its service type.
         * @description Who may call it: manage services and providers.
         */
        post: operations["create_service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One service with everything about it.
         * @description Who may call it: view services.
         */
        get: operations["get_service"];
        /**
         * Changes a service.
         * @description Who may call it: manage services and providers.
         */
        put: operations["update_service"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/{id}/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Takes a service off sale for good; orders that were placed go on.
         * @description Who may call it: manage services and providers.
         */
        post: operations["archive_service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/{id}/copy": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Another service like it, not on sale yet.
         * @description Who may call it: manage services and providers.
         */
        post: operations["copy_service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/{id}/unarchive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Brings an archived service back, placed last in its service type.
         * @description Who may call it: manage services and providers.
         */
        post: operations["unarchive_service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes switches of up to 10,000 services at once, all of them or none.
         * @description Who may call it: manage services and providers.
         */
        patch: operations["bulk_update_services"];
        trace?: never;
    };
    "/api/v1/admin/services/labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All labels, by name.
         * @description Who may call it: view services.
         */
        get: operations["list_labels"];
        put?: never;
        /**
         * A new label.
         * @description Who may call it: manage services and providers.
         */
        post: operations["create_label"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/labels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One label with everything about it.
         * @description Who may call it: view services.
         */
        get: operations["get_label"];
        /**
         * Changes a label.
         * @description Who may call it: manage services and providers.
         */
        put: operations["update_label"];
        post?: never;
        /**
         * Takes a label from its services and deletes it.
         * @description Who may call it: manage services and providers.
         */
        delete: operations["delete_label"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/labels/available-labels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Labels that a service can have, for pickers.
         * @description Who may call it: view services.
         */
        get: operations["list_available_labels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/labels/used-services/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The services that have a label.
         * @description Who may call it: view services.
         */
        get: operations["list_services_of_label"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Changes of the catalogue, newest first.
         * @description Who may call it: view change logs.
         */
        get: operations["list_change_logs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/logs/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Action types and model types.
         * @description Who may call it: view change logs.
         */
        get: operations["change_log_collections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/services/price-preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * What a quantity costs customers of each grade at given prices.
         * @description Who may call it: view services.
         */
        post: operations["preview_prices"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/staffs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Staff, newest first.
         * @description Who may call it: manage staff.
         */
        get: operations["list_staff"];
        put?: never;
        /**
         * Makes a member of staff.
         * @description Who may call it: manage staff.
         */
        post: operations["create_staff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/staffs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes a member of staff: name, password, whether they may sign in.
         * @description Who may call it: manage staff.
         */
        patch: operations["update_staff"];
        trace?: never;
    };
    "/api/v1/admin/subscriptions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Subscriptions, newest first.
         * @description Who may call it: view orders.
         */
        get: operations["list_subscriptions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/subscriptions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One subscription with its services and contents.
         * @description Who may call it: view orders.
         */
        get: operations["get_subscription"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/subscriptions/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels one: no more orders, placed ones go on, the money of the other contents goes back.
         * @description Who may call it: manage orders.
         */
        post: operations["cancel_subscription"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/subscriptions/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Billing types.
         * @description Who may call it: view orders.
         */
        get: operations["subscription_collections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/system/doctor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Checks every invariant and names the records that break one.
         * @description Who may call it: manage panel settings.
         */
        get: operations["doctor"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/target-attachments-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How targets hang on services.
         * @description Who may call it: manage targets|view services.
         */
        get: operations["list_target_attachments_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/target-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The kinds of target.
         * @description Who may call it: manage targets|view services.
         */
        get: operations["list_target_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/targets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Targets: what services ask their customers.
         * @description Who may call it: manage targets|view services.
         */
        get: operations["list_targets"];
        put?: never;
        /**
         * A new target.
         * @description Who may call it: manage targets.
         */
        post: operations["create_target"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/targets/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One target with everything about it.
         * @description Who may call it: manage targets|view services.
         */
        get: operations["get_target"];
        /**
         * Changes a target; a value that a service uses cannot be taken away.
         * @description Who may call it: manage targets.
         */
        put: operations["update_target"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/targets/dictionaries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Kinds of target, how they are asked for, and how they hang on services.
         * @description Who may call it: manage targets|view services.
         */
        get: operations["target_dictionaries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The transactions screen's list.
         * @description Who may call it: view finances.
         */
        get: operations["list_transactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Users, newest first.
         * @description Who may call it: view users.
         */
        get: operations["list_users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One user with everything about them.
         * @description Who may call it: view users.
         */
        get: operations["get_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Changes a profile; never balance, roles or permissions.
         * @description Who may call it: manage users.
         */
        patch: operations["update_user"];
        trace?: never;
    };
    "/api/v1/admin/users/{id}/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Frozen or deactivated users come back.
         * @description Who may call it: activate users.
         */
        post: operations["activate_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/affiliates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who brought a user, the latest first.
         * @description Who may call it: view users.
         */
        get: operations["list_affiliates"];
        put?: never;
        /**
         * Adds an affiliate for a time.
         * @description Who may call it: manage users.
         */
        post: operations["add_affiliate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/affiliates/{affiliate_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Changes an affiliate or their time.
         * @description Who may call it: manage users.
         */
        put: operations["update_affiliate"];
        post?: never;
        /**
         * Removes an affiliate, as if they had never brought the user.
         * @description Who may call it: manage users.
         */
        delete: operations["remove_affiliate"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/api-key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes a new key to the reseller API; it is shown once, and the old one stops.
         * @description Who may call it: manage users.
         */
        post: operations["make_api_key"];
        /**
         * Takes the key to the reseller API away.
         * @description Who may call it: manage users.
         */
        delete: operations["remove_api_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/change-grade": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Another grade, and what of it counts.
         * @description Who may call it: manage grades for user.
         */
        post: operations["change_grade"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * They cannot sign in; all their tokens end.
         * @description Who may call it: deactivate users.
         */
        post: operations["deactivate_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/freeze": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * They sign in, and cannot order.
         * @description Who may call it: freeze users.
         */
        post: operations["freeze_user"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every payment method, and whether the customer is offered it.
         * @description Who may call it: view users.
         */
        get: operations["list_user_payment_methods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/sync-payment-methods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Sets the payment methods that a customer is offered.
         * @description Who may call it: manage users.
         */
        patch: operations["sync_payment_methods"];
        trace?: never;
    };
    "/api/v1/admin/users/{id}/sync-roles-and-permissions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Replaces the roles and permissions of a user; of a customer this makes staff.
         * @description Who may call it: manage staff.
         */
        patch: operations["sync_grants"];
        trace?: never;
    };
    "/api/v1/admin/users/{id}/update-seller": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Manager, seller status and contact step.
         * @description Who may call it: manage users.
         */
        post: operations["update_seller"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/user-discount": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A user's own discount.
         * @description Who may call it: view users.
         */
        get: operations["get_user_discount"];
        put?: never;
        /**
         * Sets or takes away a user's own discount.
         * @description Who may call it: manage users.
         */
        post: operations["set_user_discount"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/user-services": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A customer's custom prices, by the services' names.
         * @description Who may call it: view users.
         */
        get: operations["list_user_services"];
        put?: never;
        /**
         * Gives a customer a price of their own.
         * @description Who may call it: manage users.
         */
        post: operations["create_user_service"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/user-services/{user_service_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Takes a custom price away: the service's own terms count again.
         * @description Who may call it: manage users.
         */
        delete: operations["delete_user_service"];
        options?: never;
        head?: never;
        /**
         * Changes a custom price.
         * @description Who may call it: manage users.
         */
        patch: operations["update_user_service"];
        trace?: never;
    };
    "/api/v1/admin/users/{id}/user-services/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sets many prices of a customer at once.
         * @description Who may call it: manage users.
         */
        post: operations["set_user_services"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/verification-documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A customer's verification documents by group.
         * @description Who may call it: view users.
         */
        get: operations["list_verification_documents"];
        put?: never;
        /**
         * Adds a verification document that came another way, such as by mail.
         * @description Who may call it: manage users.
         */
        post: operations["add_verification_document"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/{id}/verification-documents/{document_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The picture of a verification document; each look is audited.
         * @description Who may call it: view users.
         */
        get: operations["show_verification_document"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/available-sellers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Staff who may look after customers.
         * @description Who may call it: view users.
         */
        get: operations["list_available_sellers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/bulk-actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Changes what is set on up to 10,000 users, each part by its own permission.
         * @description Who may call it: manage users.
         */
        post: operations["bulk_update_users"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/contact-steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The steps of the talk with a possible seller.
         * @description Who may call it: view users.
         */
        get: operations["list_contact_steps"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/users/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Up to 20 users whose name, e-mail or id matches, for pickers.
         * @description Who may call it: view users.
         */
        get: operations["search_users"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/websockets/init": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The four live counters as they stand.
         * @description Who may call it: bearer.
         */
        get: operations["counters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/withdrawals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Withdrawals, newest first.
         * @description Who may call it: view withdrawals.
         */
        get: operations["list_withdrawals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/withdrawals/{id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says yes to a pending one; the money stays held until it is paid.
         * @description Who may call it: approve withdrawal requests|manage withdrawals.
         */
        post: operations["approve_withdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/withdrawals/{id}/mark-as-paid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An approved one was paid out: the held money leaves the panel.
         * @description Who may call it: mark as paid withdrawal requests|manage withdrawals.
         */
        post: operations["mark_withdrawal_paid"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/withdrawals/{id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Says no to a pending or approved one; the held money goes back to the balance it came from.
         * @description Who may call it: manage withdrawals.
         */
        post: operations["reject_withdrawal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/countries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Countries by ISO code.
         * @description Who may call it: bearer.
         */
        get: operations["countries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The signed-in staff member with all permissions.
         * @description Who may call it: bearer.
         */
        get: operations["profile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/broadcasting/auth": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs a subscription to a private channel (Pusher); form or JSON.
         * @description Who may call it: bearer.
         */
        post: operations["authorize_channel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/handoff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exchanges a single-use code for a token, in the Authorization header.
         * @description Who may call it: public.
         */
        post: operations["handoff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The process is alive.
         * @description Who may call it: public.
         */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs a staff member in; the token comes in the Authorization header.
         * @description Who may call it: public.
         */
        post: operations["login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the presented token.
         * @description Who may call it: bearer.
         */
        post: operations["logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Prometheus text; only from loopback or with the configured token, else 404.
         * @description Who may call it: public.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/openapi.json": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * This document.
         * @description Who may call it: public.
         */
        get: operations["openapi"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The database is reachable and migrated; else 503 with the reason.
         * @description Who may call it: public.
         */
        get: operations["readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A new token in the Authorization header; the old one works a short while longer.
         * @description Who may call it: bearer.
         */
        get: operations["refresh"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Public instance data.
         * @description Who may call it: public.
         */
        get: operations["public_settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Makes the owner of a new panel, once, with the token that the server printed.
         * @description Who may call it: public.
         */
        post: operations["setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description One affiliate of one user, for a time. */
        Affiliate: {
            /** @description The affiliate's e-mail address. */
            email: string;
            ended_at?: components["schemas"]["Time"] | null;
            /**
             * Format: int64
             * @description The record's id.
             */
            id: number;
            /** @description Whether it counts now. */
            is_current: boolean;
            /** @description The affiliate's name. */
            name: string;
            /**
             * Format: int64
             * @description The user who was brought.
             */
            referral_id: number;
            /** @description From when it counts. */
            started_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description The affiliate: the user who brought the other.
             */
            user_id: number;
        };
        /** @description Body of `POST users/{id}/affiliates` and of its PUT. The times of one user's affiliates may not overlap. */
        AffiliateInput: {
            /**
             * Format: int64
             * @description The user who brought them; another one than themselves.
             */
            affiliate_id: number;
            ended_at?: components["schemas"]["Time"] | null;
            started_at?: components["schemas"]["Time"] | null;
        };
        /** @description A new key to the reseller API, shown this once. */
        ApiKey: {
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /** @description The key itself; only its hash is kept. */
            key: string;
        };
        /** @description Dictionaries. */
        Application: {
            /** @description Languages that texts can be translated to; empty without a translator. */
            auto_translation_locales: components["schemas"]["Locale"][];
            /** @description Languages of the interface. */
            locales: components["schemas"]["Locale"][];
            /** @description What a user's status can be. */
            user_statuses: components["schemas"]["Choice"][];
        };
        /**
         * @description What moderation said of an order.
         * @enum {string}
         */
        Approval: "pending" | "approved" | "rejected";
        /** @description Body of an approval. */
        ApproveFreeTrialInput: {
            /**
             * Format: int64
             * @description Within the service's bounds; what the quest gives when absent.
             */
            quantity?: number | null;
        };
        /** @description One entry of the audit log. */
        AuditRow: {
            /**
             * Format: int64
             * @description The record's id.
             */
            auditable_id: number;
            /** @description The kind of record, such as `order`. */
            auditable_type: string;
            /** @description When. */
            created_at: components["schemas"]["Time"];
            /** @description What was done, such as `order.canceled`. */
            event: string;
            /**
             * Format: int64
             * @description The entry's id.
             */
            id: number;
            /** @description From which address. */
            ip_address: string;
            /** @description The changed fields as they are. */
            new_values: Record<string, never>;
            /** @description The changed fields as they were. */
            old_values: Record<string, never>;
            /** @description The request that did it, as in its answer and in the server's log. */
            request_id: string;
            user?: components["schemas"]["PaymentUser"] | null;
            /** @description With which program. */
            user_agent: string;
        };
        /** @description One link of the chain: a keyed hash over the seal before and the entries up to `last_id`. */
        AuditSeal: {
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /** @description In hexadecimal. */
            hash: string;
            /**
             * Format: int64
             * @description Counts from 1 without gaps.
             */
            id: number;
            /**
             * Format: int64
             * @description The last entry under it.
             */
            last_id: number;
        };
        /** @description What a look at some of the chain found. */
        AuditVerification: {
            /** @description What is wrong, a sentence each; at most 20. */
            broken: string[];
            head?: components["schemas"]["AuditSeal"] | null;
            /**
             * Format: int64
             * @description Ask again with `after` this seal; none at the end.
             */
            next?: number | null;
            /**
             * Format: int64
             * @description Entries looked at.
             */
            rows: number;
            /**
             * Format: int64
             * @description Seals looked at.
             */
            seals: number;
            /**
             * Format: int64
             * @description Entries that wait for their seal; those of the last seconds do.
             */
            unsealed: number;
            /** @description Whether all that was looked at is as it was sealed. */
            whole: boolean;
        };
        /** @description Body of `set-auto-refill-is-allowed`. */
        AutoRefillInput: {
            /** @description The new value. */
            auto_refill_is_allowed: boolean;
        };
        /** @description How an order refills by itself. */
        AutoRefillParams: {
            /** @description Whether it does. */
            auto_refill_is_allowed: boolean;
            /** @description Whether the counter cannot be trusted. */
            broken_pipes: boolean;
            /**
             * Format: int64
             * @description How many were lost.
             */
            drop_quantity: number;
            /**
             * Format: int64
             * @description The order's id.
             */
            id: number;
            /**
             * Format: int64
             * @description How many were delivered again.
             */
            order_current_refilled_quantity: number;
            /**
             * Format: int64
             * @description How many were ordered.
             */
            order_quantity: number;
            /**
             * Format: int64
             * @description Orders that promote the same thing.
             */
            orders_with_same_promotable: number;
            /**
             * Format: int64
             * @description How many to refill next.
             */
            refill_quantity: number;
        };
        /** @description Body of `PATCH auto-refill-params`; only what is set changes. */
        AutoRefillParamsInput: {
            /** @description Whether it refills by itself. */
            auto_refill_is_allowed?: boolean | null;
            /** @description Whether the counter cannot be trusted. */
            broken_pipes?: boolean | null;
            /**
             * Format: int64
             * @description How many were lost.
             */
            drop_quantity?: number | null;
            /**
             * Format: int64
             * @description How many to refill next.
             */
            refill_quantity?: number | null;
        };
        /** @description A grade for pickers. */
        AvailableGrade: {
            /** @description Off every order, as a fraction. */
            discount_percent: components["schemas"]["Fraction"];
            /** @description The address of its picture. */
            icon?: string | null;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Its English name. */
            name: string;
            /** @description What a customer must have spent to reach it. */
            spending_goal: components["schemas"]["Money"];
        };
        /** @description A payment method for pickers. */
        AvailablePaymentMethod: {
            /** @description The address of its icon. */
            icon?: string | null;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Its English name. */
            name: string;
        };
        /** @description A provider that an order can move to. */
        AvailableProvider: {
            /**
             * Format: int64
             * @description The provider's id.
             */
            id: number;
            /** @description Its name. */
            name: string;
            /** @description Currency of that price. */
            source_currency: string;
            /** @description What it asks, per `source_pricing_per`. */
            source_price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Units that price is for.
             */
            source_pricing_per: number;
        };
        /** @description One page of them. */
        AvailableProviders: {
            /**
             * Format: int64
             * @description From 1.
             */
            currentPage: number;
            /** @description By name. */
            items: components["schemas"]["AvailableProvider"][];
            /**
             * Format: int64
             * @description At least 1.
             */
            lastPage: number;
        };
        /** @description What paid for an order, by balance. */
        BalancePayment: {
            /** @description How much. */
            amount: components["schemas"]["Money"];
            /** @description From which balance. */
            balance_type: components["schemas"]["BalanceType"];
        };
        /**
         * @description Which of a customer's balances.
         * @enum {string}
         */
        BalanceType: "main" | "task" | "referral";
        /** @description One banner. */
        Banner: {
            /** @description HTML of its own, for the type `content`. */
            content?: string | null;
            /**
             * Format: int64
             * @description The banner's id.
             */
            id: number;
            /** @description Its slides, in their order. */
            informations: components["schemas"]["BannerInformation"][];
            /** @description Whether it shows anything. */
            is_enabled: boolean;
            /** @description Where it stands. */
            place: components["schemas"]["BannerPlace"];
            /**
             * Format: int64
             * @description Seconds that a slide is shown, 1 to 15.
             */
            scroll_delay: number;
            /** @description What it shows. */
            type: components["schemas"]["BannerType"];
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description A slide of a banner. */
        BannerInformation: {
            /** @description `#rrggbb` behind everything. */
            background_color?: string | null;
            /** @description Address of the picture behind everything. */
            background_image?: string | null;
            /**
             * Format: int64
             * @description The slide's id.
             */
            id: number;
            /** @description Address of its image. */
            image?: string | null;
            /**
             * Format: int64
             * @description Its place, from 1.
             */
            sorting: number;
            /**
             * @description Locale → `title`, `title_color`, `sub_title`, `sub_title_color`, `button_text`, `button_text_color`,
             *     `button_bg_color`, `button_link` → text.
             */
            translations: components["schemas"]["Translations"];
        };
        /** @description A slide that a banner shall have. */
        BannerInformationInput: {
            /**
             * @description `#rrggbb` behind everything.
             * @default null
             */
            background_color: string | null;
            /**
             * @description The picture behind everything, of exactly the place's size.
             * @default null
             */
            background_image: components["schemas"]["Picture"];
            /**
             * Format: int64
             * @description The slide that it was; none for a new one.
             * @default null
             */
            id: number | null;
            /**
             * @description Its image, of exactly the place's size.
             * @default null
             */
            image: components["schemas"]["Picture"];
            /**
             * Format: int64
             * @description Its place among the slides given; their order in the list when nothing is said.
             * @default null
             */
            sorting: number | null;
            /** @default null */
            translations: components["schemas"]["Translations"] | null;
        };
        /** @description Body of `POST banners` and `POST banners/{id}`: what is left out stays. */
        BannerInput: {
            /**
             * @description HTML of its own, up to 20,000 characters.
             * @default null
             */
            content: string | null;
            /**
             * @description All slides, up to 20, in their order.
             * @default null
             */
            informations: components["schemas"]["BannerInformationInput"][] | null;
            /** @default null */
            place: components["schemas"]["BannerPlace"] | null;
            /**
             * Format: int64
             * @description Seconds that a slide is shown, 1 to 15; null for the usual 3.
             * @default null
             */
            scroll_delay: number | null;
            /** @default null */
            type: components["schemas"]["BannerType"] | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
        };
        /**
         * @description Where a banner stands.
         * @enum {string}
         */
        BannerPlace: "dashboard_header" | "dashboard_tile" | "orders_header" | "order_header" | "drip_feed_header" | "subscription_header" | "services_header" | "services_footer" | "profile_header" | "tasks_header" | "create_order_header" | "sidebar" | "services_main" | "services_long" | "services_little_left" | "services_little_right" | "combo_orders_header" | "payments_header" | "affiliates_header";
        /** @description A place with the sizes of its pictures. */
        BannerPlaceSizes: {
            /** @description Of a slide's background. */
            background_image: components["schemas"]["PictureSize"];
            /** @description Of the image on it. */
            image: components["schemas"]["PictureSize"];
            /** @description The place. */
            place: components["schemas"]["BannerPlace"];
        };
        /** @description Answer of `GET banners`. */
        Banners: {
            /** @description All banners, by place. A place without one is switched off. */
            data: components["schemas"]["Banner"][];
            /** @description All places there are. */
            places: components["schemas"]["BannerPlaceSizes"][];
        };
        /**
         * @description What a banner shows.
         * @enum {string}
         */
        BannerType: "none" | "slider" | "content";
        /** @description What the caller may do with it now. */
        BatchActions: {
            /** @description `POST …/{id}/cancel`. */
            cancelable: boolean;
        };
        /**
         * @description Where a drip-feed or a subscription stands.
         * @enum {string}
         */
        BatchStatus: "in_processing" | "completed" | "canceled";
        /**
         * @description How a subscription is paid: all contents ahead, each content when it comes, or ahead per period.
         * @enum {string}
         */
        BillingType: "prepaid" | "per_content" | "recurring";
        /** @description Body of `POST payment-method-bonuses`: those not named stay. */
        BonusesInput: {
            /** @description 1 to 100 bonuses. */
            bonuses: components["schemas"]["BonusInput"][];
            /**
             * Format: int64
             * @description The payment method.
             */
            payment_method_id: number;
        };
        /** @description A bonus to make, or to change when it has an id. */
        BonusInput: {
            /** @description 0 to 100, at most three decimals. */
            bonus_percent?: components["schemas"]["Fraction"];
            /** @description Not below zero; unique among the method's bonuses. */
            from_amount?: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Which one to change; none makes a new one.
             */
            id?: number | null;
            /** @description A new one is not paid unless this says so. */
            is_enabled?: boolean;
        };
        /** @description The signature a Pusher client subscribes with. */
        BroadcastingAuth: {
            /** @description `key:hex`. */
            auth: string;
        };
        /** @description Body of `POST /broadcasting/auth`, as form or JSON. */
        BroadcastingInput: {
            /** @description Such as `private-admin`. */
            channel_name: string;
            /** @description `digits.digits`. */
            socket_id: string;
        };
        /** @description How to cancel many orders; each returns its own default refund. */
        BulkCancelInput: {
            /** @description In words; required for `other`. */
            cancel_description?: string | null;
            cancel_reason?: components["schemas"]["CancelReason"] | null;
            /** @description 1 to 10,000 ids; duplicates count once. */
            order_ids: number[];
            /** @description Whether money goes back. */
            return_money?: boolean;
            /** @description Whether the customers get an e-mail. True by default. */
            send_email_notification?: boolean;
        };
        /** @description What a bulk run did: every id asked for was either processed or stands under `skipped`. */
        BulkOutcome: {
            /** @description Whether this was only tried. */
            dry_run: boolean;
            /**
             * Format: int64
             * @description How many records moved.
             */
            processed: number;
            /** @description Those that did not, in the order of the ids given, each with its reason. */
            skipped: components["schemas"]["Skipped"][];
            /** @description What the run comes to. */
            totals: components["schemas"]["BulkTotals"];
        };
        /** @description One package of a bulk change, with what changes. */
        BulkPackage: {
            discount_percent?: components["schemas"]["Fraction"] | null;
            fixed_cost?: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description The package.
             */
            id: number;
            /** @description On sale. */
            is_enabled?: boolean | null;
            /** @description Sold only to chosen customers. */
            restricted_access?: boolean | null;
            /** @description Follows the panel that it came from. */
            sync?: boolean | null;
        };
        /** @description Body of `PATCH packages/bulk`. */
        BulkPackagesInput: {
            /** @description 1 to 1,000 packages; errors are named `packages.N.field`. */
            packages: components["schemas"]["BulkPackage"][];
        };
        /** @description One service of a bulk change, with the switches that change. */
        BulkService: {
            /** @description Sold by the API. */
            api_access?: boolean | null;
            /** @description Canceled when nobody can deliver. */
            auto_cancel?: boolean | null;
            /** @description Refills come by themselves. */
            auto_refill_is_allowed?: boolean | null;
            /** @description The quantity is worked out from what the customer enters. */
            calculable_quantity?: boolean | null;
            /** @description May be sped up. */
            can_speedup?: boolean | null;
            /** @description Customers may cancel. */
            cancel_by_client_is_allowed?: boolean | null;
            /** @description May be drip-fed. */
            drip_feed_is_allowed?: boolean | null;
            /** @description Refuses a second open order with the same address. */
            forbids_orders_with_same_url?: boolean | null;
            /** @description The counter is watched. */
            gather_statistic?: boolean | null;
            /** @description It is refilled. */
            has_refill?: boolean | null;
            /**
             * Format: int64
             * @description The service.
             */
            id: number;
            /** @description Switched off by a sync. */
            is_deactivated?: boolean | null;
            /** @description On sale. */
            is_enabled?: boolean | null;
            /** @description New orders wait for moderation. */
            moderation_is_enabled?: boolean | null;
            /** @description Undelivered shares are not returned. */
            no_refund?: boolean | null;
            /** @description Completes when the real counter is reached. */
            real_counter_complete_is_enabled?: boolean | null;
            /** @description Sold only to chosen customers. */
            restricted_access?: boolean | null;
            /** @description The description follows the provider. */
            sync_description_field?: boolean | null;
            /** @description Labels follow the provider. */
            sync_labels?: boolean | null;
            /** @description Meta texts follow the provider. */
            sync_meta?: boolean | null;
            /** @description The name follows the provider. */
            sync_name?: boolean | null;
            /** @description Parameters follow the provider. */
            sync_params?: boolean | null;
            /** @description Prices follow the provider. */
            sync_prices?: boolean | null;
            /** @description Reviews follow the provider. */
            sync_reviews?: boolean | null;
            /** @description Details follow the provider. */
            sync_service_details?: boolean | null;
            /** @description The short description follows the provider. */
            sync_short_description?: boolean | null;
            /** @description An address must be given. */
            url_is_required?: boolean | null;
        };
        /** @description Body of `PATCH services/bulk`. */
        BulkServicesInput: {
            /** @description 1 to 10,000 services; errors are named `services.N.field`. */
            services: components["schemas"]["BulkService"][];
        };
        /** @description Sums of a bulk run. */
        BulkTotals: {
            /**
             * Format: int64
             * @description Records that moved.
             */
            orders: number;
            /** @description Money returned to customers. */
            returned: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Customers who got money.
             */
            users: number;
        };
        /** @description Body of `users/bulk-actions`: only what is set changes, each part by its own permission. */
        BulkUsersInput: {
            /**
             * Format: int64
             * @description Who brought them.
             * @default null
             */
            affiliate_id: number | null;
            /** @default null */
            contact_step: components["schemas"]["ContactStep"] | null;
            /**
             * Format: int64
             * @description Needs `manage grades for user`.
             * @default null
             */
            grade_id: number | null;
            /** @default null */
            referral_program_percent: components["schemas"]["Fraction"] | null;
            /**
             * Format: int64
             * @description The manager.
             * @default null
             */
            seller_id: number | null;
            /** @default null */
            status: components["schemas"]["UserStatus"] | null;
            /**
             * @description 1 to 10,000 ids; duplicates count once.
             * @default []
             */
            user_ids: number[];
        };
        /** @description How to cancel one order. */
        CancelInput: {
            amount?: components["schemas"]["Money"] | null;
            /** @description In words; required for `other`. */
            cancel_description?: string | null;
            cancel_reason?: components["schemas"]["CancelReason"] | null;
            /** @description Whether money goes back. False by default. */
            return_money?: boolean;
            /** @description Whether the customer gets an e-mail. True by default. */
            send_email_notification?: boolean;
        };
        /**
         * @description Why an order is canceled. `other` wants a description.
         * @enum {string}
         */
        CancelReason: "customer_request" | "wrong_link" | "private_account" | "duplicate" | "provider_failure" | "service_unavailable" | "rules_violation" | "other";
        /**
         * @description What was done to a record of the catalogue.
         * @enum {string}
         */
        ChangeAction: "created" | "updated" | "archived" | "unarchived" | "enabled" | "disabled" | "deleted" | "sorted" | "completed" | "copied" | "imported";
        /** @description What pickers of the change log offer. */
        ChangeLogCollections: {
            /** @description What is done to records. */
            action_types: components["schemas"]["Choice"][];
            /** @description Kinds of record. */
            model_types: components["schemas"]["Choice"][];
        };
        /** @description One entry of the change log. */
        ChangeLogRow: {
            /** @description What was done. */
            action_type: components["schemas"]["ChangeAction"];
            /** @description When. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description The entry's id.
             */
            id: number;
            /** @description What it is about: the record's name, or the field that changed. */
            information?: string | null;
            /** @description The field as it is. */
            new_value?: string | null;
            /** @description The field as it was. */
            old_value?: string | null;
            /**
             * Format: int64
             * @description The record's id.
             */
            target_id: number;
            /** @description The kind of record. */
            type: components["schemas"]["ChangeModel"];
            user?: components["schemas"]["Named"] | null;
        };
        /**
         * @description The kinds of record that the change log is about.
         * @enum {string}
         */
        ChangeModel: "service" | "service_type" | "network" | "package" | "provider" | "external_panel" | "coupon" | "discount" | "menu_item" | "page" | "special_offer" | "banner" | "label" | "target" | "promotable_checker_group" | "grade" | "quest";
        /** @description Moves orders to another provider. */
        ChangeProviderInput: {
            /** @description 1 to 10,000 ids; duplicates count once. */
            order_ids: number[];
            /**
             * Format: int64
             * @description Must be active.
             */
            provider_id: number;
            /**
             * Format: int64
             * @description How much to order there; what is undelivered when absent.
             */
            quantity?: number | null;
        };
        /** @description Body of `change-url`. */
        ChangeUrlInput: {
            /** @description An absolute http(s) address of at most 2,000 characters. */
            url: string;
        };
        /**
         * @description Who carries the fee: the customer pays it on top, or it is taken off what they get.
         * @enum {string}
         */
        ChargeType: "on_top" | "deducted";
        /** @description Body of `POST promotable-checker-groups` and `PUT promotable-checker-groups/{id}`: what is left out stays. */
        CheckerGroupInput: {
            /**
             * @description All patterns, 1 to 50: a host, perhaps a path, and `*` for anything.
             * @default null
             */
            checkers: string[] | null;
            /**
             * @description 1 to 100 characters, no other group's; required for a new one.
             * @default null
             */
            name: string | null;
            /** @default null */
            service_type_type: components["schemas"]["ServiceTypeKind"] | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
        };
        /** @description A word with its label, for pickers. */
        Choice: {
            /** @description What is shown. */
            label: string;
            /** @description What is sent. */
            type: string;
        };
        /** @description What the caller may do with it now. */
        ComboActions: {
            /** @description `POST combo-orders/{id}/approve`. */
            approvable: boolean;
            /** @description `POST combo-orders/{id}/complete`. */
            completable: boolean;
            /** @description `POST combo-orders/{id}/reject`. */
            rejectable: boolean;
        };
        /** @description How many combo orders wait for moderation. */
        ComboCount: {
            /**
             * Format: int64
             * @description So many.
             */
            count: number;
        };
        /** @description A combo order. */
        ComboOrder: {
            /** @description What the caller may do now. */
            actions: components["schemas"]["ComboActions"];
            canceled_at?: components["schemas"]["Time"] | null;
            completed_at?: components["schemas"]["Time"] | null;
            /** @description What they cost. */
            cost: components["schemas"]["Money"];
            /** @description When it was placed. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /**
             * Format: int64
             * @description How many orders it is made of.
             */
            orders_count: number;
            /** @description What was bought. */
            package: components["schemas"]["ComboPackage"];
            /** @description What of that went back. */
            returned: components["schemas"]["Money"];
            /** @description Where it came from. */
            source: components["schemas"]["OrderSource"];
            /** @description Where it stands. */
            status: components["schemas"]["ComboStatus"];
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
            /** @description Where it is delivered: what the customer typed. */
            url: string;
            /** @description The customer. */
            user: components["schemas"]["PaymentUser"];
        };
        /** @description The package of a combo order, as it was bought. */
        ComboPackage: {
            /**
             * Format: int64
             * @description Its id, where it still exists.
             */
            id?: number | null;
            /** @description Its name. */
            name: string;
            /** @description Its kind. */
            type: string;
        };
        /**
         * @description Where a combo order stands.
         * @enum {string}
         */
        ComboStatus: "in_moderation" | "in_processing" | "completed" | "canceled";
        /** @description Body of `update-comment`. */
        CommentInput: {
            /** @description At most 5,000 characters; null or empty removes it. */
            comment?: string | null;
        };
        /**
         * @description The last step of the talk with a possible seller.
         * @enum {string}
         */
        ContactStep: "not_contacted" | "first_message" | "second_message" | "call" | "offer" | "agreed" | "refused";
        /** @description The four live counters. */
        Counters: {
            /**
             * Format: int64
             * @description Free-trial requests that wait.
             */
            freeTrialsInPendingCount: number;
            /**
             * Format: int64
             * @description Orders in moderation.
             */
            ordersInModerationCount: number;
            /**
             * Format: int64
             * @description Orders in processing.
             */
            ordersInProcessingCount: number;
            /**
             * Format: int64
             * @description Orders in processing whose service has no active provider.
             */
            ordersWithNoActiveProvidersCount: number;
        };
        /** @description A country. */
        Country: {
            /** @description Two letters. */
            iso_code_2: string;
            /** @description English name. */
            name: string;
        };
        Data_Affiliate: {
            data: components["schemas"]["Affiliate"];
        };
        Data_ApiKey: {
            data: components["schemas"]["ApiKey"];
        };
        Data_Application: {
            data: components["schemas"]["Application"];
        };
        Data_AuditVerification: {
            data: components["schemas"]["AuditVerification"];
        };
        Data_AutoRefillParams: {
            data: components["schemas"]["AutoRefillParams"];
        };
        Data_Banner: {
            data: components["schemas"]["Banner"];
        };
        Data_ChangeLogCollections: {
            data: components["schemas"]["ChangeLogCollections"];
        };
        Data_ComboOrder: {
            data: components["schemas"]["ComboOrder"];
        };
        Data_Counters: {
            data: components["schemas"]["Counters"];
        };
        Data_DoctorReport: {
            data: components["schemas"]["DoctorReport"];
        };
        Data_DripFeed: {
            data: components["schemas"]["DripFeed"];
        };
        Data_FreeTrial: {
            data: components["schemas"]["FreeTrial"];
        };
        Data_FreeTrialQuest: {
            data: components["schemas"]["FreeTrialQuest"];
        };
        Data_Grade: {
            data: components["schemas"]["Grade"];
        };
        Data_HandoffCode: {
            data: components["schemas"]["HandoffCode"];
        };
        Data_Invoice: {
            data: components["schemas"]["Invoice"];
        };
        Data_Label: {
            data: components["schemas"]["Label"];
        };
        Data_Network: {
            data: components["schemas"]["Network"];
        };
        Data_Order: {
            data: components["schemas"]["Order"];
        };
        Data_Package: {
            data: components["schemas"]["Package"];
        };
        Data_PaymentCollections: {
            data: components["schemas"]["PaymentCollections"];
        };
        Data_PaymentMethod: {
            data: components["schemas"]["PaymentMethod"];
        };
        Data_PaymentMethodCollections: {
            data: components["schemas"]["PaymentMethodCollections"];
        };
        Data_PaymentRow: {
            data: components["schemas"]["PaymentRow"];
        };
        Data_Profile: {
            data: components["schemas"]["Profile"];
        };
        Data_PromotableCheckerGroup: {
            data: components["schemas"]["PromotableCheckerGroup"];
        };
        Data_ProviderPackage: {
            data: components["schemas"]["ProviderPackage"];
        };
        Data_PublicSettings: {
            data: components["schemas"]["PublicSettings"];
        };
        Data_ReferralStatistics: {
            data: components["schemas"]["ReferralStatistics"];
        };
        Data_RefillRequest: {
            data: components["schemas"]["RefillRequest"];
        };
        Data_RefundAmount: {
            data: components["schemas"]["RefundAmount"];
        };
        Data_Role: {
            data: components["schemas"]["Role"];
        };
        Data_SavedView: {
            data: components["schemas"]["SavedView"];
        };
        Data_Service: {
            data: components["schemas"]["Service"];
        };
        Data_ServiceType: {
            data: components["schemas"]["ServiceType"];
        };
        Data_ServiceTypeCollections: {
            data: components["schemas"]["ServiceTypeCollections"];
        };
        Data_StaffRow: {
            data: components["schemas"]["StaffRow"];
        };
        Data_Subscription: {
            data: components["schemas"]["Subscription"];
        };
        Data_SubscriptionCollections: {
            data: components["schemas"]["SubscriptionCollections"];
        };
        Data_Target: {
            data: components["schemas"]["Target"];
        };
        Data_TargetDictionaries: {
            data: components["schemas"]["TargetDictionaries"];
        };
        Data_TotalCost: {
            data: components["schemas"]["TotalCost"];
        };
        Data_User: {
            data: components["schemas"]["User"];
        };
        Data_UserDiscount: {
            data: components["schemas"]["UserDiscount"];
        };
        Data_UserPaymentMethods: {
            data: components["schemas"]["UserPaymentMethods"];
        };
        Data_UserService: {
            data: components["schemas"]["UserService"];
        };
        Data_Vec_Affiliate: {
            data: components["schemas"]["Affiliate"][];
        };
        Data_Vec_AvailableGrade: {
            data: components["schemas"]["AvailableGrade"][];
        };
        Data_Vec_AvailablePaymentMethod: {
            data: components["schemas"]["AvailablePaymentMethod"][];
        };
        Data_Vec_Choice: {
            data: components["schemas"]["Choice"][];
        };
        Data_Vec_Country: {
            data: components["schemas"]["Country"][];
        };
        Data_Vec_GradePrice: {
            data: components["schemas"]["GradePrice"][];
        };
        Data_Vec_LabelRow: {
            data: components["schemas"]["LabelRow"][];
        };
        Data_Vec_Locale: {
            data: components["schemas"]["Locale"][];
        };
        Data_Vec_Named: {
            data: components["schemas"]["Named"][];
        };
        Data_Vec_Network: {
            data: components["schemas"]["Network"][];
        };
        Data_Vec_OfferedMethod: {
            data: components["schemas"]["OfferedMethod"][];
        };
        Data_Vec_OrderProvider: {
            data: components["schemas"]["OrderProvider"][];
        };
        Data_Vec_PackageService: {
            data: components["schemas"]["PackageService"][];
        };
        Data_Vec_PackageServiceType: {
            data: components["schemas"]["PackageServiceType"][];
        };
        Data_Vec_PermissionEntry: {
            data: components["schemas"]["PermissionEntry"][];
        };
        Data_Vec_PlacedService: {
            data: components["schemas"]["PlacedService"][];
        };
        Data_Vec_PromotableCheckerGroup: {
            data: components["schemas"]["PromotableCheckerGroup"][];
        };
        Data_Vec_PromotableStatistic: {
            data: components["schemas"]["PromotableStatistic"][];
        };
        Data_Vec_RefillRequest: {
            data: components["schemas"]["RefillRequest"][];
        };
        Data_Vec_Role: {
            data: components["schemas"]["Role"][];
        };
        Data_Vec_SavedView: {
            data: components["schemas"]["SavedView"][];
        };
        Data_Vec_ServiceTypeRow: {
            data: components["schemas"]["ServiceTypeRow"][];
        };
        Data_Vec_StatisticsRow: {
            data: components["schemas"]["StatisticsRow"][];
        };
        Data_Vec_TargetType: {
            data: components["schemas"]["TargetType"][];
        };
        Data_Vec_UserHit: {
            data: components["schemas"]["UserHit"][];
        };
        Data_Vec_UserService: {
            data: components["schemas"]["UserService"][];
        };
        Data_Vec_VerificationGroup: {
            data: components["schemas"]["VerificationGroup"][];
        };
        Data_VerificationDocument: {
            data: components["schemas"]["VerificationDocument"];
        };
        Data_Withdrawal: {
            data: components["schemas"]["Withdrawal"];
        };
        /** @example 2026-11-20 */
        Day: string;
        /**
         * @description Where a service's full description stands on its page.
         * @enum {string}
         */
        DescriptionLocation: "header" | "footer";
        /**
         * @description What a user's own discount is taken off.
         * @enum {string}
         */
        DiscountType: "orders" | "packages" | "all";
        /** @description One invariant. */
        DoctorCheck: {
            /**
             * Format: int64
             * @description How many records break it.
             */
            broken: number;
            /** @description The first of them, such as `order 12`. */
            examples: string[];
            /** @description Stable name, such as `ledger_balanced`. */
            name: string;
            /** @description What must hold, in words. */
            rule: string;
            /**
             * Format: int64
             * @description Milliseconds it took.
             */
            took_ms: number;
        };
        /** @description What the doctor found: one entry for each invariant. */
        DoctorReport: {
            /** @description All that was looked at. */
            checks: components["schemas"]["DoctorCheck"][];
            /** @description Whether nothing is broken. */
            healthy: boolean;
        };
        /**
         * @description What a verification document shows.
         * @enum {string}
         */
        DocumentGroup: "card" | "id" | "selfie" | "additional_photo";
        /** @description A drip-feed: `runs` orders of `quantity` each, `minutes_between_runs` apart. */
        DripFeed: {
            /** @description What the caller may do now. */
            actions: components["schemas"]["BatchActions"];
            canceled_at?: components["schemas"]["Time"] | null;
            completed_at?: components["schemas"]["Time"] | null;
            /** @description Paid ahead for all runs. */
            cost: components["schemas"]["Money"];
            /** @description ISO codes its orders are bound to. */
            countries: string[];
            /** @description When it began. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Why the last try of a run placed no order. */
            last_error?: string | null;
            /**
             * Format: int64
             * @description Minutes from one run to the next.
             */
            minutes_between_runs: number;
            /** @description What is delivered, usually the service's name when it began. */
            name: string;
            next_run_at?: components["schemas"]["Time"] | null;
            /**
             * Format: int64
             * @description How many it has placed.
             */
            orders_count: number;
            /** @description Unit price, per `pricing_per`. */
            price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Units that `price` is for.
             */
            pricing_per: number;
            /**
             * Format: int64
             * @description Ordered by each run.
             */
            quantity: number;
            /** @description What a cancel would give back now. */
            refund_amount: components["schemas"]["Money"];
            /** @description Given back when it was canceled. */
            returned: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description How many orders it places in all.
             */
            runs: number;
            /** @description The service of its orders. */
            service: components["schemas"]["Named"];
            /** @description Where it stands. */
            status: components["schemas"]["BatchStatus"];
            /**
             * Format: int64
             * @description Ordered by all runs.
             */
            total_quantity: number;
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
            /** @description Where it is delivered: what the customer typed. */
            url: string;
            /** @description The customer. */
            user: components["schemas"]["PaymentUser"];
        };
        /**
         * @description The words of an order at an external panel.
         * @enum {string}
         */
        ExternalStatus: "Creating" | "Pending" | "In progress" | "Processing" | "Completed" | "Partial" | "Canceled";
        /** @example 0.05 */
        Fraction: string;
        /** @description A request for a free trial. */
        FreeTrial: {
            /** @description What the caller may do now. */
            actions: components["schemas"]["FreeTrialActions"];
            approved_at?: components["schemas"]["Time"] | null;
            approved_by?: components["schemas"]["Named"] | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description The quest that it answers.
             */
            free_trial_quest_id: number;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description What is asked for, usually the quest's name then. */
            name: string;
            /**
             * Format: int64
             * @description The order that its approval made.
             */
            order_id?: number | null;
            /** @description Where the customer shows what they did. */
            proof_url?: string | null;
            /**
             * Format: int64
             * @description How many are asked for.
             */
            quantity: number;
            /** @description Where it stands. */
            status: components["schemas"]["FreeTrialStatus"];
            /** @description Where to deliver: what the customer typed. */
            url: string;
            /** @description The customer. */
            user: components["schemas"]["PaymentUser"];
            /** @description Since when the quest is offered. */
            valid_from: components["schemas"]["Time"];
            valid_to?: components["schemas"]["Time"] | null;
        };
        /** @description What the caller may do with a request now. */
        FreeTrialActions: {
            /** @description `POST free-trials/{id}/approve`. */
            approvable: boolean;
            /** @description `POST free-trials/{id}/reject`. */
            rejectable: boolean;
        };
        /** @description Something to do, and what is given for it. */
        FreeTrialQuest: {
            /** @description What the caller may do with it. */
            actions: components["schemas"]["QuestActions"];
            /** @description Whether customers show what they did by an address. */
            allow_proof_url: boolean;
            /** @description Whether requests of good customers are approved at once. */
            auto_approve_is_allowed: boolean;
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            deadline?: components["schemas"]["Time"] | null;
            /** @description The address of its icon. */
            icon?: string | null;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description The address of its picture. */
            image?: string | null;
            /** @description Whether only customers who spent enough may ask. */
            is_allowed_with_spend_above: boolean;
            /** @description Whether it is put away. */
            is_archived: boolean;
            /** @description Whether customers see it. */
            is_enabled: boolean;
            /** @description Whether a customer may have it more than once. */
            is_repeatable: boolean;
            min_amount_for_auto_approve?: components["schemas"]["Money"] | null;
            min_user_spend_amount?: components["schemas"]["Money"] | null;
            /** @description Its English name. */
            name: string;
            /**
             * Format: int64
             * @description How many of it.
             */
            quantity: number;
            /**
             * Format: int64
             * @description How often at the most, where it is repeatable; none for any number of times.
             */
            repeats_count?: number | null;
            /** @description What is given. */
            service: components["schemas"]["Named"];
            /** @description Texts by language; English is always there. */
            translations: {
                [key: string]: components["schemas"]["QuestTexts"];
            };
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
        };
        /**
         * @description Where a free-trial request stands.
         * @enum {string}
         */
        FreeTrialStatus: "pending" | "approved" | "rejected";
        /** @description A grade. */
        Grade: {
            /** @description What the caller may do with it. */
            actions: components["schemas"]["GradeActions"];
            /** @description Whether closed sales are open to them. */
            available_closed_sales: boolean;
            /** @description Whether they have a manager of their own. */
            available_personal_manager: boolean;
            /**
             * Format: int64
             * @description Days between two consultations by chat; none without them.
             */
            consultation_chat_period?: number | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /** @description Off every order, as a fraction: "0.05" is five percent. */
            discount_percent: components["schemas"]["Fraction"];
            /** @description The address of its picture. */
            icon?: string | null;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Whether it is put away. */
            is_archived: boolean;
            /** @description Its English name. */
            name: string;
            /** @description What a customer must have spent to reach it. */
            spending_goal: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Days between two free thumbnails; none without them.
             */
            thumbnail_period?: number | null;
            /** @description Texts by language; English is always there. */
            translations: {
                [key: string]: components["schemas"]["GradeTexts"];
            };
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
            /**
             * Format: int64
             * @description Customers who have it.
             */
            users_count: number;
        };
        /** @description What the caller may do with a grade. */
        GradeActions: {
            /** @description `POST grades/{id}/archive`. */
            archivable: boolean;
            /** @description `PATCH grades/{id}`. */
            editable: boolean;
            /** @description `POST grades/{id}/unarchive`. */
            unarchivable: boolean;
        };
        /** @description Body of create and update; an update takes what is absent as it was. */
        GradeInput: {
            /** @description Whether closed sales are open to them. */
            available_closed_sales?: boolean | null;
            /** @description Whether they have a manager of their own. */
            available_personal_manager?: boolean | null;
            /**
             * Format: int64
             * @description 1 to 3,650 days; 0 for none.
             */
            consultation_chat_period?: number | null;
            discount_percent?: components["schemas"]["Fraction"] | null;
            /** @description Its picture. */
            icon?: components["schemas"]["Picture"];
            spending_goal?: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description 1 to 3,650 days; 0 for none.
             */
            thumbnail_period?: number | null;
            /** @description Texts by language; English is required for a new one. */
            translations?: {
                [key: string]: components["schemas"]["GradeTexts"];
            } | null;
            updated_at?: components["schemas"]["Stamp"] | null;
        };
        /** @description What customers of a grade pay. */
        GradePrice: {
            /** @description What the quantity costs. */
            cost: components["schemas"]["Money"];
            /** @description Off every order. */
            discount_percent: components["schemas"]["Fraction"];
            grade?: components["schemas"]["Named"] | null;
            /** @description The lowest price holds: the discount would have gone below it. */
            is_lowest: boolean;
            /** @description Price per `pricing_per` units. */
            price: components["schemas"]["Money"];
        };
        /** @description The texts of a grade in one language. */
        GradeTexts: {
            /** @description Its name: 1 to 100 characters; an empty one is dropped, but for English. */
            name: string;
        };
        /** @description Body of `PATCH users/{id}/sync-roles-and-permissions`: both as a whole, in one call. */
        GrantsInput: {
            /** @description Permissions beside those of the roles. */
            permissions: components["schemas"]["Permission"][];
            /** @description Ids of roles. */
            roles: number[];
        };
        /** @description A single-use sign-in code for the console. */
        HandoffCode: {
            /** @description Good once, for 60 seconds. */
            code: string;
            /** @description When it ends. */
            expires_at: components["schemas"]["Time"];
        };
        /** @description Body of `POST /handoff`. */
        HandoffInput: {
            /** @description The code of the console address. */
            code: string;
        };
        /** @description Body of `set-has-refill`. */
        HasRefillInput: {
            /** @description The new value. */
            has_refill: boolean;
        };
        /** @description Answer of `/healthz` and `/readyz`. */
        Health: {
            /** @description `ok`, or what is wrong. */
            status: string;
            /** @description The program's version. */
            version: string;
        };
        /** @description An invoice. */
        Invoice: {
            /** @description What the caller may do now. */
            actions: components["schemas"]["InvoiceActions"];
            /** @description What the customer said they would send. */
            amount: components["schemas"]["Money"];
            /** @description What the payment method added to it. */
            bonus_amount: components["schemas"]["Money"];
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            paid_amount?: components["schemas"]["Money"] | null;
            paid_at?: components["schemas"]["Time"] | null;
            payment_method?: components["schemas"]["Named"] | null;
            /** @description What the customer and the payment method call it. */
            short_name: string;
            /** @description Where it stands. */
            status: components["schemas"]["InvoiceStatus"];
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
            /** @description The customer. */
            user: components["schemas"]["PaymentUser"];
        };
        /** @description What the caller may do with it now. */
        InvoiceActions: {
            /** @description `POST …/{id}/mark-as-paid`. */
            can_be_marked_as_paid: boolean;
        };
        /**
         * @description Where an invoice stands. Paid is final.
         * @enum {string}
         */
        InvoiceStatus: "pending" | "paid" | "canceled";
        /** @description One label with everything about it. */
        Label: components["schemas"]["LabelRow"] & {
            /** @description Services that have it, by name. */
            services: components["schemas"]["Named"][];
            /** @description Locale → `name` → text. */
            translations: components["schemas"]["Translations"];
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description Body of `POST services/labels` and `PUT services/labels/{id}`: what is left out stays. */
        LabelInput: {
            /**
             * @description Its icon.
             * @default null
             */
            icon: components["schemas"]["Picture"];
            /**
             * @description Whether services that have it take comments from the customer; at most one label does that.
             * @default null
             */
            is_custom_comments: boolean | null;
            /**
             * @description English name, 1 to 100 characters; required for a new one, here or among the translations.
             * @default null
             */
            name: string | null;
            /**
             * @description All services that shall have it.
             * @default null
             */
            services: number[] | null;
            /** @default null */
            translations: components["schemas"]["Translations"] | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
        };
        /** @description One row of the labels. */
        LabelRow: {
            /** @description Address of its icon. */
            icon?: string | null;
            /**
             * Format: int64
             * @description The label's id.
             */
            id: number;
            /** @description Whether services that have it take comments from the customer. */
            is_custom_comments: boolean;
            /** @description English name. */
            name: string;
            /**
             * Format: int64
             * @description Services that have it.
             */
            services_count: number;
        };
        /** @description A language of the interface. */
        Locale: {
            /** @description Such as `pt_BR`. */
            code: string;
            /** @description In its own language. */
            name: string;
        };
        /** @description Body of `POST /login`. */
        LoginInput: {
            /** @description E-mail address. */
            email: string;
            /** @description The captcha's answer, when `captcha_is_enabled`. */
            "g-recaptcha-response"?: string | null;
            /** @description Six digits, when the account has TOTP (else 422 with code `otp_required`). */
            otp?: string | null;
            /** @description Password. */
            password: string;
        };
        /** @description A manual payment. */
        ManualPaymentInput: {
            /** @description Above zero; at most 6 decimals. A debit may not take the balance below zero. */
            amount: components["schemas"]["Money"];
            /** @description Which balance. */
            balance_type: components["schemas"]["BalanceType"];
            /** @description Why; at most 1,000 characters. */
            comment?: string | null;
            /** @description `income` credits, `outcome` debits. */
            transaction_type: components["schemas"]["TransactionType"];
            /**
             * Format: int64
             * @description The customer.
             */
            user_id: number;
        };
        /** @description A way to reach somebody. */
        Messenger: {
            /** @description Such as `whatsapp`. */
            name: string;
            /** @description The name or number there. */
            value: string;
        };
        /** @example 12.5 */
        Money: string;
        /** @description A record named in passing. */
        Named: {
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description What people call it. */
            name: string;
        };
        /** @description A network with the names of its service types. */
        Network: {
            /** @description `#rrggbb`. */
            color?: string | null;
            /** @description Address of its icon. */
            icon?: string | null;
            /**
             * Format: int64
             * @description The network's id.
             */
            id: number;
            /** @description English name. */
            name: string;
            /** @description Its service types, in their order. */
            service_types: components["schemas"]["Named"][];
            /**
             * Format: int64
             * @description Its place among the networks, from 1.
             */
            sorting: number;
            /** @description Locale → `name` → text. */
            translations: components["schemas"]["Translations"];
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
            /** @description Addresses that show a customer what to enter. */
            url_examples: string[];
        };
        /** @description Body of `POST networks` and `PUT networks/{id}`: what is left out stays. */
        NetworkInput: {
            /**
             * @description `#rrggbb`; null clears.
             * @default null
             */
            color: string | null;
            /**
             * @description Its icon.
             * @default null
             */
            icon: components["schemas"]["Picture"];
            /**
             * @description English name, 1 to 100 characters; required for a new one, here or among the translations.
             * @default null
             */
            name: string | null;
            /** @default null */
            translations: components["schemas"]["Translations"] | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
            /**
             * @description At most 20 absolute http(s) addresses.
             * @default null
             */
            url_examples: string[] | null;
        };
        /** @description Body of `POST staffs`. */
        NewStaffInput: {
            /** @description An address that nobody has yet. */
            email: string;
            /** @description 1 to 100 characters. */
            name: string;
            /** @description 8 to 256 characters. */
            password: string;
            /** @description Permissions beside those of the roles. One role or permission is needed at least. */
            permissions?: components["schemas"]["Permission"][];
            /** @description Ids of roles. */
            roles?: number[];
        };
        /** @description A payment method as one customer sees it. */
        OfferedMethod: {
            /**
             * Format: int64
             * @description The payment method's id.
             */
            id: number;
            /** @description Whether the panel has it switched on at all. */
            is_enabled: boolean;
            /** @description Whether it was chosen for this customer. Chosen for none of them: those that new users have. */
            is_offered: boolean;
            /** @description Its name. */
            name: string;
        };
        /** @description One order with everything about it. */
        Order: components["schemas"]["OrderRow"] & {
            /** @description In words. */
            cancel_description?: string | null;
            cancel_reason?: components["schemas"]["CancelReason"] | null;
            /**
             * Format: int64
             * @description The order at the child panel.
             */
            child_id?: number | null;
            /** @description ISO codes the order is bound to. */
            countries: string[];
            /**
             * Format: int64
             * @description The counter before the first delivery.
             */
            external_order_start_count?: number | null;
            /** @description Attempts at external panels, newest first. */
            external_panel_orders: components["schemas"]["OrderAttempt"][];
            /** @description Keyword. */
            keyword?: string | null;
            /** @description What paid. */
            order_balance_payments: components["schemas"]["BalancePayment"][];
            percent_of_external_statistics_fill?: components["schemas"]["Percent"] | null;
            /** @description What changed the price. */
            price_modifications: components["schemas"]["PriceModification"][];
            /**
             * Format: int64
             * @description Units that `price` is for.
             */
            pricing_per: number;
            /** @description The promoted thing. */
            promotable: components["schemas"]["Promotable"];
            /** @description What providers charged. */
            provider_cost: components["schemas"]["Money"];
            /** @description Providers of its service. */
            providers: components["schemas"]["OrderProvider"][];
            /**
             * Format: int64
             * @description What providers must deliver in all, where it differs from `quantity`.
             */
            quantity_for_full_fill?: number | null;
            /** @description Looks at the counter. */
            refill: components["schemas"]["OrderRefill"];
            /**
             * Format: int64
             * @description Units to refill.
             */
            refill_quantity?: number | null;
            /** @description What a cancel with money would return by default. */
            refund_amount: components["schemas"]["Money"];
            /** @description Money returned, newest first. */
            refund_payments: components["schemas"]["RefundPayment"][];
            /** @description Cost less refunds less what providers charged. */
            revenue: components["schemas"]["Money"];
            /** @description Search keyword to be found by. */
            seo_keyword?: string | null;
            /**
             * Format: int64
             * @description The service's id, once more for old clients.
             */
            service_id: number;
            /** @description The service's name, once more for old clients. */
            service_name: string;
            /** @description Extra inputs. */
            targetable_values: components["schemas"]["TargetableValue"][];
        };
        /** @description What the caller may do with an order now; the endpoint and its button agree by this. */
        OrderActions: {
            /** @description `POST orders/{id}/activate`. */
            activable: boolean;
            /** @description `POST orders/{id}/approve`. */
            approvable: boolean;
            /** @description `POST orders/{id}/cancel`. */
            cancelable: boolean;
            /** @description `POST orders/{id}/complete`. */
            completable: boolean;
            /** @description Url, comment, provider, refill flags. */
            editable: boolean;
            /** @description `POST orders/{id}/pause`. */
            pausable: boolean;
            /** @description `POST orders/{id}/reject`. */
            rejectable: boolean;
        };
        /** @description An attempt: this order as it was placed at an external panel. */
        OrderAttempt: {
            cancel_requested_at?: components["schemas"]["Time"] | null;
            /** @description What the panel charged. */
            charge: components["schemas"]["Money"];
            /** @description When it was placed. */
            created_at: components["schemas"]["Time"];
            external_panel?: components["schemas"]["Named"] | null;
            /** @description Its id at the external panel, once known. */
            external_panel_order_id?: string | null;
            /**
             * Format: int64
             * @description The attempt's id here.
             */
            id: number;
            /**
             * Format: int64
             * @description What it was placed with.
             */
            initial_quantity: number;
            /** @description The panel's last complaint. */
            last_error?: string | null;
            /** @description The provider used. */
            provider: components["schemas"]["Named"];
            /**
             * Format: int64
             * @description What is still undelivered, where the panel says so.
             */
            remains?: number | null;
            /**
             * Format: int64
             * @description The counter when it started.
             */
            start_count?: number | null;
            /** @description Where it stands there. */
            status: components["schemas"]["ExternalStatus"];
        };
        /** @description Answer of `GET orders/{id}`. */
        OrderDetail: {
            /** @description The order. */
            data: components["schemas"]["Order"];
            /** @description Its neighbours by id. */
            links: components["schemas"]["OrderLinks"];
        };
        /** @description Many orders. */
        OrderIds: {
            /** @description 1 to 10,000 ids; duplicates count once. */
            order_ids: number[];
        };
        /** @description Links of an order to its neighbours. */
        OrderLinks: {
            /**
             * Format: int64
             * @description The next newer order.
             */
            next?: number | null;
            /**
             * Format: int64
             * @description The next older order.
             */
            previous?: number | null;
        };
        /** @description A provider that serves an order's service. */
        OrderProvider: {
            /** @description What it charged for this order so far. */
            cost: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description The provider's id.
             */
            id: number;
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description What it delivered of this order so far.
             */
            quantity: number;
            /** @description `active`, `disabled` or `error`. */
            status: string;
        };
        /** @description The first and the last look at the counter. */
        OrderRefill: {
            first?: components["schemas"]["RefillStatistic"] | null;
            last?: components["schemas"]["RefillStatistic"] | null;
        };
        /** @description One row of the orders list. */
        OrderRow: {
            /** @description What the caller may do now. */
            actions: components["schemas"]["OrderActions"];
            approval?: components["schemas"]["Approval"] | null;
            /** @description Whether refills come by themselves. */
            auto_refill_is_allowed: boolean;
            /**
             * Format: int64
             * @description The combo order it belongs to.
             */
            combo_order_id?: number | null;
            /** @description The staff's comment. */
            comment?: string | null;
            completed_at?: components["schemas"]["Time"] | null;
            /** @description What the customer was charged. */
            cost: components["schemas"]["Money"];
            /** @description When it was placed. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description How many are delivered.
             */
            current_quantity: number;
            /**
             * Format: int64
             * @description The drip-feed that placed it.
             */
            drip_feed_id?: number | null;
            /** @description In processing, and none of its service's providers is active. */
            has_no_active_providers: boolean;
            /** @description Whether a refill may be asked for. */
            has_refill: boolean;
            /**
             * Format: int64
             * @description The order's id.
             */
            id: number;
            /** @description Whether it is paid. */
            is_paid: boolean;
            margin_percent?: components["schemas"]["Percent"] | null;
            /** @description What is delivered, usually the service's name when it was ordered. */
            name: string;
            /** @description Delivered of ordered. */
            percent_of_current_fill: components["schemas"]["Percent"];
            /** @description Unit price, per `pricing_per`. */
            price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description How many were ordered.
             */
            quantity: number;
            /** @description What was returned of it. */
            refunded: components["schemas"]["Money"];
            /** @description The service. */
            service: components["schemas"]["Named"];
            /** @description Where it came from. */
            source: components["schemas"]["OrderSource"];
            /** @description Where it stands. */
            status: components["schemas"]["OrderStatus"];
            /**
             * Format: int64
             * @description The subscription that placed it.
             */
            subscription_id?: number | null;
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
            /** @description Where it is delivered: what the customer typed. */
            url: string;
            /** @description The customer. */
            user: components["schemas"]["OrderUser"];
        };
        /**
         * @description Where an order came from.
         * @enum {string}
         */
        OrderSource: "api" | "cabinet" | "order_widget" | "socpanel" | "perfect_panel_api" | "subscription" | "order_widget_multiple" | "buy_page" | "single_form" | "drip_feed" | "free_trial" | "package" | "order_widget_step_by_step" | "order_widget_mini";
        /**
         * @description Where an order stands.
         * @enum {string}
         */
        OrderStatus: "in_processing" | "in_moderation" | "completed" | "stopped" | "canceled" | "unpaid";
        /** @description The customer of an order, as list rows show them. */
        OrderUser: {
            /** @description Main balance. */
            balance: components["schemas"]["Money"];
            /** @description E-mail address. */
            email: string;
            /**
             * Format: int64
             * @description The user's id.
             */
            id: number;
            /** @description Name. */
            name: string;
            /** @description Charged minus returned, over all orders. */
            spent: components["schemas"]["Money"];
            /** @description Telegram name, without the at sign. */
            telegram_username?: string | null;
        };
        /** @description One package with everything about it. */
        Package: components["schemas"]["PackageRow"] & {
            /** @description Its own page. */
            buy_page_url?: string | null;
            /** @description What is in it, in this order. */
            package_contents: components["schemas"]["PackageContent"][];
            /** @description Locale → field → text. */
            translations: components["schemas"]["Translations"];
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description What the caller may do with a package. */
        PackageActions: {
            /** @description Take it off sale for good. */
            archivable: boolean;
            /** @description Change it. */
            editable: boolean;
            /** @description Bring it back. */
            restore: boolean;
        };
        /** @description A service of a package. */
        PackageContent: {
            /** @description What it costs within the package, before a discount on the whole. */
            cost: components["schemas"]["Money"];
            /** @description The service's own price. */
            default_price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description The service's id.
             */
            id: number;
            /** @description Whether customers see it in the package. */
            is_displayable: boolean;
            /**
             * Format: int64
             * @description Largest order.
             */
            max_quantity: number;
            /**
             * Format: int64
             * @description Smallest order.
             */
            min_quantity: number;
            /** @description Its name. */
            name: string;
            price?: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description Units that prices are for.
             */
            pricing_per: number;
            /**
             * Format: int64
             * @description How many of it.
             */
            quantity: number;
            /**
             * Format: int64
             * @description Steps between.
             */
            quantity_step: number;
        };
        /** @description A service that shall be in a package. */
        PackageContentInput: {
            /**
             * Format: int64
             * @description The service.
             */
            id: number;
            /** @description Whether customers see it in the package; yes when nothing is said. */
            is_displayable?: boolean | null;
            price?: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description How many of it: a quantity that can be ordered.
             */
            quantity: number;
        };
        /** @description Body of `POST packages` and `PUT packages/{id}`: what is left out stays. */
        PackageInput: {
            /**
             * @description Absolute http(s) address of its own page.
             * @default null
             */
            buy_page_url: string | null;
            /** @default null */
            discount_percent: components["schemas"]["Fraction"] | null;
            /** @default null */
            fixed_cost: components["schemas"]["Money"] | null;
            /**
             * @description On sale.
             * @default null
             */
            is_enabled: boolean | null;
            /**
             * @description English name, 1 to 255 characters; required for a new one, here or among the translations.
             * @default null
             */
            name: string | null;
            /**
             * Format: int64
             * @description Its network; required for a new one.
             * @default null
             */
            network_id: number | null;
            /**
             * @description Everything in it, in this order: 1 to 50 services; required for a new one.
             * @default null
             */
            package_contents: components["schemas"]["PackageContentInput"][] | null;
            /**
             * @description Sold only to chosen customers.
             * @default null
             */
            restricted_access: boolean | null;
            /**
             * Format: int64
             * @description A service type of the network.
             * @default null
             */
            service_type_id: number | null;
            /**
             * @description Small letters, digits and hyphens, no other package's.
             * @default null
             */
            slug: string | null;
            /**
             * @description Follows the panel that it came from; for those that came from one.
             * @default null
             */
            sync: boolean | null;
            /** @default null */
            translations: components["schemas"]["Translations"] | null;
            /** @default null */
            type: components["schemas"]["PackageType"] | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
        };
        /** @description One row of the packages. */
        PackageRow: {
            /** @description What the caller may do with it. */
            actions: components["schemas"]["PackageActions"];
            /**
             * Format: int64
             * @description How many services are in it.
             */
            contents_count: number;
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /** @description What its contents cost one by one at the services' prices. */
            default_cost: components["schemas"]["Money"];
            /** @description What they save: the default cost less the total cost. */
            difference: components["schemas"]["Money"];
            /** @description Off the sum of its contents. */
            discount_percent: components["schemas"]["Fraction"];
            fixed_cost?: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description The package's id.
             */
            id: number;
            /** @description Whether it is archived. */
            is_archived: boolean;
            /** @description Whether it is on sale. */
            is_enabled: boolean;
            /** @description English name. */
            name: string;
            /** @description Its network. */
            network: components["schemas"]["Named"];
            provider?: components["schemas"]["Named"] | null;
            /** @description Sold only to chosen customers. */
            restricted_access: boolean;
            service_type?: components["schemas"]["Named"] | null;
            /** @description Part of its address. */
            slug?: string | null;
            /** @description Whether it follows the panel that it came from. */
            sync: boolean;
            /** @description What customers pay. */
            total_cost: components["schemas"]["Money"];
            /** @description What happens when it is bought. */
            type: components["schemas"]["PackageType"];
        };
        /** @description A service that a package can have. */
        PackageService: {
            /** @description Its own price. */
            default_price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description The service's id.
             */
            id: number;
            /**
             * Format: int64
             * @description Largest order.
             */
            max_quantity: number;
            /**
             * Format: int64
             * @description Smallest order.
             */
            min_quantity: number;
            /** @description Its name. */
            name: string;
            /**
             * Format: int64
             * @description Units that prices are for.
             */
            pricing_per: number;
            /**
             * Format: int64
             * @description Steps between.
             */
            quantity_step: number;
        };
        /** @description A service type that a package can have. */
        PackageServiceType: {
            /**
             * Format: int64
             * @description The service type's id.
             */
            id: number;
            /** @description Its name. */
            name: string;
            /** @description Its network. */
            network: components["schemas"]["Named"];
        };
        /**
         * @description What happens when a package is bought.
         * @enum {string}
         */
        PackageType: "auto" | "manual";
        /** @description One page of a list. */
        Page_AuditRow: {
            /** @description The rows. */
            data: components["schemas"]["AuditRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_ChangeLogRow: {
            /** @description The rows. */
            data: components["schemas"]["ChangeLogRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_ComboOrder: {
            /** @description The rows. */
            data: components["schemas"]["ComboOrder"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_DripFeed: {
            /** @description The rows. */
            data: components["schemas"]["DripFeed"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_FreeTrial: {
            /** @description The rows. */
            data: components["schemas"]["FreeTrial"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_FreeTrialQuest: {
            /** @description The rows. */
            data: components["schemas"]["FreeTrialQuest"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_Grade: {
            /** @description The rows. */
            data: components["schemas"]["Grade"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_Invoice: {
            /** @description The rows. */
            data: components["schemas"]["Invoice"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_OrderRow: {
            /** @description The rows. */
            data: components["schemas"]["OrderRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_PackageRow: {
            /** @description The rows. */
            data: components["schemas"]["PackageRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_PaymentMethod: {
            /** @description The rows. */
            data: components["schemas"]["PaymentMethod"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_PaymentRow: {
            /** @description The rows. */
            data: components["schemas"]["PaymentRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_ProviderPackageRow: {
            /** @description The rows. */
            data: components["schemas"]["ProviderPackageRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_ServiceRow: {
            /** @description The rows. */
            data: components["schemas"]["ServiceRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_ServiceTypeRow: {
            /** @description The rows. */
            data: components["schemas"]["ServiceTypeRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_StaffRow: {
            /** @description The rows. */
            data: components["schemas"]["StaffRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_SubscriptionRow: {
            /** @description The rows. */
            data: components["schemas"]["SubscriptionRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_TargetRow: {
            /** @description The rows. */
            data: components["schemas"]["TargetRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_UserRow: {
            /** @description The rows. */
            data: components["schemas"]["UserRow"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description One page of a list. */
        Page_Withdrawal: {
            /** @description The rows. */
            data: components["schemas"]["Withdrawal"][];
            /**
             * Format: int64
             * @description The number that the query carried.
             */
            draw: number;
            /**
             * Format: int64
             * @description Rows after all searches.
             */
            recordsFiltered: number;
            /** @description The common search found more than it counts: `recordsFiltered` is "at least". */
            recordsFilteredIsAtLeast?: boolean;
            /**
             * Format: int64
             * @description Rows before any search, within what the caller may see and the list's plain filters.
             */
            recordsTotal: number;
        };
        /** @description How a withdrawal was paid. */
        PaidWithdrawalInput: {
            /** @description The transfer's id: 1 to 200 characters on one line, unique for the payment method. */
            transaction_id: string;
        };
        /** @description How an invoice was paid. */
        PayInvoiceInput: {
            /** @description What came in: above zero, at most 6 decimals. It may differ from what was said. */
            amount: components["schemas"]["Money"];
        };
        /** @description What pickers of payments offer. */
        PaymentCollections: {
            /** @description Balances. */
            balance_types: components["schemas"]["Choice"][];
            /** @description Grew or shrank. */
            transaction_types: components["schemas"]["Choice"][];
            /** @description Kinds of payment. */
            types: components["schemas"]["Choice"][];
        };
        /** @description A payment method, as lists and editors have it. Secrets are never in it. */
        PaymentMethod: {
            /** @description What the caller may do with it. */
            actions: components["schemas"]["PaymentMethodActions"];
            /** @description Whether it may have a QR code. */
            allow_qr_code: boolean;
            /** @description What the gateway charges in, such as `USD`. */
            charge_currency: string;
            /** @description Who carries the fee. */
            charge_type: components["schemas"]["ChargeType"];
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /** @description Its English description. */
            description?: string | null;
            /** @description Of each payment, as a fraction: "0.025" is 2.5 percent. */
            fee_percent: components["schemas"]["Fraction"];
            /** @description The address of its icon. */
            icon?: string | null;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Whether new customers are offered it. */
            is_allowed_for_new_user: boolean;
            /** @description Whether customers can use it. */
            is_enabled: boolean;
            max_amount?: components["schemas"]["Money"] | null;
            /** @description Smallest payment. */
            min_amount: components["schemas"]["Money"];
            /** @description Its English name. */
            name: string;
            /** @description Its bonuses, the smallest `from_amount` first. */
            payment_method_bonuses: components["schemas"]["PaymentMethodBonus"][];
            /** @description The address of its QR code. */
            payment_qr_code?: string | null;
            /**
             * Format: int64
             * @description The same.
             */
            position: number;
            /** @description What its customers see and fill in. */
            public_fields: components["schemas"]["PublicFields"];
            /** @description Which secrets are set, by name. */
            secrets: components["schemas"]["SecretState"][];
            /**
             * Format: int64
             * @description Its place in the list, from 1.
             */
            sorting: number;
            /** @description `is_enabled` as a word. */
            status: components["schemas"]["PaymentMethodStatus"];
            /** @description How the panel learns that money came. */
            strategy: components["schemas"]["PaymentStrategy"];
            /** @description Texts by language; English is always there. */
            translations: {
                [key: string]: components["schemas"]["PaymentMethodTexts"];
            };
            /** @description What it is. */
            type: components["schemas"]["PaymentMethodType"];
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
            /** @description What holds when a customer is paid by it. */
            withdrawal_options: components["schemas"]["WithdrawalOptions"];
        };
        /** @description What the caller may do with a payment method. */
        PaymentMethodActions: {
            /** @description `POST payment-methods/{id}/disable`. */
            disable: boolean;
            /** @description `POST payment-methods/{id}`. */
            edit: boolean;
            /** @description `POST payment-methods/{id}/enable`. */
            enable: boolean;
        };
        /** @description A bonus on payments by a method: the highest enabled one that is reached is paid. */
        PaymentMethodBonus: {
            /** @description In percent: "5" is five percent. */
            bonus_percent: components["schemas"]["Fraction"];
            /** @description The payment from which on it is paid. */
            from_amount: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Whether it is paid. */
            is_enabled: boolean;
        };
        /** @description What pickers of payment methods offer. */
        PaymentMethodCollections: {
            /** @description Who carries the fee. */
            charge_types: components["schemas"]["Choice"][];
            /** @description What gateways charge in. */
            currencies: components["schemas"]["Choice"][];
            /** @description How the panel learns that money came. */
            strategies: components["schemas"]["Choice"][];
            /** @description What a method can be. */
            types: components["schemas"]["Choice"][];
        };
        /** @description Body of create and update, as JSON or multipart; an update takes what is absent as it was. */
        PaymentMethodInput: {
            /** @description Whether it may have a QR code. */
            allow_qr_code?: boolean | null;
            /** @description One of the collections. */
            charge_currency?: string | null;
            charge_type?: components["schemas"]["ChargeType"] | null;
            /** @description English description. */
            description?: string | null;
            fee_percent?: components["schemas"]["Fraction"] | null;
            /** @description Its icon. */
            icon?: components["schemas"]["Picture"];
            /** @description Whether new customers are offered it; a new one is. */
            is_allowed_for_new_user?: boolean | null;
            /** @description Whether customers can use a new one, at once unless this says false. Changed by enable and disable. */
            is_enabled?: boolean | null;
            max_amount?: components["schemas"]["Money"] | null;
            min_amount?: components["schemas"]["Money"] | null;
            /** @description English name, 1 to 100 characters; required for a new one, here or among the translations. */
            name?: string | null;
            /** @description Its QR code. */
            payment_qr_code?: components["schemas"]["Picture"];
            /**
             * Format: int64
             * @description Its place, from 1; a new one is the last.
             */
            position?: number | null;
            public_fields?: components["schemas"]["PublicFields"] | null;
            /** @description Names of secrets to forget. */
            remove_secrets?: string[];
            /** @description New secrets by name (small letters, digits, `_`); an empty text leaves one as it is. They are never shown again. */
            secrets?: {
                [key: string]: string;
            };
            strategy?: components["schemas"]["PaymentStrategy"] | null;
            /** @description All texts by language; languages without any are dropped. */
            translations?: {
                [key: string]: components["schemas"]["PaymentMethodTexts"];
            } | null;
            type?: components["schemas"]["PaymentMethodType"] | null;
            updated_at?: components["schemas"]["Stamp"] | null;
            withdrawal_options?: components["schemas"]["WithdrawalOptions"] | null;
        };
        /**
         * @description Whether customers can use it.
         * @enum {string}
         */
        PaymentMethodStatus: "active" | "disabled";
        /** @description The texts of a payment method in one language; empty ones fall back to English. */
        PaymentMethodTexts: {
            /** @description More to know, such as working hours; at most 5,000 characters. */
            additional_information?: string;
            /** @description What a customer reads before they pay; at most 5,000 characters. */
            description?: string;
            /** @description Its name; at most 100 characters. English is required. */
            name?: string;
            /** @description What a customer reads before they ask for a withdrawal; at most 5,000 characters. */
            withdrawal_description?: string;
        };
        /**
         * @description What a payment method is.
         * @enum {string}
         */
        PaymentMethodType: "card" | "bank" | "crypto" | "paypal" | "wallet" | "cash" | "other";
        /** @description One row of the payments and transactions lists. */
        PaymentRow: {
            /**
             * Format: int64
             * @description The staff member; none for the system.
             */
            admin_id?: number | null;
            /** @description With sign: negative when the balance shrank. */
            amount: components["schemas"]["Money"];
            /** @description The balance after it. */
            balance_after: components["schemas"]["Money"];
            /** @description Which balance. */
            balance_type: components["schemas"]["BalanceType"];
            /** @description A word from the staff. */
            comment?: string | null;
            /** @description When. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description The payment's id.
             */
            id: number;
            /**
             * Format: int64
             * @description The order it is about.
             */
            order_id?: number | null;
            payment_method?: components["schemas"]["Named"] | null;
            /** @description Grew or shrank. */
            transaction_type: components["schemas"]["TransactionType"];
            /** @description What it is about. */
            type: components["schemas"]["PaymentType"];
            /** @description The customer. */
            user: components["schemas"]["PaymentUser"];
        };
        /**
         * @description How the panel learns that money came: staff say so, or the gateway calls.
         * @enum {string}
         */
        PaymentStrategy: "manual" | "gateway";
        /**
         * @description What a payment is about.
         * @enum {string}
         */
        PaymentType: "deposit" | "order" | "refund" | "bonus" | "manual" | "withdrawal" | "referral" | "task";
        /** @description The customer of a payment. */
        PaymentUser: {
            /** @description E-mail address. */
            email: string;
            /**
             * Format: int64
             * @description The user's id.
             */
            id: number;
            /** @description Name. */
            name: string;
        };
        /** @example 88.25 */
        Percent: string;
        /**
         * @description What a staff member may do; held directly or through a role.
         * @enum {string}
         */
        Permission: "view users" | "freeze users" | "deactivate users" | "activate users" | "manage users" | "manage grades for user" | "view orders" | "manage orders" | "write auto refill params" | "manage free trials" | "view finances" | "manage finances" | "view invoices" | "manage invoices" | "view withdrawals" | "manage withdrawals" | "approve withdrawal requests" | "mark as paid withdrawal requests" | "manage payment methods" | "view payment methods" | "view referral statistics" | "view services" | "manage services and providers" | "manage service types" | "manage packages" | "manage targets" | "view change logs" | "manage external panels" | "manage external panel orders" | "manage coupons" | "manage discounts" | "manage order widgets" | "manage grades" | "view grades" | "manage webhooks" | "manage panel settings" | "manage staff" | "view audits";
        /** @description A permission as an entity: id, name and group. */
        PermissionEntry: {
            /** @description The heading on screens. */
            group: string;
            /**
             * Format: int64
             * @description The number of [`Permission::id`].
             */
            id: number;
            /** @description The permission's text, such as `view users`. */
            name: components["schemas"]["Permission"];
        };
        /** @description An image: PNG, JPEG, WebP or GIF as a data URL (or a file part of a multipart body), or the address of the present one, which then stays. Null or empty takes it away; absent leaves it. */
        Picture: string | null;
        /** @description Pixels. */
        PictureSize: {
            /**
             * Format: int32
             * @description High.
             */
            height: number;
            /**
             * Format: int32
             * @description Wide.
             */
            width: number;
        };
        /** @description A service in its place within a service type. */
        PlacedService: {
            /** @description Price per `pricing_per` units. */
            default_price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description The service's id.
             */
            id: number;
            /** @description Whether it is on sale. */
            is_enabled: boolean;
            /** @description English name. */
            name: string;
            /**
             * Format: int64
             * @description Units that prices are for.
             */
            pricing_per: number;
            /**
             * Format: int64
             * @description Its place, from 1.
             */
            sorting: number;
        };
        /** @description Something that changed the price before the charge. */
        PriceModification: {
            /** @description After. */
            cost_after: components["schemas"]["Money"];
            /** @description Before. */
            cost_before: components["schemas"]["Money"];
            /** @description After less before. */
            cost_diff: components["schemas"]["Money"];
            /** @description Bound to countries. */
            has_countries: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description A paid speed-up. */
            is_speedup: boolean;
            /**
             * Format: int64
             * @description The id of what modified the price, such as a discount's.
             */
            modifier_id?: number | null;
            /** @description Its name. */
            name: string;
            /** @description Its kind, such as `discount`, `grade`, `speedup`. */
            type: string;
        };
        /** @description Body of `POST services/price-preview`: prices that need not be saved. */
        PricePreviewInput: {
            /** @description Price per `pricing_per` units. */
            default_price: components["schemas"]["Money"];
            /** @description The lowest price a customer may get. */
            min_price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Units that prices are for.
             */
            pricing_per: number;
            /**
             * Format: int64
             * @description How many are ordered.
             */
            quantity: number;
        };
        /** @description An error answer, shaped as Laravel's clients know it, with a stable code added. */
        Problem: {
            /** @description Stable and made for programs, such as `order_not_cancelable`. */
            code: string;
            /** @description Errors by field, named as in the request; absent when no field is to blame. */
            errors?: {
                [key: string]: string[];
            };
            /** @description One sentence that says what is wrong and what to do. */
            message: string;
            /** @description Also in the `X-Request-Id` header and the server's log. */
            request_id: string;
        };
        /** @description The signed-in staff member. */
        Profile: {
            /** @description Everything they may do, directly or by role. */
            allPermissions: components["schemas"]["PermissionEntry"][];
            /** @description E-mail address. */
            email: string;
            /**
             * Format: int64
             * @description The user's id.
             */
            id: number;
            /** @description Name. */
            name: string;
            /** @description Roles. */
            roles: components["schemas"]["Named"][];
        };
        /** @description What is known of the promoted thing. */
        Promotable: {
            /**
             * Format: int64
             * @description Viewers on average, of a live stream.
             */
            average_viewers?: number | null;
            /** @description An address that can be embedded. */
            embed_url?: string | null;
            /**
             * Format: int64
             * @description Viewers at the first look.
             */
            first_statistic_viewers?: number | null;
            /** @description Countries that may not see it. */
            region_restriction?: string | null;
            supported_at?: components["schemas"]["Time"] | null;
            supported_until?: components["schemas"]["Time"] | null;
        };
        /** @description A group of checks that the address of an order goes through. */
        PromotableCheckerGroup: {
            /** @description Patterns of addresses, one of which must fit: `youtube.com/watch*`, `*.example/@*`. */
            checkers: string[];
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description What staff call it. */
            name: string;
            /** @description What its addresses are about. */
            service_type_type: components["schemas"]["ServiceTypeKind"];
            /**
             * Format: int64
             * @description Services whose addresses it checks.
             */
            services_count: number;
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description One look at the promoted thing. */
        PromotableStatistic: {
            /** @description When. */
            date: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description Viewers.
             */
            viewers: number;
        };
        /** @description A package of an external panel with what is in it. */
        ProviderPackage: components["schemas"]["ProviderPackageRow"] & {
            /** @description What is in it. */
            contents: components["schemas"]["ProviderPackageContent"][];
        };
        /** @description A service of a package of an external panel. */
        ProviderPackageContent: {
            /** @description The service's id there. */
            external_panel_service_id: string;
            /** @description What it is called there. */
            name: string;
            /** @description What it costs there, per `pricing_per`. */
            price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Units that the price is for.
             */
            pricing_per: number;
            /**
             * Format: int64
             * @description How many of it.
             */
            quantity: number;
        };
        /** @description A package that an external panel sells. */
        ProviderPackageRow: {
            /**
             * Format: int64
             * @description How many services are in it.
             */
            contents_count: number;
            /** @description When it was first seen. */
            created_at: components["schemas"]["Time"];
            /** @description Off the sum of its contents there. */
            discount_percent: components["schemas"]["Fraction"];
            /** @description Where it is sold. */
            external_panel: components["schemas"]["Named"];
            fixed_cost?: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description Its id here.
             */
            id: number;
            /** @description What it is called there. */
            name: string;
            network?: components["schemas"]["Named"] | null;
            /**
             * Format: int64
             * @description Packages of ours that were made of it.
             */
            packages_count: number;
            /** @description Whether packages made of it follow it. */
            sync: boolean;
            /** @description What happens when it is bought. */
            type: components["schemas"]["PackageType"];
        };
        /** @description What one provider did. */
        ProviderStatistic: {
            /** @description What it charged, in the panel's currency; 0 or more. */
            cost: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description One of the order's service.
             */
            provider_id: number;
            /**
             * Format: int64
             * @description Units it delivered; 0 or more. Cost and quantity 0 take the row away.
             */
            quantity: number;
        };
        /**
         * @description Body of `POST provider-statistics`: what providers did for one order on one day. What was booked for the same day
         *     before is replaced.
         */
        ProviderStatisticsInput: {
            /** @description From the day the order was placed to today. */
            date: components["schemas"]["Day"];
            /**
             * Format: int64
             * @description The order's id.
             */
            order_id: number;
            /** @description 1 to 50 rows, each provider once. */
            provider_statistics: components["schemas"]["ProviderStatistic"][];
        };
        /** @description What customers of a method see and fill in. */
        PublicFields: {
            /** @description They can write a word with their payment. */
            is_user_comment?: boolean;
            /** @description They see the QR code. */
            qr_code?: boolean;
        };
        /** @description Public instance data. */
        PublicSettings: {
            /** @description Whether sign-in wants a captcha. */
            captcha_is_enabled: boolean;
            /** @description The captcha's public key. */
            captcha_site_key?: string | null;
            /** @description Currency sign in front of money. */
            currency_symbol: string;
            /** @description Logo on dark ground. */
            dark_logo?: string | null;
            /** @description Referral share by default. */
            default_referral_program_percent: components["schemas"]["Fraction"];
            /** @description Address of the favicon. */
            favicon?: string | null;
            /** @description Whether this panel belongs to the makers. */
            inhouse: boolean;
            /** @description Whether it is a child panel. */
            is_child: boolean;
            /** @description Logo on light ground. */
            light_logo?: string | null;
            /** @description The logo in words. */
            logo_alt?: string | null;
            /** @description Where the logo leads. */
            logo_destination_url?: string | null;
            /** @description Logo on small screens. */
            mobile_logo?: string | null;
            /** @description Whether the panel still waits for its owner. */
            needs_setup: boolean;
            /**
             * Format: int64
             * @description The panel's id.
             */
            panel_id: number;
            /** @description The panel's name. */
            panel_name: string;
            /** @description How to reach the live channel. */
            realtime: components["schemas"]["Realtime"];
        };
        /** @description What the caller may do with a quest. */
        QuestActions: {
            /** @description `POST free-trial-quests/{id}/archive`. */
            archivable: boolean;
            /** @description `PUT free-trial-quests/{id}`. */
            editable: boolean;
        };
        /** @description Body of create and update, as JSON or multipart; an update takes what is absent as it was. */
        QuestInput: {
            /**
             * @description Whether customers show what they did by an address.
             * @default null
             */
            allow_proof_url: boolean | null;
            /**
             * @description Whether requests of good customers are approved at once.
             * @default null
             */
            auto_approve_is_allowed: boolean | null;
            /** @default null */
            deadline: components["schemas"]["Time"] | null;
            /**
             * @description Its icon.
             * @default null
             */
            icon: components["schemas"]["Picture"];
            /**
             * @description Its picture.
             * @default null
             */
            image: components["schemas"]["Picture"];
            /**
             * @description Whether only customers who spent enough may ask.
             * @default null
             */
            is_allowed_with_spend_above: boolean | null;
            /**
             * @description Whether customers see it; a new one is seen.
             * @default null
             */
            is_enabled: boolean | null;
            /**
             * @description Whether a customer may have it more than once.
             * @default null
             */
            is_repeatable: boolean | null;
            /** @default null */
            min_amount_for_auto_approve: components["schemas"]["Money"] | null;
            /** @default null */
            min_user_spend_amount: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description Within the service's bounds; required for a new one.
             * @default null
             */
            quantity: number | null;
            /**
             * Format: int64
             * @description 1 to 10,000; null for any number of times.
             * @default null
             */
            repeats_count: number | null;
            /**
             * Format: int64
             * @description What is given; required for a new one.
             * @default null
             */
            service_id: number | null;
            /**
             * @description Texts by language; English is required for a new one.
             * @default null
             */
            translations: {
                [key: string]: components["schemas"]["QuestTexts"];
            } | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
        };
        /** @description The texts of a quest in one language. */
        QuestTexts: {
            /** @description Its name: 1 to 200 characters; an empty one is dropped, but for English. */
            name: string;
        };
        /** @description How to reach the live channel with any Pusher client. */
        Realtime: {
            /** @description The app key. */
            key: string;
            /** @description The socket's path, before `/app/{key}`. */
            path: string;
        };
        /** @description One row: a period, an affiliate or a referral. */
        ReferralRow: components["schemas"]["ReferralSums"] & {
            affiliate?: components["schemas"]["PaymentUser"] | null;
            date?: components["schemas"]["Day"] | null;
            referral?: components["schemas"]["PaymentUser"] | null;
        };
        /** @description The statistics. */
        ReferralStatistics: {
            /** @description Whether there are more people than rows. */
            is_cut: boolean;
            /** @description Periods in their order, or the 1,000 people whose referrals bought most, the largest first. */
            rows: components["schemas"]["ReferralRow"][];
            /** @description Everything together, also what is beyond the rows. */
            totals: components["schemas"]["ReferralSums"];
        };
        /** @description What happened, in numbers. */
        ReferralSums: {
            /** @description What affiliates earned, less what was taken back. */
            commission: components["schemas"]["Money"];
            /** @description What these cost. */
            cost: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Paid orders of referrals.
             */
            orders: number;
            /**
             * Format: int64
             * @description Customers who signed up through an affiliate.
             */
            referrals: number;
            /** @description What was returned of it by now. */
            refunded: components["schemas"]["Money"];
        };
        /** @description A wish to deliver again what was lost. */
        RefillRequest: {
            /** @description When. */
            created_at: components["schemas"]["Time"];
            created_by?: components["schemas"]["Named"] | null;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /**
             * Format: int64
             * @description How many.
             */
            quantity: number;
            /** @description `pending`, `sent`, `completed` or `rejected`. */
            status: string;
        };
        /** @description Body of a refill request. */
        RefillRequestInput: {
            /**
             * Format: int64
             * @description From 1 to the order's quantity.
             */
            quantity: number;
        };
        /** @description One look at the counter of a refillable order. */
        RefillStatistic: {
            /** @description When. */
            date: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description The counter.
             */
            quantity: number;
        };
        /** @description What a cancel with money would return. */
        RefundAmount: {
            /** @description The default refund. */
            amount: components["schemas"]["Money"];
        };
        /** @description Money returned for an order. */
        RefundPayment: {
            admin?: components["schemas"]["Named"] | null;
            /** @description How much. */
            amount: components["schemas"]["Money"];
            /** @description When. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description The payment's id.
             */
            id: number;
            /** @description `income`. */
            transaction_type: components["schemas"]["TransactionType"];
            /** @description The balance it went to. */
            type: components["schemas"]["BalanceType"];
        };
        /** @description Why a withdrawal is rejected. */
        RejectWithdrawalInput: {
            /** @description For the customer; 1 to 1,000 characters. */
            admin_note: string;
        };
        /** @description A role: a name for permissions that go together. */
        Role: {
            /** @description Whether the caller may change it: they hold everything that it allows. */
            editable: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Its name. */
            name: string;
            /** @description What it allows. */
            permissions: components["schemas"]["PermissionEntry"][];
            /** @description When it last changed; an editor sends it back. */
            updated_at: components["schemas"]["Stamp"];
            /**
             * Format: int64
             * @description How many users have it.
             */
            users_count: number;
        };
        /** @description Body of `POST roles` and `PATCH roles/{id}`. */
        RoleInput: {
            /** @description 1 to 60 characters, unique. */
            name: string;
            /** @description What it allows: at least one. */
            permissions: components["schemas"]["Permission"][];
            updated_at?: components["schemas"]["Stamp"] | null;
        };
        /** @description A saved view. */
        SavedView: {
            /** @description Columns shown, in order; empty for the list's own. */
            columns: string[];
            /** @description Whether the caller may change or delete it. */
            editable: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Whether it is the caller's. */
            is_own: boolean;
            /** @description Whether everybody sees it. */
            is_shared: boolean;
            /** @description The list it belongs to. */
            list: string;
            /** @description Its name, unique per list and owner. */
            name: string;
            /** @description The list's query string. */
            query: string;
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description Body of create and update. */
        SavedViewInput: {
            /** @description Columns shown, in order. */
            columns?: string[];
            /** @description Sharing needs `manage panel settings`. */
            is_shared?: boolean;
            /** @description The list it belongs to. */
            list: string;
            /** @description 1 to 60 characters. */
            name: string;
            /** @description At most 4,000 characters. */
            query: string;
            updated_at?: components["schemas"]["Stamp"] | null;
        };
        /** @description A secret of a payment method: that it is set, never what it is. */
        SecretState: {
            /** @description Always true: names without a secret are not listed. */
            is_set: boolean;
            /** @description Its name, such as `api_key`. */
            name: string;
        };
        /** @description Body of `update-seller`: only what is set changes; null clears. */
        SellerInput: {
            /** @default null */
            contact_step: components["schemas"]["ContactStep"] | null;
            /**
             * Format: int64
             * @description The manager who looks after them; a staff member.
             * @default null
             */
            seller_id: number | null;
            /** @default null */
            seller_status: components["schemas"]["SellerStatus"] | null;
        };
        /**
         * @description Where the talk with a possible seller stands.
         * @enum {string}
         */
        SellerStatus: "new" | "in_progress" | "paid" | "cancel";
        /** @description One service with everything about it. */
        Service: components["schemas"]["ServiceRow"] & components["schemas"]["ServiceSwitches"] & components["schemas"]["ServiceTerms"] & components["schemas"]["ServiceTargets"] & {
            /** @description ISO codes of the countries it is sold for. */
            countries: string[];
            /** @description Label ids. */
            labels: number[];
            last_time_providers_are_available_at?: components["schemas"]["Time"] | null;
            /** @description Providers in the order they are tried. */
            providers: components["schemas"]["Named"][];
            /** @description No provider has been active for a day or longer. */
            providers_are_unavailable_for_a_long_time: boolean;
            /** @description Locale → field → text. */
            translations: components["schemas"]["Translations"];
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description What the caller may do with a service. */
        ServiceActions: {
            /** @description Take it off sale for good. */
            archivable: boolean;
            /** @description Make another one like it. */
            copyable: boolean;
            /** @description Change it. */
            editable: boolean;
            /** @description Bring it back. */
            restore: boolean;
        };
        /** @description Body of `POST services` and `PUT services/{id}`: what is left out stays, or has its usual value at the beginning. */
        ServiceInput: {
            /**
             * @description A word among staff.
             * @default null
             */
            admin_note: string | null;
            /**
             * @description Sold by the API.
             * @default null
             */
            api_access: boolean | null;
            /**
             * @description Canceled when nobody can deliver.
             * @default null
             */
            auto_cancel: boolean | null;
            /**
             * Format: int64
             * @description Hours after completion, 1 to 8,760.
             * @default null
             */
            auto_refill_after_hours: number | null;
            /**
             * @description Refills come by themselves.
             * @default null
             */
            auto_refill_is_allowed: boolean | null;
            /** @default null */
            auto_refill_max_drop_percent: components["schemas"]["Fraction"] | null;
            /** @default null */
            auto_refill_max_total_refilled_percent: components["schemas"]["Fraction"] | null;
            /** @default null */
            auto_refill_min_drop_percent: components["schemas"]["Fraction"] | null;
            /** @default null */
            auto_refill_once_fill_percent: components["schemas"]["Fraction"] | null;
            /** @default null */
            budget_multiplier: components["schemas"]["Fraction"] | null;
            /**
             * @description Absolute http(s) address of its own page.
             * @default null
             */
            buy_page_url: string | null;
            /**
             * @description The quantity is worked out from what the customer enters.
             * @default null
             */
            calculable_quantity: boolean | null;
            /**
             * @description May be sped up.
             * @default null
             */
            can_speedup: boolean | null;
            /**
             * @description Customers may cancel.
             * @default null
             */
            cancel_by_client_is_allowed: boolean | null;
            /**
             * @description ISO codes of all countries it is sold for; empty for all of them.
             * @default null
             */
            countries: string[] | null;
            /** @default null */
            default_price: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description What an order widget starts with; a quantity that can be ordered.
             * @default null
             */
            default_quantity_for_order_widget: number | null;
            /**
             * @description May be drip-fed.
             * @default null
             */
            drip_feed_is_allowed: boolean | null;
            /**
             * @description Refuses a second open order with the same address.
             * @default null
             */
            forbids_orders_with_same_url: boolean | null;
            /** @default null */
            full_description_location: components["schemas"]["DescriptionLocation"] | null;
            /**
             * @description The counter is watched.
             * @default null
             */
            gather_statistic: boolean | null;
            /**
             * @description It is refilled.
             * @default null
             */
            has_refill: boolean | null;
            /**
             * @description Switched off by a sync.
             * @default null
             */
            is_deactivated: boolean | null;
            /**
             * @description On sale.
             * @default null
             */
            is_enabled: boolean | null;
            /**
             * @description All labels.
             * @default null
             */
            labels: number[] | null;
            /** @default null */
            live_stream_retention_quantity_multiplier: components["schemas"]["Fraction"] | null;
            /**
             * Format: int64
             * @description How long a live stream is held, 1 to 10,080.
             * @default null
             */
            live_stream_support_minutes: number | null;
            /**
             * Format: int64
             * @description Largest order; required for a new one.
             * @default null
             */
            max_quantity: number | null;
            /** @default null */
            min_price: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description Smallest order, from 1; required for a new one.
             * @default null
             */
            min_quantity: number | null;
            /**
             * @description New orders wait for moderation.
             * @default null
             */
            moderation_is_enabled: boolean | null;
            /**
             * @description English name, 1 to 255 characters; required for a new one, here or among the translations.
             * @default null
             */
            name: string | null;
            /**
             * @description Undelivered shares are not returned.
             * @default null
             */
            no_refund: boolean | null;
            /** @default null */
            order_quantity_ratio: components["schemas"]["Fraction"] | null;
            /**
             * Format: int64
             * @description Units that prices are for; 1,000 when nothing is said.
             * @default null
             */
            pricing_per: number | null;
            /**
             * Format: int64
             * @description What its addresses are checked with.
             * @default null
             */
            promotable_checker_group_id: number | null;
            /**
             * @description All providers, in the order they are tried.
             * @default null
             */
            providers: number[] | null;
            /**
             * Format: int64
             * @description Steps between, from 1.
             * @default null
             */
            quantity_step: number | null;
            /**
             * @description Completes when the real counter is reached.
             * @default null
             */
            real_counter_complete_is_enabled: boolean | null;
            /** @default null */
            resale_margin_percent: components["schemas"]["Fraction"] | null;
            /**
             * @description Sold only to chosen customers.
             * @default null
             */
            restricted_access: boolean | null;
            /**
             * Format: int64
             * @description Its service type; required for a new one. Another one puts it last there.
             * @default null
             */
            service_type_id: number | null;
            /**
             * @description Small letters, digits and hyphens, no other service's.
             * @default null
             */
            slug: string | null;
            /**
             * @description The description follows the provider.
             * @default null
             */
            sync_description_field: boolean | null;
            /**
             * @description Labels follow the provider.
             * @default null
             */
            sync_labels: boolean | null;
            /**
             * @description Meta texts follow the provider.
             * @default null
             */
            sync_meta: boolean | null;
            /**
             * @description The name follows the provider.
             * @default null
             */
            sync_name: boolean | null;
            /**
             * @description Parameters follow the provider.
             * @default null
             */
            sync_params: boolean | null;
            /**
             * @description Prices follow the provider.
             * @default null
             */
            sync_prices: boolean | null;
            /**
             * @description Reviews follow the provider.
             * @default null
             */
            sync_reviews: boolean | null;
            /**
             * @description Details follow the provider.
             * @default null
             */
            sync_service_details: boolean | null;
            /**
             * @description The short description follows the provider.
             * @default null
             */
            sync_short_description: boolean | null;
            /**
             * @description How targets hang on it; targets that are not named stay as they are.
             * @default null
             */
            target_attachments: components["schemas"]["TargetAttachment"][] | null;
            /**
             * @description Its own values for targets of its; targets that are not named keep theirs.
             * @default null
             */
            targetable_values: components["schemas"]["TargetValues"][] | null;
            /**
             * @description All targets that it asks for, in this order; a new one is required at first.
             * @default null
             */
            targets: number[] | null;
            /** @default null */
            translations: components["schemas"]["Translations"] | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
            /**
             * @description An address must be given.
             * @default null
             */
            url_is_required: boolean | null;
        };
        /** @description One row of the services list. */
        ServiceRow: {
            /** @description What the caller may do with it. */
            actions: components["schemas"]["ServiceActions"];
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /** @description Price per `pricing_per` units. */
            default_price: components["schemas"]["Money"];
            /** @description Whether it may be drip-fed. */
            drip_feed_is_allowed: boolean;
            /** @description Whether no provider of it is active. */
            has_no_active_providers: boolean;
            /** @description Whether it is refilled. */
            has_refill: boolean;
            /**
             * Format: int64
             * @description The service's id.
             */
            id: number;
            /** @description Whether it is archived. */
            is_archived: boolean;
            /** @description Whether it is on sale. */
            is_enabled: boolean;
            /**
             * Format: int64
             * @description Largest order.
             */
            max_quantity: number;
            /** @description The lowest price a customer may get. */
            min_price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Smallest order.
             */
            min_quantity: number;
            /** @description Whether new orders wait for moderation. */
            moderation_is_enabled: boolean;
            /** @description English name. */
            name: string;
            /** @description Its network. */
            network: components["schemas"]["Named"];
            /**
             * Format: int64
             * @description Units that prices are for.
             */
            pricing_per: number;
            /**
             * Format: int64
             * @description Steps between.
             */
            quantity_step: number;
            /** @description Its type. */
            service_type: components["schemas"]["Named"];
        };
        /** @description Switches of a service that the list does not show. */
        ServiceSwitches: {
            /** @description Sold by the API. */
            api_access: boolean;
            /** @description Canceled when nobody can deliver. */
            auto_cancel: boolean;
            /** @description Refills come by themselves. */
            auto_refill_is_allowed: boolean;
            /** @description The quantity is worked out from what the customer enters. */
            calculable_quantity: boolean;
            /** @description May be sped up. */
            can_speedup: boolean;
            /** @description Customers may cancel. */
            cancel_by_client_is_allowed: boolean;
            /** @description Refuses a second open order with the same address. */
            forbids_orders_with_same_url: boolean;
            /** @description Whether the counter is watched. */
            gather_statistic: boolean;
            /** @description Switched off by a sync. */
            is_deactivated: boolean;
            /** @description Undelivered shares are not returned. */
            no_refund: boolean;
            /** @description Completes when the real counter is reached. */
            real_counter_complete_is_enabled: boolean;
            /** @description Sold only to chosen customers. */
            restricted_access: boolean;
            /** @description The description follows the provider. */
            sync_description_field: boolean;
            /** @description Labels follow the provider. */
            sync_labels: boolean;
            /** @description Meta texts follow the provider. */
            sync_meta: boolean;
            /** @description The name follows the provider. */
            sync_name: boolean;
            /** @description Parameters follow the provider. */
            sync_params: boolean;
            /** @description Prices follow the provider. */
            sync_prices: boolean;
            /** @description Reviews follow the provider. */
            sync_reviews: boolean;
            /** @description Details follow the provider. */
            sync_service_details: boolean;
            /** @description The short description follows the provider. */
            sync_short_description: boolean;
            /** @description An address must be given. */
            url_is_required: boolean;
        };
        /** @description What a service asks its customers. */
        ServiceTargets: {
            /** @description How each of them hangs on it. */
            target_attachments: components["schemas"]["TargetAttachment"][];
            /** @description Its own values for them, where it has any. */
            targetable_values: components["schemas"]["TargetValues"][];
            /** @description Its targets, in this order. */
            targets: components["schemas"]["Named"][];
        };
        /** @description Numbers and words of a service that the list does not show. */
        ServiceTerms: {
            /** @description A word among staff. */
            admin_note?: string | null;
            /**
             * Format: int64
             * @description Hours after completion.
             */
            auto_refill_after_hours?: number | null;
            auto_refill_max_drop_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_max_total_refilled_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_min_drop_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_once_fill_percent?: components["schemas"]["Fraction"] | null;
            budget_multiplier?: components["schemas"]["Fraction"] | null;
            /** @description Its own page. */
            buy_page_url?: string | null;
            /**
             * Format: int64
             * @description What an order widget starts with.
             */
            default_quantity_for_order_widget?: number | null;
            /** @description `header` or `footer`. */
            full_description_location: components["schemas"]["DescriptionLocation"];
            live_stream_retention_quantity_multiplier?: components["schemas"]["Fraction"] | null;
            /**
             * Format: int64
             * @description How long a live stream is held.
             */
            live_stream_support_minutes?: number | null;
            order_quantity_ratio?: components["schemas"]["Fraction"] | null;
            /**
             * Format: int64
             * @description What its addresses are checked with.
             */
            promotable_checker_group_id?: number | null;
            resale_margin_percent?: components["schemas"]["Fraction"] | null;
            /** @description Part of its address. */
            slug?: string | null;
        };
        /** @description One service type with everything about it. */
        ServiceType: components["schemas"]["ServiceTypeRow"] & {
            /** @description A few words. */
            description?: string | null;
            /** @description The text of its page. */
            full_description?: string | null;
            /**
             * Format: int64
             * @description Its id at the panel it was imported from.
             */
            panel_service_type_id?: number | null;
            /** @description Locale → field → text: `name`, `title`, `short_description`, `reviews`, `faq`, `meta_title`, `meta_description`. */
            translations: components["schemas"]["Translations"];
        };
        /** @description Body of `PUT service-types/{id}`. */
        ServiceTypeChange: {
            /** @description What changes. */
            panel_service_type: components["schemas"]["ServiceTypeInput"];
        };
        /** @description What pickers of service types offer. */
        ServiceTypeCollections: {
            /** @description What a service type can be about. */
            types: components["schemas"]["Choice"][];
        };
        /** @description Body of `POST service-types`, and within [`ServiceTypeChange`]: what is left out stays. */
        ServiceTypeInput: {
            /**
             * @description `#rrggbb`; null clears.
             * @default null
             */
            color: string | null;
            /**
             * @description A few words; null clears.
             * @default null
             */
            description: string | null;
            /**
             * @description The text of its page; null clears.
             * @default null
             */
            full_description: string | null;
            /**
             * @description Its icon.
             * @default null
             */
            icon: components["schemas"]["Picture"];
            /**
             * Format: int64
             * @description Of a change: the id in the address once more. A new one gets its id from the panel.
             * @default null
             */
            id: number | null;
            /**
             * @description English name, 1 to 100 characters; required for a new one, here or among the translations.
             * @default null
             */
            name: string | null;
            /**
             * Format: int64
             * @description Its network; required for a new one. Another one puts it last there.
             * @default null
             */
            network: number | null;
            /**
             * Format: int64
             * @description 0 to 10,000,000.
             * @default null
             */
            reviews_count: number | null;
            /** @default null */
            reviews_rating: components["schemas"]["Fraction"] | null;
            /**
             * @description Small letters, digits and hyphens, no other service type's; null clears.
             * @default null
             */
            slug: string | null;
            /**
             * @description Heading of its page; null clears.
             * @default null
             */
            title: string | null;
            /** @default null */
            translations: components["schemas"]["Translations"] | null;
            /** @default null */
            type: components["schemas"]["ServiceTypeKind"] | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
        };
        /**
         * @description What a service type is about: decides which checks of an address are offered.
         * @enum {string}
         */
        ServiceTypeKind: "Youtube" | "Instagram" | "Tiktok" | "Facebook" | "Twitter" | "Telegram" | "Spotify" | "Soundcloud" | "Twitch" | "Discord" | "Linkedin" | "Pinterest" | "Reddit" | "Threads" | "Vk" | "Website" | "Other";
        /** @description One row of the service types list. */
        ServiceTypeRow: {
            /** @description `#rrggbb`. */
            color?: string | null;
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /** @description Address of its icon. */
            icon?: string | null;
            /**
             * Format: int64
             * @description The service type's id.
             */
            id: number;
            /** @description English name. */
            name: string;
            /** @description Its network. */
            network: components["schemas"]["Named"];
            /**
             * Format: int64
             * @description How many reviews its page tells of.
             */
            reviews_count: number;
            /** @description 0 to 5. */
            reviews_rating: components["schemas"]["Fraction"];
            /**
             * Format: int64
             * @description Services of it that are not archived.
             */
            services_count: number;
            /** @description Part of its address. */
            slug?: string | null;
            /**
             * Format: int64
             * @description Its place within the network, from 1.
             */
            sorting: number;
            /** @description Heading of its page. */
            title?: string | null;
            /** @description What it is about. */
            type: components["schemas"]["ServiceTypeKind"];
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description Body of `POST /setup`: the owner of a new panel. */
        SetupInput: {
            /** @description The owner's e-mail address. */
            email: string;
            /** @description The owner's name. */
            name: string;
            /** @description The panel's name. */
            panel_name: string;
            /** @description At least 8 characters. */
            password: string;
            /** @description The one-time token that the server printed at its first start. */
            token: string;
        };
        /** @description Answer of everything that signs in; the token itself is in the `Authorization` header. */
        SignedIn: {
            /** @description When the token ends. */
            expires_at: components["schemas"]["Time"];
            /** @description Who signed in. */
            user: components["schemas"]["Profile"];
        };
        /** @description One record that a bulk run left as it was. */
        Skipped: {
            /** @description Stable code, such as `not_found` or `order_not_cancelable`. */
            code: string;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description One sentence. */
            message: string;
        };
        /** @description Body of `POST networks/sort`. */
        SortNetworksInput: {
            /** @description All network ids in their new order. */
            networks: number[];
        };
        /** @description Body of `POST payment-methods/sort`. */
        SortPaymentMethodsInput: {
            /** @description All payment methods' ids in their new order. */
            payment_methods: number[];
        };
        /** @description Body of `POST service-types/{id}/sort-services`. */
        SortServicesInput: {
            /** @description All services of the type that are not archived, in their new order. */
            services: number[];
        };
        /** @description Body of `POST networks/{id}/sort-service-types`. */
        SortServiceTypesInput: {
            /** @description All service types of the network in their new order. */
            service_types: number[];
        };
        /** @description What the caller may do with a member of staff now. */
        StaffActions: {
            /** @description `is_active` to true. */
            activable: boolean;
            /** @description `is_active` to false. */
            deactivable: boolean;
            /** @description Name and password. */
            editable: boolean;
            /** @description Roles and permissions. */
            grantable: boolean;
        };
        /** @description Body of `PATCH staffs/{id}`; what is left out stays. */
        StaffInput: {
            /** @description False ends all their sessions. */
            is_active?: boolean | null;
            /** @description 1 to 100 characters. */
            name?: string | null;
            /** @description A new password ends their other sessions. */
            password?: string | null;
        };
        /** @description A member of staff: a user with at least one role or permission. */
        StaffRow: {
            /** @description What the caller may do now. */
            actions: components["schemas"]["StaffActions"];
            /** @description When the account was made. */
            created_at: components["schemas"]["Time"];
            /** @description E-mail address. */
            email: string;
            /**
             * Format: int64
             * @description The user's id.
             */
            id: number;
            /** @description Whether they may sign in. */
            is_active: boolean;
            /** @description Name. */
            name: string;
            /** @description Permissions held directly, beside those of their roles. */
            permissions: components["schemas"]["PermissionEntry"][];
            /** @description Roles. */
            roles: components["schemas"]["Named"][];
        };
        /** @example 2026-11-20 16:05:00.123456 */
        Stamp: string;
        /** @description One row of the statistics: the orders that were placed in one period. */
        StatisticsRow: {
            /**
             * Format: int64
             * @description Of these, canceled by now.
             */
            canceled: number;
            /**
             * Format: int64
             * @description Of these, completed by now.
             */
            completed: number;
            /** @description Charged. */
            cost: components["schemas"]["Money"];
            /** @description First day of the period. */
            date: components["schemas"]["Day"];
            /**
             * Format: int64
             * @description Orders placed.
             */
            orders: number;
            /** @description Charged by providers. */
            provider_cost: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description Units ordered.
             */
            quantity: number;
            /** @description Returned. */
            refunded: components["schemas"]["Money"];
            /** @description Cost less refunds less provider cost. */
            revenue: components["schemas"]["Money"];
        };
        /** @description One subscription with its services and contents. */
        Subscription: components["schemas"]["SubscriptionRow"] & {
            /** @description The newest 100 contents. */
            subscription_contents: components["schemas"]["SubscriptionContent"][];
        };
        /** @description What pickers of subscriptions offer. */
        SubscriptionCollections: {
            /** @description How subscriptions are paid. */
            billing_types: components["schemas"]["Choice"][];
        };
        /** @description A content that was found and got its orders. */
        SubscriptionContent: {
            /** @description When it was found. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /**
             * Format: int64
             * @description How many orders it got.
             */
            orders_count: number;
            /** @description Where it is. */
            url: string;
        };
        /** @description One row of the subscriptions list. */
        SubscriptionRow: {
            /** @description What the caller may do now. */
            actions: components["schemas"]["BatchActions"];
            /** @description How it is paid. */
            billing_type: components["schemas"]["BillingType"];
            canceled_at?: components["schemas"]["Time"] | null;
            completed_at?: components["schemas"]["Time"] | null;
            /**
             * Format: int64
             * @description How many contents get orders.
             */
            contents_limit: number;
            /** @description Paid ahead; nothing where each content is paid when it comes. */
            cost: components["schemas"]["Money"];
            /** @description When it began. */
            created_at: components["schemas"]["Time"];
            expired_at?: components["schemas"]["Time"] | null;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description What it is called. */
            name: string;
            /**
             * Format: int64
             * @description Orders placed so far.
             */
            orders_count: number;
            /** @description Names of the methods that pay the next period. */
            recurring_payment_methods: string[];
            /** @description What a cancel would give back now. */
            refund_amount: components["schemas"]["Money"];
            /** @description Given back when it was canceled. */
            returned: components["schemas"]["Money"];
            /** @description Where it stands. */
            status: components["schemas"]["BatchStatus"];
            /**
             * Format: int64
             * @description How many contents have theirs.
             */
            subscription_contents_count: number;
            /** @description What each content gets. */
            subscription_services: components["schemas"]["SubscriptionService"][];
            /** @description What is followed, such as `youtube`. */
            type: string;
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
            /** @description The channel whose contents it follows: what the customer typed. */
            url: string;
            /** @description The customer. */
            user: components["schemas"]["PaymentUser"];
        };
        /** @description A service that each content gets. */
        SubscriptionService: {
            /**
             * Format: int64
             * @description How many of it for each content.
             */
            quantity: number;
            /** @description The service. */
            service: components["schemas"]["Named"];
        };
        /** @description One target with everything about it. */
        Target: components["schemas"]["TargetRow"] & {
            /**
             * Format: int64
             * @description The id of its kind.
             */
            target_type_id: number;
            /** @description Locale → `name`, `placeholder` → text. */
            translations: components["schemas"]["Translations"];
            /** @description When it last changed; echoed by editors. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description A value of one of the service's targets (extra inputs). */
        TargetableValue: {
            /** @description The target's name. */
            name: string;
            /** @description What the customer gave. */
            value: string;
        };
        /** @description What the caller may do with a target. */
        TargetActions: {
            /** @description Change it. */
            editable: boolean;
        };
        /** @description How a target hangs on a service. */
        TargetAttachment: {
            /**
             * Format: int64
             * @description A target of the service.
             */
            target_id: number;
            /** @description How. */
            type: components["schemas"]["TargetAttachmentType"];
        };
        /**
         * @description How a target hangs on a service.
         * @enum {string}
         */
        TargetAttachmentType: "required" | "optional" | "fixed";
        /** @description What pickers of targets offer. */
        TargetDictionaries: {
            /** @description What targets are about. */
            names: components["schemas"]["Choice"][];
            /** @description How they hang on services. */
            target_attachments_types: components["schemas"]["Choice"][];
            /** @description Their kinds. */
            target_types: components["schemas"]["TargetType"][];
            /** @description How they are asked for. */
            view_types: components["schemas"]["Choice"][];
        };
        /** @description Body of `POST targets` and `PUT targets/{id}`: what is left out stays. */
        TargetInput: {
            /**
             * @description Whether customers see the values that a service begins with.
             * @default null
             */
            is_visible_default_values: boolean | null;
            /**
             * @description English name, 1 to 100 characters; required for a new one, here or among the translations.
             * @default null
             */
            name: string | null;
            /**
             * @description English placeholder, up to 255 characters; an empty one clears.
             * @default null
             */
            placeholder: string | null;
            /**
             * @description All values that customers can choose, in this order; for kinds that choose. Countries by their two letters.
             * @default null
             */
            selectable_values: string[] | null;
            /**
             * Format: int64
             * @description Its kind; required for a new one, fixed for one that the panel needs.
             * @default null
             */
            target_type_id: number | null;
            /** @default null */
            translations: components["schemas"]["Translations"] | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
        };
        /**
         * @description What a target is about.
         * @enum {string}
         */
        TargetName: "geotargeting" | "comment" | "keyword" | "seo_keyword" | "language";
        /** @description One row of the targets. */
        TargetRow: {
            /** @description What the caller may do with it. */
            actions: components["schemas"]["TargetActions"];
            /** @description When it was made. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description The target's id.
             */
            id: number;
            /** @description Whether the panel itself needs it: its type stays as it is. */
            is_system: boolean;
            /** @description Whether customers see the values that a service begins with. */
            is_visible_default_values: boolean;
            /** @description English name. */
            name: string;
            /** @description What stands in the field before something is typed, in English. */
            placeholder?: string | null;
            /** @description What customers can choose, in this order. */
            selectable_values: string[];
            /**
             * Format: int64
             * @description Services that ask for it.
             */
            services_count: number;
            /** @description Its kind. */
            target_type: components["schemas"]["TargetType"];
        };
        /** @description A kind of target; the panel has these and no others. */
        TargetType: {
            /** @description Whether services can ask for it. */
            enabled_for_service: boolean;
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description What it is about. */
            name: components["schemas"]["TargetName"];
            /** @description Whether customers choose among given values. */
            selectable: boolean;
            /** @description What people call it. */
            title: string;
            /** @description How it is asked for. */
            view_type: components["schemas"]["ViewType"];
        };
        /**
         * @description The values that a service has for a target: what customers can choose there, what stands in the field at the
         *     beginning, or, where the target is fixed, what goes with every order.
         */
        TargetValues: {
            /**
             * Format: int64
             * @description A target of the service.
             */
            target_id: number;
            /** @description The values, in this order; none for all that the target has. */
            values: string[];
        };
        /** @example 2026-11-20 16:05:00 */
        Time: string;
        /** @description What a package costs. */
        TotalCost: {
            /** @description What its contents cost one by one at the services' prices. */
            default_cost: components["schemas"]["Money"];
            /** @description What they save: the default cost less the total cost. */
            difference: components["schemas"]["Money"];
            /** @description What each service costs within the package, before a discount on the whole, in the order given. */
            package_contents: components["schemas"]["PackageContent"][];
            /** @description What customers pay. */
            total_cost: components["schemas"]["Money"];
        };
        /** @description Body of `POST packages/total-cost`: a package that need not be saved. */
        TotalCostInput: {
            discount_percent?: components["schemas"]["Fraction"] | null;
            fixed_cost?: components["schemas"]["Money"] | null;
            /** @description Everything in it. */
            package_contents: components["schemas"]["PackageContentInput"][];
        };
        /**
         * @description Whether the balance grew or shrank.
         * @enum {string}
         */
        TransactionType: "income" | "outcome";
        /** @description Texts by locale and field: `{"en": {"name": "Likes"}}`. */
        Translations: {
            [key: string]: {
                [key: string]: string;
            };
        };
        /** @description One user with everything about them. */
        User: components["schemas"]["UserRow"] & {
            /** @description `customer` or `seller`. */
            account_type: string;
            /** @description Anything else. */
            additional_info?: string | null;
            /** @description Company address. */
            company_address?: string | null;
            /** @description Company. */
            company_name?: string | null;
            /** @description Company site. */
            company_site?: string | null;
            /** @description The last step of the talk. */
            contact_step?: string | null;
            deactivated_at?: components["schemas"]["Time"] | null;
            frozen_at?: components["schemas"]["Time"] | null;
            /** @description Whether the grade's discount counts for them. */
            grade_discounts_enabled: boolean;
            /** @description Whether grades count for them. */
            grades_enabled: boolean;
            /** @description Whether they have a key to the reseller API. */
            has_api_key: boolean;
            /** @description Held for withdrawals, all balances. */
            held: components["schemas"]["Money"];
            /** @description Marketing mark. */
            marketing_subid?: string | null;
            /** @description Other messengers. */
            messengers: components["schemas"]["Messenger"][];
            /** @description Mail about orders. */
            notify_orders: boolean;
            /** @description Mail about payments. */
            notify_payments: boolean;
            /**
             * Format: int64
             * @description How many orders they placed.
             */
            orders_count: number;
            /** @description The payment methods they are offered, by position; empty: those that new users have. */
            payment_methods: components["schemas"]["Named"][];
            /** @description Permissions held directly (staff). */
            permissions: components["schemas"]["PermissionEntry"][];
            referral_program_percent?: components["schemas"]["Fraction"] | null;
            /** @description Balance earned by referrals. */
            referral_user_balance: components["schemas"]["Money"];
            /** @description Roles (staff). */
            roles: components["schemas"]["Named"][];
            /**
             * Format: int64
             * @description The manager's id, once more for old clients.
             */
            seller_id?: number | null;
            seller_status?: components["schemas"]["SellerStatus"] | null;
            /** @description Balance earned by quests. */
            task_user_balance: components["schemas"]["Money"];
            /** @description When the record last changed. */
            updated_at: components["schemas"]["Stamp"];
            /** @description VAT number. */
            vat?: string | null;
        };
        /** @description What the caller may do with a user now. */
        UserActions: {
            /** @description `POST users/{id}/activate`. */
            activable: boolean;
            /** @description `POST users/{id}/deactivate`. */
            deactivable: boolean;
            /** @description `PATCH users/{id}`. */
            editable: boolean;
            /** @description `POST users/{id}/freeze`. */
            freezable: boolean;
        };
        /** @description A discount of one user's own. */
        UserDiscount: {
            /** @description `0.125` for 12.5 %; zero for none. */
            percent: components["schemas"]["Fraction"];
            /** @description What it is taken off. */
            type: components["schemas"]["DiscountType"];
        };
        /** @description Body of `POST user-discount`. */
        UserDiscountInput: {
            /** @description 0 to 1 with three decimals; zero takes the discount away. */
            percent: components["schemas"]["Fraction"];
            /** @description What it is taken off. */
            type: components["schemas"]["DiscountType"];
        };
        /** @description Body of `change-grade`. */
        UserGradeInput: {
            /** @description Whether the grade's discount counts for them. */
            grade_discounts_enabled: boolean;
            /**
             * Format: int64
             * @description The grade; null for none.
             */
            grade_id?: number | null;
            /** @description Whether grades count for them. */
            grades_enabled: boolean;
        };
        /** @description One row of a picker. */
        UserHit: {
            /** @description E-mail address. */
            email: string;
            /**
             * Format: int64
             * @description The user's id.
             */
            id: number;
            /** @description Name. */
            name: string;
        };
        /** @description Body of `PATCH users/{id}`: only what is set changes; null clears. Never balance, roles or permissions. */
        UserInput: {
            /**
             * @description Anything else.
             * @default null
             */
            additional_info: string | null;
            /**
             * @description 3 to 32 letters, digits, hyphens and underscores; nobody else's.
             * @default null
             */
            affiliate_code: string | null;
            /**
             * @description Company address.
             * @default null
             */
            company_address: string | null;
            /**
             * @description Company.
             * @default null
             */
            company_name: string | null;
            /**
             * @description Absolute http(s) address.
             * @default null
             */
            company_site: string | null;
            /**
             * @description Nobody else's.
             * @default null
             */
            email: string | null;
            /**
             * @description Marketing mark.
             * @default null
             */
            marketing_subid: string | null;
            /**
             * @description All of them, at most 10.
             * @default null
             */
            messengers: components["schemas"]["Messenger"][] | null;
            /**
             * @description 1 to 100 characters.
             * @default null
             */
            name: string | null;
            /**
             * @description Mail about orders.
             * @default null
             */
            notify_orders: boolean | null;
            /**
             * @description Mail about payments.
             * @default null
             */
            notify_payments: boolean | null;
            /** @default null */
            referral_program_percent: components["schemas"]["Fraction"] | null;
            /**
             * @description 5 to 32 letters, digits and underscores; an at sign in front is taken off.
             * @default null
             */
            telegram_username: string | null;
            /** @default null */
            updated_at: components["schemas"]["Stamp"] | null;
            /**
             * @description VAT number.
             * @default null
             */
            vat: string | null;
        };
        /** @description The payment methods of one customer, by position. */
        UserPaymentMethods: {
            /** @description Empty: those that new users have. */
            payment_methods: components["schemas"]["Named"][];
        };
        /** @description Body of `PATCH users/{id}/sync-payment-methods`: the whole list. */
        UserPaymentMethodsInput: {
            /** @description Ids of payment methods; an empty list gives back what new users have. */
            payment_methods: number[];
        };
        /** @description One row of the users list. */
        UserRow: {
            /** @description What the caller may do now. */
            actions: components["schemas"]["UserActions"];
            affiliate?: components["schemas"]["Named"] | null;
            /** @description The code they bring customers with. */
            affiliate_code?: string | null;
            /** @description Main balance. */
            balance: components["schemas"]["Money"];
            /** @description When they signed up. */
            created_at: components["schemas"]["Time"];
            /** @description E-mail address. */
            email: string;
            grade?: components["schemas"]["Named"] | null;
            /**
             * Format: int64
             * @description The user's id.
             */
            id: number;
            manager?: components["schemas"]["Named"] | null;
            /** @description Name. */
            name: string;
            /** @description Charged minus returned, over all orders. */
            spent: components["schemas"]["Money"];
            /** @description Whether they may sign in and order. */
            status: components["schemas"]["UserStatus"];
            /** @description Telegram name, without the at sign. */
            telegram_username?: string | null;
            /** @description Whether they have a price of their own. */
            user_service_exists: boolean;
        };
        /** @description A customer's own terms of one service. */
        UserService: components["schemas"]["UserServiceTerms"] & {
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /**
             * Format: int64
             * @description Units of one price.
             */
            pricing_per: number;
            /** @description The service by name. */
            service: components["schemas"]["Named"];
            /** @description What everybody else pays, per `pricing_per` units. */
            service_default_price: components["schemas"]["Money"];
            /**
             * Format: int64
             * @description The service.
             */
            service_id: number;
            /** @description When they last changed; an editor sends it back. */
            updated_at: components["schemas"]["Stamp"];
        };
        /** @description Body of `POST users/{id}/user-services` and of its PATCH: the terms as a whole. */
        UserServiceInput: {
            /** @description Whether orders refill by themselves. */
            auto_refill_is_allowed?: boolean;
            auto_refill_max_drop_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_max_total_refilled_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_min_drop_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_once_fill_percent?: components["schemas"]["Fraction"] | null;
            default_price?: components["schemas"]["Money"] | null;
            /** @description Whether a refill may be asked for. */
            has_refill?: boolean;
            /**
             * Format: int64
             * @description At least 1.
             */
            max_order_quantity_for_use_throttle?: number | null;
            min_price?: components["schemas"]["Money"] | null;
            order_quantity_ratio?: components["schemas"]["Fraction"] | null;
            /**
             * Format: int64
             * @description The service; on a change the one it is for.
             */
            service_id: number;
            updated_at?: components["schemas"]["Stamp"] | null;
        };
        /** @description One price of a bulk call. */
        UserServicePrice: {
            /** @description The price. */
            default_price: components["schemas"]["Money"];
            min_price?: components["schemas"]["Money"] | null;
            /**
             * Format: int64
             * @description The service.
             */
            service_id: number;
        };
        /** @description Body of `POST users/{id}/user-services/bulk`. */
        UserServicesInput: {
            /** @description 1 to 10,000 prices, each service once. A service that has a custom price gets the new one; its refill terms stay. */
            user_services: components["schemas"]["UserServicePrice"][];
        };
        /** @description The terms that differ for one customer. Empty fields leave the service's own. */
        UserServiceTerms: {
            /** @description Whether orders refill by themselves. */
            auto_refill_is_allowed: boolean;
            auto_refill_max_drop_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_max_total_refilled_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_min_drop_percent?: components["schemas"]["Fraction"] | null;
            auto_refill_once_fill_percent?: components["schemas"]["Fraction"] | null;
            default_price?: components["schemas"]["Money"] | null;
            /** @description Whether a refill may be asked for. */
            has_refill: boolean;
            /**
             * Format: int64
             * @description Orders up to this quantity are slowed down.
             */
            max_order_quantity_for_use_throttle?: number | null;
            min_price?: components["schemas"]["Money"] | null;
            order_quantity_ratio?: components["schemas"]["Fraction"] | null;
        };
        /**
         * @description Whether a user may sign in and order.
         * @enum {string}
         */
        UserStatus: "active" | "frozen" | "deactivated";
        Value: unknown;
        Vec_Choice: components["schemas"]["Choice"][];
        /** @description One document; the picture itself is another call. */
        VerificationDocument: {
            /** @description When it came. */
            created_at: components["schemas"]["Time"];
            /** @description What it shows. */
            group: components["schemas"]["DocumentGroup"];
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            /** @description Where the picture is read, with the caller's token; each look is audited. */
            url: string;
        };
        /** @description Body of `POST users/{id}/verification-documents`. */
        VerificationDocumentInput: {
            /** @description What it shows. */
            group: components["schemas"]["DocumentGroup"];
            /** @description The picture: a new file. */
            picture: components["schemas"]["Picture"];
        };
        /** @description The documents of one group, newest first. */
        VerificationGroup: {
            /** @description The documents; often none. */
            documents: components["schemas"]["VerificationDocument"][];
            /** @description What they show. */
            group: components["schemas"]["DocumentGroup"];
        };
        /**
         * @description How a target is asked for.
         * @enum {string}
         */
        ViewType: "float_input" | "input" | "multiselect" | "number_input" | "select" | "textarea" | "url_input";
        /** @description A withdrawal. */
        Withdrawal: {
            /** @description Where the money goes: what the customer typed. */
            account_number: string;
            /** @description What the caller may do now. */
            actions: components["schemas"]["WithdrawalActions"];
            /** @description Why it was rejected. */
            admin_note?: string | null;
            /** @description How much. */
            amount: components["schemas"]["Money"];
            approved_at?: components["schemas"]["Time"] | null;
            /** @description The balance it is taken from: `main` or `referral`. */
            balance_type: components["schemas"]["BalanceType"];
            /** @description When the customer asked. */
            created_at: components["schemas"]["Time"];
            /**
             * Format: int64
             * @description Its id.
             */
            id: number;
            paid_at?: components["schemas"]["Time"] | null;
            rejected_at?: components["schemas"]["Time"] | null;
            /** @description What went back to the balance when it was rejected. */
            returned: components["schemas"]["Money"];
            /** @description Where it stands. */
            status: components["schemas"]["WithdrawalStatus"];
            /** @description The transfer that paid it. */
            transaction_id?: string | null;
            /** @description When it last changed. */
            updated_at: components["schemas"]["Stamp"];
            /** @description The customer. */
            user: components["schemas"]["PaymentUser"];
            /** @description What the customer said. */
            user_comment?: string | null;
            /** @description By which payment method. */
            withdrawal_method: components["schemas"]["Named"];
        };
        /** @description What the caller may do with it now. */
        WithdrawalActions: {
            /** @description `POST …/{id}/approve`. */
            approve: boolean;
            /** @description `POST …/{id}/mark-as-paid`. */
            paid: boolean;
            /** @description `POST …/{id}/reject`. */
            reject: boolean;
        };
        /** @description What holds when a customer is paid by a method. */
        WithdrawalOptions: {
            /** @description Whether customers can be paid by it. */
            available_for_withdrawal?: boolean;
            /** @description Of each withdrawal, as a fraction. */
            fee_percent?: components["schemas"]["Fraction"];
            max_amount?: components["schemas"]["Money"] | null;
            /** @description Smallest withdrawal. */
            min_amount?: components["schemas"]["Money"];
            /** @description Smallest fee. */
            min_fee?: components["schemas"]["Money"];
        };
        /**
         * @description Where a withdrawal stands. Paid and rejected are final.
         * @enum {string}
         */
        WithdrawalStatus: "pending" | "approved" | "paid" | "rejected";
    };
    responses: never;
    parameters: {
        /** @description The same key with the same request is done once; later calls get the first answer. */
        IdempotencyKey: string;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    application: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Application"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_audits: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_AuditRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    verify_audits: {
        parameters: {
            query?: {
                /** @description Goes on behind this seal, as `next` of the call before said. */
                after?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_AuditVerification"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_banners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Banners"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_banner: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BannerInput"];
                "multipart/form-data": components["schemas"]["BannerInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Banner"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_banner: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BannerInput"];
                "multipart/form-data": components["schemas"]["BannerInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Banner"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_banner: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_child_panel_orders: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_OrderRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_combo_orders: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ComboOrder"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approve_combo_order: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ComboOrder"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    complete_combo_order: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ComboOrder"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reject_combo_order: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ComboOrder"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    count_combos_in_moderation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ComboCount"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_drip_feeds: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_DripFeed"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_drip_feed: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_DripFeed"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_free_trial_quests: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_FreeTrialQuest"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_free_trial_quest: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuestInput"];
                "application/x-www-form-urlencoded": components["schemas"]["QuestInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_FreeTrialQuest"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_free_trial_quest: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_FreeTrialQuest"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_free_trial_quest: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["QuestInput"];
                "application/x-www-form-urlencoded": components["schemas"]["QuestInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_FreeTrialQuest"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    archive_free_trial_quest: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_FreeTrialQuest"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_free_trials: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_FreeTrial"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approve_free_trial: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApproveFreeTrialInput"];
                "application/x-www-form-urlencoded": components["schemas"]["ApproveFreeTrialInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_FreeTrial"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reject_free_trial: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_FreeTrial"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_grades: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Grade"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_grade: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GradeInput"];
                "application/x-www-form-urlencoded": components["schemas"]["GradeInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Grade"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_grade: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Grade"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_grade: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GradeInput"];
                "application/x-www-form-urlencoded": components["schemas"]["GradeInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Grade"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    archive_grade: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Grade"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unarchive_grade: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Grade"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    available_grades: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_AvailableGrade"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_handoff_code: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_HandoffCode"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_invoices: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Invoice"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mark_invoice_paid: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PayInvoiceInput"];
                "application/x-www-form-urlencoded": components["schemas"]["PayInvoiceInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Invoice"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    locales: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Locale"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_networks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Network"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_network: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NetworkInput"];
                "multipart/form-data": components["schemas"]["NetworkInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Network"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_network: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NetworkInput"];
                "multipart/form-data": components["schemas"]["NetworkInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Network"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_network_service_types: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_ServiceTypeRow"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sort_service_types: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SortServiceTypesInput"];
                "application/x-www-form-urlencoded": components["schemas"]["SortServiceTypesInput"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sort_networks: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SortNetworksInput"];
                "application/x-www-form-urlencoded": components["schemas"]["SortNetworksInput"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_orders: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_OrderRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_order: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrderDetail"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    activate_order: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approve_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_auto_refill_params: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_AutoRefillParams"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_auto_refill_params: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AutoRefillParamsInput"];
                "application/x-www-form-urlencoded": components["schemas"]["AutoRefillParamsInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_AutoRefillParams"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_order: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CancelInput"];
                "application/x-www-form-urlencoded": components["schemas"]["CancelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_order_url: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeUrlInput"];
                "application/x-www-form-urlencoded": components["schemas"]["ChangeUrlInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    complete_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_refill_requests: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_RefillRequest"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_refill_request: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RefillRequestInput"];
                "application/x-www-form-urlencoded": components["schemas"]["RefillRequestInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_RefillRequest"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pause_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refund_amount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_RefundAmount"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reject_order: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_auto_refill_is_allowed: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AutoRefillInput"];
                "application/x-www-form-urlencoded": components["schemas"]["AutoRefillInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_has_refill: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HasRefillInput"];
                "application/x-www-form-urlencoded": components["schemas"]["HasRefillInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_order_comment: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommentInput"];
                "application/x-www-form-urlencoded": components["schemas"]["CommentInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Order"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    activate_orders: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderIds"];
                "application/x-www-form-urlencoded": components["schemas"]["OrderIds"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approve_orders: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderIds"];
                "application/x-www-form-urlencoded": components["schemas"]["OrderIds"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_orders: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkCancelInput"];
                "application/x-www-form-urlencoded": components["schemas"]["BulkCancelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_reasons: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vec_Choice"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_provider: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ChangeProviderInput"];
                "application/x-www-form-urlencoded": components["schemas"]["ChangeProviderInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    complete_orders: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderIds"];
                "application/x-www-form-urlencoded": components["schemas"]["OrderIds"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    pause_orders: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderIds"];
                "application/x-www-form-urlencoded": components["schemas"]["OrderIds"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    promotable_statistics: {
        parameters: {
            query: {
                /** @description The order's id. */
                order: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_PromotableStatistic"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reject_orders: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["OrderIds"];
                "application/x-www-form-urlencoded": components["schemas"]["OrderIds"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    order_statistics: {
        parameters: {
            query?: {
                /**
                 * @description Last day; today when absent.
                 * @example 2026-11-20
                 */
                endDate?: string | null;
                /**
                 * @description day (default), week (from Monday) or month.
                 * @example day
                 */
                groupBy?: string | null;
                /** @description Only these orders: up to 1,000 ids joined by commas. */
                orders?: string | null;
                /**
                 * @description First day; 30 days before the last when absent.
                 * @example 2026-11-01
                 */
                startDate?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_StatisticsRow"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_packages: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_PackageRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_package: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PackageInput"];
                "application/x-www-form-urlencoded": components["schemas"]["PackageInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Package"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_package: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Package"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_package: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PackageInput"];
                "application/x-www-form-urlencoded": components["schemas"]["PackageInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Package"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    archive_package: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Package"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unarchive_package: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Package"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    package_service_types: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_PackageServiceType"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    package_services: {
        parameters: {
            query?: {
                /** @description Only services of this network. */
                network_id?: number | null;
                /** @description Part of a name, or an id. */
                search?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_PackageService"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    bulk_update_packages: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkPackagesInput"];
                "application/x-www-form-urlencoded": components["schemas"]["BulkPackagesInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    package_total_cost: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TotalCostInput"];
                "application/x-www-form-urlencoded": components["schemas"]["TotalCostInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_TotalCost"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_payment_method_bonuses: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BonusesInput"];
                "application/x-www-form-urlencoded": components["schemas"]["BonusesInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentMethod"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_payment_method_bonus: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_payment_methods: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_PaymentMethod"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentMethodInput"];
                "multipart/form-data": components["schemas"]["PaymentMethodInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentMethod"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_payment_method: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentMethod"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaymentMethodInput"];
                "multipart/form-data": components["schemas"]["PaymentMethodInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentMethod"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    disable_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentMethod"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    enable_payment_method: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentMethod"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    payment_method_collections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentMethodCollections"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    payment_methods_for_order_widget: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_AvailablePaymentMethod"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sort_payment_methods: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SortPaymentMethodsInput"];
                "application/x-www-form-urlencoded": components["schemas"]["SortPaymentMethodsInput"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_payments: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_PaymentRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_payment: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ManualPaymentInput"];
                "application/x-www-form-urlencoded": components["schemas"]["ManualPaymentInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentRow"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    payment_collections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PaymentCollections"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_permissions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_PermissionEntry"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_promotable_checker_groups: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_PromotableCheckerGroup"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_promotable_checker_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckerGroupInput"];
                "application/x-www-form-urlencoded": components["schemas"]["CheckerGroupInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PromotableCheckerGroup"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_promotable_checker_group: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckerGroupInput"];
                "application/x-www-form-urlencoded": components["schemas"]["CheckerGroupInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PromotableCheckerGroup"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    add_provider_statistics: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProviderStatisticsInput"];
                "application/x-www-form-urlencoded": components["schemas"]["ProviderStatisticsInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_OrderProvider"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_provider_packages: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ProviderPackageRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_provider_package: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ProviderPackage"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    available_for_order_recreate: {
        parameters: {
            query?: {
                /** @description Part of a name. */
                name?: string | null;
                /** @description From 1; 30 a page. */
                page?: number | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AvailableProviders"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_providers_of_order: {
        parameters: {
            query: {
                /** @description The order's id. */
                order_id: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_OrderProvider"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    referral_statistics: {
        parameters: {
            query?: {
                /** @description Only these affiliates: up to 1,000 ids joined by commas. */
                affiliates?: string | null;
                /**
                 * @description Last day; today when absent.
                 * @example 2026-11-20
                 */
                end_date?: string | null;
                /**
                 * @description day (default), week (from Monday), month, affiliate or referral.
                 * @example day
                 */
                group_by?: string | null;
                /** @description Only these referrals: up to 1,000 ids joined by commas. */
                referrals?: string | null;
                /**
                 * @description First day; 30 days before the last when absent.
                 * @example 2026-11-01
                 */
                start_date?: string | null;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ReferralStatistics"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_roles: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Role"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleInput"];
                "application/x-www-form-urlencoded": components["schemas"]["RoleInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Role"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_role: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Role"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_role: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RoleInput"];
                "application/x-www-form-urlencoded": components["schemas"]["RoleInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Role"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_saved_views: {
        parameters: {
            query: {
                /** @description The list's name, such as `orders`. */
                list: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_SavedView"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_saved_view: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SavedViewInput"];
                "application/x-www-form-urlencoded": components["schemas"]["SavedViewInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_SavedView"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_saved_view: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SavedViewInput"];
                "application/x-www-form-urlencoded": components["schemas"]["SavedViewInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_SavedView"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_saved_view: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_service_types: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ServiceTypeRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_service_type: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceTypeInput"];
                "multipart/form-data": components["schemas"]["ServiceTypeInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ServiceType"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_service_type: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ServiceType"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_service_type: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceTypeChange"];
                "multipart/form-data": components["schemas"]["ServiceTypeChange"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ServiceType"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_services_of_type: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_PlacedService"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sort_services: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SortServicesInput"];
                "application/x-www-form-urlencoded": components["schemas"]["SortServicesInput"];
            };
        };
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_service_type_collections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ServiceTypeCollections"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_services: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ServiceRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceInput"];
                "application/x-www-form-urlencoded": components["schemas"]["ServiceInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Service"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_service: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Service"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ServiceInput"];
                "application/x-www-form-urlencoded": components["schemas"]["ServiceInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Service"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    archive_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Service"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    copy_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Service"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    unarchive_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Service"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    bulk_update_services: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkServicesInput"];
                "application/x-www-form-urlencoded": components["schemas"]["BulkServicesInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_labels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_LabelRow"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_label: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LabelInput"];
                "multipart/form-data": components["schemas"]["LabelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Label"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_label: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Label"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_label: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LabelInput"];
                "multipart/form-data": components["schemas"]["LabelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Label"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_label: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_available_labels: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Named"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_services_of_label: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Named"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_change_logs: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_ChangeLogRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_log_collections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ChangeLogCollections"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    preview_prices: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PricePreviewInput"];
                "application/x-www-form-urlencoded": components["schemas"]["PricePreviewInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_GradePrice"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_staff: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_StaffRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_staff: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewStaffInput"];
                "application/x-www-form-urlencoded": components["schemas"]["NewStaffInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_StaffRow"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_staff: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StaffInput"];
                "application/x-www-form-urlencoded": components["schemas"]["StaffInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_StaffRow"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_subscriptions: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_SubscriptionRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_subscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Subscription"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    cancel_subscription: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Subscription"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    subscription_collections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_SubscriptionCollections"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    doctor: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_DoctorReport"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_target_attachments_types: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Choice"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_target_types: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_TargetType"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_targets: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_TargetRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_target: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetInput"];
                "application/x-www-form-urlencoded": components["schemas"]["TargetInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Target"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_target: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Target"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_target: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TargetInput"];
                "application/x-www-form-urlencoded": components["schemas"]["TargetInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Target"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    target_dictionaries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_TargetDictionaries"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_transactions: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_PaymentRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_users: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_UserRow"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_user: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_User"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserInput"];
                "application/x-www-form-urlencoded": components["schemas"]["UserInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_User"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    activate_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_User"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_affiliates: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Affiliate"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    add_affiliate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AffiliateInput"];
                "application/x-www-form-urlencoded": components["schemas"]["AffiliateInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Affiliate"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_affiliate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                affiliate_id: number;
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AffiliateInput"];
                "application/x-www-form-urlencoded": components["schemas"]["AffiliateInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Affiliate"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_affiliate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                affiliate_id: number;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    make_api_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_ApiKey"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    remove_api_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    change_grade: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserGradeInput"];
                "application/x-www-form-urlencoded": components["schemas"]["UserGradeInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_User"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    deactivate_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_User"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    freeze_user: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_User"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_user_payment_methods: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_OfferedMethod"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sync_payment_methods: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserPaymentMethodsInput"];
                "application/x-www-form-urlencoded": components["schemas"]["UserPaymentMethodsInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_UserPaymentMethods"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    sync_grants: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GrantsInput"];
                "application/x-www-form-urlencoded": components["schemas"]["GrantsInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_StaffRow"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_seller: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SellerInput"];
                "application/x-www-form-urlencoded": components["schemas"]["SellerInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_User"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    get_user_discount: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_UserDiscount"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_user_discount: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserDiscountInput"];
                "application/x-www-form-urlencoded": components["schemas"]["UserDiscountInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_UserDiscount"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_user_services: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_UserService"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    create_user_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserServiceInput"];
                "application/x-www-form-urlencoded": components["schemas"]["UserServiceInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_UserService"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    delete_user_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
                user_service_id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    update_user_service: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
                user_service_id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserServiceInput"];
                "application/x-www-form-urlencoded": components["schemas"]["UserServiceInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_UserService"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    set_user_services: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UserServicesInput"];
                "application/x-www-form-urlencoded": components["schemas"]["UserServicesInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_UserService"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_verification_documents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_VerificationGroup"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    add_verification_document: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerificationDocumentInput"];
                "multipart/form-data": components["schemas"]["VerificationDocumentInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_VerificationDocument"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    show_verification_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                document_id: number;
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/*": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_available_sellers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_UserHit"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    bulk_update_users: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BulkUsersInput"];
                "application/x-www-form-urlencoded": components["schemas"]["BulkUsersInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkOutcome"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_contact_steps: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Choice"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    search_users: {
        parameters: {
            query?: {
                /** @description Part of a name or e-mail, or an id. */
                query?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_UserHit"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    counters: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Counters"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    list_withdrawals: {
        parameters: {
            query?: {
                /** @description With ids_only: ids below this one. */
                after?: number;
                /** @description A column's field; 0 to 99 columns. */
                "columns[0][data]"?: string;
                /** @description A column's name. */
                "columns[0][name]"?: string;
                /** @description Whether it may be sorted by. */
                "columns[0][orderable]"?: boolean;
                /** @description Text, from..to, or a comma list. */
                "columns[0][search][value]"?: string;
                /** @description Whether the common search looks at it. */
                "columns[0][searchable]"?: boolean;
                /** @description Comes back in the answer. */
                draw?: number;
                /** @description With an export (Accept: text/csv, or that of XLSX): its columns, by commas. */
                export_columns?: string;
                /** @description 1 for only ids, highest first, 10,000 a call. */
                ids_only?: string;
                /** @description Rows to answer: 30 by default, at most 1,000; -1 for as many. */
                length?: number;
                /** @description A sort key: index of a column. */
                "order[0][column]"?: number;
                /** @description asc or desc. */
                "order[0][dir]"?: string;
                /** @description The common search. */
                "search[value]"?: string;
                /** @description Rows to skip. */
                start?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Page_Withdrawal"];
                    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": string;
                    "text/csv": string;
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    approve_withdrawal: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Withdrawal"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    mark_withdrawal_paid: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PaidWithdrawalInput"];
                "application/x-www-form-urlencoded": components["schemas"]["PaidWithdrawalInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Withdrawal"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    reject_withdrawal: {
        parameters: {
            query?: {
                /**
                 * @description 1 or true to try without writing.
                 * @example 1
                 */
                dry_run?: string | null;
            };
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RejectWithdrawalInput"];
                "application/x-www-form-urlencoded": components["schemas"]["RejectWithdrawalInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Withdrawal"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    countries: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Vec_Country"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    profile: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_Profile"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    authorize_channel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BroadcastingInput"];
                "application/x-www-form-urlencoded": components["schemas"]["BroadcastingInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BroadcastingAuth"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    handoff: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HandoffInput"];
                "application/x-www-form-urlencoded": components["schemas"]["HandoffInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too often; see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Anything else: what is wrong and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    login: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LoginInput"];
                "application/x-www-form-urlencoded": components["schemas"]["LoginInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too often; see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    logout: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The world has moved on. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The text. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Anything else: what is wrong and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    openapi: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Value"];
                };
            };
            /** @description Anything else: what is wrong and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description Anything else: what is wrong and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    refresh: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description Who are you? */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description You may not. */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description No such record. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description The query is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    public_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Data_PublicSettings"];
                };
            };
            /** @description Anything else: what is wrong and what to do. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
    setup: {
        parameters: {
            query?: never;
            header?: {
                /** @description The same key with the same request is done once; later calls get the first answer. */
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetupInput"];
                "application/x-www-form-urlencoded": components["schemas"]["SetupInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            /** @description The input is wrong in the fields named. */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Too often; see Retry-After. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
            /** @description Anything else. */
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Problem"];
                };
            };
        };
    };
}
