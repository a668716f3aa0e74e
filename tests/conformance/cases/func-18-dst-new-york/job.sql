SET 'table.local-time-zone'='America/New_York';
CREATE TABLE src (
  id INT, e BIGINT, s STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, z TIMESTAMP_LTZ(3), lt TIMESTAMP(3), ls STRING, fu STRING, df STRING, h BIGINT, pl TIMESTAMP_LTZ(3), pd TIMESTAMP_LTZ(3), us BIGINT, tz TIMESTAMP_LTZ(3), cv STRING, bk TIMESTAMP_LTZ(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  TO_TIMESTAMP_LTZ(e, 3),
  CAST(TO_TIMESTAMP_LTZ(e, 3) AS TIMESTAMP(3)),
  CAST(TO_TIMESTAMP_LTZ(e, 3) AS STRING),
  FROM_UNIXTIME(e / 1000),
  DATE_FORMAT(TO_TIMESTAMP_LTZ(e, 3), 'yyyy-MM-dd HH:mm'),
  EXTRACT(HOUR FROM TO_TIMESTAMP_LTZ(e, 3)),
  TO_TIMESTAMP_LTZ(e, 3) + INTERVAL '1' HOUR,
  TO_TIMESTAMP_LTZ(e, 3) + INTERVAL '1' DAY,
  UNIX_TIMESTAMP(s),
  CAST(CAST(s AS TIMESTAMP(3)) AS TIMESTAMP_LTZ(3)),
  CONVERT_TZ(s, 'America/New_York', 'UTC'),
  TO_TIMESTAMP_LTZ(s, 'yyyy-MM-dd HH:mm:ss', 'Europe/Berlin')
FROM src;
