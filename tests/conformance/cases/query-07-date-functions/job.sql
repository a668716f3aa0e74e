CREATE TABLE src (
  t TIMESTAMP(3), d DATE
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  y BIGINT, m BIGINT, dw BIGINT, dy BIGINT, wk BIGINT, h BIGINT, f STRING, fl TIMESTAMP(3), ce TIMESTAMP(3), plus TIMESTAMP(3), df INT, q BIGINT, ts STRING, un BIGINT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT EXTRACT(YEAR FROM t), EXTRACT(MONTH FROM t), DAYOFWEEK(d), DAYOFYEAR(d), WEEK(d), HOUR(t), DATE_FORMAT(t, 'yyyy/MM/dd HH:mm:ss.SSS'), FLOOR(t TO HOUR), CEIL(t TO DAY), t + INTERVAL '1' MONTH, TIMESTAMPDIFF(DAY, TIMESTAMP '2020-01-01 00:00:00', t), QUARTER(d), CAST(TO_TIMESTAMP('2020-05-05 01:02:03') AS STRING), UNIX_TIMESTAMP('2020-01-01 00:00:00') FROM src;
