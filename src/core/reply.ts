/** The answer of an operation before it is written to a door. */
import { RawJson } from './raw-json.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export function writeBody(body: unknown): string {
  if (body === null || body === undefined) return '';
  return body instanceof RawJson ? body.text : JSON.stringify(body);
}
