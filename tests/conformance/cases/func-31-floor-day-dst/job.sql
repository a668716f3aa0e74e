SET 'table.local-time-zone'='America/New_York';
CREATE TABLE src (
  id INT, e BIGINT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, fd TIMESTAMP_LTZ(3), cd TIMESTAMP_LTZ(3), fh TIMESTAMP_LTZ(3), fm TIMESTAMP_LTZ(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  FLOOR(TO_TIMESTAMP_LTZ(e, 3) TO DAY),
  CEIL(TO_TIMESTAMP_LTZ(e, 3) TO DAY),
  FLOOR(TO_TIMESTAMP_LTZ(e, 3) TO HOUR),
  FLOOR(TO_TIMESTAMP_LTZ(e, 3) TO MONTH)
FROM src;
