CREATE TABLE src (
  db STRING METADATA FROM 'value.database' VIRTUAL, tb STRING METADATA FROM 'value.table' VIRTUAL, st MAP<STRING,INT> METADATA FROM 'value.sql-type' VIRTUAL, pk ARRAY<STRING> METADATA FROM 'value.pk-names' VIRTUAL, its TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, ets TIMESTAMP_LTZ(3) METADATA FROM 'value.event-timestamp' VIRTUAL, id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='canal-json');
CREATE TABLE snk (
  id INT, db STRING, tb STRING, t INT, pk ARRAY<STRING>, its TIMESTAMP_LTZ(3), ets TIMESTAMP_LTZ(3), PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT id, db, tb, st['id'], pk, its, ets FROM src;
