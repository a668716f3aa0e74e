CREATE TABLE src (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, a DECIMAL(9,6), b DECIMAL(20,0), c DECIMAL(11,9), d DECIMAL(10,2), e DECIMAL(10,2), f DECIMAL(10,2), g DECIMAL(38,18)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT id, CAST(123.456789 AS DECIMAL(9,6)), CAST(454621864049246170 AS DECIMAL(20,0)), CAST('0.000000027' AS DECIMAL(11,9)), CAST(100.00 AS DECIMAL(10,2)), CAST(0 AS DECIMAL(10,2)), CAST(-12.30 AS DECIMAL(10,2)), CAST('12345678901234567890.000000000000000001' AS DECIMAL(38,18)) FROM src;
