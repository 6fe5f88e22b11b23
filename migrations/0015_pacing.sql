-- How many pushes of an app all workers together may send in a second; NULL: as many as they can. The urgent lane does not wait
-- for it, and does not count, unless the app says so. Workers of an earlier version do not read it. Rights on the table are as
-- they were, and cover the columns.
ALTER TABLE martlet.apps
    ADD COLUMN rate integer CONSTRAINT rate_is_positive CHECK (rate > 0),
    ADD COLUMN rate_includes_urgent boolean NOT NULL DEFAULT false;
