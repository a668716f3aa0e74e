CREATE TABLE src (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, s STRING, r ROW<a INT, b STRING>, arr ARRAY<INT>, m MAP<STRING,INT>
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.ignore-null-fields'='true');
INSERT INTO snk SELECT id, CAST(NULL AS STRING), CAST(ROW(1, CAST(NULL AS STRING)) AS ROW<a INT, b STRING>), ARRAY[1, CAST(NULL AS INT)], MAP['k', CAST(NULL AS INT)] FROM src;
