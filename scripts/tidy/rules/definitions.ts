/** Rules about what the code declares once it runs: the life of an experiment, and the examples of operations. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Errors } from 'typebox/value';
import type * as Lifecycle from '#core/lifecycle.ts';
import type { Operation } from '#core/operation.ts';
import type { TSchema } from '#core/schema.ts';
import type * as Operations from '#transports/operations.ts';
import type { Finding, Tree } from '../tree.ts';

const LIFECYCLE = 'src/core/lifecycle.ts';
const OPERATIONS = 'src/transports/operations.ts';
export const definitionRules: readonly string[] = ['lifecycle', 'operation-example', 'definitions'];

export interface Life {
  readonly statuses: readonly string[];
  readonly initial: readonly string[];
  readonly moves: readonly { readonly from: string; readonly to: string }[];
  /** Where an experiment may rest for ever. */
  readonly final: readonly string[];
}

/** Loads what the tree declares; a file that cannot be loaded is a finding, not a crash. */
export async function checkDefinitions(tree: Tree): Promise<{ findings: Finding[]; operations: number }> {
  const findings: Finding[] = [];
  let operations: readonly Operation[] = [];
  try {
    const life = await load<typeof Lifecycle>(tree, LIFECYCLE);
    if (life !== undefined) findings.push(...checkLife(toLife(life)));
    const bound = await load<typeof Operations>(tree, OPERATIONS);
    operations = bound?.bindings.map((binding) => binding.operation) ?? [];
    findings.push(...checkExamples(tree, operations));
  } catch (error) {
    const message = `cannot be loaded: ${String(error).split('\n')[0] ?? ''}`;
    findings.push({ rule: 'definitions', file: OPERATIONS, line: 1, message });
  }
  return { findings, operations: operations.length };
}

async function load<Module>(tree: Tree, path: string): Promise<Module | undefined> {
  if (tree.root === undefined || !tree.files.has(path)) return undefined;
  const loaded: Module = await import(pathToFileURL(join(tree.root, path)).href);
  return loaded;
}

function toLife(life: typeof Lifecycle): Life {
  const { experimentStatuses: statuses, initialStatuses: initial, moves, getTurn } = life;
  return {
    statuses,
    initial,
    moves,
    final: statuses.filter((status) => getTurn(status, null).actor === null),
  };
}

/** Every state can be reached, and every state that is somebody's turn can be left. */
export function checkLife({ statuses, initial, moves, final }: Life): Finding[] {
  const reached = new Set(initial);
  for (let size = -1; size !== reached.size;) {
    size = reached.size;
    for (const { from, to } of moves) if (reached.has(from)) reached.add(to);
  }
  return statuses.flatMap((status) => {
    const problems: string[] = [];
    const leaves = moves.some(({ from, to }) => from === status && to !== status);
    if (!reached.has(status)) problems.push(`no move leads to ${status}`);
    if (!leaves && !final.includes(status)) problems.push(`${status} is somebody's turn and has no way out`);
    if (leaves && final.includes(status)) problems.push(`${status} is nobody's turn and has a way out`);
    return problems.map((message) => ({ rule: 'lifecycle', file: LIFECYCLE, line: 1, message }));
  });
}

/** Every operation shows a call and its answer, and both are what its schemas say. */
export function checkExamples(tree: Tree, operations: readonly Operation[]): Finding[] {
  return operations.flatMap((operation) => {
    const { example } = operation;
    const parts: readonly [string, TSchema | undefined, unknown][] = [
      ['params', operation.params, example.params],
      ['query', example.query === undefined ? undefined : operation.query, example.query],
      [
        'body',
        operation.bodyMode === 'optional' && example.body === undefined ? undefined : operation.body,
        example.body,
      ],
      ['output', answersJson(operation) ? operation.output : undefined, example.output],
    ];
    const at = findPlace(tree, operation.id);
    return parts.flatMap(([part, schema, value]): Finding[] => {
      const problem = schema === undefined ? undefined : findProblem(schema, value);
      const message = `${operation.id}: the example ${part} ${problem ?? ''}`;
      return problem === undefined ? [] : [{ rule: 'operation-example', ...at, message }];
    });
  });
}

function answersJson({ success, media }: Operation): boolean {
  const hasBody = success !== 204 && success !== 307;
  return hasBody && (media ?? ['application/json']).includes('application/json');
}

function findProblem(schema: TSchema, value: unknown): string | undefined {
  if (value === undefined) return 'is missing';
  const [error] = Errors(schema, value);
  return error === undefined ? undefined : `is not valid: ${error.instancePath || '/'} ${error.message}`;
}

function findPlace(tree: Tree, id: string): { file: string; line: number } {
  for (const { path, tokens } of tree.sources) {
    if (!path.endsWith('/contract.ts')) continue;
    const at = tokens.findIndex((token, index) => token.text === 'id' && tokens[index + 2]?.text === id);
    if (at !== -1) return { file: path, line: tokens[at]?.line ?? 1 };
  }
  return { file: OPERATIONS, line: 1 };
}
