CREATE TABLE src (
  a INT, b STRING, c DOUBLE, d BOOLEAN
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='csv', 'csv.field-delimiter'='|');
CREATE TABLE snk (
  a INT, b STRING, c DOUBLE, d BOOLEAN
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='csv', 'csv.field-delimiter'='|');
INSERT INTO snk SELECT * FROM src;
