-- State that was not written for its time to live is gone: the second run starts anew, but where a hint keeps it longer.
SET 'table.exec.state.ttl' = '3 s';
CREATE TABLE src (
  k STRING, v INT, p AS PROCTIME()
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:src}',
  'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset', 'format' = 'json'
);
CREATE TABLE ups (
  id INT, v INT, PRIMARY KEY (id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:ups}', 'scan.bounded.mode' = 'latest-offset',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE grouped (
  k STRING, n BIGINT, total INT, best INT, least STRING, d BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:grouped}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE whole (
  n BIGINT, k STRING, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:whole}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE longer (
  k STRING, n BIGINT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:longer}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE seen (
  k STRING, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:seen}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE firsts (
  k STRING, v INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:firsts}', 'format' = 'json'
);
CREATE TABLE lasts (
  k STRING, v INT, PRIMARY KEY (k) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:lasts}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE tops (
  k STRING, v INT, n BIGINT, PRIMARY KEY (k, n) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:tops}',
  'key.format' = 'json', 'value.format' = 'json'
);
CREATE TABLE changes (
  id INT, v INT
) WITH (
  'connector' = 'kafka', 'properties.bootstrap.servers' = '${bootstrap}', 'topic' = '${topic:changes}', 'format' = 'debezium-json'
);
INSERT INTO grouped SELECT k, COUNT(*), SUM(v), MAX(v), MIN(CAST(v AS STRING)), COUNT(DISTINCT v) FROM src GROUP BY k;
INSERT INTO whole SELECT COUNT(*), 'all' FROM src;
INSERT INTO longer SELECT /*+ STATE_TTL('s' = '1 d') */ k, COUNT(*) FROM src AS s GROUP BY k;
INSERT INTO seen SELECT DISTINCT k FROM src;
INSERT INTO firsts SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p) AS n FROM src) WHERE n = 1;
INSERT INTO lasts SELECT k, v FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY p DESC) AS n FROM src) WHERE n = 1;
INSERT INTO tops SELECT k, v, n FROM (SELECT *, ROW_NUMBER() OVER (PARTITION BY k ORDER BY v DESC) AS n FROM src) WHERE n <= 2;
INSERT INTO changes SELECT id, v FROM ups;
