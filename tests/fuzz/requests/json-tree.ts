/**
 * JSON as a tree that can also be what `JSON.stringify` never writes: the same name twice, `__proto__` as a name of its
 * own, a number beyond every range, text that is no JSON at all.
 */
import type { Chance } from './chance.ts';

export type JsonTree =
  | { readonly kind: 'raw'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly JsonTree[] }
  | { readonly kind: 'record'; readonly entries: readonly Entry[] };

export type Entry = readonly [name: string, value: JsonTree];

export const createRaw = (text: string): JsonTree => ({ kind: 'raw', text });

export function createTree(value: unknown): JsonTree {
  if (Array.isArray(value)) return { kind: 'list', items: value.map((item) => createTree(item)) };
  if (typeof value !== 'object' || value === null) return createRaw(JSON.stringify(value) ?? 'null');
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return { kind: 'record', entries: entries.map(([name, item]) => [name, createTree(item)]) };
}

export function writeTree(tree: JsonTree): string {
  if (tree.kind === 'raw') return tree.text;
  if (tree.kind === 'list') return `[${tree.items.map((item) => writeTree(item)).join(',')}]`;
  return `{${tree.entries.map(([name, value]) => `${JSON.stringify(name)}:${writeTree(value)}`).join(',')}}`;
}

function countNodes(tree: JsonTree): number {
  if (tree.kind === 'raw') return 1;
  const inner = tree.kind === 'list' ? tree.items : tree.entries.map(([, value]) => value);
  return inner.reduce((sum, item) => sum + countNodes(item), 1);
}

/** The tree with one node changed, any of them as likely as any other. */
export function changeSomewhere(
  tree: JsonTree,
  chance: Chance,
  change: (node: JsonTree) => JsonTree,
): JsonTree {
  let left = chance.drawBelow(countNodes(tree));
  const walk = (node: JsonTree): JsonTree => {
    if (left-- === 0) return change(node);
    if (node.kind === 'raw' || left < 0) return node;
    if (node.kind === 'list') return { kind: 'list', items: node.items.map((item) => walk(item)) };
    return { kind: 'record', entries: node.entries.map(([name, value]) => [name, walk(value)]) };
  };
  return walk(tree);
}

/** The tree with one of its records changed; itself where it has none. */
export function changeRecord(
  tree: JsonTree,
  chance: Chance,
  change: (entries: readonly Entry[]) => readonly Entry[],
): JsonTree {
  let records = 0;
  const count = (node: JsonTree): void => {
    if (node.kind === 'record') records += 1;
    if (node.kind === 'list') for (const item of node.items) count(item);
    if (node.kind === 'record') for (const [, value] of node.entries) count(value);
  };
  count(tree);
  let left = chance.drawBelow(records);
  const walk = (node: JsonTree): JsonTree => {
    if (node.kind === 'raw') return node;
    if (node.kind === 'list') return { kind: 'list', items: node.items.map((item) => walk(item)) };
    const isChosen = left-- === 0;
    const entries = isChosen ? change(node.entries) : node.entries;
    return isChosen
      ? { kind: 'record', entries }
      : { kind: 'record', entries: entries.map(([name, value]) => [name, walk(value)]) };
  };
  return walk(tree);
}
