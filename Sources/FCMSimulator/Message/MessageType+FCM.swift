/// The message types in FCM's REST reference, "projects.messages" (2026).
extension MessageType {
    static let sendRequest = MessageType("SendMessageRequest", ["message": .message(message), "validate_only": .bool])

    private static let message = MessageType(
        "Message",
        [
            "name": .string, "token": .string, "fid": .string, "topic": .string, "condition": .string, "data": .strings,
            "notification": .message(notification), "android": .message(android),
            "android_v2": .message(androidV2), "apns": .message(apns), "webpush": .message(webpush),
            "fcm_options": .message(options),
        ])

    private static let notification = MessageType(
        "Notification", ["title": .string, "body": .string, "image": .string])

    private static let options = MessageType("FcmOptions", ["analytics_label": .string])

    private static let android = MessageType(
        "AndroidConfig",
        [
            "collapse_key": .string, "priority": .choice(name: "AndroidMessagePriority", ["NORMAL", "HIGH"]),
            "ttl": .duration, "restricted_package_name": .string, "data": .strings,
            "notification": .message(androidNotification), "fcm_options": .message(options), "direct_boot_ok": .bool,
            "bandwidth_constrained_ok": .bool, "restricted_satellite_ok": .bool,
        ])

    private static let androidV2 = MessageType(
        "AndroidConfigV2",
        [
            "collapse_key": .string, "ttl": .duration, "restricted_package_name": .string, "data": .strings,
            "fcm_options": .message(options), "direct_boot_ok": .bool, "bandwidth_constrained_ok": .bool,
            "restricted_satellite_ok": .bool,
            "background_sync": .message(MessageType("AndroidBackgroundSyncMessage", [:])),
            "remote_notification": .message(
                MessageType(
                    "AndroidRemoteNotification",
                    [
                        "mutable_content": .bool, "use_as_v1_data_message": .bool,
                        "notification": .message(androidNotificationV2),
                    ])),
        ])

    private static let androidNotification = MessageType(
        "AndroidNotification",
        notificationFields.merging([
            "bypass_proxy_notification": .bool,
            "proxy": .choice(name: "Proxy", ["PROXY_UNSPECIFIED", "ALLOW", "DENY", "IF_PRIORITY_LOWERED"]),
        ]) { first, _ in first })

    private static let androidNotificationV2 = MessageType(
        "AndroidNotificationV2", notificationFields.merging(["id": .integer]) { first, _ in first })

    private static let notificationFields: [String: FieldType] =
        [
            "title": .string, "body": .string, "icon": .string, "color": .string, "sound": .string, "tag": .string,
            "click_action": .string, "body_loc_key": .string, "body_loc_args": .list(.string),
            "title_loc_key": .string, "title_loc_args": .list(.string), "channel_id": .string, "ticker": .string,
            "sticky": .bool, "event_time": .timestamp, "local_only": .bool,
            "notification_priority": .choice(
                name: "NotificationPriority",
                [
                    "PRIORITY_UNSPECIFIED", "PRIORITY_MIN", "PRIORITY_LOW", "PRIORITY_DEFAULT", "PRIORITY_HIGH",
                    "PRIORITY_MAX",
                ]),
            "default_sound": .bool, "default_vibrate_timings": .bool, "default_light_settings": .bool,
            "vibrate_timings": .list(.duration),
            "visibility": .choice(name: "Visibility", ["VISIBILITY_UNSPECIFIED", "PRIVATE", "PUBLIC", "SECRET"]),
            "notification_count": .integer, "light_settings": .message(lights), "image": .string,
        ]

    private static let lights = MessageType(
        "LightSettings",
        ["color": .message(color), "light_on_duration": .duration, "light_off_duration": .duration])

    private static let color = MessageType(
        "Color", ["red": .number, "green": .number, "blue": .number, "alpha": .number])

    private static let apns = MessageType(
        "ApnsConfig",
        [
            "headers": .strings, "payload": .object, "live_activity_token": .string,
            "fcm_options": .message(MessageType("ApnsFcmOptions", ["analytics_label": .string, "image": .string])),
        ])

    private static let webpush = MessageType(
        "WebpushConfig",
        [
            "headers": .strings, "data": .strings, "notification": .object,
            "fcm_options": .message(MessageType("WebpushFcmOptions", ["link": .string, "analytics_label": .string])),
        ])
}
