/** An agent that knows a goal and what the server says of itself, and nothing else. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { VHH } from '#testing/builders.ts';
import { getItems, getText, testService, type Json } from '#testing/service.ts';
import { runAgent, type AgentDoor } from '#testing/tool-agent.ts';
import { connect, listen } from './mcp-clients.ts';

const service = await testService();
const address = await listen(service);

test('agent: a goal, the instructions and the list of tools → orders, pays in the sandbox and reads results', async () => {
  const client = await connect('newest', address, service.token);
  const tools = (await client.listTools()).map(({ name, inputSchema }) => ({
    name: getText(name),
    inputSchema: { ...inputSchema },
  }));
  const called: string[] = [];
  const door: AgentDoor = {
    instructions: client.getInstructions() ?? '',
    tools,
    call: async (name, args) => {
      called.push(name);
      const answer = await client.call(name, args);
      assert.equal(answer.isError, false, `${name} ${JSON.stringify(args)}: ${answer.text}`);
      return answer.body;
    },
    wait: service.runLab,
    createKey: randomUUID,
  };
  const goal = {
    name: 'two binders',
    experiment_type: 'affinity',
    method: 'bli',
    target: 'EGFR',
    sequences: { one: VHH, two: `${VHH}W` },
    payment_method: 'mpp-spt',
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the answer of the last tool, as JSON
  const results = (await runAgent(goal, door)) as Json;
  assert.deepEqual(
    getItems(results.items).map(({ title }) => getText(title).length > 0),
    [true, true],
  );
  const [invoice] = getItems((await service.ask('GET', '/invoices')).body.items);
  assert.equal(invoice?.status, 'paid');
  assert.ok(called.length <= 12, called.join(', '));
});
