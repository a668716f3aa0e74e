CREATE TABLE src (
  id INT, tp STRING METADATA FROM 'topic' VIRTUAL, pt INT METADATA FROM 'partition' VIRTUAL, ofs BIGINT METADATA FROM 'offset' VIRTUAL, ts TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL, tt STRING METADATA FROM 'timestamp-type' VIRTUAL, hd MAP<STRING,BYTES> METADATA FROM 'headers' VIRTUAL, le INT METADATA FROM 'leader-epoch' VIRTUAL
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, tp STRING, pt INT, ofs BIGINT, ts TIMESTAMP_LTZ(3), tt STRING, h1 STRING, n INT, le INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT id, tp, pt, ofs, ts, tt, CAST(hd['h1'] AS STRING), CARDINALITY(hd), le FROM src;
