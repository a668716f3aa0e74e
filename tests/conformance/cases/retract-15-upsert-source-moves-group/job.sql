CREATE TABLE src (
  id INT, k STRING, v INT, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'key.format'='json', 'value.format'='json', 'scan.bounded.mode'='latest-offset', 'properties.group.id'='${group:g}');
CREATE TABLE snk (
  k STRING, mn INT, mx INT, l STRING, PRIMARY KEY (k) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT k, MIN(v), MAX(v), LISTAGG(CAST(id AS STRING)) FROM src GROUP BY k;
