-- CSV lines of a sensor to JSON. Empty fields are NULL, and a field that cannot be read becomes NULL too, and is counted.

SET 'pipeline.name' = 'sensor-readings';
SET 'execution.checkpointing.interval' = '5 s';

CREATE TABLE lines (
  sensor STRING,
  celsius DOUBLE,
  measured_on DATE,
  ok BOOLEAN
) WITH (
  'connector' = 'kafka',
  'topic' = 'sensor-lines',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'properties.group.id' = 'sensor-readings',
  'scan.startup.mode' = 'earliest-offset',
  'format' = 'csv',
  'csv.field-delimiter' = ';',
  'csv.null-literal' = '',
  'csv.ignore-parse-errors' = 'true'
);

CREATE TABLE readings (
  sensor STRING,
  fahrenheit DOUBLE,
  measured_on DATE
) WITH (
  'connector' = 'kafka',
  'topic' = 'sensor-readings',
  'properties.bootstrap.servers' = '127.0.0.1:9092',
  'format' = 'json',
  'json.encode.ignore-null-fields' = 'true'
);

INSERT INTO readings
SELECT UPPER(TRIM(sensor)), celsius * 9 / 5 + 32, measured_on
FROM lines
WHERE ok;
