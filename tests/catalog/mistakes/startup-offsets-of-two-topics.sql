-- read
CREATE TABLE t (
  id INT
) WITH (
  'connector' = 'kafka',
  'properties.bootstrap.servers' = 'broker:9092',
  'properties.group.id' = 'g',
  'format' = 'json',
  'topic' = 'a;b',
  'scan.startup.mode' = 'specific-offsets',
  'scan.startup.specific-offsets' = 'partition:0,offset:42'
);
