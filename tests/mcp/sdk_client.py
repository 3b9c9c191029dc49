"""Drives `kubectl preempt mcp` with the official Python SDK, which checks structured answers against the tools' schemas.

    python3 tests/mcp/sdk_client.py PROGRAM EXAMPLE
"""

import asyncio
import json
import sys

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import TextContent

PROGRAM, EXAMPLE = sys.argv[1:]
POD = "web-6d4cf56db6-q7rtz"

CALLS = [
    ("pod_explain", {"pod": POD, "namespace": "shop"}, "Decision"),
    ("pods_pending", {}, "PendingList"),
    ("placement_simulate", {"pod": POD, "namespace": "shop", "requests": ["cpu=500m"]}, "Simulation"),
    ("pods_risk", {"max_rows": 3}, "RiskList"),
    ("evictions_explain", {"since": "1h"}, "DisruptionList"),
    ("nodes_removable", {"nodes": ["worker-3"]}, "NodeRemovalList"),
    ("node_loss", {"fail": ["worker-3"]}, "NodeLossList"),
    ("changes_suggest", {"pods": [POD], "namespace": "shop"}, "SuggestionList"),
    ("headroom_count", {"pod": "cpu=1,memory=1Gi"}, "Headroom"),
    ("cluster_audit", {}, "Audit"),
    ("messages_verify", {}, "VerificationList"),
    ("versions_compare", {"versions": ["1.35", "1.37"]}, "DecisionComparisonList"),
    ("rules_explain", {"query": "PRE-302"}, "RuleList"),
]


async def main() -> None:
    server = StdioServerParameters(
        command=PROGRAM, args=["mcp", "--from", EXAMPLE, "--now", "2026-06-01T12:00:00Z"]
    )
    async with stdio_client(server) as streams, ClientSession(*streams) as session:
        info = await session.initialize()
        assert "untrusted" in (info.instructions or ""), info
        tools = (await session.list_tools()).tools
        assert sorted(tool.name for tool in tools) == sorted(name for name, _, _ in CALLS), tools
        for tool in tools:
            hints = tool.annotations
            assert hints is not None and hints.read_only_hint and not hints.destructive_hint, tool
        for name, arguments, kind in CALLS:
            result = await session.call_tool(name, {**arguments, "detail": "full"})
            assert not result.is_error, result
            answer = result.structured_content
            assert answer["values"]["kind"] == kind, answer
            (text,) = result.content
            assert isinstance(text, TextContent) and json.loads(text.text) == answer
        failed = await session.call_tool("pod_explain", {"pod": "no-such-pod"})
        assert failed.is_error and "not found" in failed.content[0].text, failed
        try:
            await session.call_tool("pod_evict", {})
        except Exception as error:
            assert "no such tool" in str(error), error
        else:
            raise AssertionError("a tool that does not exist")
    print(f"{len(CALLS)} tools answered")


asyncio.run(main())
