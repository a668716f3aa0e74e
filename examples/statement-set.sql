-- One script, two results: the clean rows of two topics into one, and a count of what each page got. They run as one job.

CREATE TABLE web_clicks (
  page STRING,
  visitor STRING,
  clicked_at TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'web-clicks',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'clicks',
  'scan.startup.mode' = 'latest-offset',
  'format' = 'json'
);

CREATE TABLE app_clicks (
  screen STRING,
  visitor STRING,
  clicked_at TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'app-clicks',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'clicks',
  'scan.startup.mode' = 'latest-offset',
  'format' = 'json'
);

CREATE VIEW clicks AS
SELECT 'web' AS channel, page, visitor, clicked_at FROM web_clicks
UNION ALL
SELECT 'app', screen, visitor, clicked_at FROM app_clicks;

CREATE TABLE all_clicks (
  channel STRING,
  page STRING,
  visitor STRING,
  clicked_at TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'all-clicks',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'format' = 'json'
);

CREATE TABLE clicks_per_page (
  page STRING,
  clicks BIGINT,
  last_click TIMESTAMP_LTZ(3),
  PRIMARY KEY (page) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'clicks-per-page',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'key.format' = 'raw',
  'value.format' = 'json'
);

EXECUTE STATEMENT SET
BEGIN
  INSERT INTO all_clicks SELECT channel, page, visitor, clicked_at FROM clicks WHERE visitor IS NOT NULL;
  INSERT INTO clicks_per_page SELECT page, COUNT(*), MAX(clicked_at) FROM clicks WHERE page IS NOT NULL GROUP BY page;
END;
