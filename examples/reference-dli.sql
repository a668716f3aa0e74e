-- The reference job in Huawei DLI's spelling: older option names, one format for key and value.

create table pageviews (
  user_id BIGINT,
  page_id BIGINT,
  viewtime TIMESTAMP(3),
  user_region STRING,
  WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND
) with (
  'connector.type' = 'kafka',
  'connector.version' = '0.11',
  'connector.topic' = 'pageviews',
  'connector.properties.bootstrap.servers' = '127.0.0.1:9092',
  'connector.properties.group.id' = 'pageviews-dli',
  'connector.startup-mode' = 'earliest-offset',
  'format.type' = 'json'
);

create table pageviews_per_region (
  user_region STRING,
  pv BIGINT,
  uv BIGINT,
  PRIMARY KEY (user_region) NOT ENFORCED
) with (
  'connector.type' = 'upsert-kafka',
  'connector.version' = '0.11',
  'connector.topic' = 'pageviews_per_region',
  'connector.properties.bootstrap.servers' = '127.0.0.1:9092',
  'format.type' = 'avro'
);

insert into pageviews_per_region
select user_region, count(*), count(distinct user_id)
from pageviews
group by user_region;
