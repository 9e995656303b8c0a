/**
 * Names of analysis settings: `dissociationS` in the engine, `dissociation_s` on the wire. Both directions are in one
 * file, so that clients can send back the settings that a result shows. Names that people chose (samples, traces) are
 * not converted.
 */
import { isRecord, toCamelCase, toSnakeCase } from '#core/records.ts';

/** Members whose own members are settings too; the members of all others are names. */
const NESTED: ReadonlySet<string> = new Set(['limits', 'fixedSlopes']);
/** Members that map each name to settings. */
const BY_NAME: ReadonlySet<string> = new Set(['assign']);

type Members = Readonly<Record<string, unknown>>;
type Respell = (key: string) => string;

/** The form under `analysis.settings` of a result. */
export function toWireSettings(settings: object): Members {
  return respellKeys({ ...settings }, toSnakeCase);
}

/** The engine's form of settings as a result shows them, or of a part of them. */
export function toEngineSettings(settings: Members): Members {
  return respellKeys(settings, toCamelCase);
}

function respellKeys(settings: Members, respell: Respell): Members {
  const entries = Object.entries(settings).map(([key, value]) => {
    const engineName = toCamelCase(key);
    if (!isRecord(value)) return [respell(key), value] as const;
    if (NESTED.has(engineName)) return [respell(key), respellKeys(value, respell)] as const;
    return [respell(key), BY_NAME.has(engineName) ? respellNested(value, respell) : value] as const;
  });
  return Object.fromEntries(entries);
}

function respellNested(members: Members, respell: Respell): Members {
  const entries = Object.entries(members).map(
    ([name, value]) => [name, isRecord(value) ? respellKeys(value, respell) : value] as const,
  );
  return Object.fromEntries(entries);
}
