CREATE TABLE src (
  id INT, a ARRAY<INT>, b ARRAY<INT>
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:in}', 'properties.group.id'='${group:g}', 'scan.startup.mode'='earliest-offset', 'scan.bounded.mode'='latest-offset', 'format'='json');
CREATE TABLE snk (
  id INT, ds ARRAY<INT>, po INT, rm ARRAY<INT>, un ARRAY<INT>, co ARRAY<INT>, mx INT, mn INT, rv ARRAY<INT>, sl ARRAY<INT>, sr ARRAY<INT>, sd ARRAY<INT>, ap ARRAY<INT>, pp ARRAY<INT>, ec ARRAY<INT>, ic ARRAY<INT>, ct BOOLEAN, el INT, cd INT, jn STRING
) WITH ('connector'='kafka', 'properties.bootstrap.servers'='${bootstrap}', 'topic'='${topic:out}', 'format'='json', 'json.encode.decimal-as-plain-number'='true');
INSERT INTO snk SELECT id,
  ARRAY_DISTINCT(a),
  ARRAY_POSITION(a, 3),
  ARRAY_REMOVE(a, 1),
  ARRAY_UNION(a, b),
  ARRAY_CONCAT(a, b),
  ARRAY_MAX(a),
  ARRAY_MIN(a),
  ARRAY_REVERSE(a),
  ARRAY_SLICE(a, -2),
  ARRAY_SORT(a),
  ARRAY_SORT(a, FALSE),
  ARRAY_APPEND(a, id),
  ARRAY_PREPEND(a, CAST(NULL AS INT)),
  ARRAY_EXCEPT(a, b),
  ARRAY_INTERSECT(a, b),
  ARRAY_CONTAINS(a, 3),
  a[2],
  CARDINALITY(a),
  ARRAY_JOIN(CAST(a AS ARRAY<STRING>), ',', '*')
FROM src;
