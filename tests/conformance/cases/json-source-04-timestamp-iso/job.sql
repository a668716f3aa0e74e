CREATE TABLE src (
  id INT, t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6), t9 TIMESTAMP(9), z3 TIMESTAMP_LTZ(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json', 'json.timestamp-format.standard'='ISO-8601');
CREATE TABLE snk (
  id INT, t0 TIMESTAMP(0), t3 TIMESTAMP(3), t6 TIMESTAMP(6), t9 TIMESTAMP(9), z3 TIMESTAMP_LTZ(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.timestamp-format.standard'='ISO-8601');
INSERT INTO snk SELECT * FROM src;
