/** The answer of an operation before it is written to a door. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export function writeBody(body: unknown): string {
  if (body === null || body === undefined) return '';
  return body instanceof RawJson ? body.text : JSON.stringify(body);
}

/** A body that the database already built as JSON text; it is sent without parsing. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}
