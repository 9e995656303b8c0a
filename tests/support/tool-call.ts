/** One call of a tool as a message of JSON-RPC, with whatever stands in its `_meta`. */
import { getText, type Json, type TestService } from './service.ts';

export interface ToolMessage {
  readonly result: Json | undefined;
  readonly error: Json | undefined;
}

export async function callTool(
  { ask }: Pick<TestService, 'ask'>,
  name: string,
  args: Readonly<Record<string, unknown>>,
  meta: Readonly<Record<string, unknown>> = {},
): Promise<ToolMessage> {
  const params = { name, arguments: args, _meta: meta };
  const { body } = await ask('POST', '//mcp/', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  });
  return { result: body.result, error: body.error };
}

/** What a model sees of a result. */
export function getContentText(result: Json | undefined): string {
  return getText(result?.content?.[0]?.text);
}
