# Completes deltaadm's command lines in PowerShell. Written by `deltaadm completion powershell`.
#
# Run it in your profile: . path/to/deltaadm.ps1

Register-ArgumentCompleter -Native -CommandName deltaadm -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $options = @{
        '' = [ordered]@{
            '--version' = 'Show the version and stop.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'inspect' = [ordered]@{
            '--version' = 'The table as it was at version N.'
            '--timestamp' = 'As of a time: ISO 8601, or milliseconds since 1970.'
            '--files' = 'Count the live files; reads the whole state.'
            '--columns' = 'List columns with their ids and physical names.'
            '--clients' = 'List every client with its verdict and the sources.'
            '--tables-from' = 'A file with a table a line, - for standard input; # begins a comment.'
            '--discover' = 'All tables below it; may be given several times.'
            '--catalog' = 'All Delta tables with such names in Spark''s catalogs, as main.sales.*; may be given several times.'
            '--jobs' = 'So many tables at the same time; as many as there are processors if left out.'
            '-j' = 'So many tables at the same time; as many as there are processors if left out.'
            '--brief' = 'A line for each table and an overview, as for tables that options name.'
            '--resume' = 'Go on with an interrupted run, whose -o jsonl went to FILE.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'validate' = [ordered]@{
            '--tables-from' = 'A file with a table a line, - for standard input; # begins a comment.'
            '--discover' = 'All tables below it; may be given several times.'
            '--catalog' = 'All Delta tables with such names in Spark''s catalogs, as main.sales.*; may be given several times.'
            '--jobs' = 'So many tables at the same time; as many as there are processors if left out.'
            '-j' = 'So many tables at the same time; as many as there are processors if left out.'
            '--brief' = 'A line for each table and an overview, as for tables that options name.'
            '--resume' = 'Go on with an interrupted run, whose -o jsonl went to FILE.'
            '--history' = 'Every commit that is still in the log.'
            '--deep' = 'Whole checkpoints, sidecars and data files as well.'
            '--cross-check' = 'Compare with what deltalake reads.'
            '--select' = 'Only these rules: codes or families such as DL4, with commas.'
            '--ignore' = 'All rules but these, given as with --select.'
            '--fail-on' = 'From where on findings give exit code 1: error (default), warning, info.'
            '--baseline' = 'Findings that are known; only others count.'
            '--write-baseline' = 'Save all findings as known; exit with 0.'
            '--for-client' = 'It must be able to read: NAME or NAME@VERSION, such as trino@480.'
            '--for-client-writing' = 'It must be able to write, given likewise.'
            '--config' = 'Settings; deltaadm.toml or pyproject.toml otherwise.'
            '--isolated' = 'Look for no file with settings.'
            '--fix' = 'Plan whatever deltaadm can mend, as one plan.'
            '--apply' = 'Commit the plan; without it, it is only shown.'
            '--check' = 'Exit with 1 if the plan is not empty.'
            '--out' = 'Save the plan, for `deltaadm apply FILE`.'
            '--yes' = 'Do not ask before a metadata-only change.'
            '-y' = 'Do not ask before a metadata-only change.'
            '--allow-backfill' = 'Do not ask before listing every file anew.'
            '--allow-rewrite' = 'Do not ask before rewriting every data file.'
            '--accept-irreversible' = 'Do not ask before destroying history to drop it; may be given several times.'
            '--accept-silently-wrong' = 'Do not ask before this client gets wrong data; may be given several times.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, sarif, junit, github, gitlab, markdown or html, each with the file it goes to if that is not standard output; may be given several times.'
            '-o' = 'text, json, jsonl, sarif, junit, github, gitlab, markdown or html, each with the file it goes to if that is not standard output; may be given several times.'
            '--output-file' = 'Where the format without a file goes, not standard output.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'upgrade-protocol' = [ordered]@{
            '--reader' = 'Reader version of at least N.'
            '--writer' = 'Writer version of at least N.'
            '--minimum' = 'Drop the features that the table does not need instead.'
            '--apply' = 'Commit the plan; without it, it is only shown.'
            '--check' = 'Exit with 1 if the plan is not empty.'
            '--out' = 'Save the plan, for `deltaadm apply FILE`.'
            '--for-client' = 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
            '--for-client-writing' = 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
            '--yes' = 'Do not ask before a metadata-only change.'
            '-y' = 'Do not ask before a metadata-only change.'
            '--allow-backfill' = 'Do not ask before listing every file anew.'
            '--allow-rewrite' = 'Do not ask before rewriting every data file.'
            '--accept-irreversible' = 'Do not ask before destroying history to drop it; may be given several times.'
            '--accept-silently-wrong' = 'Do not ask before this client gets wrong data; may be given several times.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'enable-feature' = [ordered]@{
            '--support-only' = 'Add to the protocol without making it active.'
            '--apply' = 'Commit the plan; without it, it is only shown.'
            '--check' = 'Exit with 1 if the plan is not empty.'
            '--out' = 'Save the plan, for `deltaadm apply FILE`.'
            '--for-client' = 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
            '--for-client-writing' = 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
            '--yes' = 'Do not ask before a metadata-only change.'
            '-y' = 'Do not ask before a metadata-only change.'
            '--allow-backfill' = 'Do not ask before listing every file anew.'
            '--allow-rewrite' = 'Do not ask before rewriting every data file.'
            '--accept-irreversible' = 'Do not ask before destroying history to drop it; may be given several times.'
            '--accept-silently-wrong' = 'Do not ask before this client gets wrong data; may be given several times.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'set-mapping-mode' = [ordered]@{
            '--apply' = 'Commit the plan; without it, it is only shown.'
            '--check' = 'Exit with 1 if the plan is not empty.'
            '--out' = 'Save the plan, for `deltaadm apply FILE`.'
            '--for-client' = 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
            '--for-client-writing' = 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
            '--yes' = 'Do not ask before a metadata-only change.'
            '-y' = 'Do not ask before a metadata-only change.'
            '--allow-backfill' = 'Do not ask before listing every file anew.'
            '--allow-rewrite' = 'Do not ask before rewriting every data file.'
            '--accept-irreversible' = 'Do not ask before destroying history to drop it; may be given several times.'
            '--accept-silently-wrong' = 'Do not ask before this client gets wrong data; may be given several times.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'alter' = [ordered]@{
            '--add-column' = 'Add a column, as in: ''s.x INT COMMENT "why" AFTER y''.'
            '--set-type' = 'Widen a column''s type, as in: id=BIGINT.'
            '--drop-not-null' = 'Let a column hold nulls.'
            '--set-comment' = 'Set a column''s comment.'
            '--set-default' = 'Set the default of rows to come.'
            '--drop-default' = 'Drop a column''s default.'
            '--move' = 'Move a column: ''id FIRST'', or ''b AFTER a''.'
            '--rename-column' = 'Rename a column; the rows stay.'
            '--drop-column' = 'Drop a column.'
            '--add-constraint' = 'Add a CHECK constraint, as in: ''positive=amount > 0''. Delta reads every row.'
            '--drop-constraint' = 'Drop a constraint.'
            '--cluster-by' = 'Cluster the table by these columns, at most four.'
            '--no-cluster-by' = 'Cluster the table by nothing any more.'
            '--set' = 'Set a property.'
            '--unset' = 'Remove a property.'
            '--checkpoint' = 'Write a checkpoint of the newest version; no Spark.'
            '--apply' = 'Commit the plan; without it, it is only shown.'
            '--check' = 'Exit with 1 if the plan is not empty.'
            '--out' = 'Save the plan, for `deltaadm apply FILE`.'
            '--for-client' = 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
            '--for-client-writing' = 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
            '--yes' = 'Do not ask before a metadata-only change.'
            '-y' = 'Do not ask before a metadata-only change.'
            '--allow-backfill' = 'Do not ask before listing every file anew.'
            '--allow-rewrite' = 'Do not ask before rewriting every data file.'
            '--accept-irreversible' = 'Do not ask before destroying history to drop it; may be given several times.'
            '--accept-silently-wrong' = 'Do not ask before this client gets wrong data; may be given several times.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'drop-feature' = [ordered]@{
            '--truncate-history' = 'Destroy history that needs the feature rather than protect checkpoints.'
            '--status' = 'Say what dropping takes, and when it can go on.'
            '--apply' = 'Commit the plan; without it, it is only shown.'
            '--check' = 'Exit with 1 if the plan is not empty.'
            '--out' = 'Save the plan, for `deltaadm apply FILE`.'
            '--for-client' = 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
            '--for-client-writing' = 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
            '--yes' = 'Do not ask before a metadata-only change.'
            '-y' = 'Do not ask before a metadata-only change.'
            '--allow-backfill' = 'Do not ask before listing every file anew.'
            '--allow-rewrite' = 'Do not ask before rewriting every data file.'
            '--accept-irreversible' = 'Do not ask before destroying history to drop it; may be given several times.'
            '--accept-silently-wrong' = 'Do not ask before this client gets wrong data; may be given several times.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'apply' = [ordered]@{
            '--for-client' = 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
            '--for-client-writing' = 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
            '--yes' = 'Do not ask before a metadata-only change.'
            '-y' = 'Do not ask before a metadata-only change.'
            '--allow-backfill' = 'Do not ask before listing every file anew.'
            '--allow-rewrite' = 'Do not ask before rewriting every data file.'
            '--accept-irreversible' = 'Do not ask before destroying history to drop it; may be given several times.'
            '--accept-silently-wrong' = 'Do not ask before this client gets wrong data; may be given several times.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'features' = [ordered]@{
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'rules' = [ordered]@{
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'explain' = [ordered]@{
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'doctor' = [ordered]@{
            '--start' = 'Also start Spark, and see whether Delta answers.'
            '--engine' = 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
            '--spark-master' = 'Spark master; this machine if left out.'
            '--remote' = 'Spark Connect server, sc://host:port.'
            '--spark-conf' = 'A Spark setting; may be given several times.'
            '--jars' = 'A jar, or a directory of jars, for the Spark that is started: Delta''s own, where they cannot be fetched.'
            '--debug' = 'Show Spark''s own messages on standard error.'
            '--output' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '-o' = 'text, json, jsonl, markdown or html; for plans also sql.'
            '--color' = 'auto, always or never.'
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'schema' = [ordered]@{
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
        'completion' = [ordered]@{
            '--help' = 'Show this message and exit.'
            '-h' = 'Show this message and exit.'
        }
    }
    $values = @{
        'inspect --version' = @()
        'inspect --timestamp' = @()
        'inspect --tables-from' = @('<files>')
        'inspect --discover' = @('<files>')
        'inspect --catalog' = @()
        'inspect --jobs' = @()
        'inspect -j' = @()
        'inspect --resume' = @('<files>')
        'inspect --engine' = @('embedded', 'spark')
        'inspect --spark-master' = @()
        'inspect --remote' = @()
        'inspect --spark-conf' = @()
        'inspect --jars' = @()
        'inspect --output' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'inspect -o' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'inspect --color' = @('auto', 'always', 'never')
        'validate --tables-from' = @('<files>')
        'validate --discover' = @('<files>')
        'validate --catalog' = @()
        'validate --jobs' = @()
        'validate -j' = @()
        'validate --resume' = @('<files>')
        'validate --select' = @('DL1', 'DL2', 'DL3', 'DL4', 'DL5', 'DL6', 'DL7', 'DL8', 'DL9', 'DL100', 'DL101', 'DL102', 'DL103', 'DL104', 'DL105', 'DL106', 'DL107', 'DL108', 'DL109', 'DL110', 'DL111', 'DL112', 'DL113', 'DL114', 'DL115', 'DL116', 'DL117', 'DL118', 'DL119', 'DL120', 'DL121', 'DL122', 'DL123', 'DL124', 'DL125', 'DL126', 'DL127', 'DL201', 'DL202', 'DL203', 'DL204', 'DL205', 'DL206', 'DL207', 'DL208', 'DL209', 'DL210', 'DL211', 'DL212', 'DL213', 'DL214', 'DL215', 'DL216', 'DL217', 'DL218', 'DL219', 'DL220', 'DL221', 'DL222', 'DL223', 'DL301', 'DL302', 'DL303', 'DL304', 'DL305', 'DL306', 'DL307', 'DL308', 'DL309', 'DL310', 'DL311', 'DL312', 'DL313', 'DL314', 'DL315', 'DL316', 'DL317', 'DL318', 'DL319', 'DL320', 'DL321', 'DL322', 'DL323', 'DL324', 'DL325', 'DL326', 'DL401', 'DL402', 'DL403', 'DL404', 'DL405', 'DL406', 'DL407', 'DL408', 'DL409', 'DL410', 'DL411', 'DL412', 'DL413', 'DL414', 'DL415', 'DL416', 'DL417', 'DL418', 'DL419', 'DL420', 'DL501', 'DL502', 'DL503', 'DL504', 'DL505', 'DL506', 'DL507', 'DL508', 'DL509', 'DL510', 'DL511', 'DL512', 'DL513', 'DL514', 'DL515', 'DL516', 'DL517', 'DL518', 'DL519', 'DL520', 'DL521', 'DL522', 'DL523', 'DL524', 'DL525', 'DL526', 'DL527', 'DL528', 'DL529', 'DL530', 'DL531', 'DL532', 'DL601', 'DL602', 'DL603', 'DL604', 'DL605', 'DL606', 'DL607', 'DL608', 'DL609', 'DL610', 'DL611', 'DL612', 'DL613', 'DL614', 'DL615', 'DL616', 'DL701', 'DL702', 'DL703', 'DL704', 'DL705', 'DL706', 'DL707', 'DL708', 'DL709', 'DL710', 'DL711', 'DL712', 'DL713', 'DL714', 'DL715', 'DL716', 'DL717', 'DL718', 'DL719', 'DL720', 'DL721', 'DL801', 'DL802', 'DL803', 'DL804', 'DL805', 'DL806', 'DL807', 'DL808', 'DL809', 'DL810', 'DL811', 'DL812', 'DL901', 'DL902', 'DL903', 'DL904', 'DL905', 'DL906', 'DL907', 'DL908', 'DL950', 'DL981', 'DL982', 'DL983', 'DL984', 'DL985')
        'validate --ignore' = @('DL1', 'DL2', 'DL3', 'DL4', 'DL5', 'DL6', 'DL7', 'DL8', 'DL9', 'DL100', 'DL101', 'DL102', 'DL103', 'DL104', 'DL105', 'DL106', 'DL107', 'DL108', 'DL109', 'DL110', 'DL111', 'DL112', 'DL113', 'DL114', 'DL115', 'DL116', 'DL117', 'DL118', 'DL119', 'DL120', 'DL121', 'DL122', 'DL123', 'DL124', 'DL125', 'DL126', 'DL127', 'DL201', 'DL202', 'DL203', 'DL204', 'DL205', 'DL206', 'DL207', 'DL208', 'DL209', 'DL210', 'DL211', 'DL212', 'DL213', 'DL214', 'DL215', 'DL216', 'DL217', 'DL218', 'DL219', 'DL220', 'DL221', 'DL222', 'DL223', 'DL301', 'DL302', 'DL303', 'DL304', 'DL305', 'DL306', 'DL307', 'DL308', 'DL309', 'DL310', 'DL311', 'DL312', 'DL313', 'DL314', 'DL315', 'DL316', 'DL317', 'DL318', 'DL319', 'DL320', 'DL321', 'DL322', 'DL323', 'DL324', 'DL325', 'DL326', 'DL401', 'DL402', 'DL403', 'DL404', 'DL405', 'DL406', 'DL407', 'DL408', 'DL409', 'DL410', 'DL411', 'DL412', 'DL413', 'DL414', 'DL415', 'DL416', 'DL417', 'DL418', 'DL419', 'DL420', 'DL501', 'DL502', 'DL503', 'DL504', 'DL505', 'DL506', 'DL507', 'DL508', 'DL509', 'DL510', 'DL511', 'DL512', 'DL513', 'DL514', 'DL515', 'DL516', 'DL517', 'DL518', 'DL519', 'DL520', 'DL521', 'DL522', 'DL523', 'DL524', 'DL525', 'DL526', 'DL527', 'DL528', 'DL529', 'DL530', 'DL531', 'DL532', 'DL601', 'DL602', 'DL603', 'DL604', 'DL605', 'DL606', 'DL607', 'DL608', 'DL609', 'DL610', 'DL611', 'DL612', 'DL613', 'DL614', 'DL615', 'DL616', 'DL701', 'DL702', 'DL703', 'DL704', 'DL705', 'DL706', 'DL707', 'DL708', 'DL709', 'DL710', 'DL711', 'DL712', 'DL713', 'DL714', 'DL715', 'DL716', 'DL717', 'DL718', 'DL719', 'DL720', 'DL721', 'DL801', 'DL802', 'DL803', 'DL804', 'DL805', 'DL806', 'DL807', 'DL808', 'DL809', 'DL810', 'DL811', 'DL812', 'DL901', 'DL902', 'DL903', 'DL904', 'DL905', 'DL906', 'DL907', 'DL908', 'DL950', 'DL981', 'DL982', 'DL983', 'DL984', 'DL985')
        'validate --fail-on' = @('error', 'warning', 'info')
        'validate --baseline' = @('<files>')
        'validate --write-baseline' = @('<files>')
        'validate --for-client' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'validate --for-client-writing' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'validate --config' = @('<files>')
        'validate --out' = @('<files>')
        'validate --accept-irreversible' = @('catalogManaged', 'checkConstraints', 'checkpointProtection', 'columnMapping', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'geospatial', 'geospatial-dev', 'inCommitTimestamp', 'materializePartitionColumns', 'rowTracking', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck')
        'validate --accept-silently-wrong' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'validate --engine' = @('embedded', 'spark')
        'validate --spark-master' = @()
        'validate --remote' = @()
        'validate --spark-conf' = @()
        'validate --jars' = @()
        'validate --output' = @('text', 'json', 'jsonl', 'sarif', 'junit', 'github', 'gitlab', 'markdown', 'html')
        'validate -o' = @('text', 'json', 'jsonl', 'sarif', 'junit', 'github', 'gitlab', 'markdown', 'html')
        'validate --output-file' = @('<files>')
        'validate --color' = @('auto', 'always', 'never')
        'upgrade-protocol --reader' = @()
        'upgrade-protocol --writer' = @()
        'upgrade-protocol --out' = @('<files>')
        'upgrade-protocol --for-client' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'upgrade-protocol --for-client-writing' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'upgrade-protocol --accept-irreversible' = @('catalogManaged', 'checkConstraints', 'checkpointProtection', 'columnMapping', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'geospatial', 'geospatial-dev', 'inCommitTimestamp', 'materializePartitionColumns', 'rowTracking', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck')
        'upgrade-protocol --accept-silently-wrong' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'upgrade-protocol --engine' = @('embedded', 'spark')
        'upgrade-protocol --spark-master' = @()
        'upgrade-protocol --remote' = @()
        'upgrade-protocol --spark-conf' = @()
        'upgrade-protocol --jars' = @()
        'upgrade-protocol --output' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'upgrade-protocol -o' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'upgrade-protocol --color' = @('auto', 'always', 'never')
        'enable-feature --out' = @('<files>')
        'enable-feature --for-client' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'enable-feature --for-client-writing' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'enable-feature --accept-irreversible' = @('catalogManaged', 'checkConstraints', 'checkpointProtection', 'columnMapping', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'geospatial', 'geospatial-dev', 'inCommitTimestamp', 'materializePartitionColumns', 'rowTracking', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck')
        'enable-feature --accept-silently-wrong' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'enable-feature --engine' = @('embedded', 'spark')
        'enable-feature --spark-master' = @()
        'enable-feature --remote' = @()
        'enable-feature --spark-conf' = @()
        'enable-feature --jars' = @()
        'enable-feature --output' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'enable-feature -o' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'enable-feature --color' = @('auto', 'always', 'never')
        'set-mapping-mode --out' = @('<files>')
        'set-mapping-mode --for-client' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'set-mapping-mode --for-client-writing' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'set-mapping-mode --accept-irreversible' = @('catalogManaged', 'checkConstraints', 'checkpointProtection', 'columnMapping', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'geospatial', 'geospatial-dev', 'inCommitTimestamp', 'materializePartitionColumns', 'rowTracking', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck')
        'set-mapping-mode --accept-silently-wrong' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'set-mapping-mode --engine' = @('embedded', 'spark')
        'set-mapping-mode --spark-master' = @()
        'set-mapping-mode --remote' = @()
        'set-mapping-mode --spark-conf' = @()
        'set-mapping-mode --jars' = @()
        'set-mapping-mode --output' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'set-mapping-mode -o' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'set-mapping-mode --color' = @('auto', 'always', 'never')
        'alter --add-column' = @()
        'alter --set-type' = @()
        'alter --drop-not-null' = @()
        'alter --set-comment' = @()
        'alter --set-default' = @()
        'alter --drop-default' = @()
        'alter --move' = @()
        'alter --rename-column' = @()
        'alter --drop-column' = @()
        'alter --add-constraint' = @()
        'alter --drop-constraint' = @()
        'alter --cluster-by' = @()
        'alter --set' = @()
        'alter --unset' = @()
        'alter --out' = @('<files>')
        'alter --for-client' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'alter --for-client-writing' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'alter --accept-irreversible' = @('catalogManaged', 'checkConstraints', 'checkpointProtection', 'columnMapping', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'geospatial', 'geospatial-dev', 'inCommitTimestamp', 'materializePartitionColumns', 'rowTracking', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck')
        'alter --accept-silently-wrong' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'alter --engine' = @('embedded', 'spark')
        'alter --spark-master' = @()
        'alter --remote' = @()
        'alter --spark-conf' = @()
        'alter --jars' = @()
        'alter --output' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'alter -o' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'alter --color' = @('auto', 'always', 'never')
        'drop-feature --out' = @('<files>')
        'drop-feature --for-client' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'drop-feature --for-client-writing' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'drop-feature --accept-irreversible' = @('catalogManaged', 'checkConstraints', 'checkpointProtection', 'columnMapping', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'geospatial', 'geospatial-dev', 'inCommitTimestamp', 'materializePartitionColumns', 'rowTracking', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck')
        'drop-feature --accept-silently-wrong' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'drop-feature --engine' = @('embedded', 'spark')
        'drop-feature --spark-master' = @()
        'drop-feature --remote' = @()
        'drop-feature --spark-conf' = @()
        'drop-feature --jars' = @()
        'drop-feature --output' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'drop-feature -o' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'drop-feature --color' = @('auto', 'always', 'never')
        'apply --for-client' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'apply --for-client-writing' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'apply --accept-irreversible' = @('catalogManaged', 'checkConstraints', 'checkpointProtection', 'columnMapping', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'geospatial', 'geospatial-dev', 'inCommitTimestamp', 'materializePartitionColumns', 'rowTracking', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck')
        'apply --accept-silently-wrong' = @('athena', 'bigquery', 'clickhouse', 'daft', 'databricks', 'delta-kernel-java', 'delta-kernel-rs', 'delta-rs', 'delta-spark', 'duckdb-delta', 'fabric-spark', 'fabric-sql', 'flink', 'hive', 'polars', 'power-bi', 'presto', 'redshift-spectrum', 'snowflake', 'starrocks', 'synapse-serverless', 'trino')
        'apply --engine' = @('embedded', 'spark')
        'apply --spark-master' = @()
        'apply --remote' = @()
        'apply --spark-conf' = @()
        'apply --jars' = @()
        'apply --output' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'apply -o' = @('text', 'json', 'jsonl', 'sql', 'markdown', 'html')
        'apply --color' = @('auto', 'always', 'never')
        'features --output' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'features -o' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'features --color' = @('auto', 'always', 'never')
        'rules --output' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'rules -o' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'rules --color' = @('auto', 'always', 'never')
        'explain --output' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'explain -o' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'explain --color' = @('auto', 'always', 'never')
        'doctor --engine' = @('embedded', 'spark')
        'doctor --spark-master' = @()
        'doctor --remote' = @()
        'doctor --spark-conf' = @()
        'doctor --jars' = @()
        'doctor --output' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'doctor -o' = @('text', 'json', 'jsonl', 'markdown', 'html')
        'doctor --color' = @('auto', 'always', 'never')
    }
    $arguments = @{
        ' 0' = @('inspect', 'validate', 'upgrade-protocol', 'enable-feature', 'set-mapping-mode', 'alter', 'drop-feature', 'apply', 'features', 'rules', 'explain', 'doctor', 'schema', 'completion')
        'inspect 0+' = @('<files>')
        'validate 0+' = @('<files>')
        'upgrade-protocol 0' = @('<files>')
        'enable-feature 0' = @('<files>')
        'enable-feature 1+' = @('allowColumnDefaults', 'appendOnly', 'changeDataFeed', 'checkConstraints', 'checkpointProtection', 'columnMapping', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'generatedColumns', 'geospatial', 'geospatial-dev', 'icebergCompatV1', 'icebergCompatV2', 'icebergCompatV3', 'identityColumns', 'inCommitTimestamp', 'invariants', 'materializePartitionColumns', 'rowTracking', 'timestampNtz', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck', 'variantShredding', 'variantShredding-preview', 'variantType', 'variantType-preview')
        'set-mapping-mode 0' = @('<files>')
        'set-mapping-mode 1' = @('none', 'id', 'name')
        'alter 0' = @('<files>')
        'drop-feature 0' = @('<files>')
        'drop-feature 1' = @('adaptiveMetadata', 'adaptiveMetadata-preview', 'allowColumnDefaults', 'appendOnly', 'catalogManaged', 'catalogOwned-preview', 'changeDataFeed', 'checkConstraints', 'checkpointProtection', 'clustering', 'collations', 'collations-preview', 'columnMapping', 'columnMappingUsageTracking', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'generatedColumns', 'geospatial', 'geospatial-dev', 'icebergCompatV1', 'icebergCompatV2', 'icebergCompatV3', 'icebergWriterCompatV1', 'icebergWriterCompatV3', 'identityColumns', 'inCommitTimestamp', 'invariants', 'materializePartitionColumns', 'redirectReaderWriter-preview', 'redirectWriterOnly-preview', 'rowTracking', 'timestampNanos', 'timestampNtz', 'timestampWithoutTimezone', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck', 'variantShredding', 'variantShredding-preview', 'variantType', 'variantType-preview')
        'apply 0' = @('<files>')
        'features 0' = @('adaptiveMetadata', 'adaptiveMetadata-preview', 'allowColumnDefaults', 'appendOnly', 'catalogManaged', 'catalogOwned-preview', 'changeDataFeed', 'checkConstraints', 'checkpointProtection', 'clustering', 'collations', 'collations-preview', 'columnMapping', 'columnMappingUsageTracking', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'generatedColumns', 'geospatial', 'geospatial-dev', 'icebergCompatV1', 'icebergCompatV2', 'icebergCompatV3', 'icebergWriterCompatV1', 'icebergWriterCompatV3', 'identityColumns', 'inCommitTimestamp', 'invariants', 'materializePartitionColumns', 'redirectReaderWriter-preview', 'redirectWriterOnly-preview', 'rowTracking', 'timestampNanos', 'timestampNtz', 'timestampWithoutTimezone', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck', 'variantShredding', 'variantShredding-preview', 'variantType', 'variantType-preview')
        'rules 0+' = @('DL1', 'DL2', 'DL3', 'DL4', 'DL5', 'DL6', 'DL7', 'DL8', 'DL9', 'DL100', 'DL101', 'DL102', 'DL103', 'DL104', 'DL105', 'DL106', 'DL107', 'DL108', 'DL109', 'DL110', 'DL111', 'DL112', 'DL113', 'DL114', 'DL115', 'DL116', 'DL117', 'DL118', 'DL119', 'DL120', 'DL121', 'DL122', 'DL123', 'DL124', 'DL125', 'DL126', 'DL127', 'DL201', 'DL202', 'DL203', 'DL204', 'DL205', 'DL206', 'DL207', 'DL208', 'DL209', 'DL210', 'DL211', 'DL212', 'DL213', 'DL214', 'DL215', 'DL216', 'DL217', 'DL218', 'DL219', 'DL220', 'DL221', 'DL222', 'DL223', 'DL301', 'DL302', 'DL303', 'DL304', 'DL305', 'DL306', 'DL307', 'DL308', 'DL309', 'DL310', 'DL311', 'DL312', 'DL313', 'DL314', 'DL315', 'DL316', 'DL317', 'DL318', 'DL319', 'DL320', 'DL321', 'DL322', 'DL323', 'DL324', 'DL325', 'DL326', 'DL401', 'DL402', 'DL403', 'DL404', 'DL405', 'DL406', 'DL407', 'DL408', 'DL409', 'DL410', 'DL411', 'DL412', 'DL413', 'DL414', 'DL415', 'DL416', 'DL417', 'DL418', 'DL419', 'DL420', 'DL501', 'DL502', 'DL503', 'DL504', 'DL505', 'DL506', 'DL507', 'DL508', 'DL509', 'DL510', 'DL511', 'DL512', 'DL513', 'DL514', 'DL515', 'DL516', 'DL517', 'DL518', 'DL519', 'DL520', 'DL521', 'DL522', 'DL523', 'DL524', 'DL525', 'DL526', 'DL527', 'DL528', 'DL529', 'DL530', 'DL531', 'DL532', 'DL601', 'DL602', 'DL603', 'DL604', 'DL605', 'DL606', 'DL607', 'DL608', 'DL609', 'DL610', 'DL611', 'DL612', 'DL613', 'DL614', 'DL615', 'DL616', 'DL701', 'DL702', 'DL703', 'DL704', 'DL705', 'DL706', 'DL707', 'DL708', 'DL709', 'DL710', 'DL711', 'DL712', 'DL713', 'DL714', 'DL715', 'DL716', 'DL717', 'DL718', 'DL719', 'DL720', 'DL721', 'DL801', 'DL802', 'DL803', 'DL804', 'DL805', 'DL806', 'DL807', 'DL808', 'DL809', 'DL810', 'DL811', 'DL812', 'DL901', 'DL902', 'DL903', 'DL904', 'DL905', 'DL906', 'DL907', 'DL908', 'DL950', 'DL981', 'DL982', 'DL983', 'DL984', 'DL985')
        'explain 0+' = @('DL100', 'DL101', 'DL102', 'DL103', 'DL104', 'DL105', 'DL106', 'DL107', 'DL108', 'DL109', 'DL110', 'DL111', 'DL112', 'DL113', 'DL114', 'DL115', 'DL116', 'DL117', 'DL118', 'DL119', 'DL120', 'DL121', 'DL122', 'DL123', 'DL124', 'DL125', 'DL126', 'DL127', 'DL201', 'DL202', 'DL203', 'DL204', 'DL205', 'DL206', 'DL207', 'DL208', 'DL209', 'DL210', 'DL211', 'DL212', 'DL213', 'DL214', 'DL215', 'DL216', 'DL217', 'DL218', 'DL219', 'DL220', 'DL221', 'DL222', 'DL223', 'DL301', 'DL302', 'DL303', 'DL304', 'DL305', 'DL306', 'DL307', 'DL308', 'DL309', 'DL310', 'DL311', 'DL312', 'DL313', 'DL314', 'DL315', 'DL316', 'DL317', 'DL318', 'DL319', 'DL320', 'DL321', 'DL322', 'DL323', 'DL324', 'DL325', 'DL326', 'DL401', 'DL402', 'DL403', 'DL404', 'DL405', 'DL406', 'DL407', 'DL408', 'DL409', 'DL410', 'DL411', 'DL412', 'DL413', 'DL414', 'DL415', 'DL416', 'DL417', 'DL418', 'DL419', 'DL420', 'DL501', 'DL502', 'DL503', 'DL504', 'DL505', 'DL506', 'DL507', 'DL508', 'DL509', 'DL510', 'DL511', 'DL512', 'DL513', 'DL514', 'DL515', 'DL516', 'DL517', 'DL518', 'DL519', 'DL520', 'DL521', 'DL522', 'DL523', 'DL524', 'DL525', 'DL526', 'DL527', 'DL528', 'DL529', 'DL530', 'DL531', 'DL532', 'DL601', 'DL602', 'DL603', 'DL604', 'DL605', 'DL606', 'DL607', 'DL608', 'DL609', 'DL610', 'DL611', 'DL612', 'DL613', 'DL614', 'DL615', 'DL616', 'DL701', 'DL702', 'DL703', 'DL704', 'DL705', 'DL706', 'DL707', 'DL708', 'DL709', 'DL710', 'DL711', 'DL712', 'DL713', 'DL714', 'DL715', 'DL716', 'DL717', 'DL718', 'DL719', 'DL720', 'DL721', 'DL801', 'DL802', 'DL803', 'DL804', 'DL805', 'DL806', 'DL807', 'DL808', 'DL809', 'DL810', 'DL811', 'DL812', 'DL901', 'DL902', 'DL903', 'DL904', 'DL905', 'DL906', 'DL907', 'DL908', 'DL950', 'DL981', 'DL982', 'DL983', 'DL984', 'DL985', 'adaptiveMetadata', 'adaptiveMetadata-preview', 'allowColumnDefaults', 'appendOnly', 'catalogManaged', 'catalogOwned-preview', 'changeDataFeed', 'checkConstraints', 'checkpointProtection', 'clustering', 'collations', 'collations-preview', 'columnMapping', 'columnMappingUsageTracking', 'coordinatedCommits-preview', 'deletionVectors', 'domainMetadata', 'generatedColumns', 'geospatial', 'geospatial-dev', 'icebergCompatV1', 'icebergCompatV2', 'icebergCompatV3', 'icebergWriterCompatV1', 'icebergWriterCompatV3', 'identityColumns', 'inCommitTimestamp', 'invariants', 'materializePartitionColumns', 'redirectReaderWriter-preview', 'redirectWriterOnly-preview', 'rowTracking', 'timestampNanos', 'timestampNtz', 'timestampWithoutTimezone', 'typeWidening', 'typeWidening-preview', 'v2Checkpoint', 'vacuumProtocolCheck', 'variantShredding', 'variantShredding-preview', 'variantType', 'variantType-preview', 'DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED', 'DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED', 'DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED', 'DELTA_ADD_CONSTRAINTS', 'DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED', 'DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED', 'DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE', 'DELTA_CANNOT_DROP_GEOSPATIAL_FEATURE', 'DELTA_CANNOT_MODIFY_APPEND_ONLY', 'DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES', 'DELTA_CANNOT_MODIFY_TABLE_PROPERTY', 'DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS', 'DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES', 'DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS', 'DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED', 'DELTA_CLUSTERING_COLUMN_MISSING_STATS', 'DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS', 'DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN', 'DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE', 'DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET', 'DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY', 'DELTA_COLUMN_NOT_FOUND_IN_SCHEMA', 'DELTA_COLUMN_PATH_NOT_NESTED', 'DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND', 'DELTA_CONSTRAINT_ALREADY_EXISTS', 'DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE', 'DELTA_CONSTRAINT_DOES_NOT_EXIST', 'DELTA_CREATE_TABLE_SCHEME_MISMATCH', 'DELTA_DOMAIN_METADATA_NOT_SUPPORTED', 'DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA', 'DELTA_DUPLICATE_ACTIONS_FOUND', 'DELTA_DUPLICATE_COLUMNS_FOUND', 'DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS', 'DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR', 'DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS', 'DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH', 'DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT', 'DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION', 'DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD', 'DELTA_FEATURE_DROP_DEPENDENT_FEATURE', 'DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY', 'DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT', 'DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST', 'DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED', 'DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE', 'DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE', 'DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD', 'DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION', 'DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION', 'DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE', 'DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH', 'DELTA_GEOSPATIAL_NOT_SUPPORTED', 'DELTA_ICEBERG_COMPAT_VIOLATION', 'DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED', 'DELTA_INVALID_CALENDAR_INTERVAL_EMPTY', 'DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES', 'DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING', 'DELTA_INVALID_CONSTRAINT_NAME', 'DELTA_INVALID_INTERVAL', 'DELTA_INVALID_ISOLATION_LEVEL', 'DELTA_INVALID_PARTITION_COLUMN_NAME', 'DELTA_INVALID_PROTOCOL_VERSION', 'DELTA_METADATA_CHANGED', 'DELTA_MISSING_COMMIT_INFO', 'DELTA_MISSING_COMMIT_TIMESTAMP', 'DELTA_MISSING_DELTA_TABLE', 'DELTA_MISSING_PART_FILES', 'DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND', 'DELTA_NESTED_NOT_NULL_CONSTRAINT', 'DELTA_NEW_CHECK_CONSTRAINT_VIOLATION', 'DELTA_NO_RECREATABLE_HISTORY_FOUND', 'DELTA_OPERATION_NOT_ALLOWED', 'DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED', 'DELTA_PROTOCOL_CHANGED', 'DELTA_PROTOCOL_PROPERTY_NOT_INT', 'DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE', 'DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS', 'DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION', 'DELTA_STATE_RECOVER_ERROR', 'DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS', 'DELTA_TABLE_ONLY_OPERATION', 'DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION', 'DELTA_TIMESTAMP_GREATER_THAN_COMMIT', 'DELTA_TRUNCATED_TRANSACTION_LOG', 'DELTA_TXN_LOG_FAILED_INTEGRITY', 'DELTA_UNIVERSAL_FORMAT_VIOLATION', 'DELTA_UNKNOWN_CONFIGURATION', 'DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP', 'DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE', 'DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL', 'DELTA_UNSUPPORTED_COLUMN_MAPPING_SCHEMA_CHANGE', 'DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY', 'DELTA_UNSUPPORTED_DATA_TYPES', 'DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN', 'DELTA_UNSUPPORTED_DROP_COLUMN', 'DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN', 'DELTA_UNSUPPORTED_FEATURES_FOR_READ', 'DELTA_UNSUPPORTED_FEATURES_FOR_WRITE', 'DELTA_UNSUPPORTED_FEATURES_IN_CONFIG', 'DELTA_UNSUPPORTED_FEATURE_STATUS', 'DELTA_UNSUPPORTED_RENAME_COLUMN', 'DELTA_VERSIONS_NOT_CONTIGUOUS', 'DELTA_VERSION_NOT_FOUND', 'DELTA_VIOLATE_CONSTRAINT_WITH_VALUES', 'DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED', 'FAILED_READ_FILE', 'INVALID_FIELD_NAME', 'INVALID_JSON_DATA_TYPE', 'UNSUPPORTED_DATA_TYPE', 'UNSUPPORTED_FEATURE', 'UNSUPPORTED_TABLE_CHANGE', 'UNSUPPORTED_TIME_TYPE', 'UNSUPPORTED_TYPE_WIDENING')
        'doctor 0+' = @()
        'schema 0' = @('baseline', 'doctor', 'drop-feature', 'error', 'error-class', 'feature', 'features', 'inspect', 'line', 'outcome', 'plan', 'rule', 'rules', 'validate')
        'completion 0' = @('bash', 'zsh', 'fish', 'powershell')
    }
    $helps = @{
        'inspect' = 'Show what a table''s protocol is, why, and how much of it is needed.'
        'validate' = 'Check tables against the protocol''s rules and Delta''s behaviour.'
        'upgrade-protocol' = 'Raise the protocol''s versions, or with --minimum lower them.'
        'enable-feature' = 'Make table features active, with all that they require.'
        'set-mapping-mode' = 'Turn column mapping on, or off by rewriting the table.'
        'alter' = 'Change columns, constraints, clustering and properties, or write a checkpoint.'
        'drop-feature' = 'Take a table feature out of the protocol.'
        'apply' = 'Carry out exactly the plan in a file, or refuse.'
        'features' = 'List all table features, or explain one.'
        'rules' = 'List the rules of `validate`.'
        'explain' = 'Explain a rule''s code, a table feature, or an error class of Delta.'
        'doctor' = 'Check what this machine has: Java, Spark, Delta''s jars, access to tables.'
        'schema' = 'Print the JSON Schema of a kind of document that deltaadm writes.'
        'completion' = 'Print a script that completes deltaadm''s commands, options and values.'
    }

    $command = ''
    $expected = ''
    $place = 0
    $ended = $false
    foreach ($element in @($commandAst.CommandElements | Select-Object -Skip 1)) {
        if ($element.Extent.EndOffset -ge $cursorPosition) { break }
        $word = $element.Extent.Text
        if ($expected) { $expected = '' }
        elseif (-not $ended -and $word -eq '--') { $ended = $true }
        elseif (-not $ended -and $word -like '-?*') {
            if ($values.ContainsKey("$command $word")) { $expected = $word }
        }
        elseif (-not $command) { $command = $word }
        else { $place++ }
    }

    $before = ''
    $current = "$wordToComplete"
    $found = @()
    if ($expected) {
        $found = $values["$command $expected"]
    }
    elseif (-not $ended -and $current -match '^(--[^=]+)=(.*)$') {
        $before = $Matches[1] + '='
        $current = $Matches[2]
        $found = $values["$command $($Matches[1])"]
    }
    elseif (-not $ended -and $current -like '-*') {
        $helps = $options[$command]
        if ($helps) { $found = @($helps.Keys) }
    }
    else {
        $found = $arguments["$command $place"]
        if ($null -eq $found) { $found = $arguments["$command $place+"] }
        for ($from = $place - 1; $null -eq $found -and $from -ge 0; $from--) {
            $found = $arguments["$command $from+"]
        }
    }

    # No answer lets PowerShell complete the names of files; $null does not.
    if ("$found" -eq '<files>') { return }
    $shown = @($found | Where-Object { $_ -and $_.StartsWith($current) } | Sort-Object)
    if ($shown.Count -eq 0) { return $null }
    foreach ($word in $shown) {
        $help = $word
        if ($helps -and $helps.Contains($word)) { $help = $helps[$word] }
        [System.Management.Automation.CompletionResult]::new(
            "$before$word", $word, 'ParameterValue', $help)
    }
}
