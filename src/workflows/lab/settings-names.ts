/**
 * Settings of an analysis in their two spellings: `dissociationS` of the engine, `dissociation_s` of the wire. Both directions
 * stand side by side, so that what a result shows can be sent back. Names that people chose (samples, traces) are never respelled.
 */

/** Members whose own members are settings too; those of all others are names. */
const NESTED: ReadonlySet<string> = new Set(['limits', 'fixedSlopes']);
/** Members that say something of each name, in settings. */
const BY_NAME: ReadonlySet<string> = new Set(['assign']);

type Members = Readonly<Record<string, unknown>>;
type Respell = (key: string) => string;

/** As a result shows them under `analysis.settings`. */
export function wireSettings(settings: object): Members {
  return respelled({ ...settings }, snake);
}

/** What a result shows, or a part of it, as the engine takes it. */
export function engineSettings(settings: Members): Members {
  return respelled(settings, camel);
}

function respelled(settings: Members, respell: Respell): Members {
  const entries = Object.entries(settings).map(([key, value]) => {
    const engineName = camel(key);
    if (!isRecord(value)) return [respell(key), value] as const;
    if (NESTED.has(engineName)) return [respell(key), respelled(value, respell)] as const;
    return [respell(key), BY_NAME.has(engineName) ? ofEachName(value, respell) : value] as const;
  });
  return Object.fromEntries(entries);
}

function ofEachName(given: Members, respell: Respell): Members {
  const entries = Object.entries(given).map(
    ([name, value]) => [name, isRecord(value) ? respelled(value, respell) : value] as const,
  );
  return Object.fromEntries(entries);
}

/** `controlLog10Max` → `control_log10_max`. */
export function snake(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function camel(key: string): string {
  return key.replaceAll(/_([a-z0-9])/g, (_whole, letter: string) => letter.toUpperCase());
}

function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
