/** What differs between two answers. A field that only the later one has is new, and no difference. */
import { isRecord } from '#core/records.ts';

export interface Differences {
  readonly changed: string[];
  readonly added: Set<string>;
}

/** Changes by the asking itself. */
const MOVES = 'last_used_at';

export function compareAnswers(path: string, before: unknown, after: unknown, found: Differences): void {
  if (Object.is(removeSignature(before), removeSignature(after))) return;
  if (Array.isArray(before) && Array.isArray(after)) {
    if (before.length !== after.length)
      found.changed.push(`${path}: ${before.length} items, then ${after.length}`);
    for (const [index, item] of before.entries())
      compareAnswers(`${path}.${index}`, item, after[index], found);
  } else if (isRecord(before) && isRecord(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (name === MOVES) continue;
      if (Object.hasOwn(before, name)) compareAnswers(`${path}.${name}`, before[name], after[name], found);
      else found.added.add(removeIds(`${path}.${name}`));
    }
  } else found.changed.push(`${path}: ${formatValue(before)}, then ${formatValue(after)}`);
}

/** What is the same for each token, id and item. */
function removeIds(path: string): string {
  return path
    .replace(/^\S+ /, '')
    .replaceAll(/\/[^/.]*\d[^/.]*/g, '/*')
    .replaceAll(/\.\d+(?=\.|$)/g, '.*');
}

/** A signed link is signed anew for each answer; where it leads stays. */
function removeSignature(value: unknown): unknown {
  return typeof value === 'string' ? value.replace(/\?expires=\d+&signature=[0-9a-f]{64}$/, '') : value;
}

function formatValue(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 120);
}
