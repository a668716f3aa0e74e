CREATE TABLE src (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6), t9 TIMESTAMP(9), z3 TIMESTAMP_LTZ(3), m TIMESTAMP(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.timestamp-format.standard'='ISO-8601');
INSERT INTO snk SELECT id, TIMESTAMP '2020-11-11 18:08:01', TIMESTAMP '2020-11-11 18:08:01.100', TIMESTAMP '2020-11-11 18:08:01.120000', TIMESTAMP '2020-11-11 00:00:00.000000001', CAST(TIMESTAMP '2020-11-11 18:08:01.120' AS TIMESTAMP_LTZ(3)), TIMESTAMP '2020-11-11 18:00:00.000' FROM src;
