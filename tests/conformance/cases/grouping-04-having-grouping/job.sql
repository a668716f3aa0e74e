CREATE TABLE src (
  k STRING, u STRING, v INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  kk STRING, uu STRING, s INT, PRIMARY KEY (kk, uu) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT CASE WHEN GROUPING(k) = 1 THEN 'all' ELSE COALESCE(k, 'none') END, CASE WHEN GROUPING(u) = 1 THEN 'all' ELSE COALESCE(u, 'none') END, SUM(v) FROM src GROUP BY ROLLUP (k, u) HAVING GROUPING(u) = 1 OR SUM(v) > 4;
