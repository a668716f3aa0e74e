"""One sentence for each Kafka client setting that can be set, in both languages: what the reference pages say of it.

What is refused or without effect says why in its own row of `client.py`; `REASONS_ZH` has those reasons in Chinese.
"""

from __future__ import annotations

from collections.abc import Mapping

SUMMARIES: Mapping[str, tuple[str, str]] = {
    # both
    "bootstrap.servers": (
        "The brokers to connect to first, as `host:port`, separated by commas.",
        "首先连接的 Kafka 节点列表，格式为 `host:port`，以逗号分隔。",
    ),
    "client.id": ("The name by which brokers log this client.", "客户端在 Kafka 节点日志中的名称。"),
    "client.rack": ("The rack of this machine, to read from the nearest replica.", "所在机架，用于就近读取副本。"),
    "client.dns.lookup": ("How host names are turned into addresses.", "主机名的解析方式。"),
    "security.protocol": ("Whether connections are encrypted and logged in.", "连接是否加密、是否需要登录。"),
    "metadata.max.age.ms": ("How old metadata may grow before it is fetched again.", "元数据的最长有效时间。"),
    "connections.max.idle.ms": ("After how long an idle connection is closed.", "空闲连接关闭前的等待时间。"),
    "reconnect.backoff.ms": ("The first pause before connecting again.", "首次重新连接前的等待时间。"),
    "reconnect.backoff.max.ms": ("The longest pause before connecting again.", "重新连接前的最长等待时间。"),
    "retry.backoff.ms": ("The first pause before a request is sent again.", "首次重试请求前的等待时间。"),
    "retry.backoff.max.ms": ("The longest pause before a request is sent again.", "重试请求前的最长等待时间。"),
    "request.timeout.ms": ("How long the client waits for an answer.", "等待响应的最长时间。"),
    "receive.buffer.bytes": ("The size of the socket's receive buffer.", "套接字接收缓冲区大小。"),
    "send.buffer.bytes": ("The size of the socket's send buffer.", "套接字发送缓冲区大小。"),
    "socket.connection.setup.timeout.ms": ("How long setting up a connection may take.", "建立连接的最长时间。"),
    "socket.keepalive.enable": ("Whether TCP keep-alive is used.", "是否启用 TCP keep-alive。"),
    "broker.address.family": ("Whether IPv4 (`v4`), IPv6 (`v6`) or `any` is used.", "使用 IPv4、IPv6 还是任意地址族。"),
    # consumer
    "group.id": (
        "The consumer group whose committed offsets are used, and to which offsets are committed as batches complete.",
        "消费者组：使用其已提交的位点，批次完成后位点也提交到该组。",
    ),
    "fetch.min.bytes": ("The least a broker gathers before it answers.", "Kafka 节点响应前至少积累的字节数。"),
    "fetch.max.bytes": ("The most one answer holds.", "单次响应的最大字节数。"),
    "fetch.max.wait.ms": ("How long a broker waits for `fetch.min.bytes`.", "等待 `fetch.min.bytes` 的最长时间。"),
    "fetch.wait.max.ms": ("librdkafka's name of `fetch.max.wait.ms`.", "`fetch.max.wait.ms` 在 librdkafka 中的名称。"),
    "max.partition.fetch.bytes": ("The most one answer holds of one partition.", "单次响应中每个分区的最大字节数。"),
    "queued.max.messages.kbytes": ("The most that is fetched ahead, in KB.", "预读数据的上限（KB）。"),
    "auto.offset.reset": (
        "Where `group-offsets` starts when the group has committed nothing: `earliest`, `latest` or `none`.",
        "消费者组没有已提交位点时 `group-offsets` 的起点：`earliest`、`latest` 或 `none`。",
    ),
    "isolation.level": (
        "Whether rows of transactions that are not committed are read.",
        "是否读取未提交事务中的记录。",
    ),
    "check.crcs": ("Whether the checksum of every record is verified.", "是否校验每条记录的 CRC。"),
    "allow.auto.create.topics": ("Whether reading a missing topic creates it.", "读取不存在的主题时是否自动创建。"),
    # producer
    "acks": ("How many replicas must have a row before it counts as written.", "写入成功所需确认的副本数。"),
    "batch.size": ("The most bytes of one batch of messages.", "单个消息批次的最大字节数。"),
    "linger.ms": ("How long messages are gathered into a batch.", "攒批发送的等待时间。"),
    "compression.type": ("How messages are compressed.", "消息的压缩方式。"),
    "compression.level": ("How hard the compression works.", "压缩级别。"),
    "buffer.memory": ("The most memory for messages not sent yet.", "待发送消息占用内存的上限。"),
    "queue.buffering.max.kbytes": (
        "librdkafka's name of `buffer.memory`, in KB.",
        "`buffer.memory` 在 librdkafka 中的名称（KB）。",
    ),
    "queue.buffering.max.messages": ("The most messages not sent yet.", "待发送消息数的上限。"),
    "retries": ("How often a message is sent again.", "消息的重试次数。"),
    "max.in.flight.requests.per.connection": (
        "How many requests wait for an answer at once.",
        "同时等待响应的请求数。",
    ),
    "max.request.size": ("The largest message that is sent.", "可发送的最大消息。"),
    "message.max.bytes": ("librdkafka's name of `max.request.size`.", "`max.request.size` 在 librdkafka 中的名称。"),
    "delivery.timeout.ms": (
        "How long delivering a message may take, retries included.",
        "消息投递（含重试）的最长时间。",
    ),
    "message.timeout.ms": (
        "librdkafka's name of `delivery.timeout.ms`.",
        "`delivery.timeout.ms` 在 librdkafka 中的名称。",
    ),
    "enable.idempotence": (
        "Whether a retry can neither repeat nor reorder messages; ApsaraMQ for Kafka needs `false`.",
        "重试是否保证不重复、不乱序；ApsaraMQ for Kafka 需要设为 `false`。",
    ),
    "transaction.timeout.ms": (
        "After how long a broker gives up a transaction; above 15 minutes brokers usually refuse it.",
        "事务超时时间；超过 15 分钟时 Kafka 节点通常会拒绝。",
    ),
    # login and key stores
    "sasl.mechanism": (
        "How the client logs in: `PLAIN`, `SCRAM-SHA-256`, `SCRAM-SHA-512`, `OAUTHBEARER` or `GSSAPI`.",
        "登录机制：`PLAIN`、`SCRAM-SHA-256`、`SCRAM-SHA-512`、`OAUTHBEARER` 或 `GSSAPI`。",
    ),
    "sasl.mechanisms": ("librdkafka's name of `sasl.mechanism`.", "`sasl.mechanism` 在 librdkafka 中的名称。"),
    "sasl.jaas.config": (
        "Java's login text; user name and password are taken from it. Only Kafka's own login modules are allowed.",
        "Java 的登录配置，从中读取用户名和密码；仅允许 Kafka 自带的登录模块。",
    ),
    "sasl.username": ("The user name, instead of `sasl.jaas.config`.", "用户名，可代替 `sasl.jaas.config`。"),
    "sasl.password": ("The password, instead of `sasl.jaas.config`.", "密码，可代替 `sasl.jaas.config`。"),
    "sasl.kerberos.service.name": ("The Kerberos name of the brokers.", "Kafka 节点的 Kerberos 服务名。"),
    "sasl.kerberos.principal": ("The Kerberos name of this client.", "客户端的 Kerberos principal。"),
    "sasl.login.callback.handler.class": (
        "Java's class for OAuth logins; accepted where librdkafka has the same login built in.",
        "Java 的 OAuth 登录类；仅在 librdkafka 内置相同登录方式时接受。",
    ),
    "sasl.oauthbearer.token.endpoint.url": (
        "Where OAuth tokens come from; only an address that the operator allowed.",
        "获取 OAuth 令牌的地址；必须是运维人员允许的地址。",
    ),
    "ssl.endpoint.identification.algorithm": (
        "How the broker's name is checked against its certificate: `https`.",
        "校验节点证书主机名的方式：`https`。",
    ),
    "ssl.truststore.location": (
        "The file of trusted certificates: JKS, PKCS12 or PEM.",
        "受信任证书文件：JKS、PKCS12 或 PEM。",
    ),
    "ssl.truststore.password": ("The password of that file.", "该文件的密码。"),
    "ssl.truststore.type": (
        "The form of that file: `JKS`, `PKCS12` or `PEM`; its content decides.",
        "该文件的格式：`JKS`、`PKCS12` 或 `PEM`；以文件内容为准。",
    ),
    "ssl.truststore.certificates": ("The trusted certificates themselves, as PEM text.", "受信任证书的 PEM 文本。"),
    "ssl.keystore.location": (
        "The file of the client's key: JKS, PKCS12 or PEM; on a cluster, a PKCS12 or PEM file is at the same place on "
        "every machine.",
        "客户端密钥文件：JKS、PKCS12 或 PEM；在集群上，PKCS12 和 PEM 文件须位于每台机器的相同路径。",
    ),
    "ssl.keystore.password": ("The password of that file.", "该文件的密码。"),
    "ssl.keystore.type": (
        "The form of that file: `JKS`, `PKCS12` or `PEM`; its content decides.",
        "该文件的格式：`JKS`、`PKCS12` 或 `PEM`；以文件内容为准。",
    ),
    "ssl.keystore.key": ("The client's key itself, as PEM text.", "客户端私钥的 PEM 文本。"),
    "ssl.keystore.certificate.chain": ("The client's certificate itself, as PEM text.", "客户端证书链的 PEM 文本。"),
    "ssl.key.password": ("The password of the client's key.", "客户端私钥的密码。"),
    "ssl.ca.location": (
        "librdkafka's name of `ssl.truststore.location`.",
        "`ssl.truststore.location` 在 librdkafka 中的名称。",
    ),
    "ssl.ca.pem": (
        "librdkafka's name of `ssl.truststore.certificates`.",
        "`ssl.truststore.certificates` 在 librdkafka 中的名称。",
    ),
    "ssl.certificate.location": ("The file of the client's certificate (PEM).", "客户端证书文件（PEM）。"),
    "ssl.certificate.pem": (
        "librdkafka's name of `ssl.keystore.certificate.chain`.",
        "`ssl.keystore.certificate.chain` 在 librdkafka 中的名称。",
    ),
    "ssl.key.location": ("The file of the client's key (PEM).", "客户端私钥文件（PEM）。"),
    "ssl.key.pem": ("librdkafka's name of `ssl.keystore.key`.", "`ssl.keystore.key` 在 librdkafka 中的名称。"),
}

REASONS_ZH: Mapping[str, str] = {
    "it names a Java class": "其值是 Java 类名",
    "keys and values are encoded by the table's formats": "键和值由表的格式编码",
    "it would read files and variables of this machine": "会读取本机的文件和环境变量",
    "offsets are committed to the group as batches complete": "批次完成后位点会提交到消费者组",
    "partitions are assigned by Firesteel, not by the group": "分区由 Firesteel 分配，而不是由消费者组分配",
    "it is for the Java client only": "仅用于 Java 客户端",
    "batches are sized by 'scan.max-rows-per-batch'": "批次大小由 'scan.max-rows-per-batch' 决定",
    "the job makes its transactional ids itself": "事务 ID 由作业自行生成",
    "keys must land where Flink's land": "相同的键必须写入与 Flink 相同的分区",
    "the client would run it as a shell command": "客户端会将其作为命令执行",
    "the broker's certificate is always verified": "始终校验节点证书",
    "the client would load a library from there": "客户端会从该路径加载动态库",
    "'scan.topic-partition-discovery.interval' decides": "由 'scan.topic-partition-discovery.interval' 决定",
    "clients have not used ZooKeeper since Kafka 0.9": "Kafka 0.9 之后客户端不再使用 ZooKeeper",
}
