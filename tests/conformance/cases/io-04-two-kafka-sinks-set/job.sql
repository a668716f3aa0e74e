CREATE TABLE src (
  id INT, k STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE VIEW big AS SELECT id, k, v FROM src WHERE v > 1;
CREATE TABLE snk (
  id INT, k STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
CREATE TABLE snk2 (
  k STRING, s INT, c BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out2}', 'key.format'='json', 'value.format'='json');
EXECUTE STATEMENT SET
BEGIN
INSERT INTO snk SELECT id, k FROM big;
INSERT INTO snk2 SELECT k, SUM(v), COUNT(*) FROM big WHERE k IS NOT NULL GROUP BY k;
END;
