-- Filter and projection, JSON to JSON. The message key of the result is the customer, so a customer's orders keep their order.

CREATE TABLE orders (
  order_id BIGINT,
  customer ROW<id BIGINT, email STRING>,
  amount DECIMAL(10, 2),
  currency STRING,
  note STRING,
  ordered_at TIMESTAMP(3),
  written_at TIMESTAMP_LTZ(3) METADATA FROM 'timestamp' VIRTUAL
) WITH (
  'connector' = 'kafka',
  'topic' = 'orders',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'large-orders',
  'scan.startup.mode' = 'group-offsets',
  'properties.auto.offset.reset' = 'earliest',
  'format' = 'json',
  'json.timestamp-format.standard' = 'ISO-8601'
);

CREATE TABLE large_orders (
  order_id BIGINT,
  customer_id BIGINT,
  email STRING,
  amount DECIMAL(10, 2),
  size_class STRING,
  ordered_at TIMESTAMP(3),
  written_at TIMESTAMP_LTZ(3)
) WITH (
  'connector' = 'kafka',
  'topic' = 'large_orders',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'key.format' = 'json',
  'key.fields' = 'customer_id',
  'value.format' = 'json'
);

INSERT INTO large_orders
SELECT
  order_id,
  customer.id,
  LOWER(REPLACE(customer.email, 'mailto:', '')),
  amount,
  CASE WHEN amount >= 10000 THEN 'huge' ELSE 'large' END,
  ordered_at,
  written_at
FROM orders
WHERE currency = 'EUR' AND amount >= 1000 AND (note IS NULL OR note NOT LIKE '%test%');
