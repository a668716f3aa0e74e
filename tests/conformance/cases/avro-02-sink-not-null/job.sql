CREATE TABLE src (
  ti TINYINT NOT NULL, si SMALLINT NOT NULL, i INT NOT NULL, l BIGINT NOT NULL, f FLOAT NOT NULL, d DOUBLE NOT NULL, b BOOLEAN NOT NULL, s STRING NOT NULL, c CHAR(3) NOT NULL, bn BYTES NOT NULL, dc DECIMAL(10,2) NOT NULL, dt DATE NOT NULL, tm TIME(3) NOT NULL, ts TIMESTAMP(3) NOT NULL
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  ti TINYINT NOT NULL, si SMALLINT NOT NULL, i INT NOT NULL, l BIGINT NOT NULL, f FLOAT NOT NULL, d DOUBLE NOT NULL, b BOOLEAN NOT NULL, s STRING NOT NULL, c CHAR(3) NOT NULL, bn BYTES NOT NULL, dc DECIMAL(10,2) NOT NULL, dt DATE NOT NULL, tm TIME(3) NOT NULL, ts TIMESTAMP(3) NOT NULL
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='avro');
INSERT INTO snk SELECT * FROM src;
