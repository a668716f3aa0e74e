-- read
CREATE TABLE t (id INT) WITH ('connector' = 'kafka', 'topic' = 'orders', 'properties.bootstrap.servers' = 'b:9092', 'format' = 'json', 'properties.group.id' = 'g',
  'scan.watermark.idle-timeout' = 'PT1M',
  'scan.watermark.emit.strategy' = 'on-event',
  'scan.watermark.emit.on-event.gap' = '10',
  'scan.watermark.alignment.group' = 'g',
  'scan.watermark.alignment.max-drift' = '20s',
  'scan.watermark.alignment.update-interval' = '1s',
  'properties.partition-discovery.interval-millis' = '10000'
);
