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

complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -s V -l version -d 'Print version'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "explain" -d 'Explain what kube-scheduler decides about a pod, and why'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "pending" -d 'List every pod that waits for a node: whether it fits, what blocks it, and what it waits for'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "simulate" -d 'Show what would happen: the plan for pending pods or for pods that do not exist yet, and what follows from it'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "snapshot" -d 'Save the cluster\'s scheduling state to a file that every command reads with --from'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "verify" -d 'Compare what kube-scheduler wrote about pending pods with what its rules give'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "doctor" -d 'Check the connection and every permission that the commands need, and print the role that is missing'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "completion" -d 'Print a completion script, or have kubectl complete this plugin'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "rules" -d 'What a plugin, a preemption step or a message of kube-scheduler means'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "schema" -d 'Print the JSON Schema of `-o json`'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "options" -d 'Print the flags that every command takes'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "version" -d 'Print the version, and which schedulers are known'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l from -d 'Read objects from a file, a directory or - (standard input) instead of the cluster: what kubectl get -o json|yaml or kubectl cluster-info dump wrote, or a snapshot; .gz and .zst are unpacked' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s l -l selector -d 'Without names: only pods with these labels, as kubectl selects them (e.g. app=web,tier!=front)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l chunk-size -d 'Return large lists in chunks rather than all at once. Pass 0 to disable' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l scheduler-version -d 'Decide as this version of kube-scheduler does (default: the cluster\'s or snapshot\'s, else that of the newest kubelet, else the newest known)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l feature-gates -d 'Feature gates of the cluster\'s kube-scheduler, as its own flag takes them; they come on top of those that its static pod shows' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l scheduler-config -d 'The configuration that the cluster\'s kube-scheduler is started with: a KubeSchedulerConfiguration or Policy that its version reads, or a ConfigMap with one (default: what the cluster shows, else the default profile)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l scheduler-configmap -d 'Read that configuration from a ConfigMap: from its only key, or config.yaml, scheduler-config.yaml, kube-scheduler-config.yaml, scheduler-config or policy.cfg' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l now -d 'Decide as at this instant, RFC 3339 (default: when the snapshot was taken, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s o -l output -d 'Output format. `name` is pod/NAME of every victim on the nodes that the scheduler may pick, or node/NAME where none is evicted, one per line for `xargs -L1 kubectl get`; if a victim is in another namespace than the pod, -n NAMESPACE follows each name. A jsonpath template is kubectl\'s, over what `-o json` prints' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
name\t''
csv\t''
markdown\t''
html\t''
dot\t''
jsonpath=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l compare -d 'Decide as each of these versions of kube-scheduler does, and show where they differ and by which rules; of several pods, those that change' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l seed -d 'With --as-scheduled: one start instead of all, the node of that number in the scheduler\'s order, counted around' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l call-extenders -d 'Ask the extenders of the configuration (filter, prioritize, preempt), as the scheduler does. Sends whole pods and nodes to the addresses that the configuration names'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l as-scheduled -d 'Also show what the scheduler itself may pick, and how likely: it stops looking once it has seen enough nodes, so that depends on where it starts'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l nodes -d 'Show every node, one row each'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l exit-code -d 'Exit with 1 if no node takes a pod and preemption does not help; with --compare: in one of the versions'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand explain" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l interval -d 'With --watch: how often a kind of object is listed that may not be watched (e.g. 5s, 1m)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l from -d 'Read objects from a file, a directory or - (standard input) instead of the cluster: what kubectl get -o json|yaml or kubectl cluster-info dump wrote, or a snapshot; .gz and .zst are unpacked' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s l -l selector -d 'Without names: only pods with these labels, as kubectl selects them (e.g. app=web,tier!=front)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l chunk-size -d 'Return large lists in chunks rather than all at once. Pass 0 to disable' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l scheduler-version -d 'Decide as this version of kube-scheduler does (default: the cluster\'s or snapshot\'s, else that of the newest kubelet, else the newest known)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l feature-gates -d 'Feature gates of the cluster\'s kube-scheduler, as its own flag takes them; they come on top of those that its static pod shows' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l scheduler-config -d 'The configuration that the cluster\'s kube-scheduler is started with: a KubeSchedulerConfiguration or Policy that its version reads, or a ConfigMap with one (default: what the cluster shows, else the default profile)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l scheduler-configmap -d 'Read that configuration from a ConfigMap: from its only key, or config.yaml, scheduler-config.yaml, kube-scheduler-config.yaml, scheduler-config or policy.cfg' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l now -d 'Decide as at this instant, RFC 3339 (default: when the snapshot was taken, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s o -l output -d 'Output format. Columns are those of kubectl, HEADER:PATH,..., over the items of `-o json`' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''
name\t''
custom-columns=\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l sort-by -d 'Sort the pods by what stands at this path in an item of `-o json`, e.g. \'{.name}\' or .created' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l in-order -d 'Place the pods one after the other, as the scheduler does: each sees where the earlier ones went, and which pods they preempted. A pod that may go to several nodes goes to the first that is listed'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s w -l watch -d 'Show changes: on a terminal the list is kept up to date, in a pipe the rows that change are added, a row for each pod'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l call-extenders -d 'Ask the extenders of the configuration (filter, prioritize, preempt), as the scheduler does. Sends whole pods and nodes to the addresses that the configuration names'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l no-headers -d 'Print the rows alone, without column headings and counts'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand pending" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s f -l filename -d 'Pods or workloads that do not exist yet: a file, a directory or - (standard input), JSON or YAML. Other objects in it are taken to be in the cluster' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l replicas -d 'Number of pods to simulate; overrides replicas' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l depth -d 'How many generations of replacements are followed' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l from -d 'Read objects from a file, a directory or - (standard input) instead of the cluster: what kubectl get -o json|yaml or kubectl cluster-info dump wrote, or a snapshot; .gz and .zst are unpacked' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s l -l selector -d 'Without names: only pods with these labels, as kubectl selects them (e.g. app=web,tier!=front)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l chunk-size -d 'Return large lists in chunks rather than all at once. Pass 0 to disable' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l scheduler-version -d 'Decide as this version of kube-scheduler does (default: the cluster\'s or snapshot\'s, else that of the newest kubelet, else the newest known)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l feature-gates -d 'Feature gates of the cluster\'s kube-scheduler, as its own flag takes them; they come on top of those that its static pod shows' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l scheduler-config -d 'The configuration that the cluster\'s kube-scheduler is started with: a KubeSchedulerConfiguration or Policy that its version reads, or a ConfigMap with one (default: what the cluster shows, else the default profile)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l scheduler-configmap -d 'Read that configuration from a ConfigMap: from its only key, or config.yaml, scheduler-config.yaml, kube-scheduler-config.yaml, scheduler-config or policy.cfg' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l now -d 'Decide as at this instant, RFC 3339 (default: when the snapshot was taken, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s o -l output -d 'Output format' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l priority -d 'Pretend that the pods have this priority or priority class' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l preemption-policy -d 'Pretend that the pods have this preemption policy' -r -f -a "PreemptLowerPriority\t''
Never\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l requests -d 'Pretend that the pods request this much in total, containers and overhead together' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l toleration -d 'Pretend that the pods tolerate this taint; without an effect any effect, without a value any value' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l node-selector -d 'Pretend that the pods have this node selector in addition' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l add-node -d 'Pretend that this node is in the cluster: objects of kind Node' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l add-node-like -d 'Pretend that a node like this one is added, without its pods and devices' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l remove-pod -d 'Pretend this pod is deleted' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l free -d 'Pretend that this much is free on the node in addition; `pods=1` is room for one more pod' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l cordon -d 'Pretend this node is cordoned' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l uncordon -d 'Pretend this node is uncordoned' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l drain -d 'Pretend this node is drained: cordoned, and its pods deleted except static ones and those of a DaemonSet' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l remove-taint -d 'Pretend this taint is removed from the node; without an effect any effect, without a value any value' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l remove-node -d 'Pretend this node and its pods are deleted' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l pdb -d 'Pretend this PodDisruptionBudget allows N disruptions' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l on -d 'Plan for this node, whichever the scheduler would pick' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l mode -d 'How victims are made to go: evict keeps disruption budgets, delete does what kube-scheduler does and does not [default: evict]' -r -f -a "evict\t'By the eviction API'
delete\t'As kube-scheduler'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l timeout -d 'The length of time to wait before giving up, zero means infinite [default: 5m and the longest grace period]' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l wait -d 'If false, return when the last eviction is accepted [default: true]' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l grace-period -d 'Period of time in seconds given to each victim to stop. If negative, what the pod itself asks for [default: -1]' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l dry-run -d 'Must be "none", "server", or "client". client: nothing is sent. server: the server tries and does nothing [default: none]' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s R -l recursive -d 'Read the directories of -f with all that is below them'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l call-extenders -d 'Ask the extenders of the configuration (filter, prioritize, preempt), as the scheduler does. Sends whole pods and nodes to the addresses that the configuration names'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l as-if-preempting -d 'Pretend that the pods may preempt: without scheduling gates, and whatever their preemptionPolicy is. --on does this for pods that may not. With --apply, the victims are evicted by the eviction API'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l apply -d 'Carry the plan out: evict the victims, one at a time, and wait until the pod is on a node'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l nominate -d 'Set the pod\'s nominatedNodeName before the first eviction, if it is unset, and take it back if the plan fails'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s y -l yes -d 'Do not ask. Plans that violate a PodDisruptionBudget with --mode=delete need --force, too'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l force -d 'Continue even if there are victims that are unsafe to evict: static pods, pods without a controller, pods of the system, pods that come back to the same node'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l delete-emptydir-data -d 'Continue even if victims use emptyDir volumes, whose data are lost'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l record -d 'Write an Event on each victim'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand simulate" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s o -l output -d 'File to write; .zst and .gz are compressed, - is standard output [default: preempt-snapshot-TIME.json.zst]' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l scheduler-configmap -d 'Also save the scheduler\'s configuration that this ConfigMap holds' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l force -d 'Overwrite the file if it exists'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand snapshot" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l from -d 'Read objects from a file, a directory or - (standard input) instead of the cluster: what kubectl get -o json|yaml or kubectl cluster-info dump wrote, or a snapshot; .gz and .zst are unpacked' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s l -l selector -d 'Without names: only pods with these labels, as kubectl selects them (e.g. app=web,tier!=front)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l chunk-size -d 'Return large lists in chunks rather than all at once. Pass 0 to disable' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l scheduler-version -d 'Decide as this version of kube-scheduler does (default: the cluster\'s or snapshot\'s, else that of the newest kubelet, else the newest known)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l feature-gates -d 'Feature gates of the cluster\'s kube-scheduler, as its own flag takes them; they come on top of those that its static pod shows' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l scheduler-config -d 'The configuration that the cluster\'s kube-scheduler is started with: a KubeSchedulerConfiguration or Policy that its version reads, or a ConfigMap with one (default: what the cluster shows, else the default profile)' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l scheduler-configmap -d 'Read that configuration from a ConfigMap: from its only key, or config.yaml, scheduler-config.yaml, kube-scheduler-config.yaml, scheduler-config or policy.cfg' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l now -d 'Decide as at this instant, RFC 3339 (default: when the snapshot was taken, else now)' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s o -l output -d 'Output format' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s A -l all-namespaces -d 'Pods of all namespaces'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l call-extenders -d 'Ask the extenders of the configuration (filter, prioritize, preempt), as the scheduler does. Sends whole pods and nodes to the addresses that the configuration names'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s o -l output -d 'Output format' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l rbac -d 'Print the roles that the commands need, as a manifest for kubectl apply -f -, and do nothing else'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l dir -d 'Where to write it (default: the folder of the PATH that has kubectl-preempt)' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l install -d 'Write kubectl_complete-preempt, by which kubectl completes this plugin'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l force -d 'Overwrite a file of that name that is not ours'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand completion" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s o -l output -d 'Output format' -r -f -a "text\t''
wide\t''
json\t''
yaml\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand rules" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand schema" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand options" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s o -l output -d 'Output format' -r -f -a "text\t''
json\t''
yaml\t''"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s n -l namespace -d 'If present, the namespace scope for this CLI request' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l color -d 'When to use colour' -r -f -a "auto\t'On terminals, unless the environment says otherwise'
always\t'Also into pipes and files'
never\t'Not at all'"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s v -l v -d 'Log level: 1 shows what is connected to, 4 what is read, 6 requests, 8 headers' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l kubeconfig -d 'Path to the kubeconfig file to use for CLI requests' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l context -d 'The name of the kubeconfig context to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l cluster -d 'The name of the kubeconfig cluster to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l user -d 'The name of the kubeconfig user to use' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s s -l server -d 'The address and port of the Kubernetes API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l token -d 'Bearer token for authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l as -d 'Username to impersonate for the operation. User could be a regular user or a service account in a namespace' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l as-group -d 'Group to impersonate for the operation, this flag can be repeated to specify multiple groups' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l as-uid -d 'UID to impersonate for the operation' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l as-user-extra -d 'User extras to impersonate for the operation, this flag can be repeated to specify multiple values for the same key' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l insecure-skip-tls-verify -d 'If true, the server\'s certificate will not be checked for validity. This will make your HTTPS connections insecure' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l certificate-authority -d 'Path to a cert file for the certificate authority' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l client-certificate -d 'Path to a client certificate file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l client-key -d 'Path to a client key file for TLS' -r -F
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l tls-server-name -d 'Server name to use for server certificate validation. If it is not provided, the hostname used to contact the server is used' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l request-timeout -d 'The length of time to wait before giving up on a single server request. Non-zero values should contain a corresponding time unit (e.g. 1s, 2m, 3h). A value of zero means don\'t timeout requests' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l disable-compression -d 'If true, opt-out of response compression for all requests to the server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l cache-dir -d 'Default cache directory. Accepted for kubectl\'s sake: nothing is cached' -r -f -a "(__fish_complete_directories)"
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l username -d 'Username for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l password -d 'Password for basic authentication to the API server' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l warnings-as-errors -d 'Treat warnings received from the server as errors and exit with a non-zero exit code' -r
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l ascii -d 'Write ASCII alone; other characters are shown as \\u{...}. The default where the locale is not UTF-8'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -l pager -d 'Show the answer in a pager if standard output is a terminal: that of `KUBECTL_PREEMPT_PAGER`, which works without the flag, too, else of PAGER, else less'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s q -l quiet -d 'Say nothing but the answer and errors'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand version" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "explain" -d 'Explain what kube-scheduler decides about a pod, and why'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "pending" -d 'List every pod that waits for a node: whether it fits, what blocks it, and what it waits for'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "simulate" -d 'Show what would happen: the plan for pending pods or for pods that do not exist yet, and what follows from it'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "snapshot" -d 'Save the cluster\'s scheduling state to a file that every command reads with --from'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "verify" -d 'Compare what kube-scheduler wrote about pending pods with what its rules give'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "doctor" -d 'Check the connection and every permission that the commands need, and print the role that is missing'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "completion" -d 'Print a completion script, or have kubectl complete this plugin'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "rules" -d 'What a plugin, a preemption step or a message of kube-scheduler means'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "schema" -d 'Print the JSON Schema of `-o json`'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "options" -d 'Print the flags that every command takes'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "version" -d 'Print the version, and which schedulers are known'
complete -c kubectl-preempt -n "__fish_kubectl_preempt_using_subcommand help; and not __fish_seen_subcommand_from explain pending simulate snapshot verify doctor completion rules schema options version help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
