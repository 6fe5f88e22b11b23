/// The SQL of the device token registry.
enum DeviceTokenSQL {
    static let columns = """
        output, app, environment::text, coalesce(address, token) AS token, registered_at, unregistered_at, marked_at,
        reason
        """

    /// The statement that inserts or updates records. It keeps the latest registration, and the latest time of death if
    /// that is after the registration. `marked_at` is the time at which the current `unregistered_at` was written. If a
    /// dead token is registered and dies again, `marked_at` is renewed, even if one statement contains both changes.
    /// Rows are locked in key order, so that two workers that mark the same tokens can't deadlock.
    static let upsert = """
        INSERT INTO martlet.device_tokens AS old
            (output, app, environment, token, address, registered_at, unregistered_at, marked_at, reason)
        SELECT output, app, environment, token, address, registered,
            CASE WHEN is_dead THEN unregistered END,
            CASE WHEN is_dead THEN date_trunc('milliseconds', clock_timestamp()) END,
            CASE WHEN is_dead THEN reason END
        FROM (
            SELECT output, app, environment, token, address,
                max(registered) AS registered, max(unregistered) AS unregistered,
                coalesce(max(unregistered) > coalesce(max(registered), '-infinity'), false) AS is_dead,
                (array_agg(reason ORDER BY unregistered DESC NULLS LAST))[1] AS reason
            FROM unnest($1::text[], $2::text[], $3::text[]::martlet.environment[], $4::text[],
                    $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[])
                AS change (output, app, environment, token, address, registered, unregistered, reason)
            GROUP BY output, app, environment, token, address
            ORDER BY output COLLATE "C", app COLLATE "C", environment, token COLLATE "C"
        ) AS changes
        ON CONFLICT (output, app, environment, token) DO UPDATE SET
            (registered_at, unregistered_at, marked_at, reason) = (
                SELECT registered, CASE WHEN is_dead THEN unregistered END,
                    CASE WHEN is_dead THEN CASE WHEN is_news THEN excluded.marked_at ELSE old.marked_at END END,
                    CASE WHEN is_dead THEN CASE WHEN is_news THEN excluded.reason ELSE old.reason END END
                FROM (
                    SELECT registered, unregistered, unregistered > coalesce(registered, '-infinity') AS is_dead,
                        unregistered IS DISTINCT FROM old.unregistered_at AS is_news
                    FROM (
                        SELECT greatest(old.registered_at, excluded.registered_at) AS registered,
                            greatest(old.unregistered_at, excluded.unregistered_at) AS unregistered
                    ) AS latest
                ) AS merged)
        WHERE excluded.registered_at > coalesce(old.registered_at, '-infinity')
            OR excluded.unregistered_at > coalesce(greatest(old.unregistered_at, old.registered_at), '-infinity')
        """
}
