/**
 * An agent without knowledge: it has a goal, and does what the server's instructions and the tools' schemas and
 * descriptions say. Nothing here names a tool or a field of the service.
 */

type Facts = Map<string, unknown>;
type Schema = Readonly<Record<string, unknown>>;

export interface AgentTool {
  readonly name: string;
  readonly inputSchema: Schema;
}

export interface AgentDoor {
  readonly instructions: string;
  readonly tools: readonly AgentTool[];
  /** The JSON of the answer; throws when the tool fails. */
  readonly call: (name: string, args: Readonly<Record<string, unknown>>) => Promise<unknown>;
  /** Lets time pass between two looks at something that is not finished. */
  readonly wait: () => Promise<void>;
  readonly createKey: () => string;
}

interface Step {
  readonly tool: AgentTool;
  /** The step is repeated until this fact has this value. */
  readonly until: { readonly fact: string; readonly value: string } | null;
}

const LOOKS_MAX = 500;
const DEPTH_MAX = 4;

/** Goes through the steps of the instructions and gives the answer of the last one. */
export async function runAgent(goal: Readonly<Record<string, unknown>>, door: AgentDoor): Promise<unknown> {
  const learned: Facts = new Map();
  const known: Facts = new Map(Object.entries(goal));
  let answer: unknown;
  for (const { tool, until } of readSteps(door)) {
    for (let looks = 0; ; looks += 1) {
      if (looks === LOOKS_MAX) throw new Error(`${tool.name} never said what the instructions wait for`);
      answer = await door.call(tool.name, fillArguments(tool, known, learned, door));
      learn(learned, answer);
      if (until === null || learned.get(until.fact) === until.value) break;
      await door.wait();
    }
  }
  return answer;
}

/** The line of the instructions that names tools in their order, one after each semicolon. */
function readSteps({ instructions, tools }: AgentDoor): Step[] {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const lines = instructions.split('\n').map((line) =>
    line.split(';').flatMap((part): Step[] => {
      const tool = part
        .match(/\w+/g)
        ?.map((word) => byName.get(word))
        .find((found) => found !== undefined);
      if (tool === undefined) return [];
      const [, fact, value] = /until `(\w+)` is (\w+)/.exec(part) ?? [];
      return [{ tool, until: fact === undefined || value === undefined ? null : { fact, value } }];
    }),
  );
  const [longest] = lines.toSorted((a, b) => b.length - a.length);
  if (longest === undefined || longest.length < 2) throw new Error('the instructions name no steps');
  return longest;
}

function fillArguments({ name, inputSchema }: AgentTool, known: Facts, learned: Facts, door: AgentDoor) {
  const required = new Set(toList(inputSchema.required));
  const args: Record<string, unknown> = {};
  for (const [argument, schema] of Object.entries(toRecord(inputSchema.properties))) {
    const value = findValue(argument, schema, { known, learned }, required.has(argument));
    if (value !== undefined) args[argument] = value;
    else if (argument.endsWith('_key')) args[argument] = door.createKey();
    else if (required.has(argument)) throw new Error(`${name} needs ${argument}, which no text names`);
  }
  return args;
}

interface Sources {
  readonly known: Facts;
  readonly learned: Facts;
}

/** By its name from the goal or an answer, by the names that its description quotes, or field by field. */
function findValue(name: string, schema: unknown, { known, learned }: Sources, isRequired: boolean): unknown {
  if (known.has(name)) return known.get(name);
  const heard = learned.get(name);
  if (heard !== undefined && (isRequired || (typeof heard === 'string' && heard !== ''))) return heard;
  const { description } = toRecord(schema);
  const quoted = typeof description === 'string' ? [...description.matchAll(/`(\w+)`/g)] : [];
  const named = quoted.map(([, word = '']) => learned.get(word)).find((value) => value !== undefined);
  if (named !== undefined && isRequired) return named;
  return isRequired ? composeObject(schema, known) : undefined;
}

/** The fields that the goal speaks of. */
function composeObject(schema: unknown, known: Facts): unknown {
  const fields = Object.keys(toRecord(toRecord(schema).properties)).filter((field) => known.has(field));
  return fields.length === 0
    ? undefined
    : Object.fromEntries(fields.map((field) => [field, known.get(field)]));
}

/** Remembers the fields of an answer; the outer of two that share a name. */
function learn(learned: Facts, answer: unknown, depth = 0): void {
  const fields = Object.entries(toRecord(answer)).filter(([, value]) => value !== null);
  if (depth < DEPTH_MAX) for (const [, value] of fields) learn(learned, value, depth + 1);
  for (const [name, value] of fields) if (typeof value !== 'object') learned.set(name, value);
}

function toRecord(value: unknown): Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
