/** Reads a JSON body defensively: its depth is known before it is parsed, and text the database cannot hold is refused. */
import { fail, type Failure } from '#core/failures.ts';

const BODY_DEPTH_MAX = 64;

const PROTOTYPE = '__proto__';
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENERS = new Set([0x5b, 0x7b]);
const CLOSERS = new Set([0x5d, 0x7d]);

export function parseBody(text: string): unknown {
  refuseIfTooDeep(text);
  const value = parse(text);
  // An escape may hide either; a text without any cannot hold a character that JSON forbids.
  if (text.includes('\\u') || text.includes(PROTOTYPE)) refuseUnusableText(value);
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw fail('malformed_json', {
      reason: error instanceof Error ? publicReason(error.message) : 'unreadable',
    });
  }
}

/** The engine's message quotes the body; what is said to the client is only where it broke. */
function publicReason(message: string): string {
  const place = /at position \d+( \(line \d+ column \d+\))?/.exec(message);
  if (place !== null) return `unexpected text ${place[0]}`;
  return /end of JSON/i.test(message) ? 'it ends too early' : 'unexpected text';
}

function refuseIfTooDeep(text: string): void {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === BACKSLASH) index++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (OPENERS.has(code)) {
      if (++depth > BODY_DEPTH_MAX) throw fail('body_too_deep', { limit: BODY_DEPTH_MAX });
    } else if (CLOSERS.has(code)) depth--;
  }
}

/** PostgreSQL stores neither U+0000 nor half of a surrogate pair, and no field is called `__proto__`. */
function refuseUnusableText(value: unknown): void {
  const rest: { value: unknown; path: string }[] = [{ value, path: '' }];
  for (let item = rest.pop(); item !== undefined; item = rest.pop()) {
    if (typeof item.value === 'string') refuseText(item.value, item.path);
    else if (typeof item.value === 'object' && item.value !== null) {
      for (const [key, inner] of Object.entries(item.value)) {
        const path = item.path === '' ? key : `${item.path}.${key}`;
        if (key === PROTOTYPE) throw unusable(path, 'is not a possible name');
        refuseText(key, path);
        rest.push({ value: inner, path });
      }
    }
  }
}

function refuseText(text: string, path: string): void {
  if (!text.includes('\u0000') && text.isWellFormed()) return;
  throw unusable(path, 'contains a character that cannot be stored (U+0000 or half of a surrogate pair)');
}

function unusable(path: string, message: string): Failure {
  const shown = path.toWellFormed().replaceAll('\u0000', '?');
  const problems = [{ path: shown, message }];
  return fail('invalid_request', { reason: `${shown}: ${message}.` }, { problems });
}
