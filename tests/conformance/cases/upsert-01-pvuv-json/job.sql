CREATE TABLE src (
  user_id BIGINT, page_id BIGINT, viewtime TIMESTAMP(3), user_region STRING, WATERMARK FOR viewtime AS viewtime - INTERVAL '2' SECOND
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  user_region STRING, pv BIGINT, uv BIGINT, PRIMARY KEY (user_region) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT user_region, COUNT(*), COUNT(DISTINCT user_id) FROM src GROUP BY user_region;
