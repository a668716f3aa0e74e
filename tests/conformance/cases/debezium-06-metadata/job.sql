CREATE TABLE src (
  db STRING METADATA FROM 'value.source.database' VIRTUAL, tb STRING METADATA FROM 'value.source.table' VIRTUAL, its TIMESTAMP_LTZ(3) METADATA FROM 'value.ingestion-timestamp' VIRTUAL, sts TIMESTAMP_LTZ(3) METADATA FROM 'value.source.timestamp' VIRTUAL, props MAP<STRING,STRING> METADATA FROM 'value.source.properties' VIRTUAL, id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='debezium-json');
CREATE TABLE snk (
  id INT, db STRING, tb STRING, its TIMESTAMP_LTZ(3), sts TIMESTAMP_LTZ(3), nm STRING, PRIMARY KEY (id) NOT ENFORCED
) WITH ('connector'='upsert-kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'key.format'='json', 'value.format'='json');
INSERT INTO snk SELECT id, db, tb, its, sts, props['name'] FROM src;
