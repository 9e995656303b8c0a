/**
 * An order by an agent that knows nothing but what the tool protocol tells it: how many calls it needs, and how many
 * characters it has to read and write. A model pays for each of them.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { runAgent } from '#testing/tool-agent.ts';
import type { ServiceArgument, ServiceReady } from './peers/service.ts';
import { openBenchDatabase } from './support/database.ts';
import { createDesigns } from './support/designs.ts';
import type { Report } from './support/report.ts';
import { startServer } from './support/server-process.ts';

const LOOK_MS = 250;
const SEQUENCES = 4;
const LENGTH = 120;
const SEED = 1;
/** The simulated lab needs days for an order. */
const SANDBOX_SPEED = 864_000;

export async function run(): Promise<Report[]> {
  const directory = mkdtempSync(join(tmpdir(), 'assayer-bench-agent-'));
  const database = await openBenchDatabase();
  try {
    const argument: ServiceArgument = {
      connection: database.connection,
      dataDir: join(directory, 'data'),
      sandboxSpeed: SANDBOX_SPEED,
    };
    const service = await startServer<ServiceReady>('service', argument);
    try {
      return [await order(service.ready)];
    } finally {
      await service.stop();
    }
  } finally {
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function connect({ baseUrl, token }: ServiceReady, path: string): Promise<Client> {
  const client = new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(path, baseUrl), { requestInit }));
  return client;
}

async function order(ready: ServiceReady): Promise<Report> {
  const client = await connect(ready, '/mcp/');
  const { tools } = await client.listTools();
  const ofLab = await connect(ready, '/mcp/?tools=all');
  const { tools: allTools } = await ofLab.listTools();
  await ofLab.close();
  const instructions = client.getInstructions() ?? '';
  const names: string[] = [];
  let [sent, received] = [0, 0];
  const goal = {
    name: 'binders',
    experiment_type: 'affinity',
    method: 'bli',
    target: 'EGFR',
    sequences: createDesigns(SEQUENCES, LENGTH, SEED),
    payment_method: 'mpp-spt',
  };
  await runAgent(goal, {
    instructions,
    tools: tools.map(({ name, inputSchema }) => ({ name, inputSchema: { ...inputSchema } })),
    async call(name, args) {
      const answer = await client.callTool({ name, arguments: { ...args } });
      const texts = answer.content.flatMap((block) => (block.type === 'text' ? [block.text] : []));
      if (answer.isError === true) throw new Error(`wrong answer: ${name} failed: ${texts.join('\n')}`);
      names.push(name);
      if (names.indexOf(name) === names.length - 1) sent += JSON.stringify(args).length;
      if (names.indexOf(name) === names.length - 1) received += texts.join('').length;
      return JSON.parse(texts[0] ?? 'null') as unknown;
    },
    wait: () => pause(LOOK_MS),
    createKey: randomUUID,
  });
  await client.close();
  const looks = names.length - new Set(names).size;
  return {
    title: 'An order by an agent that knows nothing but the tools',
    conditions: [
      `affinity of ${SEQUENCES} sequences, paid in the sandbox`,
      `calls: ${[...new Set(names)].join(', ')}`,
      `${looks} more looks while the lab was at work, whose characters are left out`,
    ],
    findings: [
      { what: 'calls, each look at the lab but the first left out', value: names.length - looks, unit: '' },
      { what: 'characters of the instructions', value: instructions.length, unit: '' },
      { what: 'tools of the list', value: tools.length, unit: '' },
      { what: 'characters of the list', value: JSON.stringify(tools).length, unit: '' },
      { what: '… of their input schemas', value: countCharacters(tools, 'inputSchema'), unit: '' },
      { what: '… of their output schemas', value: countCharacters(tools, 'outputSchema'), unit: '' },
      { what: '… of their descriptions', value: countCharacters(tools, 'description'), unit: '' },
      { what: 'tools of the list with those of the lab', value: allTools.length, unit: '' },
      { what: 'characters of that list', value: JSON.stringify(allTools).length, unit: '' },
      { what: 'characters of all arguments', value: sent, unit: '' },
      { what: 'characters of all answers', value: received, unit: '' },
    ],
  };
}

function countCharacters(tools: readonly object[], member: string): number {
  const parts = tools.map((tool) => Object.entries(tool).find(([name]) => name === member)?.[1] as unknown);
  return parts.reduce<number>((sum, part) => sum + (JSON.stringify(part)?.length ?? 0), 0);
}
