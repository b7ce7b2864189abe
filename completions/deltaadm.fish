# Completes deltaadm's command lines in fish. Written by `deltaadm completion fish`.
#
# Put it into ~/.config/fish/completions/deltaadm.fish.

function __deltaadm_at --description 'Whether the cursor is at an argument of a subcommand'
    set -l command ''
    set -l place 0
    set -l tables 0
    set -l expected 0
    set -l words (commandline -opc)
    set -e words[1]
    for word in $words
        if test $expected -eq 1
            set expected 0
            continue
        end
        if string match -qr -- '^--(table|tables-from|discover|catalog)(=|$)' $word
            set tables 1
        end
        switch "$command $word"
            case 'inspect --version'
                set expected 1
            case 'inspect --timestamp'
                set expected 1
            case 'inspect --save-as'
                set expected 1
            case 'inspect --table'
                set expected 1
            case 'inspect --tables-from'
                set expected 1
            case 'inspect --discover'
                set expected 1
            case 'inspect --catalog'
                set expected 1
            case 'inspect --jobs'
                set expected 1
            case 'inspect -j'
                set expected 1
            case 'inspect --resume'
                set expected 1
            case 'inspect --engine'
                set expected 1
            case 'inspect --spark-master'
                set expected 1
            case 'inspect --remote'
                set expected 1
            case 'inspect --spark-conf'
                set expected 1
            case 'inspect --jars'
                set expected 1
            case 'inspect --output'
                set expected 1
            case 'inspect -o'
                set expected 1
            case 'inspect --color'
                set expected 1
            case 'validate --table'
                set expected 1
            case 'validate --tables-from'
                set expected 1
            case 'validate --discover'
                set expected 1
            case 'validate --catalog'
                set expected 1
            case 'validate --jobs'
                set expected 1
            case 'validate -j'
                set expected 1
            case 'validate --resume'
                set expected 1
            case 'validate --select'
                set expected 1
            case 'validate --ignore'
                set expected 1
            case 'validate --fail-on'
                set expected 1
            case 'validate --baseline'
                set expected 1
            case 'validate --write-baseline'
                set expected 1
            case 'validate --for-client'
                set expected 1
            case 'validate --for-client-writing'
                set expected 1
            case 'validate --config'
                set expected 1
            case 'validate --out'
                set expected 1
            case 'validate --accept-irreversible'
                set expected 1
            case 'validate --accept-silently-wrong'
                set expected 1
            case 'validate --accept-finding'
                set expected 1
            case 'validate --engine'
                set expected 1
            case 'validate --spark-master'
                set expected 1
            case 'validate --remote'
                set expected 1
            case 'validate --spark-conf'
                set expected 1
            case 'validate --jars'
                set expected 1
            case 'validate --output'
                set expected 1
            case 'validate -o'
                set expected 1
            case 'validate --output-file'
                set expected 1
            case 'validate --color'
                set expected 1
            case 'upgrade-protocol --reader'
                set expected 1
            case 'upgrade-protocol --writer'
                set expected 1
            case 'upgrade-protocol --table'
                set expected 1
            case 'upgrade-protocol --tables-from'
                set expected 1
            case 'upgrade-protocol --discover'
                set expected 1
            case 'upgrade-protocol --catalog'
                set expected 1
            case 'upgrade-protocol --jobs'
                set expected 1
            case 'upgrade-protocol -j'
                set expected 1
            case 'upgrade-protocol --resume'
                set expected 1
            case 'upgrade-protocol --out'
                set expected 1
            case 'upgrade-protocol --for-client'
                set expected 1
            case 'upgrade-protocol --for-client-writing'
                set expected 1
            case 'upgrade-protocol --accept-irreversible'
                set expected 1
            case 'upgrade-protocol --accept-silently-wrong'
                set expected 1
            case 'upgrade-protocol --accept-finding'
                set expected 1
            case 'upgrade-protocol --engine'
                set expected 1
            case 'upgrade-protocol --spark-master'
                set expected 1
            case 'upgrade-protocol --remote'
                set expected 1
            case 'upgrade-protocol --spark-conf'
                set expected 1
            case 'upgrade-protocol --jars'
                set expected 1
            case 'upgrade-protocol --output'
                set expected 1
            case 'upgrade-protocol -o'
                set expected 1
            case 'upgrade-protocol --color'
                set expected 1
            case 'enable-feature --table'
                set expected 1
            case 'enable-feature --tables-from'
                set expected 1
            case 'enable-feature --discover'
                set expected 1
            case 'enable-feature --catalog'
                set expected 1
            case 'enable-feature --jobs'
                set expected 1
            case 'enable-feature -j'
                set expected 1
            case 'enable-feature --resume'
                set expected 1
            case 'enable-feature --out'
                set expected 1
            case 'enable-feature --for-client'
                set expected 1
            case 'enable-feature --for-client-writing'
                set expected 1
            case 'enable-feature --accept-irreversible'
                set expected 1
            case 'enable-feature --accept-silently-wrong'
                set expected 1
            case 'enable-feature --accept-finding'
                set expected 1
            case 'enable-feature --engine'
                set expected 1
            case 'enable-feature --spark-master'
                set expected 1
            case 'enable-feature --remote'
                set expected 1
            case 'enable-feature --spark-conf'
                set expected 1
            case 'enable-feature --jars'
                set expected 1
            case 'enable-feature --output'
                set expected 1
            case 'enable-feature -o'
                set expected 1
            case 'enable-feature --color'
                set expected 1
            case 'set-mapping-mode --table'
                set expected 1
            case 'set-mapping-mode --tables-from'
                set expected 1
            case 'set-mapping-mode --discover'
                set expected 1
            case 'set-mapping-mode --catalog'
                set expected 1
            case 'set-mapping-mode --jobs'
                set expected 1
            case 'set-mapping-mode -j'
                set expected 1
            case 'set-mapping-mode --resume'
                set expected 1
            case 'set-mapping-mode --out'
                set expected 1
            case 'set-mapping-mode --for-client'
                set expected 1
            case 'set-mapping-mode --for-client-writing'
                set expected 1
            case 'set-mapping-mode --accept-irreversible'
                set expected 1
            case 'set-mapping-mode --accept-silently-wrong'
                set expected 1
            case 'set-mapping-mode --accept-finding'
                set expected 1
            case 'set-mapping-mode --engine'
                set expected 1
            case 'set-mapping-mode --spark-master'
                set expected 1
            case 'set-mapping-mode --remote'
                set expected 1
            case 'set-mapping-mode --spark-conf'
                set expected 1
            case 'set-mapping-mode --jars'
                set expected 1
            case 'set-mapping-mode --output'
                set expected 1
            case 'set-mapping-mode -o'
                set expected 1
            case 'set-mapping-mode --color'
                set expected 1
            case 'create --schema'
                set expected 1
            case 'create --as'
                set expected 1
            case 'create --provider'
                set expected 1
            case 'create --mode'
                set expected 1
            case 'create --partition-by'
                set expected 1
            case 'create --cluster-by'
                set expected 1
            case 'create --property'
                set expected 1
            case 'create --comment'
                set expected 1
            case 'create --location'
                set expected 1
            case 'create --write-option'
                set expected 1
            case 'create --out'
                set expected 1
            case 'create --for-client'
                set expected 1
            case 'create --for-client-writing'
                set expected 1
            case 'create --accept-irreversible'
                set expected 1
            case 'create --accept-silently-wrong'
                set expected 1
            case 'create --accept-finding'
                set expected 1
            case 'create --engine'
                set expected 1
            case 'create --spark-master'
                set expected 1
            case 'create --remote'
                set expected 1
            case 'create --spark-conf'
                set expected 1
            case 'create --jars'
                set expected 1
            case 'create --output'
                set expected 1
            case 'create -o'
                set expected 1
            case 'create --color'
                set expected 1
            case 'alter --add-column'
                set expected 1
            case 'alter --set-type'
                set expected 1
            case 'alter --drop-not-null'
                set expected 1
            case 'alter --set-comment'
                set expected 1
            case 'alter --set-default'
                set expected 1
            case 'alter --drop-default'
                set expected 1
            case 'alter --move'
                set expected 1
            case 'alter --rename-column'
                set expected 1
            case 'alter --drop-column'
                set expected 1
            case 'alter --add-constraint'
                set expected 1
            case 'alter --drop-constraint'
                set expected 1
            case 'alter --cluster-by'
                set expected 1
            case 'alter --set'
                set expected 1
            case 'alter --unset'
                set expected 1
            case 'alter --set-location'
                set expected 1
            case 'alter --table'
                set expected 1
            case 'alter --tables-from'
                set expected 1
            case 'alter --discover'
                set expected 1
            case 'alter --catalog'
                set expected 1
            case 'alter --jobs'
                set expected 1
            case 'alter -j'
                set expected 1
            case 'alter --resume'
                set expected 1
            case 'alter --out'
                set expected 1
            case 'alter --for-client'
                set expected 1
            case 'alter --for-client-writing'
                set expected 1
            case 'alter --accept-irreversible'
                set expected 1
            case 'alter --accept-silently-wrong'
                set expected 1
            case 'alter --accept-finding'
                set expected 1
            case 'alter --engine'
                set expected 1
            case 'alter --spark-master'
                set expected 1
            case 'alter --remote'
                set expected 1
            case 'alter --spark-conf'
                set expected 1
            case 'alter --jars'
                set expected 1
            case 'alter --output'
                set expected 1
            case 'alter -o'
                set expected 1
            case 'alter --color'
                set expected 1
            case 'drop-feature --table'
                set expected 1
            case 'drop-feature --tables-from'
                set expected 1
            case 'drop-feature --discover'
                set expected 1
            case 'drop-feature --catalog'
                set expected 1
            case 'drop-feature --jobs'
                set expected 1
            case 'drop-feature -j'
                set expected 1
            case 'drop-feature --resume'
                set expected 1
            case 'drop-feature --out'
                set expected 1
            case 'drop-feature --for-client'
                set expected 1
            case 'drop-feature --for-client-writing'
                set expected 1
            case 'drop-feature --accept-irreversible'
                set expected 1
            case 'drop-feature --accept-silently-wrong'
                set expected 1
            case 'drop-feature --accept-finding'
                set expected 1
            case 'drop-feature --engine'
                set expected 1
            case 'drop-feature --spark-master'
                set expected 1
            case 'drop-feature --remote'
                set expected 1
            case 'drop-feature --spark-conf'
                set expected 1
            case 'drop-feature --jars'
                set expected 1
            case 'drop-feature --output'
                set expected 1
            case 'drop-feature -o'
                set expected 1
            case 'drop-feature --color'
                set expected 1
            case 'apply --jobs'
                set expected 1
            case 'apply -j'
                set expected 1
            case 'apply --max-failures'
                set expected 1
            case 'apply --journal'
                set expected 1
            case 'apply --resume'
                set expected 1
            case 'apply --for-client'
                set expected 1
            case 'apply --for-client-writing'
                set expected 1
            case 'apply --accept-irreversible'
                set expected 1
            case 'apply --accept-silently-wrong'
                set expected 1
            case 'apply --accept-finding'
                set expected 1
            case 'apply --engine'
                set expected 1
            case 'apply --spark-master'
                set expected 1
            case 'apply --remote'
                set expected 1
            case 'apply --spark-conf'
                set expected 1
            case 'apply --jars'
                set expected 1
            case 'apply --output'
                set expected 1
            case 'apply -o'
                set expected 1
            case 'apply --color'
                set expected 1
            case 'features --output'
                set expected 1
            case 'features -o'
                set expected 1
            case 'features --color'
                set expected 1
            case 'rules --output'
                set expected 1
            case 'rules -o'
                set expected 1
            case 'rules --color'
                set expected 1
            case 'explain --output'
                set expected 1
            case 'explain -o'
                set expected 1
            case 'explain --color'
                set expected 1
            case 'doctor --engine'
                set expected 1
            case 'doctor --spark-master'
                set expected 1
            case 'doctor --remote'
                set expected 1
            case 'doctor --spark-conf'
                set expected 1
            case 'doctor --jars'
                set expected 1
            case 'doctor --output'
                set expected 1
            case 'doctor -o'
                set expected 1
            case 'doctor --color'
                set expected 1
            case '* -*'
            case '*'
                if test -z "$command"
                    set command $word
                else
                    set place (math $place + 1)
                end
        end
    end
    test "$command" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    set place (math $place + $tables)
    test $place -ge $argv[2]; or return 1
    set -q argv[3]; or return 0
    test $place -le $argv[3]
end

complete -c deltaadm -f

complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a inspect -d 'Show what a table\'s protocol is, and why it is so.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a validate -d 'Check tables against the protocol and Delta\'s behaviour.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a upgrade-protocol -d 'Raise the protocol, or with --minimum lower it.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a enable-feature -d 'Make table features active, with all that they require.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a set-mapping-mode -d 'Turn column mapping on, or off by rewriting the table.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a create -d 'Make a new table, or put one in an old one\'s place.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a alter -d 'Change columns, constraints, clustering or properties.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a drop-feature -d 'Take a table feature out of the protocol.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a apply -d 'Carry out exactly the plan, or the plans, in a file.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a features -d 'List all table features, or explain one.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a rules -d 'List the rules of `validate`.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a explain -d 'Explain a rule, a table feature or an error of Delta.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a doctor -d 'Check this machine: Java, Spark, Delta\'s jars, tables.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a schema -d 'Print the JSON Schema of a kind of document.'
complete -c deltaadm -n '__deltaadm_at \'\' 0 0' -a completion -d 'Print a script that completes command lines in a shell.'
complete -c deltaadm -n '__deltaadm_at \'\'' -l version -d 'Show the version and stop.'
complete -c deltaadm -n '__deltaadm_at \'\'' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at inspect 0' -F
complete -c deltaadm -n '__deltaadm_at inspect' -l version -x -d 'The table as it was at version N.'
complete -c deltaadm -n '__deltaadm_at inspect' -l timestamp -x -d 'As of a time: ISO 8601, or milliseconds since 1970.'
complete -c deltaadm -n '__deltaadm_at inspect' -l files -d 'Count the live files, tell the clustering; reads the whole state.'
complete -c deltaadm -n '__deltaadm_at inspect' -l columns -d 'List columns with their ids and physical names.'
complete -c deltaadm -n '__deltaadm_at inspect' -l clients -d 'List every client with its verdict and the sources.'
complete -c deltaadm -n '__deltaadm_at inspect' -l save-as -x -a 'delta parquet csv' -d 'Save a row for each table as well: delta, parquet or csv, and where.'
complete -c deltaadm -n '__deltaadm_at inspect' -l table -r -F -d 'A table; may be given several times.'
complete -c deltaadm -n '__deltaadm_at inspect' -l tables-from -r -F -d 'A file with a table a line, - for standard input; # begins a comment.'
complete -c deltaadm -n '__deltaadm_at inspect' -l discover -r -F -d 'All tables below it, also below a URL that --engine spark reaches; may be given several times.'
complete -c deltaadm -n '__deltaadm_at inspect' -l catalog -x -d 'All Delta tables with such names in Spark\'s catalogs, as main.sales.*; may be given several times.'
complete -c deltaadm -n '__deltaadm_at inspect' -l jobs -s j -x -d 'So many tables at the same time; as many as there are processors if left out.'
complete -c deltaadm -n '__deltaadm_at inspect' -l brief -d 'A line for each table and an overview, as for tables that options name.'
complete -c deltaadm -n '__deltaadm_at inspect' -l resume -r -F -d 'Go on with an interrupted run, whose -o jsonl went to FILE.'
complete -c deltaadm -n '__deltaadm_at inspect' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at inspect' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at inspect' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at inspect' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at inspect' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at inspect' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at inspect' -l output -s o -x -a 'text json jsonl markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at inspect' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at inspect' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at inspect' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at validate 0' -F
complete -c deltaadm -n '__deltaadm_at validate' -l table -r -F -d 'A table; may be given several times.'
complete -c deltaadm -n '__deltaadm_at validate' -l tables-from -r -F -d 'A file with a table a line, - for standard input; # begins a comment.'
complete -c deltaadm -n '__deltaadm_at validate' -l discover -r -F -d 'All tables below it, also below a URL that --engine spark reaches; may be given several times.'
complete -c deltaadm -n '__deltaadm_at validate' -l catalog -x -d 'All Delta tables with such names in Spark\'s catalogs, as main.sales.*; may be given several times.'
complete -c deltaadm -n '__deltaadm_at validate' -l jobs -s j -x -d 'So many tables at the same time; as many as there are processors if left out.'
complete -c deltaadm -n '__deltaadm_at validate' -l brief -d 'A line for each table and an overview, as for tables that options name.'
complete -c deltaadm -n '__deltaadm_at validate' -l resume -r -F -d 'Go on with an interrupted run, whose -o jsonl went to FILE.'
complete -c deltaadm -n '__deltaadm_at validate' -l history -d 'Every commit that is still in the log.'
complete -c deltaadm -n '__deltaadm_at validate' -l deep -d 'Whole checkpoints, sidecars and data files as well.'
complete -c deltaadm -n '__deltaadm_at validate' -l cross-check -d 'Compare with what deltalake reads.'
complete -c deltaadm -n '__deltaadm_at validate' -l select -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Only these rules: codes or families such as DL4, with commas.'
complete -c deltaadm -n '__deltaadm_at validate' -l ignore -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'All rules but these, given as with --select.'
complete -c deltaadm -n '__deltaadm_at validate' -l fail-on -x -a 'error warning info' -d 'From where on findings give exit code 1: error (default), warning, info.'
complete -c deltaadm -n '__deltaadm_at validate' -l baseline -r -F -d 'Findings that are known; only others count.'
complete -c deltaadm -n '__deltaadm_at validate' -l write-baseline -r -F -d 'Save all findings as known; exit with 0.'
complete -c deltaadm -n '__deltaadm_at validate' -l for-client -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'It must be able to read: NAME or NAME@VERSION, such as trino@480.'
complete -c deltaadm -n '__deltaadm_at validate' -l for-client-writing -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'It must be able to write, given likewise.'
complete -c deltaadm -n '__deltaadm_at validate' -l config -r -F -d 'Settings; deltaadm.toml or pyproject.toml otherwise.'
complete -c deltaadm -n '__deltaadm_at validate' -l isolated -d 'Look for no file with settings.'
complete -c deltaadm -n '__deltaadm_at validate' -l fix -d 'Plan whatever deltaadm can mend, as one plan.'
complete -c deltaadm -n '__deltaadm_at validate' -l apply -d 'Commit the plan; without it, it is only shown.'
complete -c deltaadm -n '__deltaadm_at validate' -l check -d 'Exit with 1 if the plan is not empty.'
complete -c deltaadm -n '__deltaadm_at validate' -l out -r -F -d 'Save the plan, for `deltaadm apply FILE`.'
complete -c deltaadm -n '__deltaadm_at validate' -l yes -s y -d 'Do not ask before a metadata-only change.'
complete -c deltaadm -n '__deltaadm_at validate' -l allow-backfill -d 'Do not ask before listing every file anew.'
complete -c deltaadm -n '__deltaadm_at validate' -l allow-rewrite -d 'Do not ask before rewriting every data file.'
complete -c deltaadm -n '__deltaadm_at validate' -l accept-irreversible -x -a 'catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck' -d 'Do not ask before destroying history to drop this feature, or before dropping this table that is not Delta\'s to replace it; may be given several times.'
complete -c deltaadm -n '__deltaadm_at validate' -l accept-silently-wrong -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Do not ask before this client gets wrong data; may be given several times.'
complete -c deltaadm -n '__deltaadm_at validate' -l accept-finding -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Plan and commit also what brings about an error by this rule, such as DL509; may be given several times.'
complete -c deltaadm -n '__deltaadm_at validate' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at validate' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at validate' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at validate' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at validate' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at validate' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at validate' -l output -s o -x -a 'text json jsonl sarif junit github gitlab markdown html' -d 'text, json, jsonl, sarif, junit, github, gitlab, markdown or html, each with the file it goes to if that is not standard output; may be given several times.'
complete -c deltaadm -n '__deltaadm_at validate' -l output-file -r -F -d 'Where the format without a file goes, not standard output.'
complete -c deltaadm -n '__deltaadm_at validate' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at validate' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at validate' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at upgrade-protocol 0' -F
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l reader -x -d 'Reader version of at least N.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l writer -x -d 'Writer version of at least N.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l minimum -d 'Drop the features that the table does not need instead.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l table -r -F -d 'A table; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l tables-from -r -F -d 'A file with a table a line, - for standard input; # begins a comment.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l discover -r -F -d 'All tables below it, also below a URL that --engine spark reaches; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l catalog -x -d 'All Delta tables with such names in Spark\'s catalogs, as main.sales.*; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l jobs -s j -x -d 'So many tables at the same time; as many as there are processors if left out.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l brief -d 'A line for each table and an overview, as for tables that options name.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l resume -r -F -d 'Go on with an interrupted run, whose -o jsonl went to FILE.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l apply -d 'Commit the plan; without it, it is only shown.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l check -d 'Exit with 1 if the plan is not empty.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l out -r -F -d 'Save the plan, for `deltaadm apply FILE`.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l for-client -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l for-client-writing -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l yes -s y -d 'Do not ask before a metadata-only change.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l allow-backfill -d 'Do not ask before listing every file anew.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l allow-rewrite -d 'Do not ask before rewriting every data file.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l accept-irreversible -x -a 'catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck' -d 'Do not ask before destroying history to drop this feature, or before dropping this table that is not Delta\'s to replace it; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l accept-silently-wrong -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Do not ask before this client gets wrong data; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l accept-finding -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Plan and commit also what brings about an error by this rule, such as DL509; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l output -s o -x -a 'text json jsonl sql markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at upgrade-protocol' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at enable-feature 0 0' -F
complete -c deltaadm -n '__deltaadm_at enable-feature 1' -a 'allowColumnDefaults appendOnly changeDataFeed checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns rowTracking timestampNtz typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l support-only -d 'Add to the protocol without making it active.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l table -r -F -d 'A table; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l tables-from -r -F -d 'A file with a table a line, - for standard input; # begins a comment.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l discover -r -F -d 'All tables below it, also below a URL that --engine spark reaches; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l catalog -x -d 'All Delta tables with such names in Spark\'s catalogs, as main.sales.*; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l jobs -s j -x -d 'So many tables at the same time; as many as there are processors if left out.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l brief -d 'A line for each table and an overview, as for tables that options name.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l resume -r -F -d 'Go on with an interrupted run, whose -o jsonl went to FILE.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l apply -d 'Commit the plan; without it, it is only shown.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l check -d 'Exit with 1 if the plan is not empty.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l out -r -F -d 'Save the plan, for `deltaadm apply FILE`.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l for-client -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l for-client-writing -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l yes -s y -d 'Do not ask before a metadata-only change.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l allow-backfill -d 'Do not ask before listing every file anew.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l allow-rewrite -d 'Do not ask before rewriting every data file.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l accept-irreversible -x -a 'catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck' -d 'Do not ask before destroying history to drop this feature, or before dropping this table that is not Delta\'s to replace it; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l accept-silently-wrong -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Do not ask before this client gets wrong data; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l accept-finding -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Plan and commit also what brings about an error by this rule, such as DL509; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l output -s o -x -a 'text json jsonl sql markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at enable-feature' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at set-mapping-mode 0 0' -F
complete -c deltaadm -n '__deltaadm_at set-mapping-mode 1 1' -a 'none id name'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l table -r -F -d 'A table; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l tables-from -r -F -d 'A file with a table a line, - for standard input; # begins a comment.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l discover -r -F -d 'All tables below it, also below a URL that --engine spark reaches; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l catalog -x -d 'All Delta tables with such names in Spark\'s catalogs, as main.sales.*; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l jobs -s j -x -d 'So many tables at the same time; as many as there are processors if left out.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l brief -d 'A line for each table and an overview, as for tables that options name.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l resume -r -F -d 'Go on with an interrupted run, whose -o jsonl went to FILE.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l apply -d 'Commit the plan; without it, it is only shown.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l check -d 'Exit with 1 if the plan is not empty.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l out -r -F -d 'Save the plan, for `deltaadm apply FILE`.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l for-client -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l for-client-writing -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l yes -s y -d 'Do not ask before a metadata-only change.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l allow-backfill -d 'Do not ask before listing every file anew.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l allow-rewrite -d 'Do not ask before rewriting every data file.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l accept-irreversible -x -a 'catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck' -d 'Do not ask before destroying history to drop this feature, or before dropping this table that is not Delta\'s to replace it; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l accept-silently-wrong -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Do not ask before this client gets wrong data; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l accept-finding -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Plan and commit also what brings about an error by this rule, such as DL509; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l output -s o -x -a 'text json jsonl sql markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at set-mapping-mode' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at create 0 0' -F
complete -c deltaadm -n '__deltaadm_at create' -l schema -r -F -d 'The columns, as in CREATE TABLE; or a file with them, or with Spark\'s JSON.'
complete -c deltaadm -n '__deltaadm_at create' -l as -x -d 'Fill the table with what a query gives.'
complete -c deltaadm -n '__deltaadm_at create' -l provider -x -d 'delta (default), or what the parent catalog makes: parquet, csv, orc, ...'
complete -c deltaadm -n '__deltaadm_at create' -l mode -x -a 'create create-or-replace replace' -d 'create (default), create-or-replace or replace.'
complete -c deltaadm -n '__deltaadm_at create' -l partition-by -x -d 'Partition by these columns, with commas.'
complete -c deltaadm -n '__deltaadm_at create' -l cluster-by -x -d 'Cluster by up to four columns, with commas.'
complete -c deltaadm -n '__deltaadm_at create' -l property -x -a '\'delta.appendOnly=\' \'delta.autoOptimize=\' \'delta.autoOptimize.autoCompact=\' \'delta.autoOptimize.optimizeWrite=\' \'delta.castIcebergTimeType=\' \'delta.checkpoint.writeStatsAsJson=\' \'delta.checkpoint.writeStatsAsStruct=\' \'delta.checkpointInterval=\' \'delta.checkpointPolicy=\' \'delta.checkpointRetentionDuration=\' \'delta.columnMapping.mode=\' \'delta.compatibility.symlinkFormatManifest.enabled=\' \'delta.coordinatedCommits.commitCoordinator-preview=\' \'delta.coordinatedCommits.commitCoordinatorConf-preview=\' \'delta.coordinatedCommits.tableConf-preview=\' \'delta.dataSkippingNumIndexedCols=\' \'delta.dataSkippingStatsColumns=\' \'delta.dataSkippingStringPrefixLength=\' \'delta.deletedFileRetentionDuration=\' \'delta.dropFeatureTruncateHistory.retentionDuration=\' \'delta.enableChangeDataCapture=\' \'delta.enableChangeDataFeed=\' \'delta.enableDeletionVectors=\' \'delta.enableExpiredLogCleanup=\' \'delta.enableFullRetentionRollback=\' \'delta.enableIcebergCompatV1=\' \'delta.enableIcebergCompatV2=\' \'delta.enableIcebergCompatV3=\' \'delta.enableInCommitTimestamps=\' \'delta.enableMaterializePartitionColumnsFeature=\' \'delta.enableRowTracking=\' \'delta.enableTypeWidening=\' \'delta.enableVariantShredding=\' \'delta.ignoreIcebergBucketPartition=\' \'delta.ignoreProtocolDefaults=\' \'delta.inCommitTimestampEnablementTimestamp=\' \'delta.inCommitTimestampEnablementVersion=\' \'delta.isolationLevel=\' \'delta.logRetentionDuration=\' \'delta.minReaderVersion=\' \'delta.minWriterVersion=\' \'delta.parquet.format.version=\' \'delta.randomizeFilePrefixes=\' \'delta.randomPrefixLength=\' \'delta.redirectReaderWriter-preview=\' \'delta.redirectWriterOnly-preview=\' \'delta.requireCheckpointProtectionBeforeVersion=\' \'delta.rowTrackingSuspended=\' \'delta.sampleRetentionDuration=\' \'delta.setTransactionRetentionDuration=\' \'delta.universalFormat.enabledFormats=\' \'delta.universalFormat.iceberg.atomicConversion.supported=\' \'delta.writePartitionColumnsToParquet=\'' -d 'A table property.'
complete -c deltaadm -n '__deltaadm_at create' -l comment -x -d 'What the table is for.'
complete -c deltaadm -n '__deltaadm_at create' -l location -r -F -d 'Where a table with a name has its files.'
complete -c deltaadm -n '__deltaadm_at create' -l write-option -x -d 'An option for writing what --as gives; for other providers, of the table.'
complete -c deltaadm -n '__deltaadm_at create' -l apply -d 'Commit the plan; without it, it is only shown.'
complete -c deltaadm -n '__deltaadm_at create' -l check -d 'Exit with 1 if the plan is not empty.'
complete -c deltaadm -n '__deltaadm_at create' -l out -r -F -d 'Save the plan, for `deltaadm apply FILE`.'
complete -c deltaadm -n '__deltaadm_at create' -l for-client -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
complete -c deltaadm -n '__deltaadm_at create' -l for-client-writing -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
complete -c deltaadm -n '__deltaadm_at create' -l yes -s y -d 'Do not ask before a metadata-only change.'
complete -c deltaadm -n '__deltaadm_at create' -l allow-backfill -d 'Do not ask before listing every file anew.'
complete -c deltaadm -n '__deltaadm_at create' -l allow-rewrite -d 'Do not ask before rewriting every data file.'
complete -c deltaadm -n '__deltaadm_at create' -l accept-irreversible -x -a 'catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck' -d 'Do not ask before destroying history to drop this feature, or before dropping this table that is not Delta\'s to replace it; may be given several times.'
complete -c deltaadm -n '__deltaadm_at create' -l accept-silently-wrong -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Do not ask before this client gets wrong data; may be given several times.'
complete -c deltaadm -n '__deltaadm_at create' -l accept-finding -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Plan and commit also what brings about an error by this rule, such as DL509; may be given several times.'
complete -c deltaadm -n '__deltaadm_at create' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at create' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at create' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at create' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at create' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at create' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at create' -l output -s o -x -a 'text json jsonl sql markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at create' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at create' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at create' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at alter 0' -F
complete -c deltaadm -n '__deltaadm_at alter' -l add-column -x -d 'Add a column, as in: \'s.x INT COMMENT "why" AFTER y\'.'
complete -c deltaadm -n '__deltaadm_at alter' -l set-type -x -d 'Widen a column\'s type, as in: id=BIGINT.'
complete -c deltaadm -n '__deltaadm_at alter' -l drop-not-null -x -d 'Let a column hold nulls.'
complete -c deltaadm -n '__deltaadm_at alter' -l set-comment -x -d 'Set a column\'s comment.'
complete -c deltaadm -n '__deltaadm_at alter' -l set-default -x -d 'Set the default of rows to come.'
complete -c deltaadm -n '__deltaadm_at alter' -l drop-default -x -d 'Drop a column\'s default.'
complete -c deltaadm -n '__deltaadm_at alter' -l move -x -d 'Move a column: \'id FIRST\', or \'b AFTER a\'.'
complete -c deltaadm -n '__deltaadm_at alter' -l rename-column -x -d 'Rename a column; the rows stay.'
complete -c deltaadm -n '__deltaadm_at alter' -l drop-column -x -d 'Drop a column.'
complete -c deltaadm -n '__deltaadm_at alter' -l add-constraint -x -d 'Add a CHECK constraint, as in: \'positive=amount > 0\'. Delta reads every row.'
complete -c deltaadm -n '__deltaadm_at alter' -l drop-constraint -x -d 'Drop a constraint.'
complete -c deltaadm -n '__deltaadm_at alter' -l cluster-by -x -d 'Cluster the table by these columns, at most four.'
complete -c deltaadm -n '__deltaadm_at alter' -l no-cluster-by -d 'Cluster the table by nothing any more.'
complete -c deltaadm -n '__deltaadm_at alter' -l set -x -a '\'delta.appendOnly=\' \'delta.autoOptimize=\' \'delta.autoOptimize.autoCompact=\' \'delta.autoOptimize.optimizeWrite=\' \'delta.castIcebergTimeType=\' \'delta.checkpoint.writeStatsAsJson=\' \'delta.checkpoint.writeStatsAsStruct=\' \'delta.checkpointInterval=\' \'delta.checkpointPolicy=\' \'delta.checkpointRetentionDuration=\' \'delta.columnMapping.mode=\' \'delta.compatibility.symlinkFormatManifest.enabled=\' \'delta.coordinatedCommits.commitCoordinator-preview=\' \'delta.coordinatedCommits.commitCoordinatorConf-preview=\' \'delta.coordinatedCommits.tableConf-preview=\' \'delta.dataSkippingNumIndexedCols=\' \'delta.dataSkippingStatsColumns=\' \'delta.dataSkippingStringPrefixLength=\' \'delta.deletedFileRetentionDuration=\' \'delta.dropFeatureTruncateHistory.retentionDuration=\' \'delta.enableChangeDataCapture=\' \'delta.enableChangeDataFeed=\' \'delta.enableDeletionVectors=\' \'delta.enableExpiredLogCleanup=\' \'delta.enableFullRetentionRollback=\' \'delta.enableIcebergCompatV1=\' \'delta.enableIcebergCompatV2=\' \'delta.enableIcebergCompatV3=\' \'delta.enableInCommitTimestamps=\' \'delta.enableMaterializePartitionColumnsFeature=\' \'delta.enableRowTracking=\' \'delta.enableTypeWidening=\' \'delta.enableVariantShredding=\' \'delta.ignoreIcebergBucketPartition=\' \'delta.ignoreProtocolDefaults=\' \'delta.inCommitTimestampEnablementTimestamp=\' \'delta.inCommitTimestampEnablementVersion=\' \'delta.isolationLevel=\' \'delta.logRetentionDuration=\' \'delta.minReaderVersion=\' \'delta.minWriterVersion=\' \'delta.parquet.format.version=\' \'delta.randomizeFilePrefixes=\' \'delta.randomPrefixLength=\' \'delta.redirectReaderWriter-preview=\' \'delta.redirectWriterOnly-preview=\' \'delta.requireCheckpointProtectionBeforeVersion=\' \'delta.rowTrackingSuspended=\' \'delta.sampleRetentionDuration=\' \'delta.setTransactionRetentionDuration=\' \'delta.universalFormat.enabledFormats=\' \'delta.universalFormat.iceberg.atomicConversion.supported=\' \'delta.writePartitionColumnsToParquet=\'' -d 'Set a property.'
complete -c deltaadm -n '__deltaadm_at alter' -l unset -x -a 'delta.appendOnly delta.autoOptimize delta.autoOptimize.autoCompact delta.autoOptimize.optimizeWrite delta.castIcebergTimeType delta.checkpoint.writeStatsAsJson delta.checkpoint.writeStatsAsStruct delta.checkpointInterval delta.checkpointPolicy delta.checkpointRetentionDuration delta.columnMapping.mode delta.compatibility.symlinkFormatManifest.enabled delta.coordinatedCommits.commitCoordinator-preview delta.coordinatedCommits.commitCoordinatorConf-preview delta.coordinatedCommits.tableConf-preview delta.dataSkippingNumIndexedCols delta.dataSkippingStatsColumns delta.dataSkippingStringPrefixLength delta.deletedFileRetentionDuration delta.dropFeatureTruncateHistory.retentionDuration delta.enableChangeDataCapture delta.enableChangeDataFeed delta.enableDeletionVectors delta.enableExpiredLogCleanup delta.enableFullRetentionRollback delta.enableIcebergCompatV1 delta.enableIcebergCompatV2 delta.enableIcebergCompatV3 delta.enableInCommitTimestamps delta.enableMaterializePartitionColumnsFeature delta.enableRowTracking delta.enableTypeWidening delta.enableVariantShredding delta.ignoreIcebergBucketPartition delta.ignoreProtocolDefaults delta.inCommitTimestampEnablementTimestamp delta.inCommitTimestampEnablementVersion delta.isolationLevel delta.logRetentionDuration delta.minReaderVersion delta.minWriterVersion delta.parquet.format.version delta.randomizeFilePrefixes delta.randomPrefixLength delta.redirectReaderWriter-preview delta.redirectWriterOnly-preview delta.requireCheckpointProtectionBeforeVersion delta.rowTrackingSuspended delta.sampleRetentionDuration delta.setTransactionRetentionDuration delta.universalFormat.enabledFormats delta.universalFormat.iceberg.atomicConversion.supported delta.writePartitionColumnsToParquet' -d 'Remove a property.'
complete -c deltaadm -n '__deltaadm_at alter' -l set-location -r -F -d 'Let the table\'s name in the catalog lead to another place, of a Delta table to that of another one.'
complete -c deltaadm -n '__deltaadm_at alter' -l checkpoint -d 'Write a checkpoint of the newest version; no Spark.'
complete -c deltaadm -n '__deltaadm_at alter' -l table -r -F -d 'A table; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l tables-from -r -F -d 'A file with a table a line, - for standard input; # begins a comment.'
complete -c deltaadm -n '__deltaadm_at alter' -l discover -r -F -d 'All tables below it, also below a URL that --engine spark reaches; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l catalog -x -d 'All Delta tables with such names in Spark\'s catalogs, as main.sales.*; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l jobs -s j -x -d 'So many tables at the same time; as many as there are processors if left out.'
complete -c deltaadm -n '__deltaadm_at alter' -l brief -d 'A line for each table and an overview, as for tables that options name.'
complete -c deltaadm -n '__deltaadm_at alter' -l resume -r -F -d 'Go on with an interrupted run, whose -o jsonl went to FILE.'
complete -c deltaadm -n '__deltaadm_at alter' -l apply -d 'Commit the plan; without it, it is only shown.'
complete -c deltaadm -n '__deltaadm_at alter' -l check -d 'Exit with 1 if the plan is not empty.'
complete -c deltaadm -n '__deltaadm_at alter' -l out -r -F -d 'Save the plan, for `deltaadm apply FILE`.'
complete -c deltaadm -n '__deltaadm_at alter' -l for-client -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l for-client-writing -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l yes -s y -d 'Do not ask before a metadata-only change.'
complete -c deltaadm -n '__deltaadm_at alter' -l allow-backfill -d 'Do not ask before listing every file anew.'
complete -c deltaadm -n '__deltaadm_at alter' -l allow-rewrite -d 'Do not ask before rewriting every data file.'
complete -c deltaadm -n '__deltaadm_at alter' -l accept-irreversible -x -a 'catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck' -d 'Do not ask before destroying history to drop this feature, or before dropping this table that is not Delta\'s to replace it; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l accept-silently-wrong -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Do not ask before this client gets wrong data; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l accept-finding -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Plan and commit also what brings about an error by this rule, such as DL509; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at alter' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at alter' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at alter' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at alter' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at alter' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at alter' -l output -s o -x -a 'text json jsonl sql markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at alter' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at alter' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at alter' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at drop-feature 0 0' -F
complete -c deltaadm -n '__deltaadm_at drop-feature 1 1' -a 'adaptiveMetadata adaptiveMetadata-preview allowColumnDefaults appendOnly catalogManaged catalogOwned-preview changeDataFeed checkConstraints checkpointProtection clustering collations collations-preview columnMapping columnMappingUsageTracking coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 icebergWriterCompatV1 icebergWriterCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns redirectReaderWriter-preview redirectWriterOnly-preview rowTracking timestampNanos timestampNtz timestampWithoutTimezone typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l truncate-history -d 'Destroy history that needs the feature rather than protect checkpoints.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l status -d 'Say what dropping takes, and when it can go on.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l table -r -F -d 'A table; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l tables-from -r -F -d 'A file with a table a line, - for standard input; # begins a comment.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l discover -r -F -d 'All tables below it, also below a URL that --engine spark reaches; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l catalog -x -d 'All Delta tables with such names in Spark\'s catalogs, as main.sales.*; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l jobs -s j -x -d 'So many tables at the same time; as many as there are processors if left out.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l brief -d 'A line for each table and an overview, as for tables that options name.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l resume -r -F -d 'Go on with an interrupted run, whose -o jsonl went to FILE.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l apply -d 'Commit the plan; without it, it is only shown.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l check -d 'Exit with 1 if the plan is not empty.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l out -r -F -d 'Save the plan, for `deltaadm apply FILE`.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l for-client -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l for-client-writing -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l yes -s y -d 'Do not ask before a metadata-only change.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l allow-backfill -d 'Do not ask before listing every file anew.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l allow-rewrite -d 'Do not ask before rewriting every data file.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l accept-irreversible -x -a 'catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck' -d 'Do not ask before destroying history to drop this feature, or before dropping this table that is not Delta\'s to replace it; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l accept-silently-wrong -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Do not ask before this client gets wrong data; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l accept-finding -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Plan and commit also what brings about an error by this rule, such as DL509; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l output -s o -x -a 'text json jsonl sql markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at drop-feature' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at apply 0 0' -F
complete -c deltaadm -n '__deltaadm_at apply' -l jobs -s j -x -d 'So many of several plans at the same time; 4 if left out.'
complete -c deltaadm -n '__deltaadm_at apply' -l max-failures -x -d 'Begin no more of several plans after so many failures.'
complete -c deltaadm -n '__deltaadm_at apply' -l journal -l resume -r -F -d 'Where several plans are noted when they are begun and done, to go on from; the name of the plan file with .journal if left out.'
complete -c deltaadm -n '__deltaadm_at apply' -l for-client -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from reading; may be given several times.'
complete -c deltaadm -n '__deltaadm_at apply' -l for-client-writing -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Refuse what keeps NAME or NAME@VERSION from writing; may be given several times.'
complete -c deltaadm -n '__deltaadm_at apply' -l yes -s y -d 'Do not ask before a metadata-only change.'
complete -c deltaadm -n '__deltaadm_at apply' -l allow-backfill -d 'Do not ask before listing every file anew.'
complete -c deltaadm -n '__deltaadm_at apply' -l allow-rewrite -d 'Do not ask before rewriting every data file.'
complete -c deltaadm -n '__deltaadm_at apply' -l accept-irreversible -x -a 'catalogManaged checkConstraints checkpointProtection columnMapping coordinatedCommits-preview deletionVectors domainMetadata geospatial geospatial-dev inCommitTimestamp materializePartitionColumns rowTracking typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck' -d 'Do not ask before destroying history to drop this feature, or before dropping this table that is not Delta\'s to replace it; may be given several times.'
complete -c deltaadm -n '__deltaadm_at apply' -l accept-silently-wrong -x -a 'athena bigquery clickhouse daft databricks delta-kernel-java delta-kernel-rs delta-rs delta-spark duckdb-delta fabric-spark fabric-sql flink hive polars power-bi presto redshift-spectrum snowflake starrocks synapse-serverless trino' -d 'Do not ask before this client gets wrong data; may be given several times.'
complete -c deltaadm -n '__deltaadm_at apply' -l accept-finding -x -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985' -d 'Plan and commit also what brings about an error by this rule, such as DL509; may be given several times.'
complete -c deltaadm -n '__deltaadm_at apply' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at apply' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at apply' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at apply' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at apply' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at apply' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at apply' -l output -s o -x -a 'text json jsonl sql markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at apply' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at apply' -l show-secrets -d 'Show the values of properties that look like passwords, keys or tokens.'
complete -c deltaadm -n '__deltaadm_at apply' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at features 0 0' -a 'adaptiveMetadata adaptiveMetadata-preview allowColumnDefaults appendOnly catalogManaged catalogOwned-preview changeDataFeed checkConstraints checkpointProtection clustering collations collations-preview columnMapping columnMappingUsageTracking coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 icebergWriterCompatV1 icebergWriterCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns redirectReaderWriter-preview redirectWriterOnly-preview rowTracking timestampNanos timestampNtz timestampWithoutTimezone typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview'
complete -c deltaadm -n '__deltaadm_at features' -l output -s o -x -a 'text json jsonl markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at features' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at features' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at rules 0' -a 'DL1 DL2 DL3 DL4 DL5 DL6 DL7 DL8 DL9 DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985'
complete -c deltaadm -n '__deltaadm_at rules' -l output -s o -x -a 'text json jsonl markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at rules' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at rules' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at explain 0' -a 'DL100 DL101 DL102 DL103 DL104 DL105 DL106 DL107 DL108 DL109 DL110 DL111 DL112 DL113 DL114 DL115 DL116 DL117 DL118 DL119 DL120 DL121 DL122 DL123 DL124 DL125 DL126 DL127 DL128 DL130 DL201 DL202 DL203 DL204 DL205 DL206 DL207 DL208 DL209 DL210 DL211 DL212 DL213 DL214 DL215 DL216 DL217 DL218 DL219 DL220 DL221 DL222 DL223 DL301 DL302 DL303 DL304 DL305 DL306 DL307 DL308 DL309 DL310 DL311 DL312 DL313 DL314 DL315 DL316 DL317 DL318 DL319 DL320 DL321 DL322 DL323 DL324 DL325 DL326 DL401 DL402 DL403 DL404 DL405 DL406 DL407 DL408 DL409 DL410 DL411 DL412 DL413 DL414 DL415 DL416 DL417 DL418 DL419 DL420 DL501 DL502 DL503 DL504 DL505 DL506 DL507 DL508 DL509 DL510 DL511 DL512 DL513 DL514 DL515 DL516 DL517 DL518 DL519 DL520 DL521 DL522 DL523 DL524 DL525 DL526 DL527 DL528 DL529 DL530 DL531 DL532 DL533 DL534 DL601 DL602 DL603 DL604 DL605 DL606 DL607 DL608 DL609 DL610 DL611 DL612 DL613 DL614 DL615 DL616 DL701 DL702 DL703 DL704 DL705 DL706 DL707 DL708 DL709 DL710 DL711 DL712 DL713 DL714 DL715 DL716 DL717 DL718 DL719 DL720 DL721 DL801 DL802 DL803 DL804 DL805 DL806 DL807 DL808 DL809 DL810 DL811 DL812 DL901 DL902 DL903 DL904 DL905 DL906 DL907 DL908 DL950 DL981 DL982 DL983 DL984 DL985 adaptiveMetadata adaptiveMetadata-preview allowColumnDefaults appendOnly catalogManaged catalogOwned-preview changeDataFeed checkConstraints checkpointProtection clustering collations collations-preview columnMapping columnMappingUsageTracking coordinatedCommits-preview deletionVectors domainMetadata generatedColumns geospatial geospatial-dev icebergCompatV1 icebergCompatV2 icebergCompatV3 icebergWriterCompatV1 icebergWriterCompatV3 identityColumns inCommitTimestamp invariants materializePartitionColumns redirectReaderWriter-preview redirectWriterOnly-preview rowTracking timestampNanos timestampNtz timestampWithoutTimezone typeWidening typeWidening-preview v2Checkpoint vacuumProtocolCheck variantShredding variantShredding-preview variantType variantType-preview ALL_PARTITION_COLUMNS_NOT_ALLOWED CAST_INVALID_INPUT CATALOG_NOT_FOUND COLUMN_ALREADY_EXISTS DATATYPE_MISMATCH DATA_SOURCE_NOT_FOUND DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION DELTA_ACTIVE_SPARK_SESSION_NOT_FOUND DELTA_ACTIVE_TRANSACTION_ALREADY_SET DELTA_ADAPTIVE_METADATA_REQUIRES_COLUMN_MAPPING_ID_MODE DELTA_ADAPTIVE_METADATA_REQUIRES_DEPENDENT_FEATURE_ENABLED DELTA_ADAPTIVE_METADATA_UPGRADE_NOT_SUPPORTED DELTA_ADDING_COLUMN_WITH_INTERNAL_NAME_FAILED DELTA_ADDING_DELETION_VECTORS_DISALLOWED DELTA_ADDING_DELETION_VECTORS_WITH_TIGHT_BOUNDS_DISALLOWED DELTA_ADD_COLUMN_AT_INDEX_LESS_THAN_ZERO DELTA_ADD_COLUMN_PARENT_NOT_STRUCT DELTA_ADD_COLUMN_STRUCT_NOT_FOUND DELTA_ADD_CONSTRAINTS DELTA_AGGREGATE_IN_CHECK_CONSTRAINT DELTA_AGGREGATE_IN_GENERATED_COLUMN DELTA_AGGREGATION_NOT_SUPPORTED DELTA_ALTER_TABLE_CHANGE_COL_NOT_SUPPORTED DELTA_ALTER_TABLE_CLUSTER_BY_NOT_ALLOWED DELTA_ALTER_TABLE_CLUSTER_BY_ON_PARTITIONED_TABLE_NOT_ALLOWED DELTA_ALTER_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED DELTA_AMBIGUOUS_DATA_TYPE_CHANGE DELTA_AMBIGUOUS_PARTITION_COLUMN DELTA_AMBIGUOUS_PATHS_IN_CREATE_TABLE DELTA_BLOCK_COLUMN_MAPPING_AND_CDC_OPERATION DELTA_BLOOM_FILTER_DROP_ON_NON_EXISTING_COLUMNS DELTA_BLOOM_FILTER_INVALID_PARAMETER_VALUE DELTA_CANNOT_CHANGE_DATA_TYPE DELTA_CANNOT_CHANGE_LOCATION DELTA_CANNOT_CHANGE_PROVIDER DELTA_CANNOT_CONVERT_TO_FILEFORMAT DELTA_CANNOT_CREATE_BLOOM_FILTER_NON_EXISTING_COL DELTA_CANNOT_CREATE_LOG_PATH DELTA_CANNOT_DESCRIBE_VIEW_HISTORY DELTA_CANNOT_DROP_BLOOM_FILTER_ON_NON_INDEXED_COLUMN DELTA_CANNOT_DROP_CHECK_CONSTRAINT_FEATURE DELTA_CANNOT_DROP_GEOSPATIAL_FEATURE DELTA_CANNOT_EVALUATE_EXPRESSION DELTA_CANNOT_FIND_VERSION DELTA_CANNOT_GENERATE_CODE_FOR_EXPRESSION DELTA_CANNOT_GENERATE_UPDATE_EXPRESSIONS DELTA_CANNOT_MODIFY_APPEND_ONLY DELTA_CANNOT_MODIFY_CATALOG_MANAGED_DEPENDENCIES DELTA_CANNOT_MODIFY_COORDINATED_COMMITS_DEPENDENCIES DELTA_CANNOT_MODIFY_TABLE_PROPERTY DELTA_CANNOT_OVERRIDE_COORDINATED_COMMITS_CONFS DELTA_CANNOT_RECONSTRUCT_PATH_FROM_URI DELTA_CANNOT_RENAME_PATH DELTA_CANNOT_REPLACE_MISSING_TABLE DELTA_CANNOT_RESOLVE_COLUMN DELTA_CANNOT_RESOLVE_EXPRESSION DELTA_CANNOT_RESOLVE_SOURCE_COLUMN DELTA_CANNOT_RESTORE_TABLE_VERSION DELTA_CANNOT_RESTORE_TIMESTAMP_EARLIER DELTA_CANNOT_RESTORE_TIMESTAMP_GREATER DELTA_CANNOT_SET_COORDINATED_COMMITS_DEPENDENCIES DELTA_CANNOT_SET_LOCATION_MULTIPLE_TIMES DELTA_CANNOT_SET_LOCATION_ON_PATH_IDENTIFIER DELTA_CANNOT_UNSET_COORDINATED_COMMITS_CONFS DELTA_CANNOT_UPDATE_ARRAY_FIELD DELTA_CANNOT_UPDATE_MAP_FIELD DELTA_CANNOT_UPDATE_OTHER_FIELD DELTA_CANNOT_UPDATE_STRUCT_FIELD DELTA_CANNOT_USE_ALL_COLUMNS_FOR_PARTITION DELTA_CANNOT_VACUUM_LITE DELTA_CANNOT_WRITE_EMPTY_SCHEMA DELTA_CANNOT_WRITE_INTO_VIEW DELTA_CAST_OVERFLOW_IN_TABLE_WRITE DELTA_CDC_NON_CONSTANT_ARGUMENT DELTA_CDC_NOT_ALLOWED_IN_THIS_VERSION DELTA_CDC_READ_NULL_RANGE_BOUNDARY DELTA_CDC_START_VERSION_AFTER_LATEST DELTA_CHANGELOG_READ_FAILED DELTA_CHANGELOG_REQUIRES_ROW_TRACKING DELTA_CHANGELOG_REQUIRES_V2_TABLE DELTA_CHANGELOG_ROW_TRACKING_DISABLED_IN_RANGE DELTA_CHANGELOG_SCHEMA_CHANGE_IN_RANGE DELTA_CHANGELOG_UNBOUNDED_RANGE DELTA_CHANGELOG_UNSUPPORTED_OPTION DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_DATA_SCHEMA DELTA_CHANGE_DATA_FEED_INCOMPATIBLE_SCHEMA_CHANGE DELTA_CHANGE_TABLE_FEED_DISABLED DELTA_CHECKPOINT_NON_EXIST_TABLE DELTA_CHECKPOINT_SNAPSHOT_MISMATCH DELTA_CLONE_AMBIGUOUS_TARGET DELTA_CLONE_INCOMPATIBLE_SOURCE DELTA_CLONE_UNSUPPORTED_SOURCE DELTA_CLONE_WITH_ROW_TRACKING_WITHOUT_STATS DELTA_CLUSTERING_COLUMNS_DATATYPE_NOT_SUPPORTED DELTA_CLUSTERING_COLUMNS_MISMATCH DELTA_CLUSTERING_COLUMN_MISSING_STATS DELTA_CLUSTERING_REPLACE_TABLE_WITH_PARTITIONED_TABLE DELTA_CLUSTERING_WITH_PARTITION_PREDICATE DELTA_CLUSTERING_WITH_ZORDER_BY DELTA_CLUSTER_BY_INVALID_NUM_COLUMNS DELTA_CLUSTER_BY_WITH_PARTITIONED_BY DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_PARTITIONED_COLUMN DELTA_COLUMN_DATA_SKIPPING_NOT_SUPPORTED_TYPE DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET DELTA_COLUMN_MAPPING_MAX_COLUMN_ID_NOT_SET_CORRECTLY DELTA_COLUMN_MISSING_DATA_TYPE DELTA_COLUMN_NOT_FOUND DELTA_COLUMN_NOT_FOUND_IN_MERGE DELTA_COLUMN_NOT_FOUND_IN_SCHEMA DELTA_COLUMN_PATH_NOT_NESTED DELTA_COLUMN_STRUCT_TYPE_MISMATCH DELTA_COMMAND_INVARIANT_VIOLATION DELTA_COMMIT_INTERMEDIATE_REDIRECT_STATE DELTA_COMPLEX_TYPE_COLUMN_CONTAINS_NULL_TYPE DELTA_CONCURRENT_APPEND DELTA_CONCURRENT_DELETE_DELETE DELTA_CONCURRENT_DELETE_READ DELTA_CONCURRENT_TRANSACTION DELTA_CONCURRENT_WRITE DELTA_CONFIGURE_SPARK_SESSION_WITH_EXTENSION_AND_CATALOG DELTA_CONFLICT_SET_COLUMN DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_COMMAND DELTA_CONF_OVERRIDE_NOT_SUPPORTED_IN_SESSION DELTA_CONSTRAINT_ALREADY_EXISTS DELTA_CONSTRAINT_DATA_TYPE_MISMATCH DELTA_CONSTRAINT_DEPENDENT_COLUMN_CHANGE DELTA_CONSTRAINT_DOES_NOT_EXIST DELTA_CONVERSION_NO_PARTITION_FOUND DELTA_CONVERSION_UNSUPPORTED_COLUMN_MAPPING DELTA_CONVERT_METASTORE_METADATA_MISMATCH DELTA_CONVERT_NON_PARQUET_TABLE DELTA_CONVERT_TO_DELTA_ROW_TRACKING_WITHOUT_STATS DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_SCHEMA DELTA_CREATE_EXTERNAL_TABLE_WITHOUT_TXN_LOG DELTA_CREATE_TABLE_IDENTIFIER_LOCATION_MISMATCH DELTA_CREATE_TABLE_MISSING_TABLE_NAME_OR_LOCATION DELTA_CREATE_TABLE_SCHEME_MISMATCH DELTA_CREATE_TABLE_SET_CLUSTERING_TABLE_FEATURE_NOT_ALLOWED DELTA_CREATE_TABLE_WITH_DIFFERENT_CLUSTERING DELTA_CREATE_TABLE_WITH_DIFFERENT_PARTITIONING DELTA_CREATE_TABLE_WITH_DIFFERENT_PROPERTY DELTA_CREATE_TABLE_WITH_NON_EMPTY_LOCATION DELTA_DATA_CHANGE_FALSE DELTA_DELETION_VECTOR_CARDINALITY_MISMATCH DELTA_DELETION_VECTOR_CHECKSUM_MISMATCH DELTA_DELETION_VECTOR_INVALID_ROW_INDEX DELTA_DELETION_VECTOR_MISSING_NUM_RECORDS DELTA_DELETION_VECTOR_SIZE_MISMATCH DELTA_DFV2_CREATE_REPLACE_INCOMPATIBLE_REPLACE_ON_OR_USING DELTA_DOMAIN_METADATA_NOT_SUPPORTED DELTA_DROP_COLUMN_AT_INDEX_LESS_THAN_ZERO DELTA_DROP_COLUMN_ON_SINGLE_FIELD_SCHEMA DELTA_DUPLICATE_ACTIONS_FOUND DELTA_DUPLICATE_COLUMNS_FOUND DELTA_DUPLICATE_COLUMNS_ON_INSERT DELTA_DUPLICATE_COLUMNS_ON_UPDATE_TABLE DELTA_DUPLICATE_DATA_SKIPPING_COLUMNS DELTA_DUPLICATE_DOMAIN_METADATA_INTERNAL_ERROR DELTA_DV_HISTOGRAM_DESERIALIZATON DELTA_DYNAMIC_PARTITION_OVERWRITE_DISABLED DELTA_DYNAMIC_PARTITION_OVERWRITE_INCOMPATIBLE_REPLACE_ON_OR_USING DELTA_EMPTY_DATA DELTA_EMPTY_DIRECTORY DELTA_ENABLING_COLUMN_MAPPING_DISALLOWED_WHEN_COLUMN_MAPPING_METADATA_ALREADY_EXISTS DELTA_ERROR_FINDING_COLUMN_POSITION DELTA_EXCEED_CHAR_VARCHAR_LIMIT DELTA_EXPRESSIONS_NOT_FOUND_IN_GENERATED_COLUMN DELTA_EXTRACT_REFERENCES_FIELD_NOT_FOUND DELTA_FAILED_CAST_PARTITION_VALUE DELTA_FAILED_FIND_ATTRIBUTE_IN_OUTPUT_COLUMNS DELTA_FAILED_FIND_PARTITION_COLUMN_IN_OUTPUT_PLAN DELTA_FAILED_INFER_SCHEMA DELTA_FAILED_MERGE_SCHEMA_FILE DELTA_FAILED_READ_FILE_FOOTER DELTA_FAILED_RECOGNIZE_PREDICATE DELTA_FAILED_SCAN_WITH_HISTORICAL_VERSION DELTA_FAILED_TO_MERGE_FIELDS DELTA_FAIL_RELATIVIZE_PATH DELTA_FEATURES_PROTOCOL_METADATA_MISMATCH DELTA_FEATURES_REQUIRE_MANUAL_ENABLEMENT DELTA_FEATURE_CAN_ONLY_DROP_CHECKPOINT_PROTECTION_WITH_HISTORY_TRUNCATION DELTA_FEATURE_DROP_CHECKPOINT_FAILED DELTA_FEATURE_DROP_CHECKPOINT_PROTECTION_WAIT_FOR_RETENTION_PERIOD DELTA_FEATURE_DROP_CONFLICT_REVALIDATION_FAIL DELTA_FEATURE_DROP_DEPENDENT_FEATURE DELTA_FEATURE_DROP_FEATURE_IS_DELTA_PROPERTY DELTA_FEATURE_DROP_FEATURE_NOT_PRESENT DELTA_FEATURE_DROP_HISTORICAL_VERSIONS_EXIST DELTA_FEATURE_DROP_HISTORY_TRUNCATION_NOT_ALLOWED DELTA_FEATURE_DROP_NONREMOVABLE_FEATURE DELTA_FEATURE_DROP_UNSUPPORTED_CLIENT_FEATURE DELTA_FEATURE_DROP_WAIT_FOR_RETENTION_PERIOD DELTA_FEATURE_REQUIRES_HIGHER_READER_VERSION DELTA_FEATURE_REQUIRES_HIGHER_WRITER_VERSION DELTA_FILE_ALREADY_EXISTS DELTA_FILE_LIST_AND_PATTERN_STRING_CONFLICT DELTA_FILE_NOT_FOUND DELTA_FILE_OR_DIR_NOT_FOUND DELTA_FILE_TO_OVERWRITE_NOT_FOUND DELTA_FOUND_MAP_TYPE_COLUMN DELTA_GENERATED_COLUMNS_DATA_TYPE_MISMATCH DELTA_GENERATED_COLUMNS_DEPENDENT_COLUMN_CHANGE DELTA_GENERATED_COLUMNS_EXPR_TYPE_MISMATCH DELTA_GENERATED_COLUMN_UPDATE_TYPE_MISMATCH DELTA_GEOSPATIAL_NOT_SUPPORTED DELTA_GEOSPATIAL_SRID_NOT_SUPPORTED DELTA_ICEBERG_COMPAT_VIOLATION DELTA_IDENTITY_COLUMNS_ALTER_COLUMN_NOT_SUPPORTED DELTA_IDENTITY_COLUMNS_ALTER_NON_DELTA_FORMAT DELTA_IDENTITY_COLUMNS_ALTER_NON_IDENTITY_COLUMN DELTA_IDENTITY_COLUMNS_EXPLICIT_INSERT_NOT_SUPPORTED DELTA_IDENTITY_COLUMNS_ILLEGAL_STEP DELTA_IDENTITY_COLUMNS_PARTITION_NOT_SUPPORTED DELTA_IDENTITY_COLUMNS_REPLACE_COLUMN_NOT_SUPPORTED DELTA_IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE DELTA_IDENTITY_COLUMNS_UPDATE_NOT_SUPPORTED DELTA_IDENTITY_COLUMNS_WITH_GENERATED_EXPRESSION DELTA_IDENTITY_COLUMN_INCONSISTENT_METADATA DELTA_ILLEGAL_FILE_FOUND DELTA_ILLEGAL_OPTION DELTA_ILLEGAL_USAGE DELTA_INCOMPATIBLE_DATAFRAME_OPTIONS DELTA_INCONSISTENT_LOGSTORE_CONFS DELTA_INCORRECT_ARRAY_ACCESS DELTA_INCORRECT_ARRAY_ACCESS_BY_NAME DELTA_INCORRECT_LOG_STORE_IMPLEMENTATION DELTA_INDEX_LARGER_OR_EQUAL_THAN_STRUCT DELTA_INDEX_LARGER_THAN_STRUCT DELTA_INSERT_COLUMN_ARITY_MISMATCH DELTA_INSERT_COLUMN_MISMATCH DELTA_INSERT_REPLACE_ON_AMBIGUOUS_COLUMNS_IN_CONDITION DELTA_INSERT_REPLACE_ON_UNRESOLVED_COLUMNS_IN_CONDITION DELTA_INVALID_AUTO_COMPACT_TYPE DELTA_INVALID_CALENDAR_INTERVAL_EMPTY DELTA_INVALID_CDC_RANGE DELTA_INVALID_CHARACTERS_IN_COLUMN_NAME DELTA_INVALID_CHARACTERS_IN_COLUMN_NAMES DELTA_INVALID_CHECK_CONSTRAINT_REFERENCES DELTA_INVALID_CLONE_PATH DELTA_INVALID_COLUMN_NAMES_WHEN_REMOVING_COLUMN_MAPPING DELTA_INVALID_COMMITTED_VERSION DELTA_INVALID_CONSTRAINT_NAME DELTA_INVALID_FORMAT_FROM_SOURCE_VERSION DELTA_INVALID_GENERATED_COLUMN_REFERENCES DELTA_INVALID_IDEMPOTENT_WRITES_OPTIONS DELTA_INVALID_INTERVAL DELTA_INVALID_INVENTORY_SCHEMA DELTA_INVALID_ISOLATION_LEVEL DELTA_INVALID_LOGSTORE_CONF DELTA_INVALID_MANAGED_TABLE_SYNTAX_NO_SCHEMA DELTA_INVALID_PARTITIONING_SCHEMA DELTA_INVALID_PARTITION_COLUMN DELTA_INVALID_PARTITION_COLUMN_NAME DELTA_INVALID_PARTITION_COLUMN_TYPE DELTA_INVALID_PARTITION_PATH DELTA_INVALID_PROTOCOL_DOWNGRADE DELTA_INVALID_PROTOCOL_VERSION DELTA_INVALID_SOURCE_OFFSET_FORMAT DELTA_INVALID_SOURCE_VERSION DELTA_INVALID_TABLE_VALUE_FUNCTION DELTA_INVALID_TIMESTAMP_FORMAT DELTA_INVALID_V1_TABLE_CALL DELTA_ITERATOR_ALREADY_CLOSED DELTA_LOG_ALREADY_EXISTS DELTA_LOG_FILE_NOT_FOUND DELTA_LOG_FILE_NOT_FOUND_FOR_STREAMING_SOURCE DELTA_MATERIALIZED_ROW_TRACKING_COLUMN_NAME_MISSING DELTA_MAX_ARRAY_SIZE_EXCEEDED DELTA_MAX_COMMIT_RETRIES_EXCEEDED DELTA_MERGE_ADD_VOID_COLUMN DELTA_MERGE_INCOMPATIBLE_DATATYPE DELTA_MERGE_INCOMPATIBLE_DECIMAL_TYPE DELTA_MERGE_INTO_EMPTY_SCHEMA_TARGET DELTA_MERGE_MATERIALIZE_SOURCE_FAILED_REPEATEDLY DELTA_MERGE_MISSING_WHEN DELTA_MERGE_RESOLVED_ATTRIBUTE_MISSING_FROM_INPUT DELTA_MERGE_SOURCE_CACHED_DURING_EXECUTION DELTA_MERGE_UNEXPECTED_ASSIGNMENT_KEY DELTA_MERGE_UNRESOLVED_EXPRESSION DELTA_METADATA_ABSENT DELTA_METADATA_ABSENT_EXISTING_CATALOG_TABLE DELTA_METADATA_CHANGED DELTA_METADATA_MISMATCH DELTA_MISSING_CHANGE_DATA DELTA_MISSING_COLUMN DELTA_MISSING_COMMIT_INFO DELTA_MISSING_COMMIT_TIMESTAMP DELTA_MISSING_DELTA_TABLE DELTA_MISSING_FILES_UNEXPECTED_VERSION DELTA_MISSING_ICEBERG_CLASS DELTA_MISSING_NOT_NULL_COLUMN_VALUE DELTA_MISSING_PARTITION_COLUMN DELTA_MISSING_PART_FILES DELTA_MISSING_PROVIDER_FOR_CONVERT DELTA_MISSING_SET_COLUMN DELTA_MODE_NOT_SUPPORTED DELTA_MULTIPLE_CDC_BOUNDARY DELTA_MULTIPLE_CONF_FOR_SINGLE_COLUMN_IN_BLOOM_FILTER DELTA_MULTIPLE_SOURCE_ROW_MATCHING_TARGET_ROW_IN_MERGE DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_COMMAND DELTA_MUST_SET_ALL_COORDINATED_COMMITS_CONFS_IN_SESSION DELTA_NESTED_NOT_NULL_CONSTRAINT DELTA_NEW_CHECK_CONSTRAINT_VIOLATION DELTA_NEW_NOT_NULL_VIOLATION DELTA_NON_BOOLEAN_CHECK_CONSTRAINT DELTA_NON_DETERMINISTIC_EXPRESSION_IN_CHECK_CONSTRAINT DELTA_NON_DETERMINISTIC_EXPRESSION_IN_GENERATED_COLUMN DELTA_NON_DETERMINISTIC_FUNCTION_NOT_SUPPORTED DELTA_NON_GENERATED_COLUMN_MISSING_UPDATE_EXPR DELTA_NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION DELTA_NON_LAST_NOT_MATCHED_BY_SOURCE_CLAUSE_OMIT_CONDITION DELTA_NON_LAST_NOT_MATCHED_CLAUSE_OMIT_CONDITION DELTA_NON_PARSABLE_TAG DELTA_NON_PARTITION_COLUMN_ABSENT DELTA_NON_PARTITION_COLUMN_REFERENCE DELTA_NON_PARTITION_COLUMN_SPECIFIED DELTA_NON_SINGLE_PART_NAMESPACE_FOR_CATALOG DELTA_NOT_A_DELTA_TABLE DELTA_NOT_NULL_COLUMN_NOT_FOUND_IN_STRUCT DELTA_NOT_NULL_CONSTRAINT_VIOLATED DELTA_NOT_NULL_NESTED_FIELD DELTA_NO_COMMITS_FOUND DELTA_NO_NEW_ATTRIBUTE_ID DELTA_NO_RECREATABLE_HISTORY_FOUND DELTA_NO_REDIRECT_RULES_VIOLATED DELTA_NO_RELATION_TABLE DELTA_NO_START_FOR_CDC_READ DELTA_NULL_SCHEMA_IN_STREAMING_WRITE DELTA_NUM_RECORDS_MISMATCH DELTA_ONEOF_IN_TIMETRAVEL DELTA_ONLY_OPERATION DELTA_OPERATION_MISSING_PATH DELTA_OPERATION_NOT_ALLOWED DELTA_OPERATION_NOT_ALLOWED_DETAIL DELTA_OPERATION_NOT_SUPPORTED_FOR_DATATYPES DELTA_OPERATION_ON_TEMP_VIEW_WITH_GENERATED_COLS_NOT_SUPPORTED DELTA_OPERATION_ON_VIEW_NOT_ALLOWED DELTA_OPTIMIZE_FULL_NOT_SUPPORTED DELTA_OVERWRITE_BY_FILTER_INCOMPATIBLE_REPLACE_ON_OR_USING DELTA_OVERWRITE_SCHEMA_WITH_DYNAMIC_PARTITION_OVERWRITE DELTA_PARSING_ANALYSIS_ERROR DELTA_PARSING_ILLEGAL_TABLE_NAME DELTA_PARSING_INCORRECT_CLONE_HEADER DELTA_PARSING_MISSING_TABLE_NAME_OR_PATH DELTA_PARSING_MUTUALLY_EXCLUSIVE_CLAUSES DELTA_PARSING_UNSUPPORTED_DATA_TYPE DELTA_PARTITION_COLUMN_CAST_FAILED DELTA_PARTITION_COLUMN_NOT_FOUND DELTA_PARTITION_SCHEMA_IN_ICEBERG_TABLES DELTA_PATH_BASED_ACCESS_TO_CATALOG_MANAGED_TABLE_BLOCKED DELTA_PATH_DOES_NOT_EXIST DELTA_PATH_EXISTS DELTA_POST_COMMIT_HOOK_FAILED DELTA_PROTOCOL_CHANGED DELTA_PROTOCOL_PROPERTY_NOT_INT DELTA_READ_FEATURE_PROTOCOL_REQUIRES_WRITE DELTA_READ_SOURCE_SCHEMA_CONFLICT DELTA_READ_TABLE_WITHOUT_COLUMNS DELTA_REGEX_OPT_SYNTAX_ERROR DELTA_RELATION_PATH_MISMATCH DELTA_REMOVE_FILE_CDC_MISSING_EXTENDED_METADATA DELTA_REPLACE_ON_OR_USING_TABLE_CONSTRAINT_VIOLATION DELTA_REPLACE_TABLE_WITH_CATALOG_MANAGED_NOT_SUPPORTED DELTA_REPLACE_WHERE_IN_OVERWRITE DELTA_REPLACE_WHERE_MISMATCH DELTA_REPLACE_WHERE_WITH_DYNAMIC_PARTITION_OVERWRITE DELTA_REPLACE_WHERE_WITH_FILTER_DATA_CHANGE_UNSET DELTA_ROW_ID_ASSIGNMENT_WITHOUT_STATS DELTA_ROW_TRACKING_BACKFILL_RUNNING_CONCURRENTLY_WITH_UNBACKFILL DELTA_ROW_TRACKING_ILLEGAL_PROPERTY_COMBINATION DELTA_SCHEMA_CHANGED DELTA_SCHEMA_CHANGED_WITH_STARTING_OPTIONS DELTA_SCHEMA_CHANGED_WITH_VERSION DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS DELTA_SCHEMA_NOT_CONSISTENT_WITH_TARGET DELTA_SCHEMA_NOT_PROVIDED DELTA_SCHEMA_NOT_SET DELTA_SET_LOCATION_SCHEMA_MISMATCH DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_COLUMN DELTA_SHOW_PARTITION_IN_NON_PARTITIONED_TABLE DELTA_SHREDDING_TABLE_PROPERTY_DISABLED DELTA_SOURCE_IGNORE_DELETE DELTA_SOURCE_TABLE_IGNORE_CHANGES DELTA_SPARK_SESSION_NOT_SET DELTA_SPARK_THREAD_NOT_FOUND DELTA_STARTING_VERSION_AND_TIMESTAMP_BOTH_SET DELTA_STATE_RECOVER_ERROR DELTA_STATS_COLLECTION_COLUMN_NOT_FOUND DELTA_STREAMING_CANNOT_CONTINUE_PROCESSING_POST_SCHEMA_EVOLUTION DELTA_STREAMING_CHECK_COLUMN_MAPPING_NO_SNAPSHOT DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE DELTA_STREAMING_INCOMPATIBLE_SCHEMA_CHANGE_USE_SCHEMA_LOG DELTA_STREAMING_INITIAL_SNAPSHOT_TOO_LARGE DELTA_STREAMING_METADATA_EVOLUTION DELTA_STREAMING_SCHEMA_LOCATION_CONFLICT DELTA_STREAMING_SCHEMA_LOCATION_NOT_UNDER_CHECKPOINT DELTA_STREAMING_SCHEMA_LOG_DESERIALIZE_FAILED DELTA_STREAMING_SCHEMA_LOG_INCOMPATIBLE_DELTA_TABLE_ID DELTA_STREAMING_SCHEMA_LOG_INCOMPATIBLE_PARTITION_SCHEMA DELTA_STREAMING_SCHEMA_LOG_INIT_FAILED_INCOMPATIBLE_METADATA DELTA_STREAMING_SCHEMA_LOG_PARSE_SCHEMA_FAILED DELTA_STREAMING_SCHEMA_MISMATCH_ON_RESTART DELTA_STREAMING_TRAILING_COMMIT_MISSING DELTA_TABLE_ALREADY_CONTAINS_CDC_COLUMNS DELTA_TABLE_ALREADY_EXISTS DELTA_TABLE_FOR_PATH_UNSUPPORTED_HADOOP_CONF DELTA_TABLE_FOUND_IN_EXECUTOR DELTA_TABLE_INVALID_REDIRECT_STATE_TRANSITION DELTA_TABLE_INVALID_REMOVE_TABLE_REDIRECT DELTA_TABLE_INVALID_SET_UNSET_REDIRECT DELTA_TABLE_LOCATION_MISMATCH DELTA_TABLE_NOT_FOUND DELTA_TABLE_NOT_SUPPORTED_IN_OP DELTA_TABLE_ONLY_OPERATION DELTA_TABLE_UNRECOGNIZED_REDIRECT_SPEC DELTA_TARGET_TABLE_FINAL_SCHEMA_EMPTY DELTA_TIMESTAMP_EARLIER_THAN_COMMIT_RETENTION DELTA_TIMESTAMP_GREATER_THAN_COMMIT DELTA_TIMESTAMP_INVALID DELTA_TIME_TRAVEL_INVALID_BEGIN_VALUE DELTA_TRUNCATED_TRANSACTION_LOG DELTA_TRUNCATE_TABLE_PARTITION_NOT_SUPPORTED DELTA_TXN_LOG_FAILED_INTEGRITY DELTA_UDF_IN_CHECK_CONSTRAINT DELTA_UDF_IN_GENERATED_COLUMN DELTA_UNEXPECTED_ACTION_EXPRESSION DELTA_UNEXPECTED_ALIAS DELTA_UNEXPECTED_ATTRIBUTE_REFERENCE DELTA_UNEXPECTED_CHANGE_FILES_FOUND DELTA_UNEXPECTED_NUM_PARTITION_COLUMNS_FROM_FILE_NAME DELTA_UNEXPECTED_PARTIAL_SCAN DELTA_UNEXPECTED_PARTITION_COLUMN_FROM_FILE_NAME DELTA_UNEXPECTED_PARTITION_SCHEMA_FROM_USER DELTA_UNEXPECTED_PROJECT DELTA_UNIVERSAL_FORMAT_CONVERSION_FAILED DELTA_UNIVERSAL_FORMAT_VIOLATION DELTA_UNKNOWN_CONFIGURATION DELTA_UNKNOWN_PRIVILEGE DELTA_UNKNOWN_READ_LIMIT DELTA_UNRECOGNIZED_COLUMN_CHANGE DELTA_UNRECOGNIZED_FILE_ACTION DELTA_UNRECOGNIZED_INVARIANT DELTA_UNRECOGNIZED_LOGFILE DELTA_UNSET_NON_EXISTENT_PROPERTY DELTA_UNSUPPORTED_ABS_PATH_ADD_FILE DELTA_UNSUPPORTED_ALTER_TABLE_CHANGE_COL_OP DELTA_UNSUPPORTED_ALTER_TABLE_REPLACE_COL_OP DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_CREATION DELTA_UNSUPPORTED_CATALOG_MANAGED_TABLE_OPERATION DELTA_UNSUPPORTED_CLONE_REPLACE_SAME_TABLE DELTA_UNSUPPORTED_COLUMN_MAPPING_MODE_CHANGE DELTA_UNSUPPORTED_COLUMN_MAPPING_PROTOCOL DELTA_UNSUPPORTED_COLUMN_MAPPING_SCHEMA_CHANGE DELTA_UNSUPPORTED_COLUMN_MAPPING_WRITE DELTA_UNSUPPORTED_COLUMN_TYPE_IN_BLOOM_FILTER DELTA_UNSUPPORTED_COMMENT_MAP_ARRAY DELTA_UNSUPPORTED_DATA_TYPES DELTA_UNSUPPORTED_DATA_TYPE_IN_GENERATED_COLUMN DELTA_UNSUPPORTED_DEEP_CLONE DELTA_UNSUPPORTED_DESCRIBE_DETAIL_VIEW DELTA_UNSUPPORTED_DROP_CLUSTERING_COLUMN DELTA_UNSUPPORTED_DROP_COLUMN DELTA_UNSUPPORTED_DROP_NESTED_COLUMN_FROM_NON_STRUCT_TYPE DELTA_UNSUPPORTED_DROP_PARTITION_COLUMN DELTA_UNSUPPORTED_EXPRESSION DELTA_UNSUPPORTED_EXPRESSION_CHECK_CONSTRAINT DELTA_UNSUPPORTED_EXPRESSION_GENERATED_COLUMN DELTA_UNSUPPORTED_EXPRESSION_IN_TARGET_COLUMN DELTA_UNSUPPORTED_FEATURES_FOR_READ DELTA_UNSUPPORTED_FEATURES_FOR_WRITE DELTA_UNSUPPORTED_FEATURES_IN_CONFIG DELTA_UNSUPPORTED_FEATURE_STATUS DELTA_UNSUPPORTED_FIELD_UPDATE_NON_STRUCT DELTA_UNSUPPORTED_GENERATE_WITH_DELETION_VECTORS DELTA_UNSUPPORTED_INVARIANT_NON_STRUCT DELTA_UNSUPPORTED_IN_SUBQUERY DELTA_UNSUPPORTED_MANIFEST_GENERATION_WITH_COLUMN_MAPPING DELTA_UNSUPPORTED_MULTI_COL_IN_PREDICATE DELTA_UNSUPPORTED_NESTED_COLUMN_IN_BLOOM_FILTER DELTA_UNSUPPORTED_NESTED_FIELD_IN_OPERATION DELTA_UNSUPPORTED_NESTED_FIELD_IN_UPDATE DELTA_UNSUPPORTED_NON_EMPTY_CLONE DELTA_UNSUPPORTED_OUTPUT_MODE DELTA_UNSUPPORTED_PARTITION_COLUMN_CHANGE DELTA_UNSUPPORTED_PARTITION_COLUMN_IN_BLOOM_FILTER DELTA_UNSUPPORTED_RENAME_COLUMN DELTA_UNSUPPORTED_SCHEMA_DURING_READ DELTA_UNSUPPORTED_SOURCE DELTA_UNSUPPORTED_STATIC_PARTITIONS DELTA_UNSUPPORTED_STATS_RECOMPUTE_WITH_DELETION_VECTORS DELTA_UNSUPPORTED_SUBQUERY DELTA_UNSUPPORTED_SUBQUERY_IN_PARTITION_PREDICATES DELTA_UNSUPPORTED_TIME_TRAVEL_BEYOND_DELETED_FILE_RETENTION_DURATION DELTA_UNSUPPORTED_TIME_TRAVEL_MULTIPLE_FORMATS DELTA_UNSUPPORTED_TIME_TRAVEL_VIEWS DELTA_UNSUPPORTED_TYPE_CHANGE_IN_PREVIEW DELTA_UNSUPPORTED_TYPE_CHANGE_IN_SCHEMA DELTA_UNSUPPORTED_VACUUM_SPECIFIC_PARTITION DELTA_UNSUPPORTED_WRITES_STAGED_TABLE DELTA_UNSUPPORTED_WRITES_WITHOUT_COORDINATOR DELTA_UPDATE_SCHEMA_MISMATCH_EXPRESSION DELTA_USER_DEFINED_TYPE_COLUMN_CONTAINS_NULL_TYPE DELTA_VACUUM_RETENTION_PERIOD_NEGATIVE DELTA_VACUUM_RETENTION_PERIOD_TOO_SHORT DELTA_VERSIONS_NOT_CONTIGUOUS DELTA_VERSION_INVALID DELTA_VERSION_NOT_FOUND DELTA_VIOLATE_CONSTRAINT_WITH_VALUES DELTA_VIOLATE_TABLE_PROPERTY_VALIDATION_FAILED DELTA_ZORDERING_COLUMN_DOES_NOT_EXIST DELTA_ZORDERING_ON_COLUMN_WITHOUT_STATS DELTA_ZORDERING_ON_PARTITION_COLUMN DIFFERENT_DELTA_TABLE_READ_BY_STREAMING_SOURCE DIVIDE_BY_ZERO EXPECT_TABLE_NOT_VIEW EXPRESSION_DECODING_FAILED FAILED_READ_FILE FIELD_ALREADY_EXISTS FIELD_NOT_FOUND IDENTITY_COLUMNS_ILLEGAL_STEP INCORRECT_NUMBER_OF_ARGUMENTS INSERT_REPLACE_USING_DISALLOW_MISALIGNED_COLUMNS INTERNAL_ERROR INVALID_EXTRACT_BASE_FIELD_TYPE INVALID_FIELD_NAME INVALID_HANDLE INVALID_JSON_DATA_TYPE INVALID_PARTITION_COLUMN_DATA_TYPE INVALID_WHERE_CONDITION LOCATION_ALREADY_EXISTS NOT_A_SCALAR_FUNCTION NOT_SUPPORTED_CHANGE_COLUMN PARSE_EMPTY_STATEMENT PARSE_SYNTAX_ERROR PATH_NOT_FOUND REQUIRES_SINGLE_PART_NAMESPACE RESERVED_CDC_COLUMNS_ON_WRITE SCHEMA_NOT_FOUND TABLE_OR_VIEW_ALREADY_EXISTS TABLE_OR_VIEW_NOT_FOUND UNRESOLVED_COLUMN UNRESOLVED_INSERT_REPLACE_USING_COLUMN UNRESOLVED_ROUTINE UNSUPPORTED_DATA_TYPE UNSUPPORTED_DATA_TYPE_FOR_DATASOURCE UNSUPPORTED_FEATURE UNSUPPORTED_GENERATOR UNSUPPORTED_GROUPING_EXPRESSION UNSUPPORTED_TABLE_CHANGE UNSUPPORTED_TIME_TYPE UNSUPPORTED_TYPE_WIDENING WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE WINDOW_FUNCTION_WITHOUT_OVER_CLAUSE WRONG_COLUMN_DEFAULTS_FOR_DELTA_ALTER_TABLE_ADD_COLUMN_NOT_SUPPORTED WRONG_COLUMN_DEFAULTS_FOR_DELTA_FEATURE_NOT_ENABLED WRONG_NUM_ARGS _LEGACY_ERROR_TEMP_0034 _LEGACY_ERROR_TEMP_0035 _LEGACY_ERROR_TEMP_1126 _LEGACY_ERROR_TEMP_2330 _LEGACY_ERROR_TEMP_3058 _LEGACY_ERROR_TEMP_3060'
complete -c deltaadm -n '__deltaadm_at explain' -l output -s o -x -a 'text json jsonl markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at explain' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at explain' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at doctor' -l start -d 'Also start Spark, and see whether Delta answers.'
complete -c deltaadm -n '__deltaadm_at doctor' -l engine -x -a 'embedded spark' -d 'What reads the log: embedded, which needs no JVM, or spark, for logs that one process takes too long to read and for places that only Spark reaches.'
complete -c deltaadm -n '__deltaadm_at doctor' -l spark-master -x -d 'Spark master; this machine if left out.'
complete -c deltaadm -n '__deltaadm_at doctor' -l remote -x -d 'Spark Connect server, sc://host:port.'
complete -c deltaadm -n '__deltaadm_at doctor' -l spark-conf -x -d 'A Spark setting; may be given several times.'
complete -c deltaadm -n '__deltaadm_at doctor' -l jars -r -F -d 'A jar, or a directory of jars, for the Spark that is started: Delta\'s own, where they cannot be fetched.'
complete -c deltaadm -n '__deltaadm_at doctor' -l debug -d 'Show Spark\'s own messages on standard error.'
complete -c deltaadm -n '__deltaadm_at doctor' -l output -s o -x -a 'text json jsonl markdown html' -d 'text, json, jsonl, markdown or html; for plans also sql.'
complete -c deltaadm -n '__deltaadm_at doctor' -l color -x -a 'auto always never' -d 'auto, always or never.'
complete -c deltaadm -n '__deltaadm_at doctor' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at schema 0 0' -a 'baseline best-effort doctor drop-feature error error-class feature features inspect journal line outcome parent-changes plan rule rules validate'
complete -c deltaadm -n '__deltaadm_at schema' -l help -s h -d 'Show this message and exit.'

complete -c deltaadm -n '__deltaadm_at completion 0 0' -a 'bash zsh fish powershell'
complete -c deltaadm -n '__deltaadm_at completion' -l help -s h -d 'Show this message and exit.'
