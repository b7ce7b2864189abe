# Completes deltaadm's command lines in bash. Written by `deltaadm completion bash`.
#
# Put it into ~/.local/share/bash-completion/completions/deltaadm, or source it in ~/.bashrc.

_deltaadm_value() {
    case "$1" in
        'inspect --version') : ;;
        'inspect --timestamp') : ;;
        'inspect --output' | 'inspect -o') candidates=(text json jsonl markdown html) ;;
        'inspect --color') candidates=(auto always never) ;;
        'validate --select') candidates=(DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985) ;;
        'validate --ignore') candidates=(DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985) ;;
        'validate --fail-on') candidates=(error warning info) ;;
        'validate --baseline') files=1 ;;
        'validate --write-baseline') files=1 ;;
        'validate --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'validate --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'validate --config') files=1 ;;
        'validate --out') files=1 ;;
        'validate --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'validate --spark-master') : ;;
        'validate --remote') : ;;
        'validate --spark-conf') : ;;
        'validate --jars') : ;;
        'validate --output' | 'validate -o') candidates=(text json jsonl sarif junit github gitlab markdown html) ;;
        'validate --output-file') files=1 ;;
        'validate --color') candidates=(auto always never) ;;
        'upgrade-protocol --reader') : ;;
        'upgrade-protocol --writer') : ;;
        'upgrade-protocol --out') files=1 ;;
        'upgrade-protocol --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'upgrade-protocol --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'upgrade-protocol --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'upgrade-protocol --spark-master') : ;;
        'upgrade-protocol --remote') : ;;
        'upgrade-protocol --spark-conf') : ;;
        'upgrade-protocol --jars') : ;;
        'upgrade-protocol --output' | 'upgrade-protocol -o') candidates=(text json jsonl sql markdown html) ;;
        'upgrade-protocol --color') candidates=(auto always never) ;;
        'enable-feature --out') files=1 ;;
        'enable-feature --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'enable-feature --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'enable-feature --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'enable-feature --spark-master') : ;;
        'enable-feature --remote') : ;;
        'enable-feature --spark-conf') : ;;
        'enable-feature --jars') : ;;
        'enable-feature --output' | 'enable-feature -o') candidates=(text json jsonl sql markdown html) ;;
        'enable-feature --color') candidates=(auto always never) ;;
        'set-mapping-mode --out') files=1 ;;
        'set-mapping-mode --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'set-mapping-mode --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'set-mapping-mode --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'set-mapping-mode --spark-master') : ;;
        'set-mapping-mode --remote') : ;;
        'set-mapping-mode --spark-conf') : ;;
        'set-mapping-mode --jars') : ;;
        'set-mapping-mode --output' | 'set-mapping-mode -o') candidates=(text json jsonl sql markdown html) ;;
        'set-mapping-mode --color') candidates=(auto always never) ;;
        'alter --set') : ;;
        'alter --unset') : ;;
        'alter --out') files=1 ;;
        'alter --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'alter --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'alter --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'alter --spark-master') : ;;
        'alter --remote') : ;;
        'alter --spark-conf') : ;;
        'alter --jars') : ;;
        'alter --output' | 'alter -o') candidates=(text json jsonl sql markdown html) ;;
        'alter --color') candidates=(auto always never) ;;
        'apply --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'apply --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'apply --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'apply --spark-master') : ;;
        'apply --remote') : ;;
        'apply --spark-conf') : ;;
        'apply --jars') : ;;
        'apply --output' | 'apply -o') candidates=(text json jsonl sql markdown html) ;;
        'apply --color') candidates=(auto always never) ;;
        'features --output' | 'features -o') candidates=(text json jsonl markdown html) ;;
        'features --color') candidates=(auto always never) ;;
        'doctor --spark-master') : ;;
        'doctor --remote') : ;;
        'doctor --spark-conf') : ;;
        'doctor --jars') : ;;
        'doctor --output' | 'doctor -o') candidates=(text json jsonl markdown html) ;;
        'doctor --color') candidates=(auto always never) ;;
        *) return 1 ;;
    esac
}

_deltaadm_options() {
    case "$1" in
        '') candidates=(--version --help -h) ;;
        inspect) candidates=(--version --timestamp --files --columns --clients --output -o --color --help -h) ;;
        validate) candidates=(--history --deep --cross-check --select --ignore --fail-on --baseline --write-baseline --for-client --for-client-writing --config --isolated --fix --apply --check --out --yes -y --allow-backfill --allow-rewrite --accept-silently-wrong --spark-master --remote --spark-conf --jars --debug --output -o --output-file --color --help -h) ;;
        upgrade-protocol) candidates=(--reader --writer --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-silently-wrong --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        enable-feature) candidates=(--support-only --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-silently-wrong --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        set-mapping-mode) candidates=(--apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-silently-wrong --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        alter) candidates=(--set --unset --checkpoint --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-silently-wrong --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        apply) candidates=(--for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-silently-wrong --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        features) candidates=(--output -o --color --help -h) ;;
        doctor) candidates=(--start --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        schema) candidates=(--help -h) ;;
        completion) candidates=(--help -h) ;;
    esac
}

_deltaadm_argument() {
    case "$1" in
        ' 0') candidates=(inspect validate upgrade-protocol enable-feature set-mapping-mode alter apply features doctor schema completion) ;;
        'inspect '*) files=1 ;;
        'validate '*) files=1 ;;
        'upgrade-protocol 0') files=1 ;;
        'enable-feature 0') files=1 ;;
        'enable-feature '*) candidates=(allowColumnDefaults appendOnly changeDataFeed checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns rowTracking timestampNtz typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview) ;;
        'set-mapping-mode 0') files=1 ;;
        'set-mapping-mode 1') candidates=(none id name) ;;
        'alter 0') files=1 ;;
        'apply 0') files=1 ;;
        'features 0') candidates=(adaptiveMetadata adaptiveMetadata-preview allowColumnDefaults appendOnly catalogManaged catalogOwned-preview changeDataFeed checkConstraints checkpointProtection clustering collations collations-preview columnMapping columnMappingUsageTracking coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 icebergWriterCompatV1 icebergWriterCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns redirectReaderWriter-preview redirectWriterOnly-preview rowTracking timestampNanos timestampNtz timestampWithoutTimezone typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview) ;;
        'doctor '*) : ;;
        'schema 0') candidates=(baseline doctor error feature features inspect outcome plan validate) ;;
        'completion 0') candidates=(bash zsh fish powershell) ;;
    esac
}

_deltaadm() {
    local command='' expected='' current='' word='' files='' glue=''
    local -a words=() candidates=()
    local -i place=0 ended=0 index
    COMPREPLY=()

    # bash splits words at = and :, which do not end a word here.
    for ((index = 1; index <= COMP_CWORD; index++)); do
        word=${COMP_WORDS[index]}
        if ((${#words[@]})) && [[ $glue || $word == [=:]* ]]; then
            words[${#words[@]}-1]+=$word
        else
            words+=("$word")
        fi
        glue=''
        [[ $word == *[=:] ]] && glue=1
    done

    for ((index = 0; index < ${#words[@]} - 1; index++)); do
        word=${words[index]}
        if [[ $expected ]]; then
            expected=''
        elif ((! ended)) && [[ $word == -- ]]; then
            ended=1
        elif ((! ended)) && [[ $word == -?* ]]; then
            _deltaadm_value "$command $word" && expected=$word
        elif [[ ! $command ]]; then
            command=$word
        else
            ((place += 1))
        fi
    done
    ((${#words[@]})) && current=${words[${#words[@]}-1]}

    files='' candidates=()
    if [[ $expected ]]; then
        _deltaadm_value "$command $expected"
    elif ((! ended)) && [[ $current == --*=* ]]; then
        _deltaadm_value "$command ${current%%=*}"
        current=${current#*=}
    elif ((! ended)) && [[ $current == -* ]]; then
        _deltaadm_options "$command"
    else
        _deltaadm_argument "$command $place"
    fi

    # Readline completes the names of files where there is no answer, if it may.
    [[ $files ]] && return
    compopt +o default 2>/dev/null
    for word in "${candidates[@]}"; do
        [[ $word == "$current"* ]] && COMPREPLY+=("$word")
    done
}

complete -o default -F _deltaadm deltaadm
