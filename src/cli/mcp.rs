//! `kubectl preempt mcp`: answers questions of agents over the Model Context Protocol.
//!
//! The server itself reads no cluster. For each call it starts this program again, with limits of
//! memory and time; that process reads, decides, writes its answer and exits. So a fault affects
//! only its call, a cancelled call is killed, and no state remains.

mod answer;
mod arguments;
mod call;
mod cut;
mod messages;
mod questions;
mod server;
mod steps;

use std::time::Duration;

use rmcp::ServiceExt as _;
use rmcp::service::ServerInitializeError;

use self::call::CallLimits;
use self::messages::MessageStream;
use self::server::Server;
use super::flags::GlobalFlags;
use super::input::InputArgs;
use crate::api::flags::{self, ConnectionFlags};
use crate::api::runtime;
use crate::apply::signals;
use crate::error::Error;
use crate::exit::Exit;

const EXAMPLES: &str = "\
Examples:
  # Answer the questions of an agent about the cluster of the kubeconfig
  kubectl preempt mcp

  # About a snapshot; no cluster is asked
  kubectl preempt mcp --from cluster.snap

  # As an entry of an agent's configuration
  {\"mcpServers\": {\"scheduling\": {\"command\": \"kubectl-preempt\", \"args\": [\"mcp\", \"--context\", \"main\"]}}}";

/// Serve the Model Context Protocol on standard input and output, for agents
///
/// There is a tool for each question: `pod_explain`, `pods_pending`, `placement_simulate`,
/// `pods_risk`, `evictions_explain`, `nodes_removable`, `node_loss`, `changes_suggest`, `headroom_count`,
/// `cluster_audit`, `messages_verify`, `versions_compare` and `rules_explain`. All of them only read:
/// there is no tool that writes. Each call reads the cluster or file anew,
/// in a process of its own. Names and messages of the cluster are untrusted text, and stand only in
/// JSON strings. The server ends when its input does.
#[derive(Debug, Default, Clone, clap::Args)]
#[command(before_help = EXAMPLES, next_help_heading = "Limits of a call")]
pub struct McpArgs {
    /// The longest that a call may take, e.g. 30s or 2m
    #[arg(long, value_name = "DURATION", value_parser = flags::parse_timeout, default_value = "60s")]
    pub call_timeout: Duration,

    /// The most memory of a call in MiB, at least 128; on Linux
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(128..), default_value_t = 4096)]
    pub call_memory: u64,

    /// Where objects come from, and who decides.
    #[command(flatten)]
    pub input: InputArgs,

    /// Answers the one call on standard input: what the server starts for each.
    #[arg(long, hide = true)]
    pub one_call: bool,
}

/// Serves until standard input ends or a signal arrives.
///
/// # Errors
/// When flags are invalid.
pub fn run(
    args: &McpArgs,
    global: &GlobalFlags,
    connection: &ConnectionFlags,
) -> anyhow::Result<Exit> {
    check(args)?;
    let limits = CallLimits { time: args.call_timeout, memory_mib: args.call_memory };
    if args.one_call {
        return call::answer(args, limits, global, connection);
    }
    let runtime = runtime::start("serve")?;
    let exit = runtime.block_on(serve(limits));
    // A pending read of standard input must not delay the exit.
    runtime.shutdown_background();
    exit
}

/// Rejects flags that a server does not support.
fn check(args: &McpArgs) -> Result<(), Error> {
    for from in &args.input.from {
        let is_read_once = from == "-"
            || std::fs::metadata(from).is_ok_and(|found| !found.is_file() && !found.is_dir());
        if is_read_once {
            return Err(Error::usage_hint(
                format!("--from {from}: it is read for each call, and can be read once"),
                "write it to a file",
            ));
        }
    }
    if args.input.selector.is_some() {
        return Err(Error::usage("-l does not go with mcp: each call has a selector of its own"));
    }
    if args.input.scheduler.call_extenders {
        return Err(Error::usage("--call-extenders does not go with mcp: tools only read"));
    }
    // An invalid value is reported before the first call.
    args.input.check().map(drop)
}

async fn serve(limits: CallLimits) -> anyhow::Result<Exit> {
    let messages = MessageStream::new(tokio::io::stdin(), tokio::io::stdout());
    let service = match Server::new(limits)?.serve(messages).await {
        Ok(service) => service,
        // The client has left before it began.
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(Exit::Answered),
        Err(error) => return Err(Error::input("standard input", error.to_string()).into()),
    };
    tokio::select! {
        quit = service.waiting() => {
            quit.map_err(|e| Error::input("standard input", e.to_string()))?;
            Ok(Exit::Answered)
        }
        signal = signals::first() => Ok(signal.exit()),
    }
}
