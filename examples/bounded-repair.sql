-- A job that ends by itself: it reads a topic up to the end it had at the start, and lets bad JSON go.
-- A field that cannot be read becomes NULL, a message that is no JSON gives no row; the closing summary counts both.

CREATE TABLE raw_events (
  id BIGINT,
  kind STRING,
  payload STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'raw-events',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'scan.startup.mode' = 'earliest-offset',
  'scan.bounded.mode' = 'latest-offset',
  'format' = 'json',
  'json.ignore-parse-errors' = 'true'
);

CREATE TABLE events (
  id BIGINT NOT NULL,
  kind STRING,
  payload STRING
) WITH (
  'connector' = 'kafka',
  'topic' = 'events',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'format' = 'json'
);

INSERT INTO events
SELECT id, COALESCE(kind, 'unknown'), payload
FROM raw_events
WHERE id IS NOT NULL;
