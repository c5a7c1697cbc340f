"""ParseBatch under Spark's mapInArrow and Ray Data's map_batches: the same trees as without them."""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from dynarc.corpus import ParseBatch
from dynarc.data import english

pa: Any = pytest.importorskip("pyarrow")

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.timeout(240), pytest.mark.slow]

COLUMNS = ["number", "form", "upos"]


@pytest.fixture(scope="module")
def table() -> Any:
    whole = english("train").to_arrow()
    return whole.append_column("number", pa.array(range(whole.num_rows), pa.int64())).select(COLUMNS)


@pytest.fixture(scope="module")
def wanted(table: Any, model: str) -> list[tuple[Any, ...]]:
    return rows(ParseBatch(model)(table).to_pylist())


def rows(records: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted((r["number"], list(r["form"]), list(r["head"]), list(r["deprel"])) for r in records)


def test_spark(table: Any, wanted: list[tuple[Any, ...]], model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyspark", reason="Spark is not installed: make cluster")
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Spark needs Java: install a JRE, as Debian's default-jre-headless")
    from pyspark.sql import SparkSession
    from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

    for name in ("PYSPARK_PYTHON", "PYSPARK_DRIVER_PYTHON"):
        monkeypatch.setenv(name, sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    settings = {"spark.ui.enabled": "false", "spark.sql.execution.arrow.maxRecordsPerBatch": "100"}
    spark = SparkSession.builder.master("local[2]").config(map=settings).getOrCreate()
    try:
        parse = ParseBatch(model)
        frame = spark.createDataFrame([(r["number"], r["form"], r["upos"]) for r in table.to_pylist()], COLUMNS)
        schema = from_arrow_schema(parse.schema(to_arrow_schema(frame.schema)))
        found = frame.repartition(4).mapInArrow(parse.batches, schema).collect()
        assert rows([row.asDict() for row in found]) == wanted
    finally:
        spark.stop()


def test_ray_data(table: Any, wanted: list[tuple[Any, ...]], model: str, tmp_path: Path) -> None:
    ray: Any = pytest.importorskip("ray", reason="Ray is not installed: make cluster")
    pytest.importorskip("pandas")
    options = {"object_store_memory": 80_000_000, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    ray.init(num_cpus=2, **options)
    try:
        data = ray.data.from_arrow([table.slice(at, 100) for at in range(0, table.num_rows, 100)])
        parsed = data.map_batches(
            ParseBatch, fn_constructor_args=(model,), batch_format="pyarrow", batch_size=100, concurrency=1
        )
        assert rows(parsed.take_all()) == wanted
    finally:
        ray.shutdown()
