# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_kubectl_preempt_global_optspecs
    string join \n n/namespace= color= ascii pager q/quiet v/v= kubeconfig= context= cluster= user= s/server= token= as= as-group= as-uid= as-user-extra= insecure-skip-tls-verify= certificate-authority= client-certificate= client-key= tls-server-name= request-timeout= disable-compression= cache-dir= username= password= warnings-as-errors= h/help V/version
end

function __fish_kubectl_preempt_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_kubectl_preempt_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_kubectl_preempt_using_subcommand
    set -l cmd (__fish_kubectl_preempt_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s V -l version -d 'Print the version of this program'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "explain" -d 'Explain what kube-scheduler decides about a pod, and why'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "pending" -d 'List pending pods: whether they fit, what blocks them, and what they wait for'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "simulate" -d 'Simulate what would happen to pending or new pods, and carry the plan out with --apply'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "node" -d 'Show whether nodes can be drained, and what blocks them'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "snapshot" -d 'Save the cluster\'s scheduling state to a file for --from'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "verify" -d 'Compare kube-scheduler\'s messages about pending pods with what its rules give'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "audit" -d 'Find what makes preemption surprising, dangerous or useless: budgets, priority classes, pods'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "risk" -d 'Show which running pods can be preempted, and by which pods'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "headroom" -d 'Show how many more pods like one fit'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "suggest" -d 'Suggest the smallest change that lets a pod in and loses no pod'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "why-evicted" -d 'Say why a pod was evicted: which pod preempted it, or what else ended it'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "doctor" -d 'Check the connection and the permissions that the commands need'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "mcp" -d 'Serve the Model Context Protocol on standard input and output, for agents'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "completion" -d 'Print a completion script for a shell, or make kubectl complete this plugin'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "rules" -d 'Explain a plugin, a preemption step or a message of kube-scheduler'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "schema" -d 'Print the JSON Schema of everything that -o json prints'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "options" -d 'Print the flags that every command takes'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "version" -d 'Print the version of this program, and the versions of kube-scheduler that it knows'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s o -l output -d 'text, wide, json, yaml, name, csv, markdown, html, dot, jsonpath=... or custom-columns=...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
name\t''
csv\t''
markdown\t''
html\t''
dot\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l why-not -d 'Say what decides against this node' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l seed -d 'With --as-scheduled: start at this node only' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l compare -d 'Show what differs between versions' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l nodes -d 'Show every node, one row each'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l bars -d 'Draw how full the nodes are: what stays, what the pod may evict, where its request ends'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as-scheduled -d 'Show what the scheduler itself may pick, and how likely'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l exit-code -d 'Exit with 1 if a pod gets no node, even by preemption or from an autoscaler'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l running -d 'With --compare: also running pods, as if recreated'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l interval -d 'With --watch: how often to list a kind that may not be watched, e.g. 5s or 1m' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l listen -d 'With --watch: serve metrics at this port of 127.0.0.1, or at ADDRESS:PORT' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l listen-host -d 'With --listen: a further name under which it may be asked; repeatable' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s o -l output -d 'text, wide, json, yaml, name, openmetrics, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
name\t''
openmetrics\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .created' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l compare -d 'Show which pods an upgrade or another configuration changes' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l in-order -d 'Place the pods one after the other, in queue order'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s w -l watch -d 'Update the list as the cluster changes'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l allow-remote -d 'With --listen: also at an address that other machines reach'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l running -d 'With --compare: also running pods, as if recreated'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l replay -d 'With --compare: place the running pods again, in the order of their start'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l no-headers -d 'Print only rows, without column headings and counts'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s f -l filename -d 'Pods or workloads to apply; - is standard input' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l before -d 'The manifests before the change: what they have and -f lacks is deleted' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l fail -d 'Lose nodes at once: what happens to their pods' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l fail-each -d 'Lose each node, zone or pool on its own; the worst come first' -r -f -a "node\t''
zone\t''
pool\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l replicas -d 'Number of pods to simulate; overrides replicas' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l depth -d 'Number of generations of replacements to follow' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s o -l output -d 'text, wide, json, yaml, csv, markdown, github, sarif, junit, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
csv\t''
markdown\t''
github\t''
sarif\t''
junit\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .name' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l priority -d 'Pretend that the pods have this priority or class' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l preemption-policy -d 'Pretend that this is their preemption policy' -r -f -a "PreemptLowerPriority\t''
Never\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l requests -d 'Pretend that the container of each pod requests this' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l toleration -d 'Pretend that the pods tolerate this taint' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l node-selector -d 'Pretend that the pods also have this node selector' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l add-node -d 'Pretend this node exists: Node objects from FILE' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l add-node-like -d 'Pretend another node like this one exists' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l remove-pod -d 'Pretend this pod is deleted' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l free -d 'Pretend this much more is free on the node' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l cordon -d 'Pretend these nodes are cordoned' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l uncordon -d 'Pretend these nodes are uncordoned' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l drain -d 'Pretend these nodes are drained' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l label-node -d 'Pretend the node has this label' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l remove-taint -d 'Pretend this taint is removed from the node' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l remove-node -d 'Pretend these nodes and their pods are deleted' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l pdb -d 'Pretend this budget allows N disruptions' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l on -d 'Plan for this node, whichever the scheduler picks' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l fail-on -d 'What fails: unschedulable, victims, pdb, new-node, uncertain (default: unschedulable,uncertain)' -r -f -a "unschedulable\t'A pod gets no node, or is refused'
victims\t'A pod is evicted'
pdb\t'A budget is violated'
new-node\t'A pod needs a new node'
uncertain\t'The answer may be another one'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l max-victims -d 'Fail if more than N pods are evicted, also for the replacements of others' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l protect -d 'Fail if a pod of this namespace or with these labels is evicted' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l ignore -d 'Accept findings with these codes, such as PRE-984' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l mode -d 'Remove victims by evict or delete (default: evict)' -r -f -a "evict\t'By the eviction API'
delete\t'As kube-scheduler'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l timeout -d 'Time to wait before giving up, e.g. 90s; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l wait -d 'If false, return when the last eviction is accepted (default: true)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l grace-period -d 'Seconds that each victim gets to stop (default: its own)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l dry-run -d 'none, client (send nothing) or server (the server only checks)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l prune -d 'Delete what was applied before to the namespaces of -f and is not in it'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s R -l recursive -d 'Read the directories of -f recursively'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l nodes-needed -d 'Say how many new nodes the pods need, of the kinds that are there'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as-if-preempting -d 'Pretend that the pods may preempt'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l no-fail -d 'Report alone: exit with 0 whatever is found'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l apply -d 'Evict the victims, and wait until the pod is on a node'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l nominate -d 'Set the pod\'s nominatedNodeName if it is not set, and reset it if the plan fails'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s y -l yes -d 'Do not ask for confirmation'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l force -d 'Continue even if victims are unsafe to evict'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l yes-despite-competitors -d 'Continue even if another pending pod may take the room'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l delete-emptydir-data -d 'Continue even if victims use emptyDir volumes, whose data is lost'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l record -d 'Write an Event about each victim'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l surge -d 'Number of extra nodes during the upgrade (surge)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -s o -l output -d 'text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .name' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -s l -l selector -d 'The nodes with these labels, e.g. pool=spot' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand node" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s o -l output -d 'File to write: .snap is compact and open at once, anything else JSON' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l from -d 'Write this snapshot in another form, instead of reading the cluster' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l scheduler-configmap -d 'Also save the scheduler\'s configuration in this ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l force -d 'Overwrite the file if it exists'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s o -l output -d 'text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .name' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l fail-on -d 'Exit with code 1 if something of this severity or above is found' -r -f -a "error\t'Something does not work'
warning\t'Something will surprise somebody'
info\t'Anything'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l against -d 'Compare the priority classes with those of another cluster: a file, a directory or a snapshot' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -s o -l output -d 'text, wide, json, yaml, sarif, junit, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
sarif\t''
junit\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .name' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -s A -l all-namespaces -d 'All namespaces, which is what it checks without -n'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand audit" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l for -d 'By this pod, or by one more pod of this owner' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l priority -d 'By a pod of this priority or priority class; with --for, instead of its own' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l requests -d 'By a pod that requests this (e.g. cpu=4,memory=8Gi); with --for, instead of its own' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l by -d 'Show which pods may evict which others, a row for each of these' -r -f -a "class\t''
namespace\t''
subject\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -s o -l output -d 'text, wide, json, yaml, html, prometheus, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
html\t''
prometheus\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .name' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand risk" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -s f -l filename -d 'A pod or workload that does not exist yet; - is standard input' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l priority -d 'Priority or priority class of the pod, instead of its own' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -s o -l output -d 'text, wide, json, yaml, html, openmetrics, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
html\t''
openmetrics\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand headroom" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -s o -l output -d 'text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .name' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand suggest" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l since -d 'Without names: only what happened in this time until now (e.g. 30m, 12h, 1d)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l before -d 'Run the decision again on a snapshot from before the preemption' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -s o -l output -d 'text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .name' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand why-evicted" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s o -l output -d 'text, wide, json or yaml' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l rbac -d 'Only print the roles that the commands need, for kubectl apply -f -'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l call-timeout -d 'The longest that a call may take, e.g. 30s or 2m' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l call-memory -d 'The most memory of a call in MiB, at least 128; on Linux' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -s l -l selector -d 'Only pods with these labels, e.g. app=web,tier!=front' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l from -d 'Read the cluster from files; - is standard input; may be repeated' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l now -d 'Decide as of this time (default: that of the snapshot, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l chunk-size -d 'Read large lists in chunks of this size; 0 reads them at once' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l scheduler-version -d 'Decide as this version, e.g. 1.36' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l feature-gates -d 'Set kube-scheduler\'s feature gates' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l scheduler-config -d 'Read kube-scheduler\'s configuration' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l scheduler-configmap -d 'Read that configuration from a ConfigMap' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l call-extenders -d 'Call the extenders of the configuration, as the scheduler does'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l one-call -d 'Answers the one call on standard input: what the server starts for each'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand mcp" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l dir -d 'With --install: write it to this folder (default: that of kubectl-preempt)' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l install -d 'Write kubectl_complete-preempt, which makes kubectl complete this plugin'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l force -d 'With --install: overwrite a file of that name that is not ours'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s o -l output -d 'text, wide, json, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,...' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
jsonpath=\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l sort-by -d 'Sort by this path of an item of -o json, e.g. .name' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l all -d 'Every row of each table; otherwise the first 20'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l no-headers -d 'With -o custom-columns: no column headings'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s o -l output -d 'text, json or yaml' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s n -l namespace -d 'Namespace of the pods (default: that of the kubeconfig context)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l color -d 'Use colour: auto (on terminals), always or never' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s v -l v -d 'Log level: 1 shows connections, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l kubeconfig -d 'Kubeconfig file to use (default: those of KUBECONFIG, else ~/.kube/config)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l context -d 'Context of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l cluster -d 'Cluster of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l user -d 'User of the kubeconfig to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s s -l server -d 'Address and port of the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l token -d 'Bearer token for the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l as -d 'User or service account to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l as-group -d 'Group to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l as-uid -d 'UID to impersonate' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l as-user-extra -d 'Extra field of the user to impersonate; repeat the flag for several' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l insecure-skip-tls-verify -d 'Do not check the server\'s certificate (insecure)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l certificate-authority -d 'Certificate of the server\'s certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l client-certificate -d 'Client certificate for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l client-key -d 'Client key for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l tls-server-name -d 'Name that the server\'s certificate must have (default: the server\'s host name)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l request-timeout -d 'Time to wait for one answer of the server, e.g. 30s or 2m; 0 waits for ever' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l disable-compression -d 'Ask the server not to compress its answers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l cache-dir -d 'Accepted because kubectl has it: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l username -d 'User name for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l password -d 'Password for basic authentication' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l warnings-as-errors -d 'Exit with 2 if the server sends a warning' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l client -d 'What `kubectl version` takes; nothing else is printed here anyway'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l ascii -d 'Print ASCII only, other characters as \\u{...} (default where the locale is not UTF-8)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l pager -d 'Show the answer in a pager on terminals: KUBECTL_PREEMPT_PAGER, else PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s q -l quiet -d 'Print only the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s h -l help -d 'Print help: -h in short, --help in full'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "explain" -d 'Explain what kube-scheduler decides about a pod, and why'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "pending" -d 'List pending pods: whether they fit, what blocks them, and what they wait for'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "simulate" -d 'Simulate what would happen to pending or new pods, and carry the plan out with --apply'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "node" -d 'Show whether nodes can be drained, and what blocks them'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "snapshot" -d 'Save the cluster\'s scheduling state to a file for --from'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "verify" -d 'Compare kube-scheduler\'s messages about pending pods with what its rules give'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "audit" -d 'Find what makes preemption surprising, dangerous or useless: budgets, priority classes, pods'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "risk" -d 'Show which running pods can be preempted, and by which pods'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "headroom" -d 'Show how many more pods like one fit'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "suggest" -d 'Suggest the smallest change that lets a pod in and loses no pod'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "why-evicted" -d 'Say why a pod was evicted: which pod preempted it, or what else ended it'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "doctor" -d 'Check the connection and the permissions that the commands need'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "mcp" -d 'Serve the Model Context Protocol on standard input and output, for agents'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "completion" -d 'Print a completion script for a shell, or make kubectl complete this plugin'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "rules" -d 'Explain a plugin, a preemption step or a message of kube-scheduler'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "schema" -d 'Print the JSON Schema of everything that -o json prints'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "options" -d 'Print the flags that every command takes'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "version" -d 'Print the version of this program, and the versions of kube-scheduler that it knows'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate node snapshot verify audit risk headroom suggest why-evicted doctor mcp completion rules schema options version help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
