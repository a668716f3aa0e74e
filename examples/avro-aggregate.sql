-- Turnover per shop from Avro payments: SUM, AVG, MIN, MAX, a FILTER, and HAVING, which takes a shop back when it no longer passes.

SET 'state.backend.type' = 'rocksdb';
SET 'parallelism.default' = '2';

CREATE TABLE payments (
  shop_id INT NOT NULL,
  card STRING NOT NULL,
  amount DECIMAL(10, 2),
  refunded BOOLEAN
) WITH (
  'connector' = 'kafka',
  'topic' = 'payments',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'turnover',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'avro'
);

CREATE TABLE turnover (
  shop_id INT,
  payments BIGINT,
  refunds BIGINT,
  cards BIGINT,
  total DECIMAL(38, 2),
  mean DECIMAL(38, 6),
  smallest DECIMAL(10, 2),
  largest DECIMAL(10, 2),
  PRIMARY KEY (shop_id) NOT ENFORCED
) WITH (
  'connector' = 'upsert-kafka',
  'topic' = 'turnover',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'key.format' = 'json',
  'value.format' = 'json'
);

INSERT INTO turnover
SELECT
  shop_id,
  COUNT(*),
  COUNT(*) FILTER (WHERE refunded),
  COUNT(DISTINCT card),
  SUM(amount),
  AVG(amount),
  MIN(amount),
  MAX(amount)
FROM payments
GROUP BY shop_id
HAVING SUM(amount) > 0;
