SET 'table.local-time-zone'='Asia/Shanghai';
CREATE TABLE src (
  id INT, e BIGINT, ts AS TO_TIMESTAMP_LTZ(e, 3), WATERMARK FOR ts AS ts
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  ws TIMESTAMP(3), c BIGINT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT window_start, COUNT(*) FROM TABLE(TUMBLE(TABLE src, DESCRIPTOR(ts), INTERVAL '1' DAY)) GROUP BY window_start, window_end;
