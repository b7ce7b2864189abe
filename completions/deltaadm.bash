# Completes deltaadm's command lines in bash. Written by `deltaadm completion bash`.
#
# Put it into ~/.local/share/bash-completion/completions/deltaadm, or source it in ~/.bashrc.

_deltaadm_value() {
    case "$1" in
        'inspect --version') : ;;
        'inspect --timestamp') : ;;
        'inspect --save-as') candidates=(delta parquet csv) ;;
        'inspect --table') files=1 ;;
        'inspect --tables-from') files=1 ;;
        'inspect --discover') files=1 ;;
        'inspect --catalog') : ;;
        'inspect --jobs' | 'inspect -j') : ;;
        'inspect --resume') files=1 ;;
        'inspect --engine') candidates=(embedded spark) ;;
        'inspect --spark-master') : ;;
        'inspect --remote') : ;;
        'inspect --spark-conf') : ;;
        'inspect --jars') files=1 ;;
        'inspect --output' | 'inspect -o') candidates=(text json jsonl markdown html) ;;
        'inspect --color') candidates=(auto always never) ;;
        'validate --table') files=1 ;;
        'validate --tables-from') files=1 ;;
        'validate --discover') files=1 ;;
        'validate --catalog') : ;;
        'validate --jobs' | 'validate -j') : ;;
        'validate --resume') files=1 ;;
        'validate --select') candidates=(DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985) ;;
        'validate --ignore') candidates=(DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985) ;;
        'validate --fail-on') candidates=(error warning info) ;;
        'validate --baseline') files=1 ;;
        'validate --write-baseline') files=1 ;;
        'validate --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'validate --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'validate --config') files=1 ;;
        'validate --out') files=1 ;;
        'validate --accept-irreversible') candidates=(catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck) ;;
        'validate --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'validate --engine') candidates=(embedded spark) ;;
        'validate --spark-master') : ;;
        'validate --remote') : ;;
        'validate --spark-conf') : ;;
        'validate --jars') files=1 ;;
        'validate --output' | 'validate -o') candidates=(text json jsonl sarif junit github gitlab markdown html) ;;
        'validate --output-file') files=1 ;;
        'validate --color') candidates=(auto always never) ;;
        'upgrade-protocol --reader') : ;;
        'upgrade-protocol --writer') : ;;
        'upgrade-protocol --table') files=1 ;;
        'upgrade-protocol --tables-from') files=1 ;;
        'upgrade-protocol --discover') files=1 ;;
        'upgrade-protocol --catalog') : ;;
        'upgrade-protocol --jobs' | 'upgrade-protocol -j') : ;;
        'upgrade-protocol --resume') files=1 ;;
        'upgrade-protocol --out') files=1 ;;
        'upgrade-protocol --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'upgrade-protocol --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'upgrade-protocol --accept-irreversible') candidates=(catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck) ;;
        'upgrade-protocol --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'upgrade-protocol --engine') candidates=(embedded spark) ;;
        'upgrade-protocol --spark-master') : ;;
        'upgrade-protocol --remote') : ;;
        'upgrade-protocol --spark-conf') : ;;
        'upgrade-protocol --jars') files=1 ;;
        'upgrade-protocol --output' | 'upgrade-protocol -o') candidates=(text json jsonl sql markdown html) ;;
        'upgrade-protocol --color') candidates=(auto always never) ;;
        'enable-feature --table') files=1 ;;
        'enable-feature --tables-from') files=1 ;;
        'enable-feature --discover') files=1 ;;
        'enable-feature --catalog') : ;;
        'enable-feature --jobs' | 'enable-feature -j') : ;;
        'enable-feature --resume') files=1 ;;
        'enable-feature --out') files=1 ;;
        'enable-feature --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'enable-feature --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'enable-feature --accept-irreversible') candidates=(catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck) ;;
        'enable-feature --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'enable-feature --engine') candidates=(embedded spark) ;;
        'enable-feature --spark-master') : ;;
        'enable-feature --remote') : ;;
        'enable-feature --spark-conf') : ;;
        'enable-feature --jars') files=1 ;;
        'enable-feature --output' | 'enable-feature -o') candidates=(text json jsonl sql markdown html) ;;
        'enable-feature --color') candidates=(auto always never) ;;
        'set-mapping-mode --table') files=1 ;;
        'set-mapping-mode --tables-from') files=1 ;;
        'set-mapping-mode --discover') files=1 ;;
        'set-mapping-mode --catalog') : ;;
        'set-mapping-mode --jobs' | 'set-mapping-mode -j') : ;;
        'set-mapping-mode --resume') files=1 ;;
        'set-mapping-mode --out') files=1 ;;
        'set-mapping-mode --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'set-mapping-mode --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'set-mapping-mode --accept-irreversible') candidates=(catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck) ;;
        'set-mapping-mode --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'set-mapping-mode --engine') candidates=(embedded spark) ;;
        'set-mapping-mode --spark-master') : ;;
        'set-mapping-mode --remote') : ;;
        'set-mapping-mode --spark-conf') : ;;
        'set-mapping-mode --jars') files=1 ;;
        'set-mapping-mode --output' | 'set-mapping-mode -o') candidates=(text json jsonl sql markdown html) ;;
        'set-mapping-mode --color') candidates=(auto always never) ;;
        'create --schema') files=1 ;;
        'create --as') : ;;
        'create --provider') : ;;
        'create --mode') candidates=(create create-or-replace replace) ;;
        'create --partition-by') : ;;
        'create --cluster-by') : ;;
        'create --property') candidates=(delta.appendOnly= delta.autoOptimize= delta.autoOptimize.autoCompact= delta.autoOptimize.optimizeWrite= delta.castIcebergTimeType= delta.checkpoint.writeStatsAsJson= delta.checkpoint.writeStatsAsStruct= delta.checkpointInterval= delta.checkpointPolicy= delta.checkpointRetentionDuration= delta.columnMapping.mode= delta.compatibility.symlinkFormatManifest.enabled= delta.coordinatedCommits.commitCoordinator-preview= delta.coordinatedCommits.commitCoordinatorConf-preview= delta.coordinatedCommits.tableConf-preview= delta.dataSkippingNumIndexedCols= delta.dataSkippingStatsColumns= delta.dataSkippingStringPrefixLength= delta.deletedFileRetentionDuration= delta.dropFeatureTruncateHistory.retentionDuration= delta.enableChangeDataCapture= delta.enableChangeDataFeed= delta.enableDeletionVectors= delta.enableExpiredLogCleanup= delta.enableFullRetentionRollback= delta.enableIcebergCompatV1= delta.enableIcebergCompatV2= delta.enableIcebergCompatV3= delta.enableInCommitTimestamps= delta.enableMaterializePartitionColumnsFeature= delta.enableRowTracking= delta.enableTypeWidening= delta.enableVariantShredding= delta.ignoreIcebergBucketPartition= delta.ignoreProtocolDefaults= delta.inCommitTimestampEnablementTimestamp= delta.inCommitTimestampEnablementVersion= delta.isolationLevel= delta.logRetentionDuration= delta.minReaderVersion= delta.minWriterVersion= delta.parquet.format.version= delta.randomizeFilePrefixes= delta.randomPrefixLength= delta.redirectReaderWriter-preview= delta.redirectWriterOnly-preview= delta.requireCheckpointProtectionBeforeVersion= delta.rowTrackingSuspended= delta.sampleRetentionDuration= delta.setTransactionRetentionDuration= delta.universalFormat.enabledFormats= delta.universalFormat.iceberg.atomicConversion.supported= delta.writePartitionColumnsToParquet=) ;;
        'create --comment') : ;;
        'create --location') files=1 ;;
        'create --write-option') : ;;
        'create --out') files=1 ;;
        'create --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'create --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'create --accept-irreversible') candidates=(catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck) ;;
        'create --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'create --engine') candidates=(embedded spark) ;;
        'create --spark-master') : ;;
        'create --remote') : ;;
        'create --spark-conf') : ;;
        'create --jars') files=1 ;;
        'create --output' | 'create -o') candidates=(text json jsonl sql markdown html) ;;
        'create --color') candidates=(auto always never) ;;
        'alter --add-column') : ;;
        'alter --set-type') : ;;
        'alter --drop-not-null') : ;;
        'alter --set-comment') : ;;
        'alter --set-default') : ;;
        'alter --drop-default') : ;;
        'alter --move') : ;;
        'alter --rename-column') : ;;
        'alter --drop-column') : ;;
        'alter --add-constraint') : ;;
        'alter --drop-constraint') : ;;
        'alter --cluster-by') : ;;
        'alter --set') candidates=(delta.appendOnly= delta.autoOptimize= delta.autoOptimize.autoCompact= delta.autoOptimize.optimizeWrite= delta.castIcebergTimeType= delta.checkpoint.writeStatsAsJson= delta.checkpoint.writeStatsAsStruct= delta.checkpointInterval= delta.checkpointPolicy= delta.checkpointRetentionDuration= delta.columnMapping.mode= delta.compatibility.symlinkFormatManifest.enabled= delta.coordinatedCommits.commitCoordinator-preview= delta.coordinatedCommits.commitCoordinatorConf-preview= delta.coordinatedCommits.tableConf-preview= delta.dataSkippingNumIndexedCols= delta.dataSkippingStatsColumns= delta.dataSkippingStringPrefixLength= delta.deletedFileRetentionDuration= delta.dropFeatureTruncateHistory.retentionDuration= delta.enableChangeDataCapture= delta.enableChangeDataFeed= delta.enableDeletionVectors= delta.enableExpiredLogCleanup= delta.enableFullRetentionRollback= delta.enableIcebergCompatV1= delta.enableIcebergCompatV2= delta.enableIcebergCompatV3= delta.enableInCommitTimestamps= delta.enableMaterializePartitionColumnsFeature= delta.enableRowTracking= delta.enableTypeWidening= delta.enableVariantShredding= delta.ignoreIcebergBucketPartition= delta.ignoreProtocolDefaults= delta.inCommitTimestampEnablementTimestamp= delta.inCommitTimestampEnablementVersion= delta.isolationLevel= delta.logRetentionDuration= delta.minReaderVersion= delta.minWriterVersion= delta.parquet.format.version= delta.randomizeFilePrefixes= delta.randomPrefixLength= delta.redirectReaderWriter-preview= delta.redirectWriterOnly-preview= delta.requireCheckpointProtectionBeforeVersion= delta.rowTrackingSuspended= delta.sampleRetentionDuration= delta.setTransactionRetentionDuration= delta.universalFormat.enabledFormats= delta.universalFormat.iceberg.atomicConversion.supported= delta.writePartitionColumnsToParquet=) ;;
        'alter --unset') candidates=(delta.appendOnly delta.autoOptimize delta.autoOptimize.autoCompact delta.autoOptimize.optimizeWrite delta.castIcebergTimeType delta.checkpoint.writeStatsAsJson delta.checkpoint.writeStatsAsStruct delta.checkpointInterval delta.checkpointPolicy delta.checkpointRetentionDuration delta.columnMapping.mode delta.compatibility.symlinkFormatManifest.enabled delta.coordinatedCommits.commitCoordinator-preview delta.coordinatedCommits.commitCoordinatorConf-preview delta.coordinatedCommits.tableConf-preview delta.dataSkippingNumIndexedCols delta.dataSkippingStatsColumns delta.dataSkippingStringPrefixLength delta.deletedFileRetentionDuration delta.dropFeatureTruncateHistory.retentionDuration delta.enableChangeDataCapture delta.enableChangeDataFeed delta.enableDeletionVectors delta.enableExpiredLogCleanup delta.enableFullRetentionRollback delta.enableIcebergCompatV1 delta.enableIcebergCompatV2 delta.enableIcebergCompatV3 delta.enableInCommitTimestamps delta.enableMaterializePartitionColumnsFeature delta.enableRowTracking delta.enableTypeWidening delta.enableVariantShredding delta.ignoreIcebergBucketPartition delta.ignoreProtocolDefaults delta.inCommitTimestampEnablementTimestamp delta.inCommitTimestampEnablementVersion delta.isolationLevel delta.logRetentionDuration delta.minReaderVersion delta.minWriterVersion delta.parquet.format.version delta.randomizeFilePrefixes delta.randomPrefixLength delta.redirectReaderWriter-preview delta.redirectWriterOnly-preview delta.requireCheckpointProtectionBeforeVersion delta.rowTrackingSuspended delta.sampleRetentionDuration delta.setTransactionRetentionDuration delta.universalFormat.enabledFormats delta.universalFormat.iceberg.atomicConversion.supported delta.writePartitionColumnsToParquet) ;;
        'alter --set-location') files=1 ;;
        'alter --table') files=1 ;;
        'alter --tables-from') files=1 ;;
        'alter --discover') files=1 ;;
        'alter --catalog') : ;;
        'alter --jobs' | 'alter -j') : ;;
        'alter --resume') files=1 ;;
        'alter --out') files=1 ;;
        'alter --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'alter --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'alter --accept-irreversible') candidates=(catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck) ;;
        'alter --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'alter --engine') candidates=(embedded spark) ;;
        'alter --spark-master') : ;;
        'alter --remote') : ;;
        'alter --spark-conf') : ;;
        'alter --jars') files=1 ;;
        'alter --output' | 'alter -o') candidates=(text json jsonl sql markdown html) ;;
        'alter --color') candidates=(auto always never) ;;
        'drop-feature --table') files=1 ;;
        'drop-feature --tables-from') files=1 ;;
        'drop-feature --discover') files=1 ;;
        'drop-feature --catalog') : ;;
        'drop-feature --jobs' | 'drop-feature -j') : ;;
        'drop-feature --resume') files=1 ;;
        'drop-feature --out') files=1 ;;
        'drop-feature --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'drop-feature --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'drop-feature --accept-irreversible') candidates=(catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck) ;;
        'drop-feature --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'drop-feature --engine') candidates=(embedded spark) ;;
        'drop-feature --spark-master') : ;;
        'drop-feature --remote') : ;;
        'drop-feature --spark-conf') : ;;
        'drop-feature --jars') files=1 ;;
        'drop-feature --output' | 'drop-feature -o') candidates=(text json jsonl sql markdown html) ;;
        'drop-feature --color') candidates=(auto always never) ;;
        'apply --jobs' | 'apply -j') : ;;
        'apply --max-failures') : ;;
        'apply --journal' | 'apply --resume') files=1 ;;
        'apply --for-client') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'apply --for-client-writing') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'apply --accept-irreversible') candidates=(catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck) ;;
        'apply --accept-silently-wrong') candidates=(athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino) ;;
        'apply --engine') candidates=(embedded spark) ;;
        'apply --spark-master') : ;;
        'apply --remote') : ;;
        'apply --spark-conf') : ;;
        'apply --jars') files=1 ;;
        'apply --output' | 'apply -o') candidates=(text json jsonl sql markdown html) ;;
        'apply --color') candidates=(auto always never) ;;
        'features --output' | 'features -o') candidates=(text json jsonl markdown html) ;;
        'features --color') candidates=(auto always never) ;;
        'rules --output' | 'rules -o') candidates=(text json jsonl markdown html) ;;
        'rules --color') candidates=(auto always never) ;;
        'explain --output' | 'explain -o') candidates=(text json jsonl markdown html) ;;
        'explain --color') candidates=(auto always never) ;;
        'doctor --engine') candidates=(embedded spark) ;;
        'doctor --spark-master') : ;;
        'doctor --remote') : ;;
        'doctor --spark-conf') : ;;
        'doctor --jars') files=1 ;;
        'doctor --output' | 'doctor -o') candidates=(text json jsonl markdown html) ;;
        'doctor --color') candidates=(auto always never) ;;
        *) return 1 ;;
    esac
}

_deltaadm_options() {
    case "$1" in
        '') candidates=(--version --help -h) ;;
        inspect) candidates=(--version --timestamp --files --columns --clients --save-as --table --tables-from --discover --catalog --jobs -j --brief --resume --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        validate) candidates=(--table --tables-from --discover --catalog --jobs -j --brief --resume --history --deep --cross-check --select --ignore --fail-on --baseline --write-baseline --for-client --for-client-writing --config --isolated --fix --apply --check --out --yes -y --allow-backfill --allow-rewrite --accept-irreversible --accept-silently-wrong --engine --spark-master --remote --spark-conf --jars --debug --output -o --output-file --color --help -h) ;;
        upgrade-protocol) candidates=(--reader --writer --minimum --table --tables-from --discover --catalog --jobs -j --brief --resume --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-irreversible --accept-silently-wrong --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        enable-feature) candidates=(--support-only --table --tables-from --discover --catalog --jobs -j --brief --resume --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-irreversible --accept-silently-wrong --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        set-mapping-mode) candidates=(--table --tables-from --discover --catalog --jobs -j --brief --resume --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-irreversible --accept-silently-wrong --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        create) candidates=(--schema --as --provider --mode --partition-by --cluster-by --property --comment --location --write-option --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-irreversible --accept-silently-wrong --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        alter) candidates=(--add-column --set-type --drop-not-null --set-comment --set-default --drop-default --move --rename-column --drop-column --add-constraint --drop-constraint --cluster-by --no-cluster-by --set --unset --set-location --checkpoint --table --tables-from --discover --catalog --jobs -j --brief --resume --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-irreversible --accept-silently-wrong --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        drop-feature) candidates=(--truncate-history --status --table --tables-from --discover --catalog --jobs -j --brief --resume --apply --check --out --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-irreversible --accept-silently-wrong --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        apply) candidates=(--jobs -j --max-failures --journal --resume --for-client --for-client-writing --yes -y --allow-backfill --allow-rewrite --accept-irreversible --accept-silently-wrong --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        features) candidates=(--output -o --color --help -h) ;;
        rules) candidates=(--output -o --color --help -h) ;;
        explain) candidates=(--output -o --color --help -h) ;;
        doctor) candidates=(--start --engine --spark-master --remote --spark-conf --jars --debug --output -o --color --help -h) ;;
        schema) candidates=(--help -h) ;;
        completion) candidates=(--help -h) ;;
    esac
}

_deltaadm_argument() {
    case "$1" in
        ' 0') candidates=(inspect validate upgrade-protocol enable-feature set-mapping-mode create alter drop-feature apply features rules explain doctor schema completion) ;;
        'inspect '*) files=1 ;;
        'validate '*) files=1 ;;
        'upgrade-protocol '*) files=1 ;;
        'enable-feature 0') files=1 ;;
        'enable-feature '*) candidates=(allowColumnDefaults appendOnly changeDataFeed checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns rowTracking timestampNtz typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview) ;;
        'set-mapping-mode 0') files=1 ;;
        'set-mapping-mode 1') candidates=(none id name) ;;
        'create 0') files=1 ;;
        'alter '*) files=1 ;;
        'drop-feature 0') files=1 ;;
        'drop-feature 1') candidates=(adaptiveMetadata adaptiveMetadata-preview allowColumnDefaults appendOnly catalogManaged catalogOwned-preview changeDataFeed checkConstraints checkpointProtection clustering collations collations-preview columnMapping columnMappingUsageTracking coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 icebergWriterCompatV1 icebergWriterCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns redirectReaderWriter-preview redirectWriterOnly-preview rowTracking timestampNanos timestampNtz timestampWithoutTimezone typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview) ;;
        'apply 0') files=1 ;;
        'features 0') candidates=(adaptiveMetadata adaptiveMetadata-preview allowColumnDefaults appendOnly catalogManaged catalogOwned-preview changeDataFeed checkConstraints checkpointProtection clustering collations collations-preview columnMapping columnMappingUsageTracking coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 icebergWriterCompatV1 icebergWriterCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns redirectReaderWriter-preview redirectWriterOnly-preview rowTracking timestampNanos timestampNtz timestampWithoutTimezone typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview) ;;
        'rules '*) candidates=(DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985) ;;
        'explain '*) candidates=(DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985 adaptiveMetadata adaptiveMetadata-preview allowColumnDefaults appendOnly catalogManaged catalogOwned-preview changeDataFeed checkConstraints checkpointProtection clustering collations collations-preview columnMapping columnMappingUsageTracking coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 icebergWriterCompatV1 icebergWriterCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns redirectReaderWriter-preview redirectWriterOnly-preview rowTracking timestampNanos timestampNtz timestampWithoutTimezone typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED DELTA_ADD_CONSTRAINTS DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE DELTA_CANNOT_DROP_GEOSPATIAL_FEATURE DELTA_CANNOT_MODIFY_APPEND_ONLY DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES DELTA_CANNOT_MODIFY_TABLE_PROPERTY DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS DELTA_CANNOT_WRITE_EMPTY_SCHEMA DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED DELTA_CLUSTERING_COLUMN_MISSING_STATS DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY DELTA_COLUMN_NOT_FOUND_IN_SCHEMA DELTA_COLUMN_PATH_NOT_NESTED DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND DELTA_CONSTRAINT_ALREADY_EXISTS DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE DELTA_CONSTRAINT_DOES_NOT_EXIST DELTA_CREATE_TABLE_SCHEME_MISMATCH DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION DELTA_DOMAIN_METADATA_NOT_SUPPORTED DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA DELTA_DUPLICATE_ACTIONS_FOUND DELTA_DUPLICATE_COLUMNS_FOUND DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD DELTA_FEATURE_DROP_DEPENDENT_FEATURE DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH DELTA_GEOSPATIAL_NOT_SUPPORTED DELTA_ICEBERG_COMPAT_VIOLATION DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED DELTA_INVALID_CALENDAR_INTERVAL_EMPTY DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING DELTA_INVALID_CONSTRAINT_NAME DELTA_INVALID_INTERVAL DELTA_INVALID_ISOLATION_LEVEL DELTA_INVALID_PARTITION_COLUMN_NAME DELTA_INVALID_PROTOCOL_VERSION DELTA_METADATA_CHANGED DELTA_MISSING_COMMIT_INFO DELTA_MISSING_COMMIT_TIMESTAMP DELTA_MISSING_DELTA_TABLE DELTA_MISSING_PART_FILES DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND DELTA_NESTED_NOT_NULL_CONSTRAINT DELTA_NEW_CHECK_CONSTRAINT_VIOLATION DELTA_NO_RECREATABLE_HISTORY_FOUND DELTA_OPERATION_NOT_ALLOWED DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED DELTA_PROTOCOL_CHANGED DELTA_PROTOCOL_PROPERTY_NOT_INT DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION DELTA_SCHEMA_NOT_PROVIDED DELTA_SET_LOCATION_SCHEMA_MISMATCH DELTA_STATE_RECOVER_ERROR DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS DELTA_TABLE_ONLY_OPERATION DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION DELTA_TIMESTAMP_GREATER_THAN_COMMIT DELTA_TRUNCATED_TRANSACTION_LOG DELTA_TXN_LOG_FAILED_INTEGRITY DELTA_UNIVERSAL_FORMAT_VIOLATION DELTA_UNKNOWN_CONFIGURATION DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL DELTA_UNSUPPORTED_COLUMN_MAPPING_SCHEMA_CHANGE DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY DELTA_UNSUPPORTED_DATA_TYPES DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN DELTA_UNSUPPORTED_DROP_COLUMN DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN DELTA_UNSUPPORTED_FEATURES_FOR_READ DELTA_UNSUPPORTED_FEATURES_FOR_WRITE DELTA_UNSUPPORTED_FEATURES_IN_CONFIG DELTA_UNSUPPORTED_FEATURE_STATUS DELTA_UNSUPPORTED_RENAME_COLUMN DELTA_VERSIONS_NOT_CONTIGUOUS DELTA_VERSION_NOT_FOUND DELTA_VIOLATE_CONSTRAINT_WITH_VALUES DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED FAILED_READ_FILE INVALID_FIELD_NAME INVALID_HANDLE INVALID_JSON_DATA_TYPE INVALID_PARTITION_COLUMN_DATA_TYPE UNSUPPORTED_DATA_TYPE UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE UNSUPPORTED_FEATURE UNSUPPORTED_TABLE_CHANGE UNSUPPORTED_TIME_TYPE UNSUPPORTED_TYPE_WIDENING) ;;
        'doctor '*) : ;;
        'schema 0') candidates=(baseline best-effort doctor drop-feature error error-class feature features inspect journal line outcome parent-changes plan rule rules validate) ;;
        'completion 0') candidates=(bash zsh fish powershell) ;;
    esac
}

_deltaadm() {
    local command='' expected='' current='' word='' files='' glue=''
    local -a words=() candidates=()
    local -i place=0 tables=0 ended=0 index
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
            [[ $word =~ ^--(table|tables-from|discover|catalog)(=|$) ]] && tables=1
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
        _deltaadm_argument "$command $((place + tables))"
    fi

    # Readline completes the names of files where there is no answer, if it may.
    [[ $files ]] && return
    compopt +o default 2>/dev/null
    for word in "${candidates[@]}"; do
        [[ $word == "$current"* && ($word != *= || $word != "$current") ]] && COMPREPLY+=("$word")
    done
    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
}

complete -o default -F _deltaadm deltaadm
