CREATE TABLE src (
  id INT, k STRING, v INT, ts TIMESTAMP(3), WATERMARK FOR ts AS ts - INTERVAL '2' SECOND
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE src2 (
  oid INT, id INT, pt TIMESTAMP(3), WATERMARK FOR pt AS pt - INTERVAL '2' SECOND
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in2}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, oid INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT a.id, b.oid FROM src a LEFT JOIN src2 b ON a.id = b.id AND b.pt BETWEEN a.ts AND a.ts + INTERVAL '5' SECOND;
