/** Reads the log as it is written: which request took which route, what failed, and whether a secret stands in it. */

export interface Logged {
  /** As it is declared to the router; null where nothing matched. */
  readonly route: string | null;
  readonly tool: string | undefined;
}

export interface LoggedError {
  readonly line: string;
  readonly requestId: string | undefined;
}

const ERROR_LEVEL = 50;
/** Any token of this service, any access of OAuth, any payment token of the sandbox. */
const TOKEN = /asy_(?:test|live)_[\w-]{20,}\.[\w-]+|\bey[\w-]{20,}\.ey[\w-]{20,}\.|spt_test_\w{20,}/;

export class LogWatch {
  #lines: string[] = [];
  readonly #byRequest = new Map<string, Logged>();
  readonly #errors: LoggedError[] = [];
  lineCount = 0;

  take(line: string): void {
    this.#lines.push(line);
  }

  /** Reads what was written since the last time; answers the lines that hold a secret, with the secret's beginning. */
  read(secrets: Iterable<string>): { readonly line: string; readonly secret: string }[] {
    const lines = this.#lines;
    this.#lines = [];
    this.lineCount += lines.length;
    for (const line of lines) this.#addLine(line);
    const text = lines.join('\n');
    const found = [...secrets].filter((secret) => text.includes(secret));
    const token = TOKEN.exec(text)?.[0];
    return [...found, ...(token === undefined ? [] : [token])].map((secret) => ({
      line: lines.find((line) => line.includes(secret)) ?? '',
      secret: `${secret.slice(0, 12)}…`,
    }));
  }

  /** What the log says of a request; it is forgotten then. */
  takeLogged(requestId: string): Logged | undefined {
    const found = this.#byRequest.get(requestId);
    this.#byRequest.delete(requestId);
    return found;
  }

  /** Lines of errors since the last time. */
  takeErrors(): LoggedError[] {
    return this.#errors.splice(0);
  }

  #addLine(line: string): void {
    const entry: unknown = JSON.parse(line);
    if (typeof entry !== 'object' || entry === null) return;
    const { request_id: id, route, tool, level }: Record<string, unknown> = { ...entry };
    const requestId = typeof id === 'string' ? id : undefined;
    if (typeof level === 'number' && level >= ERROR_LEVEL) this.#errors.push({ line, requestId });
    if (requestId === undefined) return;
    const before = this.#byRequest.get(requestId);
    this.#byRequest.set(requestId, {
      route: typeof route === 'string' ? route : (before?.route ?? null),
      tool: typeof tool === 'string' ? tool : before?.tool,
    });
  }
}
