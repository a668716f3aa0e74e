CREATE TABLE src (
  k STRING, v STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  k STRING, f STRING, l STRING, la STRING, PRIMARY KEY (k) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT k, FIRST_VALUE(v), LAST_VALUE(v), LISTAGG(v, '|') FROM src GROUP BY k;
