CREATE TABLE src (
  id INT, r ROW<a INT, n ROW<s STRING>>, ar ARRAY<INT>, m MAP<STRING,INT>
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  a INT, s STRING, e INT, x INT, c INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT r.a, src.r.n.s, ar[1], m['k'], CARDINALITY(ar) FROM src;
