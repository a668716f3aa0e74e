"""Protects the port on which Spark's JVM calls Python for each batch: callers need a secret.

PySpark opens the port without a secret, so any local process could call the objects it offers. Py4J can require a
secret, but its JVM side loses the secret when it is told the port; here it gets a client that keeps it.
"""

from __future__ import annotations

import secrets
from typing import Any

from py4j.clientserver import ClientServer
from py4j.java_gateway import JavaObject
from pyspark.java_gateway import ensure_callback_server_started
from pyspark.sql import SparkSession

from firesteel.spark.internals import find_gateway


def guard_callbacks(session: SparkSession) -> None:
    """Opens the port if it is not open yet. A port that was opened before is left as it is."""
    gateway = find_gateway()
    if not isinstance(gateway, ClientServer) or gateway.__dict__.get("_callback_server") is not None:
        return
    secret = secrets.token_hex(32)
    gateway.callback_server_parameters.auth_token = secret
    start: Any = ensure_callback_server_started
    start(gateway)
    _tell_jvm(gateway, secret)


def _tell_jvm(gateway: Any, secret: str) -> None:
    jvm = gateway.jvm
    server = JavaObject("GATEWAY_SERVER", gateway._gateway_client)
    target, client = server.getGateway(), server.getCallbackClient()
    replacement = jvm.py4j.PythonClient(
        target,
        None,
        client.getPort(),
        client.getAddress(),
        30,
        jvm.java.util.concurrent.TimeUnit.SECONDS,
        jvm.javax.net.SocketFactory.getDefault(),
        server,
        client.isMemoryManagementEnabled(),
        client.getReadTimeout(),
        secret,
    )
    # The only method for this would lose the secret.
    field = target.getClass().getDeclaredField("cbClient")
    field.setAccessible(True)
    field.set(target, replacement)
    client.shutdown()
