"""Lists connectors and formats of Flink, its vendors and other projects that Firesteel does not have yet.

An error about such a name says that it is not supported, not that it is unknown.
"""

from __future__ import annotations

_CONNECTORS = """
  filesystem hive jdbc faker generator socket python-input-format
  elasticsearch elasticsearch-6 elasticsearch-7 elasticsearch-8 opensearch opensearch-1 opensearch-2
  hbase hbase-1.4 hbase-2.2 cloudhbase lindorm kudu mongodb redis cassandra
  mysql oracle sqlserver postgres rds polardb adb adbpg gaussdb dws tidb oceanbase phoenix
  clickhouse doris starrocks hologres odps maxcompute tablestore ots selectdb snowflake bigquery databend
  iceberg paimon hudi delta fluss table-store lakesoul
  mysql-cdc mysql-cdc-catalog postgres-cdc oracle-cdc sqlserver-cdc mongodb-cdc oceanbase-cdc tidb-cdc db2-cdc vitess-cdc
  pulsar upsert-pulsar rabbitmq rocketmq mq datahub sls nats mqtt pubsub pubsublite amqp
  kinesis kinesis-legacy firehose dynamodb sqs prometheus influxdb tsdb http rest-lookup http-async-sink
  dis obs smn css cloudtable opentsdb dcs lookup confluent
"""
ABSENT_CONNECTORS = frozenset(_CONNECTORS.split())

_FORMATS = """
  protobuf protobuf-confluent protobuf-registry json-registry json-confluent avro-registry avro-glue json-glue
  debezium-avro debezium-avro-confluent debezium-json-confluent debezium-protobuf-confluent
  debezium-avro-registry debezium-json-registry debezium-protobuf-registry
  orc parquet changelog-json changelog-csv upsert-json thrift xml bson text line sls-json email user_defined
"""
ABSENT_FORMATS = frozenset(_FORMATS.split())
