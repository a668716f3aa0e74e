CREATE TABLE src (
  id INT, t TIMESTAMP(3)
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, cy TIMESTAMP(3), cm TIMESTAMP(3), fw TIMESTAMP(3), fq TIMESTAMP(3), ch TIMESTAMP(3), cs TIMESTAMP(3), fd DATE, cd DATE, cq DATE, fdec TIMESTAMP(3), fms TIMESTAMP(3), ft TIME
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  CEIL(t TO YEAR),
  CEIL(t TO MONTH),
  FLOOR(t TO WEEK),
  FLOOR(t TO QUARTER),
  CEIL(t TO HOUR),
  CEIL(t TO SECOND),
  FLOOR(CAST(t AS DATE) TO YEAR),
  CEIL(CAST(t AS DATE) TO MONTH),
  CEIL(CAST(t AS DATE) TO QUARTER),
  FLOOR(t TO DECADE),
  FLOOR(t TO MILLISECOND),
  FLOOR(CAST(t AS TIME) TO HOUR)
FROM src;
