CREATE TABLE snk (
  id INT, s STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json');
INSERT INTO snk VALUES (1, 'one'), (2, NULL);
