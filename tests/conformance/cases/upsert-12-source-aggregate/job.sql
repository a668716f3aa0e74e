CREATE TABLE src (
  id INT, grp STRING, v INT, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'key.format'='json', 'value.format'='json', 'scan.bounded.mode'='latest-offset', 'properties.group.id'='${group:g}');
CREATE TABLE snk (
  grp STRING, c BIGINT, s BIGINT, PRIMARY KEY (grp) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT grp, COUNT(*), SUM(CAST(v AS BIGINT)) FROM src GROUP BY grp;
