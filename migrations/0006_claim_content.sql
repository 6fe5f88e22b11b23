-- What a claimed job is: the beginning of its body's SHA-256. Where it is missing, the name alone tells.
ALTER TABLE martlet.claims ADD COLUMN content uuid;
