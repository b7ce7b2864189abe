"""
A night's maintenance of Delta tables in Airflow: validate, and carry out a change in two phases.

deltaadm is installed where the workers run, with the extra `spark` where it commits. Exit codes
tell Airflow what happened: 1 (findings) fails the task, 8 (not yet) skips it until the next night.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

LAKE = "s3://lake"
NOT_YET = 8

with DAG(
    dag_id="deltaadm",
    schedule="@daily",
    start_date=datetime(2026, 1, 1, tzinfo=UTC),
    catchup=False,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=10)},
    params={"lake": LAKE},
) as dag:
    validate = BashOperator(
        task_id="validate",
        bash_command="deltaadm validate --discover {{ params.lake }} --fail-on error",
        retries=0,  # findings are the same the second time
    )
    plan = BashOperator(
        task_id="plan",
        bash_command=(
            "deltaadm upgrade-protocol --discover {{ params.lake }} --minimum"
            " --out /tmp/deltaadm-{{ ds_nodash }}.jsonl"
        ),
    )
    drop = BashOperator(
        task_id="drop",
        bash_command=(
            "deltaadm drop-feature {{ params.lake }}/events deletionVectors"
            " --truncate-history --accept-irreversible deletionVectors"
            " --allow-rewrite --apply --yes"
        ),
        skip_on_exit_code=NOT_YET,
    )
    validate >> plan >> drop
