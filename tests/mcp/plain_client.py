"""Drives `kubectl preempt mcp` with nothing but Python's standard library: what any client sends and gets.

    python3 tests/mcp/plain_client.py PROGRAM EXAMPLE
"""

import json
import subprocess
import sys

PROGRAM, EXAMPLE = sys.argv[1:]
POD = "web-6d4cf56db6-q7rtz"

server = subprocess.Popen(
    [PROGRAM, "mcp", "--from", EXAMPLE, "--now", "2026-06-01T12:00:00Z"],
    stdin=subprocess.PIPE,
    stdout=subprocess.PIPE,
    text=True,
    encoding="utf-8",
)
numbers = iter(range(1, 1000))


def send(message: dict) -> None:
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def ask(method: str, params: dict) -> dict:
    number = next(numbers)
    send({"id": number, "method": method, "params": params})
    answer = json.loads(server.stdout.readline())
    assert answer["jsonrpc"] == "2.0" and answer["id"] == number, answer
    return answer


for_hello = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "plain", "version": "1"},
}
hello = ask("initialize", for_hello)["result"]
assert hello["protocolVersion"] == "2025-06-18", hello
assert hello["serverInfo"]["name"] == "kubectl-preempt", hello
send({"method": "notifications/initialized"})

tools = ask("tools/list", {})["result"]["tools"]
assert len(tools) == 13 and all(tool["annotations"]["readOnlyHint"] for tool in tools), tools

arguments = {"pod": POD, "namespace": "shop"}
result = ask("tools/call", {"name": "pod_explain", "arguments": arguments})["result"]
answer = result["structuredContent"]
assert answer["certain"] is True and answer["values"]["selected"]["nodes"] == ["worker-3"], answer
assert json.loads(result["content"][0]["text"]) == answer
assert "worker-3" in answer["screen"][0], answer["screen"]

assert ask("tools/call", {"name": "pod_evict"})["error"]["code"] == -32602
assert ask("tools/fly", {})["error"]["code"] == -32601

server.stdin.close()
assert server.wait(timeout=60) == 0
print("a plain client is served")
