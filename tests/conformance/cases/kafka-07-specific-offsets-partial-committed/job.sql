CREATE TABLE src (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='specific-offsets', 'scan.bounded.mode'='latest-offset', 'format'='json', 'scan.startup.specific-offsets'='partition:0,offset:2');
CREATE TABLE snk (
  id INT
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk SELECT * FROM src;
